import Foundation
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Random changes, made to a database and planned for a copy of it: both are the same in the end.
///
/// 30 trials, 2,000 with `MERGEWALK_SOAK`; `MERGEWALK_SEED` runs one.
@Suite("Applied plans")
struct PlanApplicationTests {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let given = environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return [given] }
    return Array(1...(environment["MERGEWALK_SOAK"] == nil ? 30 : 2000))
  }()

  private let folder = TemporaryFolder()

  private func make(_ name: String, _ seed: UInt64) throws -> String {
    var random = SeededGenerator(seed: seed)
    let file = try StoreFile.create(path: folder.file(name), model: try Models.zoo())
    file.isReproducible = true
    try file.finish()
    let connection = try Connection(path: folder.file(name), mode: .readWrite)
    try connection.execute(
      """
      CREATE TABLE one(a INTEGER PRIMARY KEY, b, c TEXT, d REAL, UNIQUE(c));
      CREATE INDEX one_b ON one(b);
      CREATE TABLE two(x, y, PRIMARY KEY(x, y));
      CREATE TABLE "th ""ree"("a b", rowid, UNIQUE("a b"));
      CREATE TABLE log(t INTEGER PRIMARY KEY AUTOINCREMENT, what);
      CREATE VIRTUAL TABLE places USING rtree(id, x1, x2);
      CREATE TRIGGER one_log AFTER UPDATE ON one BEGIN
        INSERT INTO log(what) VALUES(NEW.c); END;
      """)
    for _ in 0..<3 { try connection.execute(Self.statements(&random, 100).joined(separator: ";")) }
    if seed % 3 == 0 { try connection.execute("PRAGMA journal_mode=DELETE") }
    try connection.close()
    return folder.file(name)
  }

  /// Statements that change rows everywhere; none of them can fail.
  private static func statements(_ random: inout SeededGenerator, _ count: Int) -> [String] {
    (0..<count).map { _ in
      let key = Int.random(in: 1...200, using: &random)
      let other = Int.random(in: 1...200, using: &random)
      let blob = "zeroblob(\(Bool.random(using: &random) ? 10 : Int.random(in: 0...20_000, using: &random)))"
      switch Int.random(in: 0..<13, using: &random) {
      case 0, 1: return "INSERT OR REPLACE INTO one VALUES(\(key), \(blob), 'k\(other)', \(key) / 3.0)"
      case 2: return "INSERT OR REPLACE INTO one(b, c) VALUES(\(blob), 'n\(other)')"
      case 3: return "UPDATE one SET b = \(blob) WHERE a % 7 = \(key % 7)"
      case 4: return "DELETE FROM one WHERE a BETWEEN \(key) AND \(key + 5)"
      // Keys are exchanged: first out of the way, then to the other row.
      case 5:
        return "UPDATE OR IGNORE one SET c = c || '!' WHERE a IN (\(key), \(other));"
          + "UPDATE OR IGNORE one SET c = 'k' || (\(key + other) - a) WHERE a IN (\(key), \(other))"
      case 6: return "INSERT OR IGNORE INTO two VALUES(\(key), \(other))"
      case 7: return "DELETE FROM two WHERE x = \(key)"
      case 8: return "INSERT OR REPLACE INTO \"th \"\"ree\" VALUES(\(key), \(blob))"
      case 9: return "UPDATE \"th \"\"ree\" SET rowid = \(other) WHERE \"a b\" < \(key)"
      case 11: return "INSERT OR REPLACE INTO places VALUES(\(key), \(key), \(key + other))"
      case 10: return "DELETE FROM log WHERE t < \(key)"
      default:
        return "UPDATE one SET a = a + 1000 WHERE a = \(key)"
          + " AND NOT EXISTS (SELECT 1 FROM one WHERE a = \(key + 1000))"
      }
    }
  }

  /// Everything in a database, with row numbers and storage classes.
  private func dump(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var lines: [String] = []
    let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    while try tables.step() {
      let name = tables.text(0)
      let columns = try TableColumns(name, connection)
      let list = columns.names.map { "quote(\(SQLQuoting.name($0)))" }
      let rows = try connection.prepare(
        "SELECT \(columns.row), \(list.joined(separator: ", ")) FROM \(columns.table) ORDER BY 1")
      while try rows.step() {
        lines.append(name + ": " + (0..<rows.columnCount).map { rows.text($0) }.joined(separator: "|"))
      }
    }
    try connection.close()
    return lines
  }

  @Test("a plan does what its statements do", arguments: seeds)
  func oracle(_ seed: UInt64) throws {
    let direct = try make("direct.sqlite", seed)
    try FileManager.default.copyItem(atPath: direct, toPath: folder.file("planned.sqlite"))
    let planned = folder.file("planned.sqlite")
    var random = SeededGenerator(seed: seed &* 77)
    var batches: [[String]] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      batches.append(Self.statements(&random, Int.random(in: 1...60, using: &random)))
    }
    let connection = try Connection(path: direct, mode: .readWrite)
    for batch in batches { try connection.execute(batch.joined(separator: ";")) }
    try connection.close()

    func open() throws -> StoreFile {
      try StoreFile.plan(
        path: planned, model: try Models.zoo(), run: "r", isThrownAway: false, cacheKiB: 64, lockWait: 0)
    }
    var file = try open()
    for batch in batches {
      try file.begin()
      // A part that is taken back leaves nothing.
      try file.connection.execute(
        "SAVEPOINT p; DELETE FROM one; INSERT INTO log(what) VALUES('no'); ROLLBACK TO p; RELEASE p")
      try file.connection.execute(batch.joined(separator: ";"))
      try file.commit()
      if Int.random(in: 0..<4, using: &random) == 0 {
        try file.begin()
        try file.connection.execute("DELETE FROM two; INSERT INTO log(what) VALUES('no')")
        try file.suspend()
        file = try open()
        #expect(file.isAdopted)
      }
    }
    try file.finish()
    let (wanted, found) = (try dump(direct), try dump(planned))
    #expect(wanted == found, "seed \(seed): \(wanted.difference(from: found))")
  }
}
