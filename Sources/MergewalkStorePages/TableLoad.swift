import Glibc

/// An index of a table that is to be filled.
package struct IndexShape: Sendable, Hashable {
  /// The root page that SQLite has made.
  package var root: UInt32
  /// The positions of its columns in the table, all ascending and compared by `BINARY`.
  package var columns: [Int]
  /// Whether it refuses equal keys.
  package var isUnique: Bool

  /// Describes an index.
  package init(root: UInt32, columns: [Int], isUnique: Bool) {
    self.root = root
    self.columns = columns
    self.isUnique = isUnique
  }
}

/// Fills an empty table and its indexes.
package final class TableLoad {
  private let file: PageFile
  private let tree: TreeWriter
  private let rowIDColumn: Int?
  private let columnCount: Int
  /// The indexes, in the order in which they were given.
  package let indexes: [IndexShape]
  private var sorters: [KeySorter?]
  private let keyValues: UnsafeMutableBufferPointer<StoredValue>
  private let progress: UnsafeMutablePointer<Progress>
  private let keys: UnsafeMutableBufferPointer<IndexKeys>
  /// Whether the indexes are written; else they stay empty.
  package var buildsIndexes = true
  /// How many rows were added.
  package var count: Int { progress.pointee.count }

  /// What changes with every row; behind a pointer, as each use of a class's own variable is checked.
  private struct Progress {
    var count = 0
    var record: Bytes
    var recordCapacity = 0

    /// Makes room for a record that does not fit a page.
    mutating func reserve(_ size: Int) {
      guard size > recordCapacity else { return }
      record.deallocate()
      recordCapacity = size
      record = .allocate(capacity: size)
    }
  }

  /// The columns of an index, and where its keys go; nothing when it is written.
  private struct IndexKeys {
    let columns: UnsafeMutableBufferPointer<Int>
    var intake: UnsafeMutablePointer<KeyIntake>?
  }

  init(
    _ file: PageFile, root: UInt32, columnCount: Int, rowIDColumn: Int?, indexes: [IndexShape], memory: SortMemory
  ) throws(PageError) {
    tree = try TreeWriter(file, root: root, isIndex: false)
    self.file = file
    self.rowIDColumn = rowIDColumn
    self.columnCount = columnCount
    self.indexes = indexes
    keyValues = .allocate(capacity: (indexes.map(\.columns.count).max() ?? 0) + 1)
    keyValues.initialize(repeating: .null)
    progress = .allocate(capacity: 1)
    progress.initialize(to: Progress(record: .allocate(capacity: 1)))
    let sorters = indexes.map { KeySorter(columns: $0.columns.count, memory: memory) }
    self.sorters = sorters
    keys = .allocate(capacity: indexes.count)
    _ = keys.initialize(
      from: zip(indexes, sorters).map { index, sorter in
        let columns = UnsafeMutableBufferPointer<Int>.allocate(capacity: index.columns.count)
        _ = columns.initialize(from: index.columns)
        return IndexKeys(columns: columns, intake: sorter.intake)
      })
  }

  deinit {
    keyValues.deallocate()
    progress.pointee.record.deallocate()
    progress.deallocate()
    for index in keys { index.columns.deallocate() }
    keys.deallocate()
  }

  /// The greatest row ID; nothing while there are no rows.
  package var lastRowID: Int64? { tree.lastRowID }

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
    if let place = try tree.place(rowID: rowID, count: size) {
      RecordEncoding.write(row, header: header, to: place)
    } else {
      progress.pointee.reserve(size)
      let record = progress.pointee.record
      RecordEncoding.write(row, header: header, to: record)
      try tree.add(rowID: rowID, long: record, count: size)
    }
    progress.pointee.count += 1
    for index in keys {
      guard let intake = index.intake else { continue }
      let columns = index.columns
      for k in columns.indices {
        keyValues[k] = columns[k] == rowIDColumn ? .integer(rowID) : values[columns[k]]
      }
      keyValues[columns.count] = .integer(rowID)
      let key = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(keyValues)[...columns.count])
      let (header, size) = RecordEncoding.size(key)
      RecordEncoding.write(key, header: header, to: try intake.pointee.place(size))
    }
  }

  /// Writes what is left of the table's tree.
  func finishTable() throws(PageError) { try tree.finish() }

  /// Writes the tree of an index.
  ///
  /// - Returns: Whether it is there. An index that refuses equal keys stays empty when there are some.
  func finishIndex(_ number: Int) throws(PageError) -> Bool {
    guard let sorter = sorters[number] else { preconditionFailure("an index is written once") }
    defer {
      keys[number].intake = nil
      sorters[number] = nil
    }
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
