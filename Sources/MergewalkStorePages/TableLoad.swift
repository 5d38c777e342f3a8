/// An index of a table that is to be filled.
package struct IndexShape: Sendable, Hashable {
  /// The root page that SQLite has made.
  package var root: UInt32
  /// The positions of its columns in the table, all ascending and compared by `BINARY`.
  package var columns: [Int]
  /// Whether it refuses equal keys.
  package var isUnique: Bool

  package init(root: UInt32, columns: [Int], isUnique: Bool) {
    self.root = root
    self.columns = columns
    self.isUnique = isUnique
  }
}

/// Fills an empty table and its indexes.
///
/// Rows are encoded by the writer's thread. Another one makes pages and keys of them (``TableFiller``), a block after
/// the other, so what goes wrong there is heard of by a later call.
package final class TableLoad {
  private let file: PageFile
  private let filler: TableFiller
  private let rowIDColumn: Int?
  private let columnCount: Int
  /// The indexes, in the order in which they were given.
  package let indexes: [IndexShape]
  private var sorters: [KeySorter?]
  private let rows: UnsafeMutablePointer<RowIntake>
  /// Whether the indexes are written; else they stay empty.
  package var buildsIndexes = true
  /// How many rows were added.
  package var count: Int { rows.pointee.count }
  /// The greatest row ID; nothing while there are no rows.
  package var lastRowID: Int64? { rows.pointee.lastRowID }

  init(
    _ file: PageFile, root: UInt32, columnCount: Int, rowIDColumn: Int?, indexes: [IndexShape], memory: SortMemory,
    blocks: RowBlocks
  ) throws(PageError) {
    self.file = file
    self.rowIDColumn = rowIDColumn
    self.columnCount = columnCount
    self.indexes = indexes
    let sorters = indexes.map { KeySorter(columns: $0.columns.count, memory: memory) }
    self.sorters = sorters
    filler = TableFiller(
      try TreeWriter(file, root: root, isIndex: false), rowIDColumn: rowIDColumn, indexes: indexes, sorters: sorters)
    rows = .allocate(capacity: 1)
    rows.initialize(to: try RowIntake(blocks, filler))
  }

  deinit {
    rows.deinitialize(count: 1)
    rows.deallocate()
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - rowID: Above that of the row before.
  ///   - values: One for each column of the table; the one of the row ID's own column is not looked at.
  /// - Throws: ``PageError`` with `outOfOrder`, `tooLarge` or `inputOutput`. Nothing is added when it is one of the first
  ///   two.
  package func append(rowID: Int64, _ values: UnsafeMutableBufferPointer<StoredValue>) throws(PageError) {
    precondition(values.count == columnCount, "a row has a value for each column")
    if let rowIDColumn { values[rowIDColumn] = .null }
    let row = UnsafeBufferPointer(values)
    let (header, size) = RecordEncoding.size(row)
    if size > StoredValue.longest { throw PageError(.tooLarge, "row \(rowID) takes \(size) bytes") }
    RecordEncoding.write(row, header: header, to: try rows.pointee.place(rowID: rowID, size))
  }

  /// Has the last rows added.
  func giveRows() throws(PageError) { try rows.pointee.give() }

  /// Writes what is left of the table's tree, when all rows were added.
  func finishTable() throws(PageError) { try filler.tree.finish() }

  /// Writes the tree of an index.
  ///
  /// - Returns: Whether it is there. An index that refuses equal keys stays empty when there are some.
  func finishIndex(_ number: Int) throws(PageError) -> Bool {
    guard let sorter = sorters[number] else { preconditionFailure("an index is written once") }
    defer { sorters[number] = nil }
    let index = indexes[number]
    let start = file.next
    let tree = try TreeWriter(file, root: index.root, isIndex: true)
    var isRefused = false
    try sorter.forEach(findsEqual: index.isUnique) { key, length, isEqual throws(PageError) in
      isRefused = isEqual
      if !isRefused { try tree.add(key: key, count: length) }
      return !isRefused
    }
    if isRefused {
      try file.rewind(to: start)
      return false
    }
    try tree.finish()
    return true
  }
}

@available(*, unavailable, message: "pages are written by one task")
extension TableLoad: Sendable {}
