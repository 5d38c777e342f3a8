import Foundation
import GRDB

/// A person as an application with GRDB would declare it.
private struct Person: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "ZPERSON"
  var id: Int64?
  var entity = 1
  var version = 1
  var age: Int
  var team: Int64?
  var height: Double
  var name: String

  enum CodingKeys: String, CodingKey {
    case id = "Z_PK"
    case entity = "Z_ENT"
    case version = "Z_OPT"
    case age = "ZAGE"
    case team = "ZTEAM"
    case height = "ZHEIGHT"
    case name = "ZNAME"
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Inserts, reads and changes records one by one, in one transaction a step.
func objects(store: String, count: Int) throws -> [String: FetchResult] {
  var configuration = Configuration()
  configuration.prepareDatabase { db in
    try db.execute(sql: "PRAGMA cache_size=-8192; PRAGMA secure_delete=OFF; PRAGMA synchronous=FULL")
  }
  let pool = try DatabasePool(path: store, configuration: configuration)
  try pool.write { db in
    try db.execute(
      sql: """
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZTEAM INTEGER,
          ZHEIGHT FLOAT, ZNAME VARCHAR);
        CREATE TABLE ZTEAM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE INDEX ZPERSON_ZTEAM_INDEX ON ZPERSON (ZTEAM);
        INSERT INTO ZTEAM VALUES (1, 2, 1, 'team');
        """)
  }
  func time(_ body: () throws -> Int) rethrows -> FetchResult {
    let start = DispatchTime.now().uptimeNanoseconds
    let rows = try body()
    return FetchResult(seconds: Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9, rows: rows)
  }
  var results: [String: FetchResult] = [:]
  results["insert"] = try time {
    try pool.write { db in
      for i in 0..<count {
        var person = Person(age: i % 100, team: 1, height: 1.5, name: "Person \(i)")
        try person.insert(db)
      }
    }
    return count
  }
  var people: [Person] = []
  results["read"] = try time {
    people = try pool.read { db in try Person.fetchAll(db) }
    var sum = 0.0
    for person in people { sum += Double(person.age) + person.height + Double(person.name.utf8.count) }
    precondition(sum > 0)
    return people.count
  }
  results["change"] = try time {
    try pool.write { db in
      for var person in people {
        person.age += 1
        person.version += 1
        try person.update(db)
      }
    }
    return people.count
  }
  results["members"] = try time {
    try pool.read { db in try Person.filter(Column("ZTEAM") == 1).fetchAll(db) }.count
  }
  return results
}
