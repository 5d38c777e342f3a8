import MergewalkStorePages

/// Rows in transit into a new store past SQLite: they become pages of the file, and sorted keys become indexes.
///
/// It lasts until SQLite is needed; see ``StoreFile/loadDirectly()``.
package final class DirectLoad {
  /// A table that was empty when the load began.
  private final class Table {
    let root: UInt32
    let affinities: [ColumnAffinity]
    let rowIDColumn: Int?
    let indexes: [(name: String, shape: IndexShape)]
    /// Whether an index is needed at all times.
    let keepsIndexes: Bool
    let values: UnsafeMutableBufferPointer<StoredValue>
    var load: TableLoad?

    init(
      root: UInt32, affinities: [ColumnAffinity], rowIDColumn: Int?, indexes: [(name: String, shape: IndexShape)],
      keepsIndexes: Bool
    ) {
      self.keepsIndexes = keepsIndexes
      self.root = root
      self.affinities = affinities
      self.rowIDColumn = rowIDColumn
      self.indexes = indexes
      values = .allocate(capacity: affinities.count)
      values.initialize(repeating: .null)
    }

    deinit { values.deallocate() }
  }

  private let path: String
  private let descriptor: Int32
  private let temporaryFolder: String
  private var tables: [String: Table] = [:]
  private var writer: StorePageWriter?
  /// The indexes that were made for this load.
  private let made: Set<String>
  /// The bytes of keys that are sorted in memory, of all indexes together; about as much again goes along.
  private static let sortBytes = 6 << 20

  /// Is called when SQLite has the file again.
  var didEnd: (() throws(StoreError) -> Void)?

  /// - Parameters:
  ///   - descriptor: The hidden file.
  ///   - roots: The root pages of tables and indexes by name.
  ///   - indexes: All indexes that the file has of these tables.
  ///   - made: Those of them that were made for this load, and that may go with it.
  init(
    path: String, descriptor: Int32, tables: [EntityTable], indexes: [IndexDefinition], made: Set<String>,
    roots: [String: UInt32]
  ) {
    self.made = made
    self.path = path
    self.descriptor = descriptor
    temporaryFolder = FileSystem.folder(of: path)
    for table in tables {
      guard let root = roots[table.name] else { continue }
      let places = Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1.name, $0) })
      let own = indexes.filter { $0.table == table.name }
      let shapes = own.compactMap { index -> (name: String, shape: IndexShape)? in
        let columns = index.columns.compactMap { places[$0] }
        guard let root = roots[index.name], columns.count == index.columns.count,
          !index.descending.contains(true)
        else { return nil }
        return (index.name, IndexShape(root: root, columns: columns, isUnique: index.isUnique))
      }
      // An index that cannot be written would lack the rows.
      guard shapes.count == own.count else { continue }
      self.tables[table.name] = Table(
        root: root, affinities: table.columns.map { ColumnAffinity(declaredType: $0.declaredType) },
        rowIDColumn: table.columns.firstIndex { $0.role == .primaryKey }, indexes: shapes,
        keepsIndexes: own.contains { !made.contains($0.name) })
    }
  }

  // MARK: Rows

  /// Adds rows of a table.
  ///
  /// - Returns: How many were taken, from the first one on. The next one has a value that SQLite would convert, or the
  ///   rows do not come in the order of their primary keys, or the table had rows before.
  func insert(
    _ entityTable: EntityTable, _ primaryKeys: UnsafePointer<Int64>, rows: UnsafeBufferPointer<Int32>,
    columns: [CellSource.Column?], arena: UnsafeRawPointer
  ) throws(StoreError) -> Int {
    guard let table = tables[entityTable.name] else { return 0 }
    let load = try load(table)
    var last = load.lastRowID ?? Int64.min
    for (taken, row) in rows.enumerated() {
      let key = primaryKeys[Int(row)]
      guard key > last, Self.fill(table.values, table.affinities, columns, Int(row), arena) else { return taken }
      try pages { () throws(PageError) in try load.append(rowID: key, table.values) }
      last = key
    }
    return rows.count
  }

  private func load(_ table: Table) throws(StoreError) -> TableLoad {
    if let load = table.load { return load }
    let load = try pages { () throws(PageError) in
      let known = writer
      let writer: StorePageWriter
      if let known {
        writer = known
      } else {
        let indexes = tables.values.reduce(0) { $0 + $1.indexes.count }
        writer = try StorePageWriter(
          descriptor: descriptor, temporaryFolder: temporaryFolder,
          chunkBytes: max(256 << 10, min(512 << 10, Self.sortBytes / max(indexes, 1))))
      }
      self.writer = writer
      return try writer.table(
        root: table.root, columnCount: table.affinities.count, rowIDColumn: table.rowIDColumn,
        indexes: table.indexes.map(\.shape))
    }
    table.load = load
    return load
  }

  /// Takes the values of a row as they are stored; says whether that is possible.
  @inline(__always) private static func fill(
    _ values: UnsafeMutableBufferPointer<StoredValue>, _ affinities: [ColumnAffinity], _ columns: [CellSource.Column?],
    _ row: Int, _ arena: UnsafeRawPointer
  ) -> Bool {
    for i in affinities.indices {
      var value: StoredValue? = .null
      switch columns[i]?.value(row, arena) {
      case nil, .null?: break
      case .integer(let integer)?: value = .integer(integer, affinities[i])
      case .real(let real)?: value = .real(real, affinities[i])
      case .text(let bytes)?:
        if let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
          value = .text(start, count: bytes.count, affinities[i])
        }
      case .blob(let bytes)?:
        if let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
          value = .blob(start, count: bytes.count)
        }
      }
      guard let value else { return false }
      values[i] = value
    }
    return true
  }

  // MARK: The end

  struct Result {
    /// How many rows there are of each table that has some.
    var rows: [String: Int] = [:]
    /// The indexes that lack rows, or that may be built later.
    var missing: [String] = []
  }

  /// Writes everything.
  ///
  /// - Parameter buildsIndexes: Whether the indexes of a table are written; else they stay empty.
  func finish(buildsIndexes: (_ table: String) -> Bool) throws(StoreError) -> Result {
    var result = Result()
    for (name, table) in tables {
      guard let load = table.load, load.count > 0 else { continue }
      load.buildsIndexes = table.keepsIndexes || buildsIndexes(name)
      result.rows[name] = load.count
    }
    let empty = Set(try pages { () throws(PageError) in try writer?.finish() ?? [] })
    var written = Set<String>()
    for (name, table) in tables where result.rows[name] != nil {
      for index in table.indexes {
        if empty.contains(index.shape.root) {
          result.missing.append(index.name)
        } else {
          written.insert(index.name)
        }
      }
    }
    result.missing = Set(result.missing).union(made.subtracting(written)).sorted()
    return result
  }

  /// How many rows were taken so far.
  var rowCount: Int { tables.values.reduce(0) { $0 + ($1.load?.count ?? 0) } }

  /// Runs work of the page writer, with a store's errors.
  private func pages<Value>(_ body: () throws(PageError) -> Value) throws(StoreError) -> Value {
    do { return try body() } catch {
      throw StoreError(.inputOutput, path: path, message: "writing pages: \(error.message)")
    }
  }
}

@available(*, unavailable, message: "a load belongs to its store file")
extension DirectLoad: Sendable {}
