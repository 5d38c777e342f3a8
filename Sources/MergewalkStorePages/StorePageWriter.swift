/// Fills the empty tables and indexes of a file that SQLite has made, without SQLite.
///
/// SQLite makes the schema and ends its transaction; the writer fills the trees; SQLite continues with the file. Rows
/// of several tables may alternate. The same rows in the same order give the same bytes.
package final class StorePageWriter {
  private let file: PageFile
  private let memory: SortMemory
  private let work = BackgroundWork()
  private let blocks: RowBlocks
  private var loads: [TableLoad] = []

  /// Takes over a file.
  ///
  /// - Parameters:
  ///   - descriptor: The file, open to read and to write; it stays open, and has to until the writer is gone.
  ///   - temporaryFolder: Where keys are spilled to a file without a name.
  ///   - chunkBytes: The bytes of keys of each index that are sorted in memory.
  /// - Throws: ``PageError`` with `unsupportedFile` or `inputOutput`.
  package init(descriptor: Int32, temporaryFolder: String, chunkBytes: Int = 1 << 20) throws(PageError) {
    file = try PageFile(descriptor: descriptor, work: work)
    memory = SortMemory(folder: temporaryFolder, chunkBytes: chunkBytes)
    blocks = RowBlocks(work: work)
  }

  /// Ends the work before the memory that jobs refer to goes away.
  deinit { work.end() }

  /// Begins to fill a table.
  ///
  /// - Parameters:
  ///   - rowIDColumn: The column that is another name of the row ID (`INTEGER PRIMARY KEY`).
  ///   - indexes: All indexes of the table that exist.
  /// - Throws: ``PageError`` with `rootNotEmpty` or `inputOutput`.
  package func table(
    root: UInt32, columnCount: Int, rowIDColumn: Int?, indexes: [IndexShape]
  ) throws(PageError) -> TableLoad {
    let load = try TableLoad(
      file, root: root, columnCount: columnCount, rowIDColumn: rowIDColumn, indexes: indexes, memory: memory,
      blocks: blocks)
    loads.append(load)
    return load
  }

  /// Writes everything and makes it part of the database.
  ///
  /// - Returns: The root pages of the indexes that stay empty although their tables have rows, for the caller to remove:
  ///   those that are not wanted, and those that refuse existing keys.
  /// - Throws: ``PageError`` with `inputOutput` or `tooLarge`.
  package func finish() throws(PageError) -> [UInt32] {
    var empty: [UInt32] = []
    for load in loads { try load.giveRows() }
    try work.waitForAll()
    for load in loads { try load.finishTable() }
    for load in loads {
      for (i, index) in load.indexes.enumerated() {
        if load.count == 0 { continue }
        let isWritten = load.buildsIndexes ? try load.finishIndex(i) : false
        if !isWritten { empty.append(index.root) }
      }
    }
    loads = []
    try file.finish()
    return empty
  }
}

@available(*, unavailable, message: "pages are written by one task")
extension StorePageWriter: Sendable {}
