import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A store of one version of a model that is migrated to another, with what it said before and after.
struct MigrationBench {
  let folder = TemporaryFolder()
  let old: ManagedObjectModel
  let new: ManagedObjectModel
  let before: StoreDump
  var path: String { folder.file("store.sqlite") }

  /// Makes a store of the first version and fills it.
  init(_ old: ManagedObjectModel, _ new: ManagedObjectModel, seed: UInt64 = 1, configuration: String? = nil) throws {
    self.old = old
    self.new = new
    try RandomRows.make(folder.file("store.sqlite"), old, seed: seed, configuration: configuration)
    let report = try StoreVerifier.verify(path: folder.file("store.sqlite"), model: old, configuration: configuration)
    try #require(report.isSound, "seed \(seed): \(report.findings)")
    before = try StoreDump(folder.file("store.sqlite"), old, configuration: configuration)
  }

  /// Builds both versions from lists of entities.
  init(_ old: [EntityDraft], _ new: [EntityDraft], seed: UInt64 = 1) throws {
    try self.init(Self.model(old), Self.model(new), seed: seed)
  }

  static func model(_ entities: [EntityDraft]) throws -> ManagedObjectModel {
    var draft = ModelDraft()
    draft.entities = entities
    return try ManagedObjectModel(draft)
  }

  /// Changes the store by hand, before it is migrated.
  func execute(_ statements: [String]) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for statement in statements { try connection.execute(statement) }
    try connection.close()
  }

  /// Changes the store by hand, before it is migrated.
  func execute(_ sql: String) throws { try execute([sql]) }

  /// What a migration would do.
  func plan() throws -> StoreMigrator.Outcome {
    try StoreMigrator.plan(path: path, to: ModelVersionList.Version(new), in: ModelVersionList([]))
  }

  /// Migrates, checks that the store is one that could have been made with the new version, and returns what it says.
  func migrate(configuration: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws
    -> StoreDump
  {
    do {
      try StoreMigrator.migrate(path: path, to: new)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
      throw error
    }
    try Self.expectFresh(path, new, configuration: configuration, sourceLocation: sourceLocation)
    return try StoreDump(path, new, configuration: configuration)
  }

  /// Checks that tables, columns and indexes are those of a new store, and that nothing is wrong with the rows.
  static func expectFresh(
    _ path: String, _ model: ManagedObjectModel, configuration: String? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let folder = TemporaryFolder()
    try StoreFile.create(path: folder.file("fresh.sqlite"), model: model, configuration: configuration).finish()
    let expected = try layout(folder.file("fresh.sqlite"))
    let found = try layout(path)
    #expect(found == expected, sourceLocation: sourceLocation)
    for given in [model, nil] {
      let report = try StoreVerifier.verify(path: path, model: given, configuration: configuration)
      // What an app has added needs the app.
      let findings = report.findings.filter { $0.severity != .note && $0.code != .addition }
      #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
      #expect(report.modelSource == (given == nil ? .metadata : .given), sourceLocation: sourceLocation)
    }
    // It opens, too.
    try StoreFile.open(path: path, model: model, configuration: configuration).finish()
  }

  /// Tables with their columns and types, and indexes with their statements, without regard to order.
  static func layout(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    let select = try connection.prepare(
      "SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.pk || ' ' || ifnull(c.dflt_value, '') FROM sqlite_master m,"
        + " pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'A%'"
        + " UNION ALL SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE 'A%'"
        + " ORDER BY 1")
    var lines: [String] = []
    while try select.step() { lines.append(select.text(0)) }
    try connection.close()
    return lines
  }
}

extension EntityDraft {
  /// Creates an entity for a test.
  init(
    _ name: String, parent: String? = nil, was: String? = nil, isAbstract: Bool = false,
    _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = []
  ) {
    self.init(name: name)
    parentName = parent
    renamingIdentifier = was
    self.isAbstract = isAbstract
    self.attributes = attributes
    self.relationships = relationships
  }
}

extension AttributeDescription {
  /// A copy with other settings.
  func with(_ change: (inout AttributeDescription) -> Void) -> AttributeDescription {
    var copy = self
    change(&copy)
    return copy
  }
}

extension RelationshipDescription {
  /// A copy with other settings.
  func with(_ change: (inout RelationshipDescription) -> Void) -> RelationshipDescription {
    var copy = self
    change(&copy)
    return copy
  }
}

extension MigrationBench {
  /// What is not as it was, of everything that has a place in both versions: nothing when all is well.
  func differences(_ after: StoreDump) -> [String] {
    let mapping = InferredMapping(from: old, to: new)
    var names: [String: String] = [:]
    for entity in new.entities { if let was = mapping.sourceEntity(of: entity) { names[was.name] = entity.name } }
    /// References with the new names; those to entities that are gone are gone too.
    func renamed(_ text: String) -> [String] {
      text.split(separator: " ").compactMap { reference in
        let parts = reference.split(separator: "/")
        return names[String(parts[0])].map { "\($0)/\(parts[1])" }
      }
    }
    var result: [String] = []
    for entity in new.entities {
      guard let was = mapping.sourceEntity(of: entity) else { continue }
      let (found, expected) = (after.objects[entity.name] ?? [:], before.objects[was.name] ?? [:])
      if Set(found.keys) != Set(expected.keys) { result.append("\(entity.name): other objects") }
      for (key, object) in expected {
        for attribute in entity.attributes where !attribute.isTransient {
          guard let source = mapping.sourceAttribute(of: attribute, in: entity) else {
            let value = found[key]?[attribute.name]
            if attribute.defaultValue == nil, value != "NULL" {
              result.append("\(entity.name)/\(key).\(attribute.name) is \(value ?? "")")
            }
            continue
          }
          if !attribute.isOptional, object[source.name] == "NULL" { continue }
          if found[key]?[attribute.name] != object[source.name] {
            result.append(
              "\(entity.name)/\(key).\(attribute.name): \(object[source.name] ?? "") became \(found[key]?[attribute.name] ?? "")"
            )
          }
        }
        for relationship in entity.relationships where !relationship.isTransient {
          guard let source = mapping.sourceRelationship(of: relationship, in: entity) else { continue }
          let left = renamed(object[source.name] ?? "")
          let right = (found[key]?[relationship.name] ?? "").split(separator: " ").map(String.init)
          let isOrdered = source.isOrdered && relationship.isOrdered || left.count < 2
          if isOrdered ? left != right : left.sorted() != right.sorted() {
            result.append("\(entity.name)/\(key).\(relationship.name): \(left) became \(right)")
          }
        }
      }
    }
    return result
  }
}
