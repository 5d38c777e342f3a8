import Foundation
import MergewalkTestSupport
import Testing

/// A reject for a key of several parts names the part that is to blame.
@Suite("Rejects of composite keys")
struct CompositeKeyRejectTests {
  @Test(
    "the reject names the first part that has no value",
    arguments: [
      ("x,", "b", "key.null"), (",1", "a", "key.null"), (",", "a", "key.null"), ("\"\",1", "a", "key.empty"),
    ])
  func part(key: String, field: String, code: String) throws {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { a: string, b: integer64, v: string }, unique: [[a, b]] } }", to: "model.yaml")
    try folder.write("v,a,b\n1,\(key)\n", to: "in.csv")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: { files: in.csv, null: [""] }
      import: { entity: K, find_by: [a, b], attributes: [v] }
      rejects: r.ndjson
      """, to: "k.yaml")
    let run = try Command(["run", "k.yaml"], in: folder.path)
    #expect(run.status == 1, "\(run.words)")
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    let reject = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(reject["field"] as? String == field && reject["attribute"] as? String == field)
    #expect(reject["code"] as? String == code)
  }

  @Test("a message about a uniqueness constraint has all its attributes, and no text of SQLite")
  func constraint() throws {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { k: string, a: string, b: integer64, c: { type: string, default: x } },"
        + " unique: [[a, b], [c]] } }", to: "model.yaml")
    func run(_ csv: String, _ attributes: String) throws -> String {
      try folder.write(csv, to: "in.csv")
      try folder.write(
        "{ model: model.yaml, store: s.sqlite, source: in.csv, rejects: r.ndjson,"
          + " import: { entity: K, find_by: k, attributes: [\(attributes)] } }", to: "k.yaml")
      _ = try Command(["run", "k.yaml", "--quiet"], in: folder.path)
      return try Command(["rejects", "show", "r.ndjson"], in: folder.path).output
    }
    let several = try run("k,a,b,c\n1,x,1,p\n2,x,1,q\n3,y,1,r\n", "a, b, c")
    let both = "another object has the value \"x\" for K.a, K.b = \"1\" [constraint.unique]"
    #expect(several.contains(both), "\(several)")
    #expect(!several.contains("ZK"), "\(several)")
    // No column fills the attribute that is to blame.
    let unfilled = try run("k,a\n4,p\n5,q\n", "a")
    #expect(unfilled.contains("another object has the same values: K.c [constraint.unique]"), "\(unfilled)")
  }

  @Test("a message about a key has all its parts")
  func allParts() throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      entities:
        K:
          attributes: { a: string, b: integer64 }
          relationships: { up: { to_one: K, inverse: down }, down: { to_many: K, inverse: up } }
          unique: [[a, b]]
      """, to: "model.yaml")
    try folder.write("a,b,ua,ub\nx,1,,\nx,1,,\ny,2,x,3\nz,4,x,1\n", to: "in.csv")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.csv
      import:
        entity: K
        find_by: [a, b]
        duplicates: reject
        relationships: { up: { find_by: { a: ua, b: ub }, missing: reject } }
      rejects: r.ndjson
      """, to: "k.yaml")
    let run = try Command(["run", "k.yaml"], in: folder.path)
    #expect(run.status == 1, "\(run.words)")
    let shown = try Command(["rejects", "show", "r.ndjson"], in: folder.path).output
    #expect(shown.contains("has the key \"x\" for K.a, K.b = \"1\" [key.duplicate]"), "\(shown)")
    #expect(shown.contains("there is no K with K.a = \"x\", K.b = \"3\" [relationship.missingTarget]"), "\(shown)")
  }
}
