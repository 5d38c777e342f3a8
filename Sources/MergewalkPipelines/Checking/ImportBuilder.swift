import MergewalkImporting
import MergewalkObjectModel

/// Turns the `import` component into an ``EntityImport`` that knows where everything stands; `Importing` checks it against
/// the model.
struct ImportBuilder {
  /// Tells which entities relationships lead to, and which options of all fields fit an attribute.
  let model: ManagedObjectModel?
  /// The defaults of every field.
  let defaults: ComponentValue?
  let findings: Findings
  /// See ``FieldBuilder/nullWords``.
  var nullWords: [String] = []

  /// Builds the import of the records' own entity; one of nothing when it names none.
  func root(_ component: ComponentValue?) -> EntityImport {
    guard let component, let name = component.text("entity") else {
      var nothing = EntityImport(entityName: "", findBy: [])
      nothing.places.broken = ["entity", "find_by"]
      return nothing
    }
    var result = build(component, model?.entity(named: name.value))
    result.entityName = name.value
    result.position = name.position
    return result
  }

  /// Builds the import of one entity, without its name.
  private func build(_ component: ComponentValue, _ entity: EntityDescription?) -> EntityImport {
    var result = EntityImport(entityName: "", findBy: [])
    result.places = component.places
    result.mode = component.choice(orDefault: "mode", as: ImportMode.self)
    if let duplicates = component.choice("duplicates", as: DuplicatePolicy.self) { result.duplicates = duplicates }
    if let sync = component.component("sync") { result.sync = self.sync(sync) }
    let fields = FieldBuilder(findings: findings, defaults: defaults, nullWords: nullWords)
    result.attributes = component.named("attributes").map { fields.build($0, of: entity) }
    for named in component.named("find_by") {
      let place = named.name.position
      if result.places["find_by", named.name.value] == nil {
        result.places["find_by", named.name.value] = .init(key: place, value: place)
      }
      var field = key(named, among: &result) ?? fields.build(named, of: entity)
      // The column that “attributes” gives it is not known.
      if named.value == nil, component.brokenFields.contains("attributes") { field.places.broken.insert("from") }
      result.findBy.append(field)
    }
    result.relationships = component.named("relationships").compactMap { relationship($0, of: entity) }
    return result
  }

  /// The field of a key that is only a name: it takes the column that “attributes” gives it, and says nothing new when it
  /// is named again.
  private func key(_ named: NamedValue, among entity: inout EntityImport) -> FieldImport? {
    guard named.value == nil else { return nil }
    let name = named.name.value
    if let index = entity.attributes.firstIndex(where: { $0.attributeName == name }) {
      return entity.attributes.remove(at: index)
    }
    guard var known = entity.findBy.first(where: { $0.attributeName == name }) else { return nil }
    known.position = named.name.position
    return known
  }

  /// Builds the import of one relationship; `nil` when it does not say well where its objects are listed.
  private func relationship(_ named: NamedValue, of entity: EntityDescription?) -> RelationshipImport? {
    guard let component = named.value else { return nil }
    let destination = entity?.relationship(named: named.name.value)?.destinationEntityName
    let name = component.text("entity")?.value ?? destination ?? named.name.value
    var target = build(component, model?.entity(named: name))
    target.entityName = name
    target.position = named.name.position
    var list: ListImport?
    if component.has("each") || component.has("split") {
      list = self.list(component, target: &target)
      if list == nil { return nil }
    }
    let missing = component.choice("missing", as: MissingTargetPolicy.self)
    var result = RelationshipImport(name: named.name.value, target: target)
    result.missing = missing ?? (target.mode == .update ? .reject : .create)
    // What is never created is only updated.
    if result.missing != .create, target.mode != .createMissing { result.target.mode = .update }
    result.list = list
    result.position = named.name.position
    return result
  }

  /// Builds a list and moves the columns of pieces of a text into its elements; `nil` when no column has it.
  private func list(_ component: ComponentValue, target: inout EntityImport) -> ListImport? {
    let separator = component.text("split")?.value
    let column: String
    if let each = component.text("each")?.value {
      column = each
    } else {
      guard separator != nil, let first = (target.findBy + target.attributes).first?.column else { return nil }
      column = first
    }
    var list = ListImport(column: column, form: separator.map { .split(separator: $0) } ?? .json)
    list.trims = component.flag(orDefault: "trim")
    list.links = component.choice(orDefault: "links", as: ListImport.Links.self)
    list.orphans = component.choice(orDefault: "orphans", as: ListImport.Orphans.self)
    list.scope = component.choice("find_in", as: ListImport.Scope.self)
    list.whenEmpty = component.choice(orDefault: "empty", as: ListImport.Empty.self)
    list.whenElementEmpty = component.choice(
      orDefault: "empty_elements", as: ListImport.EmptyElement.self)
    if separator != nil {
      for index in target.findBy.indices where target.findBy[index].column == column {
        target.findBy[index].column = "."
      }
    }
    return list
  }

  private func sync(_ component: ComponentValue) -> SyncPolicy {
    var policy = SyncPolicy()
    policy.places = component.places
    policy.deletion = component.choice(orDefault: "delete", as: SyncPolicy.Deletion.self)
    policy.limit = component.count("limit")
    policy.ratio = component.share("ratio")
    policy.unreadable = component.choice(orDefault: "unreadable", as: SyncPolicy.Unreadable.self)
    policy.allowsEmpty = component.flag(orDefault: "allow_empty")
    policy.softDelete = component.text("soft_delete")?.value
    if let scope = component.expression("where") {
      policy.scopeText = scope
      do throws(PredicateError) {
        policy.scope = try ObjectPredicate(format: scope.text)
      } catch {
        findings.add(
          .invalidScope, at: scope.position(of: error), "the predicate cannot be read: \(error.message)",
          hint: error.hint)
      }
    }
    return policy
  }
}
