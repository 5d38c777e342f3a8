import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Random files: what the page writer makes is what SQLite makes.
@Suite struct StorePagesPropertyTests {
  /// 100 seeds, or 2,000 in a long run.
  @Test func `files are as SQLite writes them, and SQLite goes on with them`() throws {
    let folder = TemporaryFolder()
    for seed in Soak.seeds(Soak.isOn ? 40 : 100) {
      try check(seed, folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
  }

  private func check(_ seed: UInt64, _ folder: TemporaryFolder) throws {
    let file = RandomFile(seed: seed)
    let (ours, again, theirs) = (folder.file("ours"), folder.file("again"), folder.file("theirs"))
    do {
      try file.writePages(ours)
      try file.writePages(again)
      try file.writeWithSQLite(theirs)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: ours))
      #expect(try bytes == Data(contentsOf: URL(fileURLWithPath: again)), "seed \(seed): two files differ")
      let connection = try Connection(path: ours, mode: .readWrite)
      try connection.execute("PRAGMA synchronous=OFF; PRAGMA cell_size_check=ON")
      try requireWhole(connection)
      try compareContents(file, connection, theirs)
      // VACUUM copies records as they are, so the packed files are equal when every record of every tree is.
      let sqlite = try Connection(path: theirs, mode: .readOnly)
      try connection.execute("VACUUM INTO '\(folder.file("ours-packed"))'")
      try sqlite.execute("VACUUM INTO '\(folder.file("theirs-packed"))'")
      try sqlite.close()
      let packed = try Data(contentsOf: URL(fileURLWithPath: folder.file("ours-packed")))
      #expect(
        try packed == Data(contentsOf: URL(fileURLWithPath: folder.file("theirs-packed"))),
        "seed \(seed): records differ")
      try change(file, connection)
      try connection.close()
    } catch {
      Issue.record("seed \(seed) (pages of \(file.pageSize), auto_vacuum \(file.autoVacuum)): \(error)")
    }
  }

  private func requireWhole(_ connection: Connection) throws {
    let found = try connection.text("PRAGMA integrity_check")
    guard found == "ok" else { throw Mismatch(text: found ?? "nothing") }
  }

  /// Every row, by the table and by each of its indexes.
  private func compareContents(_ file: RandomFile, _ connection: Connection, _ other: String) throws {
    try connection.execute("ATTACH '\(other)' AS other")
    defer { try? connection.execute("DETACH other") }
    for table in file.tables {
      let list = (["id"] + table.types.indices.map { "quote(c\($0 + 1)), typeof(c\($0 + 1))" }).joined(separator: ", ")
      var orders = ["NOT INDEXED ORDER BY id"]
      for index in table.indexes {
        let columns = index.columns.map { $0 == 0 ? "id" : "c\($0)" }.joined(separator: ", ")
        orders.append("INDEXED BY \(index.name) ORDER BY \(columns), id")
        let counted = try connection.integer("SELECT count(*) FROM main.\(table.name) INDEXED BY \(index.name)")
        guard counted == Int64(table.rows.count) else { throw Mismatch(text: "\(index.name): \(counted ?? -1)") }
      }
      for order in orders {
        let left = try connection.prepare("SELECT \(list) FROM main.\(table.name) \(order)")
        let right = try connection.prepare("SELECT \(list) FROM other.\(table.name) \(order)")
        while true {
          let (isLeft, isRight) = (try left.step(), try right.step())
          guard isLeft == isRight else { throw Mismatch(text: "\(order): one has more rows") }
          if !isLeft { break }
          for column in 0..<left.columnCount where left.text(column) != right.text(column) {
            throw Mismatch(text: "\(order): row \(left.text(0)), column \(column)")
          }
        }
      }
    }
  }

  /// SQLite deletes, inserts, updates and vacuums, and the file is whole.
  private func change(_ file: RandomFile, _ connection: Connection) throws {
    for table in file.tables {
      let names = table.types.indices.map { "c\($0 + 1)" }
      let list = names.isEmpty ? "" : ", " + names.joined(separator: ", ")
      try connection.execute("BEGIN; DELETE FROM \(table.name) WHERE id % 3 = 1")
      let top = try connection.integer("SELECT max(id) FROM \(table.name)") ?? 0
      try connection.execute(
        "INSERT INTO \(table.name) (id\(list)) SELECT id + \(top) + 10\(list) FROM \(table.name) WHERE id > 0 LIMIT 200"
      )
      if let name = names.first {
        try connection.execute(
          "UPDATE \(table.name) SET \(name) = \(name) || \(name) WHERE id % 5 = 0 AND length(\(name)) < 5000")
      }
      try connection.execute("COMMIT; PRAGMA incremental_vacuum(3)")
      try requireWhole(connection)
      try connection.execute("DELETE FROM \(table.name) WHERE id % 2 = 0")
    }
    try connection.execute("PRAGMA incremental_vacuum")
    try requireWhole(connection)
    try connection.execute("CREATE TABLE more (a, b); CREATE INDEX more_b ON more (b)")
    try connection.execute("INSERT INTO more SELECT value, value FROM (SELECT id AS value FROM t0); VACUUM")
    try requireWhole(connection)
  }
}
