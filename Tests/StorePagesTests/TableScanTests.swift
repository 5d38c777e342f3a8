import Foundation
import MergewalkSQLite
import MergewalkStorePages
import MergewalkTestSupport
import Testing

/// Rows that are read from the pages of files are those that SQLite reads.
@Suite struct TableScanTests {
  private let folder = TemporaryFolder()

  /// A file in memory that lends its pages.
  private struct Pages {
    var bytes: [UInt8]
    let pageSize: Int

    func read(_ first: UInt32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
      let start = (Int(first) - 1) * pageSize
      guard start >= 0, start + buffer.count <= bytes.count else { return false }
      buffer.copyBytes(from: bytes[start..<start + buffer.count])
      return true
    }

    /// All rows of a table in words; `nil` when the scan gave up.
    ///
    /// - Parameter isShared: Whether two scans read the parts of the table in turn.
    func rows(_ root: UInt32, columns: [Int], reals: Set<Int>, isShared: Bool = false) -> [String]? {
      guard
        let scan = TableScan(
          pageSize: pageSize, pageCount: bytes.count / pageSize, columns: columns, pages: { self.read($0, $1) })
      else { return nil }
      var rows: [String] = []
      func add(_ row: Int64, _ values: UnsafeMutableBufferPointer<TableScan.Value>) -> Bool {
        let words = values.enumerated().map { place, value in
          switch value {
          case .null: "null"
          case .integer(let value): reals.contains(columns[place]) ? "\(Double(value))" : "\(value)"
          case .real(let value): "\(value)"
          case .text(let bytes): "'" + Data(bytes).base64EncodedString()
          case .blob(let bytes): "x" + Data(bytes).base64EncodedString()
          }
        }
        rows.append("\(row): \(words.joined(separator: " | "))")
        return true
      }
      guard isShared else { return scan.run(part: root, add) ? rows : nil }
      let twin = scan.twin()
      guard let parts = scan.parts(root: root) else { return nil }
      let isWhole = parts.enumerated().allSatisfy { ($0.isMultiple(of: 2) ? scan : twin).run(part: $1, add) }
      return isWhole ? rows : nil
    }

    /// How many entries the tree of a table or an index has; `nil` when the scan gave up.
    func count(_ root: UInt32) -> Int? {
      TableScan(pageSize: pageSize, pageCount: bytes.count / pageSize, columns: [], pages: { self.read($0, $1) })?
        .count(root: root)
    }
  }

  /// The same rows as SQLite has them.
  private func rows(_ connection: Connection, _ table: String, columns: [Int]) throws -> [String] {
    let list = columns.map { "c\($0)" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT id\(list.isEmpty ? "" : ", ")\(list) FROM \(table) NOT INDEXED ORDER BY id")
    var rows: [String] = []
    while try statement.step() {
      let words = (1..<max(statement.columnCount, 1)).map { column -> String in
        switch statement.type(column) {
        case 5: "null"
        case 1: "\(statement.integer(column))"
        case 2: "\(statement.double(column))"
        case 3: "'" + Data(statement.bytes(column)).base64EncodedString()
        default: "x" + Data(statement.bytes(column)).base64EncodedString()
        }
      }
      rows.append("\(statement.integer(0)): \(words.joined(separator: " | "))")
    }
    return rows
  }

  /// Deletes, changes and adds rows, and a column, so that pages have holes and rows lack values at their ends.
  private func change(_ table: RandomTable, _ connection: Connection, _ random: inout SeededGenerator) throws {
    try connection.execute("DELETE FROM \(table.name) WHERE id % 7 = \(Int.random(in: 0..<7, using: &random))")
    for number in table.types.indices {
      try connection.execute(
        "UPDATE \(table.name) SET c\(number + 1) = zeroblob(\(Int.random(in: 0...5000, using: &random)))"
          + " WHERE id % 11 = \(number % 11)")
    }
    try connection.execute("ALTER TABLE \(table.name) ADD COLUMN c\(table.types.count + 1) INTEGER")
    try connection.execute("UPDATE \(table.name) SET c\(table.types.count + 1) = id WHERE id % 3 = 0")
  }

  @Test func `random files are read as SQLite reads them`() throws {
    for seed in Soak.seeds(30, long: 3000) {
      var random = SeededGenerator(seed: seed &+ 1000)
      let file = RandomFile(seed: seed)
      let path = folder.file("\(seed)")
      try file.writeWithSQLite(path)
      let connection = try Connection(path: path, mode: .readWrite)
      let isChanged = Bool.random(using: &random)
      if isChanged { for table in file.tables { try change(table, connection, &random) } }
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
      let pages = Pages(bytes: bytes, pageSize: file.pageSize)
      for table in file.tables {
        let count = table.types.count + (isChanged ? 1 : 0)
        let columns = Array((0..<count).map { $0 + 1 }.shuffled(using: &random).prefix(5))
        let reals = Set(table.types.indices.filter { ["FLOAT", "DOUBLE"].contains(table.types[$0]) }.map { $0 + 1 })
        let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table.name)'") ?? 0
        let found = pages.rows(UInt32(root), columns: columns, reals: reals)
        let wanted = try rows(connection, table.name, columns: columns)
        #expect(found == wanted, "seed \(seed), \(table.name), columns \(columns)")
        let shared = pages.rows(UInt32(root), columns: columns, reals: reals, isShared: true)
        #expect(shared == wanted, "seed \(seed), \(table.name), columns \(columns), in parts")
        #expect(pages.count(UInt32(root)) == wanted.count, "seed \(seed), \(table.name)")
        for index in table.indexes {
          let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(index.name)'") ?? 0
          #expect(pages.count(UInt32(root)) == wanted.count, "seed \(seed), \(index.name)")
        }
      }
      try connection.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `a damaged file ends the scan or gives other rows, and nothing else happens`() throws {
    for seed in Soak.seeds(30, long: 3000) {
      var random = SeededGenerator(seed: seed &+ 5000)
      let file = RandomFile(seed: seed)
      let path = folder.file("\(seed)")
      try file.writeWithSQLite(path)
      let connection = try Connection(path: path, mode: .readWrite)
      let roots = try file.tables.map {
        UInt32(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\($0.name)'") ?? 0)
      }
      try connection.close()
      let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
      for _ in 0..<20 {
        var pages = Pages(bytes: whole, pageSize: file.pageSize)
        for _ in 0..<Int.random(in: 1...30, using: &random) {
          let place = Int.random(in: 0..<whole.count, using: &random)
          pages.bytes[place] = Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
          // The heads of pages are what leads astray.
          let head = place / file.pageSize * file.pageSize + Int.random(in: 0..<16, using: &random)
          if head < whole.count { pages.bytes[head] = UInt8.random(in: 0...255, using: &random) }
        }
        if Bool.random(using: &random) { pages.bytes.removeLast(Int.random(in: 0..<whole.count, using: &random)) }
        for (table, root) in zip(file.tables, roots) {
          let columns = Array(0...table.types.count)
          // A tree has each page once, so there are no more rows than all pages have cells.
          let rows = pages.rows(root, columns: columns, reals: [])
          #expect(rows?.count ?? 0 <= whole.count / 4, "seed \(seed)")
          let shared = pages.rows(root, columns: columns, reals: [], isShared: true)
          #expect(shared?.count ?? 0 <= whole.count / 2, "seed \(seed), in parts")
          #expect(pages.count(root) ?? 0 <= whole.count / file.pageSize * 0xFFFF, "seed \(seed), counted")
        }
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `a tree that is its own child is no tree`() throws {
    var bytes = [UInt8](repeating: 0, count: 3 * 512)
    // Page 2: interior, no cells, its right child is page 2.
    bytes[512] = 5
    bytes[512 + 11] = 2
    let pages = Pages(bytes: bytes, pageSize: 512)
    #expect(pages.rows(2, columns: [0], reals: []) == nil)
    #expect(pages.rows(9, columns: [0], reals: []) == nil)
    #expect(pages.rows(0, columns: [0], reals: []) == nil)
    for kind: UInt8 in [2, 5, 7] {
      bytes[512] = kind
      #expect(Pages(bytes: bytes, pageSize: 512).count(2) == nil)
    }
  }
}
