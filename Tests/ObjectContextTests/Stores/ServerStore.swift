import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization

/// Records in dictionaries, somewhere else: what an incremental store talks to.
final class Server {
  struct Record {
    var entity: String
    var version: Int64
    var values: [String: AttributeValue] = [:]
    var references: [String: [StoredReference]] = [:]
  }

  var metadata: StoreMetadata?
  /// By root entity and primary key.
  var records: [String: [Int64: Record]] = [:]
  var maxima: [String: Int64] = [:]
  /// What was asked, in words.
  var calls: [String] = []
  /// Whether the next save is refused.
  var refusesSaves = false

  /// The servers of all tests by path; each is used by one test.
  nonisolated(unsafe) private static var servers: [String: Server] = [:]
  private static let lock = Mutex<Void>(())

  static func at(_ path: String) -> Server {
    lock.withLock { _ in
      if let known = servers[path] { return known }
      let made = Server()
      servers[path] = made
      return made
    }
  }
}

/// An incremental store as a program would write one, with the public interface alone.
final class ServerStore: IncrementalStore {
  private let server: Server
  private var model: ManagedObjectModel?

  init(_ server: Server) { self.server = server }

  func loadMetadata(for model: ManagedObjectModel, proposed: StoreMetadata) throws(StoreError) -> StoreMetadata {
    self.model = model
    if let known = server.metadata { return known }
    server.metadata = proposed
    return proposed
  }

  func saveMetadata(_ metadata: StoreMetadata) throws(StoreError) { server.metadata = metadata }

  func maximum(of root: EntityDescription) throws(StoreError) -> Int64 { server.maxima[root.name] ?? 0 }

  func execute(_ request: FetchRequest, into filler: StoreFiller) throws(StoreError) -> IncrementalFetchResult {
    server.calls.append("execute \(request.entityName)")
    guard let entity = filler.model.entity(named: request.entityName) else { return IncrementalFetchResult() }
    let found = records(of: entity, filler.model)
    // With a predicate the values come at once, without one only the names.
    if request.predicate != nil {
      for (reference, record) in found { try hand(reference, record, filler) }
      return IncrementalFetchResult(isWhole: true)
    }
    return IncrementalFetchResult(references: found.map(\.0), isWhole: true)
  }

  func newValues(for references: [StoredReference], into filler: StoreFiller) throws(StoreError) {
    server.calls.append("newValues \(references.count)")
    for reference in references {
      guard let record = record(reference, filler.model) else { continue }
      try hand(reference, record, filler)
    }
  }

  func newValue(
    for relationship: RelationshipDescription, of reference: StoredReference
  ) throws(StoreError) -> [StoredReference] {
    server.calls.append("newValue \(relationship.name)")
    guard let model else { return [] }
    let listed = record(reference, model)?.references[relationship.name] ?? []
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      return listed.filter { record($0, model) != nil }
    }
    // The members say themselves whose they are; the list knows their order, and may know some that have left.
    let members = records(of: model.entities[relationship.destinationEntity], model)
      .filter { $0.1.references[inverse.name] == [reference] }.map(\.0)
    return listed.filter(members.contains) + members.filter { !listed.contains($0) }
  }

  func save(_ changes: IncrementalStoreChanges) throws(StoreError) {
    server.calls.append("save")
    guard !server.refusesSaves else {
      throw StoreError(.customStore, path: "server", message: "the server refuses")
    }
    for reference in changes.deleted { server.records[root(reference)]?[reference.primaryKey] = nil }
    try changes.forEachInserted { object throws(StoreError) in try take(object, changes) }
    try changes.forEachUpdated { object throws(StoreError) in try take(object, changes) }
  }

  // MARK: - Records

  private func root(_ reference: StoredReference) -> String {
    var entity = reference.entity
    while let parent = entity.superentityIndex, let model { entity = model.entities[parent] }
    return entity.name
  }

  private func record(_ reference: StoredReference, _ model: ManagedObjectModel) -> Server.Record? {
    server.records[root(reference)]?[reference.primaryKey]
  }

  private func records(
    of entity: EntityDescription, _ model: ManagedObjectModel
  ) -> [(StoredReference, Server.Record)] {
    let all = server.records[root(StoredReference(entity, 1))] ?? [:]
    return all.sorted { $0.key < $1.key }.compactMap { key, record in
      guard let own = model.entity(named: record.entity), own.isKind(of: entity) else { return nil }
      return (StoredReference(own, key), record)
    }
  }

  private func hand(
    _ reference: StoredReference, _ record: Server.Record, _ filler: StoreFiller
  ) throws(StoreError) {
    guard let entity = filler.model.entity(named: record.entity) else { return }
    try filler.begin(entity, primaryKey: reference.primaryKey, version: record.version)
    for attribute in entity.attributes { try filler.set(record.values[attribute.name] ?? .null, for: attribute) }
    for relationship in entity.relationships where !relationship.isToMany {
      try filler.set(record.references[relationship.name] ?? [], for: relationship)
    }
    try filler.end()
  }

  private func take(_ object: StoredObject, _ changes: IncrementalStoreChanges) throws(StoreError) {
    guard let model else { return }
    var record = Server.Record(entity: object.entity.name, version: object.version)
    for attribute in object.entity.attributes { record.values[attribute.name] = object.value(of: attribute) }
    for relationship in object.entity.relationships {
      let others = try object.references(of: relationship)
      let inverse = model.inverse(of: relationship)
      if !relationship.isToMany {
        record.references[relationship.name] = others
        if let inverse, inverse.isToMany, inverse.isOrdered, let owner = others.first {
          let list = try changes.references(of: inverse, of: owner)
          server.records[root(owner)]?[owner.primaryKey]?.references[inverse.name] = list
        }
      } else if inverse == nil || inverse?.isToMany == true || relationship.isOrdered {
        record.references[relationship.name] = others
      }
    }
    let name = root(object.reference)
    server.records[name, default: [:]][object.primaryKey] = record
    server.maxima[name] = max(server.maxima[name] ?? 0, object.primaryKey)
  }
}
