import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Records take effect one after the other, wherever a batch ends.
@Suite("Ends of batches") struct BatchEndTests {
  private static let batches = [1, 2, 3, 7, 100]

  /// Runs imports into a new store, one after the other, and gives what is stored and how many were rejected.
  static func run(
    _ model: String, _ part: String, _ inputs: [[String]], batch: Int, _ sql: String
  ) throws -> (rows: [String], rejected: [Int]) {
    let folder = TemporaryFolder()
    try folder.write("model: M\nentities:\n" + model, to: "m.yaml")
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nrejects: rejects.ndjson\nsource: { files: in.ndjson, format: ndjson }\nimport:\n"
        + part.split(separator: "\n").map { "  \($0)\n" }.joined(), to: "p.yaml")
    var rejected: [Int] = []
    for lines in inputs {
      try folder.write(lines.joined(separator: "\n") + "\n", to: "in.ndjson")
      var definition = try Pipeline.read(folder.file("p.yaml")).definition
      definition.batchLimit.records = batch
      rejected.append(try ImportSession(definition).run().rejected)
    }
    return (try folder.rows(sql, of: "s.sqlite"), rejected)
  }

  private func record(_ fields: [(String, String?)]) -> String {
    "{" + fields.map { "\"\($0)\": \($1.map { "\"\($0)\"" } ?? "null")" }.joined(separator: ", ") + "}"
  }

  // MARK: Values that are unique beside the key

  @Test(
    "a value that must be unique is free when an earlier record has let go of it",
    arguments: Soak.seeds(8, from: 1))
  func uniqueValues(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var inputs: [[String]] = []
    var stored: [String: String?] = [:]
    var rejected: [Int] = []
    for _ in 0..<2 {
      var lines: [String] = []
      rejected.append(0)
      for _ in 0..<24 {
        let key = "k\(Int.random(in: 0..<6, using: &random))"
        let mail = Int.random(in: 0..<6, using: &random) == 0 ? nil : "m\(Int.random(in: 0..<7, using: &random))"
        lines.append(record([("k", key), ("mail", mail)]))
        if let mail, stored.contains(where: { $0.key != key && $0.value == mail }) {
          rejected[rejected.count - 1] += 1
        } else {
          stored[key] = .some(mail)
        }
      }
      inputs.append(lines)
    }
    let expected = stored.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value ?? "-")" }
    for batch in Self.batches {
      let found = try Self.run(
        "  A: { attributes: { k: string!, mail: string }, unique: [k, mail] }\n",
        "entity: A\nfind_by: [k]\nattributes: [mail]", inputs, batch: batch, "SELECT ZK, ZMAIL FROM ZA ORDER BY 1")
      #expect(found.rows == expected && found.rejected == rejected, "batch \(batch): \(inputs)")
    }
  }

  // MARK: What targets refer to within their hierarchy

  @Test(
    "a target refers to what earlier records have made, whatever comes later in its batch",
    arguments: Soak.seeds(4, from: 1),
    [("null", "name"), ("null", "code"), ("reject", "name"), ("reject", "code")])
  func targetsOfTargets(seed: UInt64, how: (missing: String, key: String)) throws {
    let (missing, key) = how
    var random = SeededGenerator(seed: seed)
    var inputs: [[String]] = []
    var parents: [String: String?] = [:]
    var rejected: [Int] = []
    var number = 0
    for _ in 0..<2 {
      var lines: [String] = []
      rejected.append(0)
      for _ in 0..<14 {
        number += 1
        let name = "c\(Int.random(in: 0..<8, using: &random))"
        let up = Int.random(in: 0..<3, using: &random) == 0 ? nil : "c\(Int.random(in: 0..<9, using: &random))"
        lines.append(record([("k", "\(number)"), ("name", name), ("code", name), ("up", up)]))
        // An object that the record makes is found by its key, not yet by another attribute.
        let isThere = up.map { parents[$0] != nil || key == "name" && $0 == name } ?? true
        if !isThere, missing == "reject" {
          rejected[rejected.count - 1] += 1
        } else {
          parents[name] = .some(isThere ? up : nil)
        }
      }
      inputs.append(lines)
    }
    let expected = parents.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value ?? "-")" }
    for batch in Self.batches {
      let found = try Self.run(
        """
          A: { attributes: { k: string! }, relationships: { c: { to_one: C } }, unique: [k] }
          C:
            attributes: { name: string!, code: string }
            relationships: { up: { to_one: C, inverse: downs }, downs: { to_many: C, inverse: up } }
            unique: [name, code]

        """,
        "entity: A\nfind_by: [k]\nrelationships:\n  c:\n    find_by: [name]\n    attributes: [code]\n"
          + "    relationships: { up: { find_by: { \(key): up }, missing: \"\(missing)\" } }",
        inputs, batch: batch,
        "SELECT c.ZNAME, u.ZNAME FROM ZC c LEFT JOIN ZC u ON c.ZUP = u.Z_PK ORDER BY 1")
      #expect(found.rows == expected && found.rejected == rejected, "batch \(batch): \(inputs)")
    }
  }

  // MARK: Several relationships to one entity

  @Test(
    "of what two relationships say of one object the last record counts, and they find what earlier records have made",
    arguments: Soak.seeds(4, from: 1),
    [("create", "create"), ("create", "reject"), ("create", "null"), ("reject", "create"), ("null", "create")])
  func twoTargets(seed: UInt64, missing: (seller: String, buyer: String)) throws {
    var random = SeededGenerator(seed: seed)
    var inputs: [[String]] = []
    var ages: [String: String] = [:]
    var deals: [String] = []
    var rejected: [Int] = []
    for _ in 0..<2 {
      var lines: [String] = []
      rejected.append(0)
      for _ in 0..<16 {
        let number = "\(10 + inputs.count * 16 + lines.count)"
        var fields: [(String, String?)] = [("k", number)]
        var names: [String] = []
        let before = ages
        for (role, policy) in [("seller", missing.seller), ("buyer", missing.buyer)] {
          let name = "p\(Int.random(in: 0..<9, using: &random))"
          let age = "\(Int.random(in: 0..<3, using: &random))"
          fields += [(role, name), (role + "_age", age)]
          if policy == "create" || ages[name] != nil {
            ages[name] = age
            names.append(name)
          } else {
            names.append(policy == "null" ? "-" : "!")
          }
        }
        lines.append(record(fields))
        if names.contains("!") {
          rejected[rejected.count - 1] += 1
          ages = before
        } else {
          deals.append("D \(number) \(names[0]) \(names[1])")
        }
      }
      inputs.append(lines)
    }
    let expected = deals + ages.sorted { $0.key < $1.key }.map { "P \($0.key) \($0.value)" }
    for batch in Self.batches {
      let found = try Self.run(
        """
          D:
            attributes: { k: string! }
            relationships: { seller: { to_one: P }, buyer: { to_one: P } }
            unique: [k]
          P: { attributes: { name: string!, age: string }, unique: [name] }

        """,
        """
        entity: D
        find_by: [k]
        relationships:
          seller: { find_by: { name: seller }, attributes: { age: seller_age }, missing: "\(missing.seller)" }
          buyer: { find_by: { name: buyer }, attributes: { age: buyer_age }, missing: "\(missing.buyer)" }
        """, inputs, batch: batch,
        "SELECT 'D ' || d.ZK || ' ' || ifnull(s.ZNAME, '-') || ' ' || ifnull(b.ZNAME, '-') FROM ZD d"
          + " LEFT JOIN ZP s ON d.ZSELLER = s.Z_PK LEFT JOIN ZP b ON d.ZBUYER = b.Z_PK"
          + " UNION SELECT 'P ' || ZNAME || ' ' || ZAGE FROM ZP ORDER BY 1")
      #expect(found.rows == expected && found.rejected == rejected, "batch \(batch): \(inputs)")
    }
  }

  // MARK: Lists of records that are rejected late

  private static let tree = """
      A:
        attributes: { k: string! }
        relationships:
          up: { to_one: A, inverse: downs }
          downs: { to_many: A, inverse: up }
          tags: { to_many: T, inverse: owners }
          notes: { to_many: N, inverse: owner }
        unique: [k]
      T: { attributes: { name: string! }, relationships: { owners: { to_many: A, inverse: tags } }, unique: [name] }
      N: { attributes: { name: string! }, relationships: { owner: { to_one: A, inverse: notes } }, unique: [name] }

    """

  @Test("of a record that the second pass rejects no list leaves anything", arguments: batches)
  func listsOfRejected(batch: Int) throws {
    let part = """
      entity: A
      find_by: [k]
      relationships:
        up: { find_by: { k: up }, missing: reject }
        tags: { each: tags, find_by: { name: . } }
        notes: { each: notes, find_by: { name: . }, find_in: everywhere }
      """
    let inputs = [
      [#"{"k": "a", "tags": ["red"], "notes": ["n"]}"#],
      [
        #"{"k": "b", "up": "none", "tags": ["blue"], "notes": ["n", "m"]}"#,
        #"{"k": "c", "up": "b", "tags": ["green", "red"]}"#,
        #"{"k": "d", "up": "e", "tags": ["white"]}"#, #"{"k": "e", "up": "d", "tags": ["red"]}"#,
      ],
    ]
    let found = try Self.run(
      Self.tree, part, inputs, batch: batch,
      "SELECT 'T ' || ZNAME FROM ZT UNION SELECT 'A ' || ZK FROM ZA"
        + " UNION SELECT 'N ' || n.ZNAME || a.ZK FROM ZN n LEFT JOIN ZA a ON n.ZOWNER = a.Z_PK ORDER BY 1")
    #expect(found.rejected == [0, 2])
    #expect(found.rows == ["A a", "A d", "A e", "N na", "T red", "T white"])
  }

  @Test("an element that is missing takes those along that refer to its record, with their lists", arguments: batches)
  func missingElements(batch: Int) throws {
    let part = """
      entity: A
      find_by: [k]
      relationships:
        up: { find_by: { k: up }, missing: reject }
        tags: { each: tags, find_by: { name: . }, missing: reject }
        notes: { each: notes, find_by: { name: . }, find_in: everywhere }
      """
    let make = part.replacingOccurrences(of: "find_by: { name: . }, missing: reject", with: "find_by: { name: . }")
    let folder = TemporaryFolder()
    try folder.write("model: M\nentities:\n" + Self.tree, to: "m.yaml")
    var rejected: [Int] = []
    for (part, lines) in [
      (make, [#"{"k": "a", "tags": ["red"]}"#]),
      (
        part,
        [
          #"{"k": "b", "up": "c", "tags": ["red"], "notes": ["b"]}"#,
          #"{"k": "c", "up": "d", "tags": ["red"], "notes": ["c"]}"#,
          #"{"k": "d", "up": "e", "tags": ["lost"], "notes": ["d"]}"#,
          #"{"k": "e", "up": "f", "tags": ["red"], "notes": ["e"]}"#,
          #"{"k": "f", "up": "e", "tags": [], "notes": ["f"]}"#,
        ]
      ),
    ] {
      try folder.write(
        "model: m.yaml\nstore: s.sqlite\nrejects: rejects.ndjson\nsource: { files: in.ndjson, format: ndjson }\nimport:\n"
          + part.split(separator: "\n").map { "  \($0)\n" }.joined(), to: "p.yaml")
      try folder.write(lines.joined(separator: "\n") + "\n", to: "in.ndjson")
      var definition = try Pipeline.read(folder.file("p.yaml")).definition
      definition.batchLimit.records = batch
      rejected.append(try ImportSession(definition).run().rejected)
    }
    #expect(rejected == [0, 3])
    #expect(try folder.rows("SELECT ZK FROM ZA ORDER BY 1", of: "s.sqlite") == ["a", "e", "f"])
    #expect(try folder.rows("SELECT ZNAME FROM ZN ORDER BY 1", of: "s.sqlite") == ["e", "f"])
    let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3 && lines.contains { $0.contains("tags[1]") })
  }
}
