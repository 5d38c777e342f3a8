import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore
@testable import MergewalkStorePages

/// Two threads that share a table give each of its rows once.
@Suite struct SharedScanTests {
  private let folder = TemporaryFolder()

  /// A file in memory; the test changes it before it is read.
  private final class Pages: Sendable {
    let bytes: [UInt8]
    let pageSize: Int

    init(_ bytes: [UInt8], pageSize: Int) { (self.bytes, self.pageSize) = (bytes, pageSize) }

    func scan() throws -> TableScan {
      let scan = TableScan(pageSize: pageSize, pageCount: bytes.count / pageSize, columns: [1, 2]) { first, buffer in
        let start = (Int(first) - 1) * self.pageSize
        guard start >= 0, start + buffer.count <= self.bytes.count else { return false }
        buffer.copyBytes(from: self.bytes[start..<start + buffer.count])
        return true
      }
      return try #require(scan)
    }
  }

  private struct Row: Hashable {
    var (primaryKey, key, content): (Int64, UInt64, UInt64)
    static func == (left: Row, right: Row) -> Bool {
      left.primaryKey == right.primaryKey && left.key == right.key && left.content == right.content
    }
    func hash(into hasher: inout Hasher) { hasher.combine(primaryKey) }
  }

  /// A table with so many rows, and the root of its tree.
  private func table(rows: Int, pageSize: Int) throws -> (pages: Pages, root: UInt32) {
    let path = folder.file("\(rows)-\(pageSize).sqlite")
    let connection = try MergewalkSQLite.Connection(path: path, mode: .create)
    try SQLiteCalls.execute(
      connection,
      "PRAGMA page_size=\(pageSize); CREATE TABLE t (id INTEGER PRIMARY KEY, k VARCHAR, n INTEGER);"
        + "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < \(rows)) "
        + "INSERT INTO t SELECT i * 3, 'key ' || i || substr(hex(zeroblob(i % 40)), 1, i % 40), i * 7919 % 1000 FROM c")
    let root = try SQLiteCalls.integer(connection, "SELECT rootpage FROM sqlite_schema WHERE name = 't'") ?? 0
    try SQLiteCalls.close(connection)
    return (Pages(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))), pageSize: pageSize), UInt32(root))
  }

  private func hashes(_ body: @escaping (Int64, UInt64, UInt64) -> Void) -> HashScan {
    HashScan(kinds: [.text, .integer], keyCount: 1, seed: 5, body: body)
  }

  /// Of one leaf, of few, with two and with three levels.
  @Test(arguments: [(1, 4096), (100, 4096), (3000, 512), (60_000, 4096), (60_000, 512)])
  func eachRowComesOnce(rows: Int, pageSize: Int) throws {
    let (pages, root) = try table(rows: rows, pageSize: pageSize)
    var wanted: [Row] = []
    let one = hashes { wanted.append(Row(primaryKey: $0, key: $1, content: $2)) }
    #expect(try pages.scan().run(part: root) { one.add($0, $1) })
    #expect(wanted.count == rows)
    for _ in 0..<5 {
      var found: [Row] = []
      let isRead = SharedScan.run(try pages.scan(), root: root, hashes: hashes) {
        found.append(Row(primaryKey: $0, key: $1, content: $2))
      }
      #expect(isRead)
      #expect(found.sorted { $0.primaryKey < $1.primaryKey } == wanted)
    }
  }

  /// Whichever thread meets the damage, both end, and the caller hears of it.
  @Test func aPageThatCannotBeReadEndsTheScan() throws {
    let (pages, root) = try table(rows: 60_000, pageSize: 4096)
    var random = SeededGenerator(seed: 9)
    for _ in 0..<30 {
      var bytes = pages.bytes
      let page = Int.random(in: Int(root)..<bytes.count / 4096, using: &random)
      bytes[page * 4096] = 99
      let damaged = Pages(bytes, pageSize: 4096)
      var count = 0
      #expect(!SharedScan.run(try damaged.scan(), root: root, hashes: hashes) { _, _, _ in count += 1 })
      #expect(count < 60_000)
    }
  }
}
