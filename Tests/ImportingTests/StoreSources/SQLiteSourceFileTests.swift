import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Files of databases that are sources")
struct SQLiteSourceFileTests {
  private static let rows = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO t SELECT i, printf('text number %d, which is longer than that', i) FROM n
    """

  private func filled(_ first: String = "PRAGMA page_size = 1024") throws -> TestDatabase {
    try TestDatabase(first, "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)", Self.rows)
  }

  // MARK: Write-ahead mode

  @Test("a writer's commits while it is read are not seen, those before are")
  func liveWriter() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    let writer = try Connection(path: database.path, mode: .readWrite)
    try writer.execute("INSERT INTO t VALUES (3000, 'before')")
    var reader = try RecordFormat.sqlite().reader(
      source: ByteSource(path: database.path), columns: .named(["id"]), index: 0)
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit(records: 10)))
    try writer.execute("DELETE FROM t WHERE id > 100; INSERT INTO t VALUES (4000, 'after')")
    var count = batch.recordCount
    var last = ""
    while try reader.read(into: &batch, limit: BatchLimit(records: 100)) {
      count += batch.recordCount
      last = batch.text(batch.recordCount - 1, 0) ?? ""
    }
    #expect(count == 2001)
    #expect(last == "3000")
    // The writer's files are still the writer's.
    try writer.execute("INSERT INTO t VALUES (5000, 'later')")
    #expect(database.names == ["data.db", "data.db-shm", "data.db-wal"])
    #expect(database.read(columns: .named(["id"])).lines.count == 102)
    try writer.close()
    #expect(database.names == ["data.db"])
  }

  @Test("nothing is left beside a database in write-ahead mode, and its file does not change")
  func leavesNothing() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    let before = database.bytes
    #expect(database.names == ["data.db"])
    #expect(database.read().lines.count == 2000)
    #expect(database.names == ["data.db"])
    // Also when it is not read to its end.
    do {
      var reader = try RecordFormat.sqlite().reader(source: ByteSource(path: database.path), columns: .all, index: 0)
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit(records: 1)))
    }
    #expect(database.names == ["data.db"])
    #expect(database.read(.table("none")).code == .unknownTable)
    #expect(database.names == ["data.db"])
    #expect(database.bytes == before)
  }

  @Test("the log that a dead writer left is read, and stays as it is")
  func leftLog() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    let other = try TestDatabase("PRAGMA user_version = 1")
    let writer = try Connection(path: database.path, mode: .readWrite)
    try writer.execute("INSERT INTO t VALUES (3000, 'in the log')")
    // Copied while it is open, as a crash leaves them.
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: other.path + suffix)
      try FileManager.default.copyItem(atPath: database.path + suffix, toPath: other.path + suffix)
    }
    try writer.close()
    let log = FileManager.default.contents(atPath: other.path + "-wal")
    let before = other.bytes
    #expect(other.read().lines.last == "2001: #3000|«in the log»")
    #expect(other.names == ["data.db", "data.db-wal"])
    #expect(FileManager.default.contents(atPath: other.path + "-wal") == log)
    #expect(other.bytes == before)
  }

  @Test("what a reader that was killed has left is removed by the next one")
  func leftByReader() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    let other = try TestDatabase("PRAGMA user_version = 1")
    let reader = try Connection(path: database.path, mode: .readWrite)
    #expect(try reader.integer("SELECT count(*) FROM t") == 2000)
    // Copied while it is open, as a killed process leaves them.
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: other.path + suffix)
      try FileManager.default.copyItem(atPath: database.path + suffix, toPath: other.path + suffix)
    }
    try reader.close()
    let before = other.bytes
    #expect(other.names == ["data.db", "data.db-shm", "data.db-wal"])
    #expect(other.read().lines.count == 2000)
    #expect(other.names == ["data.db"])
    #expect(other.bytes == before)
  }

  @Test("a reader that somebody else joins leaves them their files")
  func joined() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    var reader: (any RecordReader)? = try RecordFormat.sqlite().reader(
      source: ByteSource(path: database.path), columns: .all, index: 0)
    let other = try Connection(path: database.path, mode: .readWrite)
    try other.execute("INSERT INTO t VALUES (3000, 'x')")
    #expect(reader != nil)
    reader = nil
    #expect(database.names == ["data.db", "data.db-shm", "data.db-wal"])
    try other.execute("INSERT INTO t VALUES (3001, 'x')")
    #expect(try other.integer("SELECT count(*) FROM t") == 2002)
    try other.close()
    #expect(database.read().lines.count == 2002)
  }

  @Test(
    "where the -shm file cannot be made, the message says what to do",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func readOnlyFolder() throws {
    let database = try filled("PRAGMA journal_mode = WAL")
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: database.folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: database.folder.path) }
    let failure = database.read().failure ?? ""
    #expect(failure.hasPrefix("the database is in write-ahead mode, and this user cannot make or use the -shm"))
  }

  @Test("a database that somebody writes exclusively is locked")
  func locked() throws {
    let database = try filled()
    let writer = try Connection(path: database.path, mode: .readWrite)
    try writer.execute("BEGIN EXCLUSIVE")
    let reading = database.read()
    #expect(reading.code == .locked)
    #expect(reading.failure?.hasPrefix("another process has the database locked") == true)
    try writer.execute("ROLLBACK")
    #expect(database.read().lines.count == 2000)
  }

  // MARK: Damage

  @Test("a file that is no database is named for what it is")
  func noDatabase() throws {
    let folder = TemporaryFolder()
    func failure(_ bytes: [UInt8], _ name: String = "x.db") throws -> String? {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
      return DatabaseReading.of(.sqlite(), folder.file(name)).failure
    }
    #expect(
      try failure([])
        == "the file is empty; check its path, or whether it is encrypted or damaged [corrupt]")
    #expect(
      try failure(Array("id,name\n1,x\n".utf8))
        == "the file does not begin as an SQLite database does; check its path, or whether it is encrypted or damaged"
        + " [corrupt]")
    #expect(try failure(Array(repeating: 65, count: 5000))?.hasSuffix("encrypted or damaged [corrupt]") == true)
    #expect(
      try failure(Array("SQLite format 3\0".utf8) + [1, 2, 3])
        == "the file ends within its header; check its path, or whether it is encrypted or damaged [truncated]")
    let packed = "the file is compressed or an archive; a database is read in place, so unpack it first"
    #expect(try failure([0x1F, 0x8B, 8, 0, 0]) == packed + " [unsupportedContainer]")
    #expect(try failure([0x50, 0x4B, 3, 4, 0]) == packed + " [unsupportedContainer]")
    #expect(DatabaseReading.of(.sqlite(), folder.file("none.db")).code == .notFound)
    #expect(DatabaseReading.of(.sqlite(), folder.path).code == .isDirectory)
    #expect(
      DatabaseReading.of(.sqlite(), "-").failure
        == "a database is read at many places, so it cannot come from standard input; write it to a file first"
        + " [inputFailed]")
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(DatabaseReading.of(.sqlite(), folder.file("pipe")).code == .inputFailed)
    var source = ByteSource(path: folder.file("x.db"))
    source.container.formats = [.gzip]
    #expect(throws: ReadError.self) { try RecordFormat.sqlite().reader(source: source, columns: .all, index: 0) }
  }

  @Test("a file that is shorter than it says is refused before a row is read")
  func truncated() throws {
    let database = try filled()
    let bytes = database.bytes
    for length in [bytes.count - 1, bytes.count / 2, 1024, 512] {
      try database.write(Array(bytes[..<length]))
      let reading = database.read()
      #expect(reading.code == .truncated)
      #expect(reading.lines == [])
      #expect(reading.failure?.contains("its file has only \(length) bytes") == true, "\(reading)")
    }
  }

  @Test("damaged pages end the reading behind the rows before them, or change a row, and never more")
  func flippedBytes() throws {
    let database = try filled()
    let bytes = database.bytes
    let whole = database.read().lines
    var damaged = 0
    for seed in Soak.seeds(30) {
      var generator = SeededGenerator(seed: seed)
      var copy = bytes
      let page = Int.random(in: 1..<copy.count / 1024, using: &generator)
      for _ in 0..<4 {
        copy[page * 1024 + Int.random(in: 0..<1024, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      }
      try database.write(copy)
      let reading = database.read()
      #expect(database.read(limit: BatchLimit(records: 7)) == reading, "seed \(seed)")
      if let code = reading.code {
        damaged += 1
        #expect(code == .corrupt, "seed \(seed): \(reading.failure ?? "")")
        #expect(reading.failure?.contains("“sqlite3 PATH .recover”") == true, "seed \(seed)")
        // All rows of the pages before are there.
        let same = zip(reading.lines, whole).prefix { $0 == $1 }.count
        #expect(same >= reading.lines.count - 60, "seed \(seed): \(same) of \(reading.lines.count)")
      }
    }
    #expect(damaged > 5)
  }

  @Test("what a manifest says of the file is checked")
  func digest() throws {
    let database = try filled()
    var source = ByteSource(path: database.path)
    source.expected = SourceExpectation(size: database.bytes.count)
    _ = try RecordFormat.sqlite().reader(source: source, columns: .all, index: 0)
    source.expected = SourceExpectation(sha256: Array(repeating: 7, count: 32))
    let error = #expect(throws: ReadError.self) {
      try RecordFormat.sqlite().reader(source: source, columns: .all, index: 0)
    }
    #expect(error?.code == .checksumMismatch)
  }

  @Test("the format is told by the content")
  func detection() throws {
    let database = try filled()
    #expect(try SourceFormat.detect(ByteSource(path: database.path)) == .sqlite)
    #expect(SourceFormat(sample: Array("SQLite format 3\0".utf8)) == .sqlite)
  }
}
