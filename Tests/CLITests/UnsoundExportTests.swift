import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// What `mergewalk export` counts in a store that other programs have changed.
@Suite("mergewalk export, of what no import leaves")
struct UnsoundExportTests {
  let folder = TemporaryFolder()

  @Test("references to objects that are missing or do not refer back are counted, and the pipeline forgives them")
  func danglingReferences() throws {
    try folder.write(
      """
      model: M
      entities:
        A:
          relationships:
            b: { to_one: B, inverse: back }
            bs: { to_many: B, inverse: many }
            next: { to_one: A, inverse: last }
            last: { to_one: A, inverse: next }
        B:
          relationships:
            back: { to_many: A, inverse: b }
            many: { to_many: A, inverse: bs }
            loose: { to_many: A }
      """, to: "model.yaml")
    try folder.write(
      """
      {"_id":1,"b":1,"bs":[1,2],"B:loose":1,"next":2}
      {"_id":2,"b":2,"bs":[1],"B:loose":2,"last":1}
      {"_id":3,"b":1,"bs":[2]}

      """, to: "A.ndjson")
    try folder.write("{\"_id\":1}\n{\"_id\":2}\n", to: "B.ndjson")
    try folder.write(
      """
      pipeline: p
      model: model.yaml
      store: s.sqlite
      objects: [{ entity: B, files: B.ndjson }, { entity: A, files: A.ndjson }]
      """, to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let sound = try Command(["export", "s.sqlite", "--out", "sound", "--json"], in: folder.path)
    #expect(try (sound.object()["dangling_references"] as? [Any])?.isEmpty == true)
    #expect(!sound.words.contains("warning"))

    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute(
      "DELETE FROM ZB WHERE Z_PK = 1; DELETE FROM ZA WHERE Z_PK = 3; UPDATE ZA SET ZLAST = NULL WHERE Z_PK = 2")
    try connection.close()
    let export = try Command(["export", "s.sqlite", "--out", "out", "--json"], in: folder.path)
    #expect(export.status == 0, "\(export.words)")
    // Of the pairs two have no B, and one, which is in no file, has no A.
    let words = "not in the store or do not refer back (A.b 1, A.next 1, A.B:loose 1, A.bs 3)"
    #expect(export.words.contains(words), "\(export.words)")
    let counts = try #require(try export.object()["dangling_references"] as? [[String: Any]])
    #expect(counts.compactMap { $0["field"] as? String } == ["A.b", "A.next", "A.B:loose", "A.bs"])
    #expect(counts.compactMap { $0["count"] as? Int } == [1, 1, 1, 3])
    let pipeline = try String(contentsOfFile: folder.file("out/pipeline.yaml"), encoding: .utf8)
    #expect(pipeline.contains("{ entity: A, files: A.ndjson, missing: null }"))
    #expect(pipeline.contains("{ entity: B, files: B.ndjson }"))
    let run = try Command(["run", "out/pipeline.yaml", "--store", "new.sqlite", "--json"], in: folder.path)
    #expect(try run.object()["inserted"] as? Int == 3, "\(run.words)")
    let verify = try Command(["store", "verify", "new.sqlite"], in: folder.path)
    #expect(verify.words == "new.sqlite: sound, 3 rows checked\n")

    let seed = try Command(["seed", "--from", "s.sqlite", "--store", "new.sqlite", "--json"], in: folder.path)
    let left = "not in the prepared store or do not refer back (A.b 1, A.next 1, A.B:loose 1, A.bs 3)"
    #expect(seed.words.contains(left), "\(seed.words)")
    let uncopied = try #require(try seed.object()["dangling_references"] as? [[String: Any]])
    #expect(uncopied.compactMap { $0["count"] as? Int } == [1, 1, 1, 3])
    let both = try Command(["store", "verify", "new.sqlite"], in: folder.path)
    #expect(both.words == "new.sqlite: sound, 6 rows checked\n")
  }

  @Test("values that break rules of the model are counted, and reading them back rejects their records")
  func invalidValues() throws {
    try folder.write(
      """
      entities:
        P:
          attributes:
            n: { type: integer32, min: 1, max: 9 }
            r: { type: double, max: 2 }
            name: { type: string!, max_length: 3 }
          relationships:
            up: { to_one: P, inverse: down, required: true }
            down: { to_many: P, inverse: up }
      """, to: "model.yaml")
    let rows = (1...6).map { "{\"_id\":\($0),\"n\":1,\"r\":1,\"name\":\"abc\",\"up\":1}\n" }
    try folder.write(rows.joined(), to: "P.ndjson")
    try folder.write(
      "{ model: model.yaml, store: s.sqlite, objects: [{ entity: P, files: P.ndjson }] }", to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let sound = try Command(["export", "s.sqlite", "--out", "sound", "--json"], in: folder.path)
    #expect(try (sound.object()["invalid_values"] as? [Any])?.isEmpty == true)
    #expect(!sound.words.contains("warning"), "\(sound.words)")

    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute(
      "UPDATE ZP SET ZN = 10 WHERE Z_PK = 2; UPDATE ZP SET ZR = 3 WHERE Z_PK = 3; UPDATE ZP SET ZNAME = 'abcd' WHERE"
        + " Z_PK = 4; UPDATE ZP SET ZNAME = NULL WHERE Z_PK = 5; UPDATE ZP SET ZUP = NULL WHERE Z_PK = 6")
    try connection.close()
    let export = try Command(["export", "s.sqlite", "--out", "out", "--json"], in: folder.path)
    #expect(export.status == 0 && export.words.contains("(P.n 1, P.name 2, P.r 1, P.up 1)"), "\(export.words)")
    let counts = try #require(try export.object()["invalid_values"] as? [[String: Any]])
    #expect(counts.compactMap { $0["count"] as? Int } == [1, 2, 1, 1])
    let run = try Command(["run", "out/pipeline.yaml", "--store", "new.sqlite", "--json"], in: folder.path)
    #expect(try run.object()["rejected"] as? Int == 5, "\(run.words)")
  }

  @Test("values that are not unique are counted where the index is missing; store verify lists them")
  func duplicates() throws {
    try folder.write(
      """
      entities:
        P: { attributes: { name: string!, size: integer64 }, unique: [[name, size]] }
        Q: { parent: P }
      """, to: "model.yaml")
    try folder.write("{\"_id\":1,\"name\":\"a\",\"size\":1}\n{\"_id\":2,\"name\":\"b\"}\n", to: "P.ndjson")
    try folder.write("{\"_id\":3,\"name\":\"c\",\"size\":1}\n{\"_id\":4,\"name\":\"b\"}\n", to: "Q.ndjson")
    try folder.write(
      "{ model: model.yaml, store: s.sqlite, objects: [{ entity: P, files: P.ndjson }, { entity: Q, files: Q.ndjson }] }",
      to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute("DROP INDEX Z_P_UNIQUE_name_size")
    // Nothing is unique without a value, so rows 2 and 4 are not alike.
    let sound = try Command(["export", "s.sqlite", "--out", "sound"], in: folder.path)
    #expect(!sound.words.contains("warning"), "\(sound.words)")
    try connection.execute("UPDATE ZP SET ZNAME = 'a' WHERE Z_PK = 3")
    try connection.close()
    let verify = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    let words = "P.name and P.size must be unique and has the value of an earlier row: 1 row, the first with key 3"
    #expect(verify.output.contains(words), "\(verify.output)")
    let export = try Command(["export", "s.sqlite", "--out", "out"], in: folder.path)
    #expect(export.status == 0 && export.words.contains("(P.name and P.size 1)"), "\(export.words)")
    let run = try Command(["run", "out/pipeline.yaml", "--store", "new.sqlite", "--json"], in: folder.path)
    #expect(try run.object()["rejected"] as? Int == 1, "\(run.words)")
  }

  @Test("pairs without a key are counted and left out; positions that are no numbers end the export")
  func pairs() throws {
    try folder.write(
      """
      entities:
        A: { relationships: { bs: { to_many: B, inverse: many, ordered: true } } }
        B: { relationships: { many: { to_many: A, inverse: bs } } }
      """, to: "model.yaml")
    try folder.write("{\"_id\":1,\"bs\":[1,2]}\n{\"_id\":2,\"bs\":[2]}\n", to: "A.ndjson")
    try folder.write("{\"_id\":1}\n{\"_id\":2}\n", to: "B.ndjson")
    try folder.write(
      "{ model: model.yaml, store: s.sqlite, objects: [{ entity: B, files: B.ndjson }, { entity: A, files: A.ndjson }] }",
      to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute(
      "INSERT INTO Z_1BS (Z_1MANY, Z_2BS, Z_FOK_2BS) VALUES (1, NULL, 9), (NULL, 1, 9), (NULL, NULL, 9), (2, 'x', 9)")
    let export = try Command(["export", "s.sqlite", "--out", "out"], in: folder.path)
    #expect(export.status == 0 && export.words.contains("(A.bs 4)"), "\(export.words)")
    let run = try Command(["run", "out/pipeline.yaml", "--store", "new.sqlite", "--json"], in: folder.path)
    #expect(try run.object()["inserted"] as? Int == 4, "\(run.words)")
    let pairs = try Connection(path: folder.file("new.sqlite"), mode: .readOnly).text(
      "SELECT group_concat(Z_1MANY || Z_2BS, ' ') FROM Z_1BS")
    #expect(pairs == "11 12 22")

    try connection.execute("UPDATE Z_1BS SET Z_FOK_2BS = 'x' WHERE Z_1MANY = 2 AND Z_2BS = 2")
    try connection.close()
    let damaged = try Command(["export", "s.sqlite", "--out", "damaged"], in: folder.path)
    #expect(damaged.status == 2 && damaged.words.contains("A 2: a position of “bs” holds text"), "\(damaged.words)")
  }
}
