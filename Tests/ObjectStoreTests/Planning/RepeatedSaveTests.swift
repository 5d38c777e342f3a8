import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Changes that one database has and another one lacks are made there again.
@Suite("Repeated saves") struct RepeatedSaveTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String) throws -> Connection {
    let connection = try Connection(path: folder.file(name), mode: .create)
    try connection.execute(
      """
      CREATE TABLE one(Z_PK INTEGER PRIMARY KEY, a TEXT UNIQUE, b, c, n, UNIQUE(b, c));
      CREATE TABLE two(k TEXT, v UNIQUE, w, PRIMARY KEY(k));
      CREATE TRIGGER counted AFTER UPDATE ON one BEGIN UPDATE one SET n = n + 1 WHERE Z_PK = NEW.Z_PK; END;
      """)
    for n in 1...12 {
      try connection.execute("INSERT INTO one VALUES(\(n), 'a\(n)', \(n % 3), \(n), 0)")
      try connection.execute("INSERT INTO two VALUES('k\(n)', 'v\(n)', x'00\(n % 10)\(n % 10)')")
    }
    return connection
  }

  private func dump(_ connection: Connection) throws -> [String] {
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var lines: [String] = []
    for query in ["SELECT Z_PK, a, b, c, n FROM one", "SELECT k, v, hex(w) FROM two ORDER BY k"] {
      let rows = try connection.prepare(query)
      while try rows.step() { lines.append((0..<rows.columnCount).map { rows.text($0) }.joined(separator: "|")) }
    }
    return lines
  }

  /// Changes of rows whose unique values go round among some of them, with rows that come and go.
  private func statements(_ random: inout SeededGenerator) -> [String] {
    var list: [String] = []
    var last = 20
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let ring = Array((1...12).shuffled(using: &random).prefix(Int.random(in: 2...5, using: &random)))
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        // The values of all first, then those of the next one in the ring.
        for key in ring { list.append("UPDATE OR IGNORE one SET c = -c, a = a || '!' WHERE Z_PK = \(key)") }
        for (place, key) in ring.enumerated() {
          let next = ring[(place + 1) % ring.count]
          list.append("UPDATE OR IGNORE one SET a = 'a\(next)', b = \(next % 3), c = \(next) WHERE Z_PK = \(key)")
        }
      case 2:
        for key in ring { list.append("UPDATE OR IGNORE two SET v = v || '!' WHERE k = 'k\(key)'") }
        for (place, key) in ring.enumerated() {
          list.append("UPDATE OR IGNORE two SET v = 'v\(ring[(place + 1) % ring.count])' WHERE k = 'k\(key)'")
        }
      case 3:
        // A new row has the value of one that takes another's.
        last += 1
        list.append("UPDATE OR IGNORE one SET a = 'x\(last)' WHERE Z_PK = \(ring[0])")
        list.append("INSERT OR IGNORE INTO one VALUES(\(last), 'a\(ring[0])', 7, \(last), 0)")
        list.append("UPDATE OR IGNORE one SET a = 'a\(ring[1])' WHERE Z_PK = \(ring[0])")
      default:
        list.append("DELETE FROM one WHERE Z_PK = \(ring[0])")
        list.append("UPDATE OR IGNORE one SET a = 'a\(ring[0])' WHERE Z_PK = \(ring[1])")
      }
    }
    return list
  }

  @Test("rows that exchange unique values get them, in any ring", arguments: 0..<60)
  func rings(seed: UInt64) throws {
    var random = SeededGenerator(seed: Soak.seed(seed))
    let (first, second) = (try make("first.sqlite"), try make("second.sqlite"))
    let recording = try ChangeRecording(first)
    for statement in statements(&random) { try first.execute(statement) }
    let changes = try recording.changes()
    try second.execute("BEGIN")
    #expect(try RepeatedSave(second).run(changes))
    try second.execute("COMMIT")
    #expect(try dump(second) == dump(first))
    // Triggers run again for what comes after.
    try second.execute("UPDATE one SET b = 100 WHERE Z_PK = (SELECT min(Z_PK) FROM one)")
    #expect(
      try second.integer("SELECT n FROM one ORDER BY Z_PK LIMIT 1")
        == first.integer("SELECT n + 1 FROM one ORDER BY Z_PK LIMIT 1"))
  }

  @Test("a value that a row has which the save did not know ends it", arguments: [false, true])
  func foreignRow(isMet: Bool) throws {
    let (first, second) = (try make("first.sqlite"), try make("second.sqlite"))
    let recording = try ChangeRecording(first)
    try first.execute(
      "UPDATE one SET a = 'x' WHERE Z_PK = 1; UPDATE one SET a = 'a1' WHERE Z_PK = 2; UPDATE one SET a = 'a2' WHERE Z_PK = 1;"
        + "UPDATE one SET a = 'new' WHERE Z_PK = 3")
    let changes = try recording.changes()
    if isMet { try second.execute("INSERT INTO one VALUES(50, 'new', 50, 50, 0)") }
    let before = try dump(second)
    try second.execute("BEGIN")
    #expect(try RepeatedSave(second).run(changes) == !isMet)
    try second.execute(isMet ? "ROLLBACK" : "COMMIT")
    #expect(try dump(second) == (isMet ? before : dump(first)))
  }
}
