import Foundation
import MergewalkSQLite
import MergewalkStorePages
import MergewalkTestSupport
import Testing

/// What the page writer refuses, and what it leaves then.
@Suite struct StorePageWriterTests {
  private let folder = TemporaryFolder()

  /// Makes a file with a schema and returns its path and the root pages by name.
  private func make(
    _ schema: String, name: String = "file", pragmas: String = "PRAGMA auto_vacuum=2"
  ) throws -> (path: String, roots: [String: UInt32]) {
    let path = folder.file(name)
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("\(pragmas); \(schema)")
    var roots: [String: UInt32] = [:]
    let statement = try connection.prepare("SELECT name, rootpage FROM sqlite_schema")
    while try statement.step() { roots[statement.text(0)] = UInt32(statement.integer(1)) }
    try connection.close()
    return (path, roots)
  }

  private func withWriter(_ path: String, _ body: (StorePageWriter) throws -> Void) throws {
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    try body(try StorePageWriter(descriptor: descriptor, temporaryFolder: folder.path, chunkBytes: 1000))
  }

  private func append(_ ids: ClosedRange<Int64>, to load: TableLoad, value: (Int64) -> StoredValue) throws {
    let values = UnsafeMutableBufferPointer<StoredValue>.allocate(capacity: 2)
    defer { values.deallocate() }
    values.initialize(repeating: .null)
    for id in ids {
      values[1] = value(id)
      try load.append(rowID: id, values)
    }
  }

  @Test func `a unique index with equal keys stays empty and costs no page`() throws {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER); CREATE UNIQUE INDEX u ON t (a);"
    let (path, roots) = try make(schema + "CREATE INDEX i ON t (a)")
    try withWriter(path) { writer in
      let load = try writer.table(
        root: roots["t"]!, columnCount: 2, rowIDColumn: 0,
        indexes: [
          IndexShape(root: roots["u"]!, columns: [1], isUnique: true),
          IndexShape(root: roots["i"]!, columns: [1], isUnique: false),
        ])
      try append(1...5000, to: load) { .integer($0 == 4999 ? 17 : $0) }
      #expect(try writer.finish() == [roots["u"]!])
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("DROP INDEX u")
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM t INDEXED BY i WHERE a = 17") == 2)
    // The page of the index that was removed, and nothing else, is free.
    #expect(try connection.integer("PRAGMA freelist_count") == 1)
    #expect(throws: SQLiteError.self) { try connection.execute("CREATE UNIQUE INDEX u ON t (a)") }
  }

  /// Keys that begin alike are one slice of several batches (``KeyBatches``), others many slices: two equal ones may be in
  /// two runs, and at the end of one batch and the beginning of the next.
  @Test(arguments: [true, false]) func `equal keys are found wherever they are`(beginAlike: Bool) throws {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX u ON t (a);"
    let (path, roots) = try make(schema + "CREATE INDEX i ON t (a)")
    let empty = try Data(contentsOf: URL(fileURLWithPath: path))
    // More than a batch has, one after the other, and the first and the last.
    for copied in [0] + Array(400...440) + [998] {
      try empty.write(to: URL(fileURLWithPath: path))
      // Neighbours are in different runs.
      let texts = (0..<1000).flatMap { number in
        let digits = String(10_000 + (number == 999 ? copied : number * 367 % 999))
        return Array((beginAlike ? "all begin alike \(digits)" : "\(digits) all end alike..").utf8)
      }
      try withWriter(path) { writer in
        let load = try writer.table(
          root: roots["t"]!, columnCount: 2, rowIDColumn: 0,
          indexes: [
            IndexShape(root: roots["u"]!, columns: [1], isUnique: true),
            IndexShape(root: roots["i"]!, columns: [1], isUnique: false),
          ])
        try texts.withUnsafeBufferPointer { texts in
          try append(1...1000, to: load) {
            .text(texts.baseAddress! + 21 * Int($0 - 1), count: 21, ColumnAffinity(declaredType: "TEXT"))!
          }
        }
        #expect(try writer.finish() == [roots["u"]!], "\(copied)")
      }
      // The index behind it was written while batches of this one may still have been filled.
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.execute("DROP INDEX u")
      #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(copied)")
      #expect(try connection.integer("SELECT count(DISTINCT a) FROM t INDEXED BY i") == 999)
      try connection.close()
    }
  }

  @Test func `NULLs are not equal keys`() throws {
    let (path, roots) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX u ON t (a)")
    try withWriter(path) { writer in
      let load = try writer.table(
        root: roots["t"]!, columnCount: 2, rowIDColumn: 0,
        indexes: [IndexShape(root: roots["u"]!, columns: [1], isUnique: true)])
      try append(1...300, to: load) { _ in .null }
      #expect(try writer.finish() == [])
    }
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM t INDEXED BY u") == 300)
  }

  @Test func `without its indexes the table is whole`() throws {
    let (path, roots) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER); CREATE INDEX i ON t (a)")
    try withWriter(path) { writer in
      let load = try writer.table(
        root: roots["t"]!, columnCount: 2, rowIDColumn: 0,
        indexes: [IndexShape(root: roots["i"]!, columns: [1], isUnique: false)])
      try append(1...1000, to: load) { .integer($0) }
      load.buildsIndexes = false
      #expect(try writer.finish() == [roots["i"]!])
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("DROP INDEX i; CREATE INDEX i ON t (a)")
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a file that was not finished is as before`() throws {
    let (path, roots) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)")
    try withWriter(path) { writer in
      let load = try writer.table(root: roots["t"]!, columnCount: 2, rowIDColumn: 0, indexes: [])
      try append(1...100_000, to: load) { .integer($0) }
    }
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `rows that do not ascend are refused, and the others stay`() throws {
    let (path, roots) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)")
    try withWriter(path) { writer in
      let load = try writer.table(root: roots["t"]!, columnCount: 2, rowIDColumn: 0, indexes: [])
      try append(1...10, to: load) { .integer($0) }
      #expect(code { try append(10...10, to: load) { .integer($0) } } == .outOfOrder)
      try append(11...11, to: load) { .integer($0) }
      #expect(load.count == 11 && load.lastRowID == 11)
      _ = try writer.finish()
    }
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.integer("SELECT sum(id) FROM t") == 66)
  }

  @Test func `tables with rows and pages of another kind are not filled`() throws {
    let (path, roots) = try make(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1, 1);"
        + "CREATE TABLE e (id INTEGER PRIMARY KEY)")
    try withWriter(path) { writer in
      for root in [roots["t"]!, roots["i"]!] {
        #expect(
          code { _ = try writer.table(root: root, columnCount: 2, rowIDColumn: 0, indexes: []) } == .rootNotEmpty)
      }
      for root: UInt32 in [0, 1, 900] {
        #expect(
          code { _ = try writer.table(root: root, columnCount: 2, rowIDColumn: 0, indexes: []) } == .unsupportedFile)
      }
      _ = try writer.table(root: roots["e"]!, columnCount: 1, rowIDColumn: 0, indexes: [])
    }
  }

  @Test(arguments: [
    "PRAGMA journal_mode=WAL", "PRAGMA encoding='UTF-16le'", "PRAGMA legacy_file_format=1",
  ])
  func `files of another kind are refused`(pragmas: String) throws {
    let (path, _) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY)", pragmas: pragmas)
    if pragmas.contains("legacy") {
      // Builds of SQLite differ in whether they still know the old format.
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      try handle.seek(toOffset: 47)
      try handle.write(contentsOf: [1])
      try handle.close()
    }
    #expect(code { try withWriter(path) { _ in } } == .unsupportedFile)
  }

  @Test func `files that are cut or no databases are refused`() throws {
    let (path, _) = try make("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for (name, contents) in [("cut", bytes.dropLast(1)), ("empty", Data()), ("text", Data(repeating: 65, count: 8192))]
    {
      let other = try folder.write([UInt8](contents), to: name)
      #expect(code { try withWriter(other) { _ in } } == .unsupportedFile, "\(name)")
    }
  }

  /// 1.4 The Lock-Byte Page: the file goes past its first GiB.
  @Test(.enabled(if: Soak.isOn)) func `the page with the lock bytes is passed over`() throws {
    for vacuum in [0, 2] {
      let (path, roots) = try make(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB)", name: "large\(vacuum)",
        pragmas: "PRAGMA page_size=65536; PRAGMA auto_vacuum=\(vacuum)")
      let blob = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 20)
      defer { blob.deallocate() }
      blob.initialize(repeating: 7)
      try withWriter(path) { writer in
        let load = try writer.table(root: roots["t"]!, columnCount: 2, rowIDColumn: 0, indexes: [])
        try append(1...1100, to: load) { .blob(blob.baseAddress, count: Int($0) + (1 << 20) - 1100)! }
        _ = try writer.finish()
      }
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      #expect(try connection.integer("SELECT count(*) FROM t WHERE length(a) = id + 1048576 - 1100") == 1100)
      try connection.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `affinities are those of declared types`() {
    let expected: [(String, ColumnAffinity)] = [
      ("INTEGER", .integer), ("VARCHAR", .text), ("FLOAT", .real), ("DECIMAL", .numeric), ("TIMESTAMP", .numeric),
      ("BLOB", .blob), ("", .blob), ("CHARINT", .integer), ("clob", .text), ("Floating Point", .integer),
    ]
    for (type, affinity) in expected { #expect(ColumnAffinity(declaredType: type) == affinity, "\(type)") }
  }

  @Test func `values that SQLite would convert are none`() {
    #expect(StoredValue.integer(1, .text) == nil)
    #expect(StoredValue.real(1.5, .text) == nil)
    for text in ["1", " 1", "-", ".5", "+x", "\t\n\u{B}\u{C}\r9"] {
      Array(text.utf8).withUnsafeBufferPointer {
        #expect(StoredValue.text($0.baseAddress, count: $0.count, .numeric) == nil, "\(text)")
        #expect(StoredValue.text($0.baseAddress, count: $0.count, .text) != nil)
      }
    }
    #expect(StoredValue.real(.nan, .text)?.serial == 0)
    #expect(StoredValue.blob(nil, count: 1_000_000_001) == nil)
  }

  private func code(_ body: () throws -> Void) -> PageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? PageError)?.code
    }
  }
}
