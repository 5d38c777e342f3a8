import CMergewalkSQLite
import MergewalkObjectModel
import MergewalkSQLite

/// Reads history: keeps the necessary data of a store and its model.
struct HistoryReader {
  let store: PersistentStore
  let layout: HistoryLayout

  /// Looks at the tables.
  ///
  /// - Throws: ``StoreError`` with `noHistory` when there are none, `missingColumn` when they cannot be read.
  init(_ store: PersistentStore) throws(StoreError) {
    guard !store.connection.isClosed else {
      throw StoreError(
        .unsupported, path: store.path, message: "the store was closed; open it again to read its history")
    }
    self.store = store
    layout = try HistoryLayout(store.connection)
    guard !layout.changes.isEmpty, !layout.transactions.isEmpty else {
      throw StoreError(
        .noHistory, path: store.path, message: "the store has no persistent history; open it with tracksHistory")
    }
    if let missing = layout.missingColumn {
      throw StoreError(.missingColumn, path: store.path, message: "persistent history has no column \(missing)")
    }
  }

  /// Checks that the store was not closed meanwhile.
  func requireOpen() throws(StoreError) {
    if store.connection.isClosed {
      throw StoreError(.unsupported, path: store.path, message: "the store was closed while its history was read")
    }
  }

  /// Checks that transactions say when they were written.
  func requireTimes() throws(StoreError) {
    guard layout.transactions.contains("ZTIMESTAMP") else {
      throw StoreError(
        .missingColumn, path: store.path, message: "persistent history does not say when transactions were written")
    }
  }

  /// The number of the last transaction there ever was; 0 when there was none.
  func latestNumber() throws(StoreError) -> Int64 {
    let said = try store.connection.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.Number.transaction)")
    return max(said ?? 0, try bounds()?.upperBound ?? 0)
  }

  /// The numbers of the first and the last transaction that are there.
  func bounds() throws(StoreError) -> ClosedRange<Int64>? {
    guard let last = try store.connection.integer("SELECT max(Z_PK) FROM ATRANSACTION"), last > 0,
      let first = try store.connection.integer("SELECT min(Z_PK) FROM ATRANSACTION WHERE Z_PK > 0"), first <= last
    else { return nil }
    return first...last
  }

  /// The number of the transaction that a token stands for.
  ///
  /// - Throws: ``StoreError`` with `foreignHistoryToken` when the token is of another store.
  func number(of token: PersistentHistoryToken) throws(StoreError) -> Int64 {
    guard let number = token.transactionNumber(forStore: store.identifier) else {
      throw StoreError(
        .foreignHistoryToken, path: store.path,
        message: "the token belongs to the history of \(token.storeIDs.joined(separator: ", ")), not to this store's, "
          + store.identifier)
    }
    return number
  }

  /// The number after which a reader with a token goes on.
  ///
  /// - Throws: ``StoreError`` with `foreignHistoryToken`, or `expiredHistoryToken` when what came after the token is not
  ///   complete any more, or the store is older than the token.
  func position(after token: PersistentHistoryToken) throws(StoreError) -> Int64 {
    let number = try number(of: token)
    let latest = try latestNumber()
    let first = try bounds()?.lowerBound
    let isComplete = number == latest || (number < latest && (first.map { $0 - 1 <= number } ?? false))
    guard isComplete else {
      throw StoreError(
        .expiredHistoryToken, path: store.path,
        message: number > latest
          ? "the token is for transaction \(number), but the store has only reached \(latest): it was replaced by an "
            + "older one; read everything again"
          : "history after transaction \(number) was deleted; read everything again")
    }
    return number
  }

  /// The column that holds a text of a transaction, for a query in which it is `t`.
  func column(_ origin: HistoryTables.Origin) -> String {
    var parts: [String] = []
    if layout.isInterned(origin) {
      parts.append("(SELECT s.ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(origin.numberColumn))")
    }
    if layout.transactions.contains(origin.textColumn) { parts.append("t.\(origin.textColumn)") }
    switch parts.count {
    case 0: return "NULL"
    case 1: return parts[0]
    default: return "ifnull(\(parts[0]), \(parts[1]))"
    }
  }
}

/// Turns rows of ``HistoryTables/changes`` into changes.
struct HistoryDecoder {
  /// The columns, in the order in which they are selected.
  let columns: [String]

  private let store: PersistentStore
  private let hasBits: Bool
  private let firstTombstone: Int32
  private var entities: [Int64: Entity?] = [:]

  private struct Entity {
    let description: EntityDescription
    let history: EntityHistory
    /// The last bit set and its names: an entity's changes are often alike.
    var lastBits: [UInt8]?
    var lastNames: [String]?
  }

  init(_ reader: HistoryReader) {
    store = reader.store
    hasBits = reader.layout.changes.contains("ZCOLUMNS")
    let kept = EntityHistory.tombstoneCount(in: reader.store.model)
    let fixed = ["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK"] + (hasBits ? ["ZCOLUMNS"] : [])
    firstTombstone = Int32(fixed.count)
    columns = fixed + (0..<min(kept, reader.layout.tombstones)).map(HistoryTables.tombstoneColumn)
  }

  /// The change in the row that a statement is at; `nil` when it cannot be read.
  mutating func change(_ row: Statement) -> PersistentHistoryChange? {
    guard row.type(2) == SQLITE_INTEGER, row.type(3) == SQLITE_INTEGER, row.type(4) == SQLITE_INTEGER,
      let type = Int(exactly: row.integer(2)).flatMap(StoreChanges.Kind.init(rawValue:)), row.integer(4) > 0
    else { return nil }
    let number = row.integer(3)
    if entities[number] == nil { entities[number] = .some(entity(number)) }
    guard let entity = entities[number] ?? nil else { return nil }
    return PersistentHistoryChange(
      changeID: row.integer(0), transactionNumber: row.integer(1),
      changedObjectID: ManagedObjectID(
        storeUUID: store.identifier, entity: entity.description, primaryKey: row.integer(4)),
      changeType: type, updatedProperties: type == .update ? names(row, number, entity) : nil,
      tombstone: type == .delete ? tombstone(row, entity.history) : nil)
  }

  private func entity(_ number: Int64) -> Entity? {
    guard number > 0, let small = Int(exactly: number), let index = store.schema.entityIndex(number: small) else {
      return nil
    }
    let description = store.model.entities[index]
    return Entity(description: description, history: EntityHistory(description, in: store.model))
  }

  private mutating func names(_ row: Statement, _ number: Int64, _ entity: Entity) -> [String]? {
    guard hasBits, row.type(5) == SQLITE_BLOB else { return nil }
    let bits = row.bytes(5)
    if let last = entity.lastBits, last.elementsEqual(bits) { return entity.lastNames }
    guard let names = entity.history.names(bits: bits) else { return nil }
    var updated = entity
    updated.lastBits = Array(bits)
    updated.lastNames = names
    entities[number] = .some(updated)
    return names
  }

  private func tombstone(_ row: Statement, _ history: EntityHistory) -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for (n, attribute) in history.tombstones.enumerated() {
      let column = firstTombstone + Int32(n)
      guard column < Int32(columns.count), !row.isNull(column) else { continue }
      values[attribute.name] = row.attribute(column, attribute.type)
    }
    return values
  }
}

extension Statement {
  /// A value that is not null as an attribute of a type holds it.
  func attribute(_ column: Int32, _ type: AttributeType) -> AttributeValue {
    switch self.type(column) {
    case SQLITE_INTEGER: AttributeValue(stored: integer(column), type)
    case SQLITE_FLOAT: AttributeValue(stored: double(column), type)
    case SQLITE_BLOB: AttributeValue(stored: bytes(column), type)
    default: AttributeValue(stored: text(column), type)
    }
  }
}
