import MergewalkTestSupport

/// A random pipeline over a shape, with random records.
struct RelationImport {
  /// A relationship that records fill.
  struct Filled {
    enum Form { case one, split, values, objects }
    var relation: RelationShape.Relation
    var target: String
    var missing: String
    var form = Form.one
    var replaces = true
    var orphans: String?
    /// Relationships of the elements, with their targets.
    var inner: [RelationShape.Relation] = []
    var field: String { "f_" + relation.name }
  }

  struct Record {
    var key: String
    var value: String?
    /// By relationship: `nil` is null; a relationship that is not there is absent.
    var fields: [String: String?] = [:]
    /// The JSON of fields that are lists.
    var lists: [String: String] = [:]
  }

  let shape: RelationShape
  let entity: String
  var filled: [Filled] = []
  let mode: String
  let passes: String?
  let batch: Int
  let takesValues: Bool

  init(_ shape: RelationShape, _ random: inout SeededGenerator) {
    self.shape = shape
    func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    func chance(_ share: Int) -> Bool { Int.random(in: 0..<100, using: &random) < share }
    // One that a dictionary can follow.
    let isPlain = chance(40)
    let owners = shape.relations.filter { !$0.isToMany && shape.root($0.owner) != shape.root($0.destination) }
      .map(\.owner)
    let entity = pick(isPlain && !owners.isEmpty ? owners : shape.entities.map(\.name))
    self.entity = entity
    for relation in shape.relations(of: entity) where relation.isRequired || chance(85) {
      if isPlain, relation.isToMany { continue }
      let target = chance(50) ? pick(shape.family(relation.destination)) : relation.destination
      // An object that is only named cannot be made when it needs another one.
      let needsMore = shape.relations(of: target).contains { $0.isRequired && $0.name != relation.inverse }
      var filled = Filled(
        relation: relation, target: target,
        missing: needsMore
          ? pick(["null", "reject"]) : isPlain ? "create" : pick(["create", "create", "create", "null", "reject"]))
      if relation.isToMany {
        filled.form = pick([.split, .values, .objects])
        filled.replaces = chance(70)
        let inverse = shape.inverse(of: relation)
        if let inverse, !inverse.isToMany, filled.replaces {
          filled.orphans = inverse.isRequired ? "delete" : pick(["unlink", "delete"])
        }
        if filled.form == .objects {
          filled.inner = shape.relations(of: target).filter {
            !$0.isToMany && $0.name != relation.inverse && !$0.isRequired && chance(40)
              && !shape.relations(of: $0.destination).contains(where: \.isRequired)
          }
        }
      }
      self.filled.append(filled)
    }
    mode =
      isPlain
      ? "upsert" : pick(["upsert", "upsert", "upsert", "upsert", "upsert", "upsert", "replace", "update", "sync"])
    let isLate = filled.contains { !$0.relation.isToMany && shape.root($0.target) == shape.root(entity) }
    // What a record that is rejected in the second pass has taken from a mandatory relationship is not given back: such
    // a run fails.
    let isMandatory = shape.relations.contains(where: \.isRequired)
    passes = isLate ? isMandatory ? "one" : pick(["automatic", "automatic", "one", "two"]) : nil
    batch = pick([1, 2, 3, 5, 1000])
    takesValues = chance(50)
  }

  /// The pipeline as YAML.
  func text(_ source: String) -> String {
    var lines = [
      "model: model.yaml", "store: s.sqlite", "source: \(source)", "batch: { records: \(batch) }", "import:",
      "  entity: \(entity)", "  find_by: [k]", "  mode: \(mode)",
    ]
    if let passes { lines.append("  passes: \(passes)") }
    if takesValues { lines.append("  attributes: [v]") }
    if !filled.isEmpty { lines.append("  relationships:") }
    for filled in filled {
      var fields: [String] = []
      var key = filled.field
      switch filled.form {
      case .one: break
      case .split: fields.append("split: \";\"")
      case .values:
        fields.append("each: \(filled.field)")
        key = "."
      case .objects:
        fields.append("each: \(filled.field)")
        key = "k"
      }
      fields += ["entity: \(filled.target)", "find_by: { k: \(key) }", "missing: \"\(filled.missing)\""]
      if filled.form != .one { fields.append("links: \(filled.replaces ? "replace" : "add")") }
      if let orphans = filled.orphans { fields.append("orphans: \(orphans)") }
      if !filled.inner.isEmpty {
        let inner = filled.inner.map { "\($0.name): { entity: \($0.destination), find_by: { k: g_\($0.name) } }" }
        fields.append("relationships: { \(inner.joined(separator: ", ")) }")
      }
      lines.append("    \(filled.relation.name): { \(fields.joined(separator: ", ")) }")
    }
    lines.append("rejects: rejects.ndjson")
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Records

  /// Random records.
  ///
  /// - Parameter keys: how many objects of each hierarchy there may be.
  func records(_ random: inout SeededGenerator, keys: Int) -> [Record] {
    func key(_ entity: String) -> String {
      shape.root(entity).lowercased() + "\(Int.random(in: 1...keys, using: &random))"
    }
    func list(_ filled: Filled) -> String {
      let names = (0..<Int.random(in: 0...4, using: &random)).map { _ in key(filled.target) }
      switch filled.form {
      case .one, .split: return "\"\(names.joined(separator: ";"))\""
      case .values: return "[\(names.map { "\"\($0)\"" }.joined(separator: ", "))]"
      case .objects:
        let objects = names.map { name in
          var members = ["\"k\": \"\(name)\""]
          for inner in filled.inner where Int.random(in: 0..<10, using: &random) < 7 {
            members.append("\"g_\(inner.name)\": \"\(key(inner.destination))\"")
          }
          return "{\(members.joined(separator: ", "))}"
        }
        return "[\(objects.joined(separator: ", "))]"
      }
    }
    return (0..<Int.random(in: 1...8, using: &random)).map { _ in
      var record = Record(key: key(entity))
      if Bool.random(using: &random) { record.value = ["x", "y", "z"].randomElement(using: &random) }
      for filled in filled {
        let share = Int.random(in: 0..<100, using: &random)
        if share < 15 { continue }
        if filled.form != .one {
          record.lists[filled.relation.name] = list(filled)
        } else {
          record.fields[filled.relation.name] = .some(share < 30 ? nil : key(filled.target))
        }
      }
      return record
    }
  }

  /// Records as JSON lines.
  static func text(_ records: [Record]) -> String {
    records.map { record in
      var members = ["\"k\": \"\(record.key)\""]
      if let value = record.value { members.append("\"v\": \"\(value)\"") }
      for (name, target) in record.fields.sorted(by: { $0.key < $1.key }) {
        members.append("\"f_\(name)\": \(target.map { "\"\($0)\"" } ?? "null")")
      }
      for (name, list) in record.lists.sorted(by: { $0.key < $1.key }) { members.append("\"f_\(name)\": \(list)") }
      return "{\(members.joined(separator: ", "))}\n"
    }.joined()
  }
}
