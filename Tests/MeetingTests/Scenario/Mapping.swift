/// How one column fills one attribute, as the pipeline says it.
struct FieldMap: Sendable {
  /// The attribute's name.
  var attribute: String
  /// The column's name in the scenario; where it stands in a record is the scenario's affair.
  var column: String
  /// The options, as YAML.
  var options: [String: String] = [:]

  init(_ attribute: String, _ column: String? = nil, _ options: [String: String] = [:]) {
    self.attribute = attribute
    self.column = column ?? attribute
    self.options = options
  }
}

/// How records fill one entity.
struct EntityMap: Sendable {
  var entity: String
  var keys: [FieldMap]
  var fields: [FieldMap] = []
  var relations: [RelationMap] = []
  /// Further options, as YAML.
  var options: [String: String] = [:]

  init(_ entity: String, _ keys: [FieldMap], _ fields: [FieldMap] = []) {
    self.entity = entity
    self.keys = keys
    self.fields = fields
  }

  /// The relationship with a name.
  subscript(relation name: String) -> RelationMap? {
    get { relations.first { $0.name == name } }
    set {
      relations.removeAll { $0.name == name }
      if let newValue { relations.append(newValue) }
    }
  }

  /// Changes how an attribute is filled.
  mutating func field(_ attribute: String, _ change: (inout FieldMap) -> Void) {
    for index in fields.indices where fields[index].attribute == attribute { change(&fields[index]) }
    for index in keys.indices where keys[index].attribute == attribute { change(&keys[index]) }
  }
}

/// How records fill one relationship.
struct RelationMap: Sendable {
  var name: String
  var target: EntityMap
  /// Further options, as YAML; `each` and `split` among them.
  var options: [String: String] = [:]
  /// The column with the list, of a to-many relationship.
  var list: String?

  init(_ name: String, _ target: EntityMap, list: String? = nil) {
    self.name = name
    self.target = target
    self.list = list
  }
}

/// Writes mappings as YAML.
struct YAMLText {
  /// What a column of the scenario is called in the pipeline; the columns of elements are called by themselves.
  let columnName: (String) -> String

  static func quoted(_ text: String) -> String { "\"" + JSONForm.escaped(text) + "\"" }

  /// A mapping in braces, names sorted.
  static func flow(_ options: [String: String]) -> String {
    "{ " + options.sorted { $0.key < $1.key }.map { "\(quoted($0.key)): \($0.value)" }.joined(separator: ", ") + " }"
  }

  private func fields(_ fields: [FieldMap], isElement: Bool) -> String {
    var options: [String: String] = [:]
    for field in fields {
      var own = field.options
      if own["value"] == nil, own["from"] == nil {
        own["from"] = Self.quoted(isElement ? field.column : columnName(field.column))
      }
      options[field.attribute] = Self.flow(own)
    }
    return Self.flow(options)
  }

  /// What stands under `import`, or behind a relationship.
  func entity(_ map: EntityMap, isRoot: Bool, isElement: Bool = false) -> [String: String] {
    var options = map.options
    if isRoot { options["entity"] = map.entity }
    if !map.keys.isEmpty { options["find_by"] = fields(map.keys, isElement: isElement) }
    if !map.fields.isEmpty { options["attributes"] = fields(map.fields, isElement: isElement) }
    var relations: [String: String] = [:]
    for relation in map.relations {
      var own = entity(relation.target, isRoot: false, isElement: isElement || relation.list != nil)
      own.merge(relation.options) { _, mine in mine }
      if let list = relation.list { own["each"] = Self.quoted(isElement ? list : columnName(list)) }
      relations[relation.name] = Self.flow(own)
    }
    if !relations.isEmpty { options["relationships"] = Self.flow(relations) }
    return options
  }
}
