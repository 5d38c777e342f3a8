import MergewalkSQLite
import MergewalkStorePages
import MergewalkSystem
import MergewalkThreads
import Synchronization

/// Counts the entries of indexes against the rows of their tables and brings the file to the disk, beside another check.
///
/// For a file of some size it has a thread and a connection of its own, which sees what is committed: nothing may write
/// to the file until ``wait()`` has returned. A small file, and one of a process that gets no thread, is counted at once,
/// as starting would take longer.
struct EntryCounts: Sendable {
  /// The name of an index of all rows of a table, and its table.
  typealias Index = (table: String, name: String)

  private final class Outcome: Sendable { let found = Mutex(Result<String?, StoreError>.success(nil)) }

  private let outcome: Outcome
  private let worker: Worker?

  /// Files of fewer pages are counted at once.
  private static let fewPages = 256

  /// Begins.
  ///
  /// - Parameters:
  ///   - owner: a connection to the database, which has no log; it is used before this returns only.
  ///   - descriptor: the file that is synced, through a descriptor that is open: closing another one would take away the
  ///     locks of the process (fcntl(2)). Nil when others see to that.
  /// - Complexity: a pass over the pages of the tables and of the indexes.
  init(_ owner: Connection, indexes: [Index], descriptor: Int32?) {
    let outcome = Outcome()
    self.outcome = outcome
    let path = owner.path
    let isSmall = ((try? owner.integer("PRAGMA page_count")) ?? Int64.max) < Self.fewPages
    worker =
      isSmall
      ? nil
      : Worker {
        let result = Result { () throws(StoreError) in
          let connection = try Connection.open(path, .immutable)
          defer { try? connection.close() }
          return try Self.find(connection, indexes, descriptor)
        }
        outcome.found.withLock { $0 = result }
      }
    if worker == nil {
      let result = Result { () throws(StoreError) in try Self.find(owner, indexes, descriptor) }
      outcome.found.withLock { $0 = result }
    }
  }

  /// The first error; nil when each index has an entry for each row.
  func wait() throws(StoreError) -> String? {
    worker?.join()
    return try outcome.found.withLock { $0 }.get()
  }

  private static func find(
    _ connection: Connection, _ indexes: [Index], _ descriptor: Int32?
  ) throws(StoreError) -> String? {
    let path = connection.path
    let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    let pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    let roots = try connection.rootPages()
    let scan = TableScan(pageSize: pageSize, pageCount: pageCount, columns: []) { first, buffer in
      connection.read(at: (Int(first) - 1) * pageSize, into: buffer)
    }
    // SQLite would step through each entry: its `count(*)` counts by pages, but in whatever b-tree is smallest.
    func count(_ name: String) throws(StoreError) -> Int {
      guard let root = roots[name], let count = scan?.count(root: root) else {
        throw StoreError(.damagedFile, path: path, message: "the pages of \(name) cannot be read")
      }
      return count
    }
    for (table, indexes) in Dictionary(grouping: indexes, by: \.table).sorted(by: { $0.key < $1.key }) {
      let rows = try count(table)
      for index in indexes {
        let entries = try count(index.name)
        if rows != entries { return "\(index.name) has \(entries) entries for \(rows) rows" }
      }
    }
    if let descriptor, fsync(descriptor) != 0 { throw FileSystem.failure(path, "cannot sync") }
    return nil
  }
}
