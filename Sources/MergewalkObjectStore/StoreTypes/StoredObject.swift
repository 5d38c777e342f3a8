import CMergewalkSQLite
public import MergewalkObjectModel
import MergewalkSQLite

/// One record of a store while it is read, for a store that writes records elsewhere.
///
/// The same object is reused for all records, so do not keep it.
public final class StoredObject {
  private let store: PersistentStore
  private let numbers: EntityNumbers
  /// For each slot below the root its column in ``select``, and the column with the entity number behind it.
  private let columns: [Int: (value: Int32, entity: Int32?)]
  private let selectList: String
  private var current: Statement?
  private var byKey: Statement?
  private var memberStatements: [Int: Statement?] = [:]
  /// Why a value was not given to whoever asked for it.
  private var failure: StoreError?

  /// The record's own entity.
  public private(set) var entity: EntityDescription
  /// Its primary key (`Z_PK`).
  public private(set) var primaryKey: Int64 = 0
  /// The number of saves (`Z_OPT`).
  public private(set) var version: Int64 = 0

  init(_ store: PersistentStore, root: RootIndex) {
    self.store = store
    entity = store.model.entities[root.index]
    numbers = EntityNumbers(store.schema, root: root)
    let table = store.schema.table(forRoot: root)
    let (names, places) = table.rowColumns
    columns = places
    selectList = "SELECT \(names.joined(separator: ", ")) FROM \(table.name)"
  }

  // MARK: - Values

  /// The record by entity and primary key.
  public var reference: StoredReference { StoredReference(entity, primaryKey) }

  /// The value of an attribute of its entity; null for attributes that are not stored.
  ///
  /// When the file with a value cannot be read, the walk through the records ends with an error after this one.
  public func value(of attribute: AttributeDescription) -> AttributeValue {
    guard let statement = current, let column = columns[attribute.slot]?.value else { return .null }
    switch statement.type(column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return AttributeValue(stored: statement.integer(column), attribute.type)
    case SQLITE_FLOAT: return AttributeValue(stored: statement.double(column), attribute.type)
    case SQLITE_BLOB:
      if attribute.allowsExternalBinaryDataStorage {
        let cell = Array(statement.bytes(column))
        if let bytes = ExternalData.bytes(cell, store: store.path) { return .binary(bytes) }
        failure = StoreError(
          .inputOutput, path: store.path,
          message: "the file \(ExternalData.fileName(cell) ?? "") with a value beside the store cannot be read")
        return .null
      }
      return AttributeValue(stored: statement.bytes(column), attribute.type)
    default: return AttributeValue(stored: statement.text(column), attribute.type)
    }
  }

  /// The records that a relationship of its entity refers to: in order if it is ordered, else by primary key.
  ///
  /// - Throws: ``StoreError`` with `sqlite`.
  public func references(of relationship: RelationshipDescription) throws(StoreError) -> [StoredReference] {
    let model = store.model
    guard relationship.isToMany else {
      guard let statement = current, let place = columns[relationship.slot], !statement.isNull(place.value) else {
        return []
      }
      let own = place.entity.map { statement.isNull($0) ? -1 : numbers.destination(statement.integer($0)) } ?? -1
      let entity = own >= 0 ? Int(own) : relationship.destinationEntity
      return [StoredReference(model.entities[entity], statement.integer(place.value))]
    }
    return try members(of: primaryKey, relationship)
  }

  /// The members of a to-many relationship of a record, which need not be in the tables itself.
  func members(of owner: Int64, _ relationship: RelationshipDescription) throws(StoreError) -> [StoredReference] {
    guard let statement = try members(relationship) else { return [] }
    statement.bind(1, owner)
    defer { statement.reset() }
    var result: [StoredReference] = []
    while try statement.step() {
      let own = statement.isNull(1) ? -1 : numbers.destination(statement.integer(1))
      let entity = own >= 0 ? Int(own) : relationship.destinationEntity
      result.append(StoredReference(store.model.entities[entity], statement.integer(0)))
    }
    return result
  }

  private func members(_ relationship: RelationshipDescription) throws(StoreError) -> Statement? {
    // Slots count for each declaring root, so one number is enough below one root.
    let key = relationship.declaringEntity << 32 | relationship.slot
    if let known = memberStatements[key] { return known }
    var statement: Statement?
    if let table = RelationshipTable(relationship, in: store.schema) {
      statement = try store.connection.prepare(table.selectMembers)
    }
    memberStatements[key] = .some(statement)
    return statement
  }

  // MARK: - Reading

  /// Calls `body` at every record below the root, by primary key.
  func forEach(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    let statement = try store.connection.prepare(selectList + " ORDER BY Z_PK")
    current = statement
    defer { current = nil }
    while try statement.step() { try give(statement, to: body) }
  }

  /// Calls `body` at the record with a primary key.
  ///
  /// - Returns: Whether there is one.
  func find(_ key: Int64, _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) -> Bool {
    if byKey == nil {
      byKey = try store.connection.prepare(selectList + " WHERE Z_PK = ?")
    }
    guard let statement = byKey else { return false }
    statement.bind(1, key)
    defer {
      statement.reset()
      current = nil
    }
    guard try statement.step() else { return false }
    current = statement
    try give(statement, to: body)
    return true
  }

  private func give(_ statement: Statement, to body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    failure = nil
    primaryKey = statement.integer(0)
    entity = store.model.entities[Int(numbers[statement.integer(1)])]
    version = statement.integer(2)
    try body(self)
    if let failure { throw failure }
  }
}

@available(*, unavailable, message: "a record is confined to the task of its store")
extension StoredObject: Sendable {}
