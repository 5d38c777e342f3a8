import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Mode `sync` where delete rules would take objects along that records name.
@Suite("Mode sync and the rule “cascade”") struct SyncCascadeTests {
  private let map: ModeFolder
  private static let parents =
    "{ entity: Node, find_by: [code], attributes: [title],"
    + " relationships: { parent: { find_by: { code: parent }, missing: reject } } }"

  init() throws {
    map = try ModeFolder()
    try map.folder.write(
      """
      model: Tree
      entities:
        Node:
          attributes: { code: string!, title: string }
          relationships:
            parent: { to_one: Node, inverse: children }
            children: { to_many: Node, inverse: parent, delete: cascade }
            friend: { to_one: Node, inverse: friends }
            friends: { to_many: Node, inverse: friend }
            leaves: { to_many: Leaf, inverse: node, ordered: true, delete: cascade }
            box: { to_one: Box, inverse: nodes, delete: cascade }
            boxes: { to_many: Box, inverse: owners, delete: cascade }
          unique: [code]
        Twig: { parent: Node }
        Leaf:
          attributes: { name: string! }
          relationships: { node: { to_one: Node, inverse: leaves } }
          unique: [name]
        Box:
          attributes: { name: string! }
          relationships:
            nodes: { to_many: Node, inverse: box }
            owners: { to_many: Node, inverse: boxes }
          unique: [name]
      """, to: "model.yaml")
  }

  private static func sync(_ options: String = "") -> String {
    "{ entity: Node, find_by: [code], attributes: [title], mode: sync, sync: { \(options) } }"
  }

  private func codes() throws -> [String] { try map.rows("SELECT ZCODE FROM ZNODE ORDER BY 1") }

  /// Runs an import of nodes in mode `sync` and one of another entity, which names some of its objects by their keys.
  private func run(_ nodes: String, and other: String, _ names: String, options: String = "") throws -> ImportSummary {
    try ImportSession(definition(nodes, and: other, names, options: options)).run()
  }

  private func definition(
    _ nodes: String, and other: String, _ names: String, options: String = ""
  ) throws -> ImportDefinition {
    let key = other == "Twig" ? "code" : "name"
    try map.folder.write("code\n" + nodes, to: "nodes.csv")
    try map.folder.write("\(key)\n" + names, to: "others.csv")
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      rejects: { file: rejects.ndjson }
      imports:
        - source: nodes.csv
          import: { entity: Node, find_by: [code], mode: sync, sync: { \(options) } }
        - source: others.csv
          import: { entity: \(other), find_by: [\(key)] }
      """, to: "both.yaml")
    return try Pipeline.read(path).definition
  }

  @Test("an object stays that would take along one that a record names, however often", arguments: ["", "limit: 1"])
  func keepsNamed(options: String) throws {
    try map.run(Self.parents, "code,title,parent\na,A,\nb,B,a\nc,C,a\n")
    let dry = try map.run(Self.sync(options), "code,title\nb,B2\nc,C\n") { $0.isDryRun = true }
    #expect((dry.updated, dry.deleted, dry.denied) == (1, 0, 1))
    for updated in [1, 0] {
      let summary = try map.run(Self.sync(options), "code,title\nb,B2\nc,C\n")
      #expect((summary.inserted, summary.updated, summary.unchanged) == (0, updated, 2 - updated))
      #expect((summary.deleted, summary.denied) == (0, 1))
      #expect(summary.status == .completedWithRejects && summary.rejectCounts == ["delete.denied": 1])
      #expect(try map.rows("SELECT ZCODE || ifnull(ZPARENT, '') FROM ZNODE ORDER BY 1") == ["a", "b1", "c1"])
      let rejects = map.rejects()
      #expect(rejects.count == 1 && rejects[0].contains("Node 2, which a record names, would go with it"), "\(rejects)")
    }
    // Without what refers to it, it goes.
    let moved = try map.run(
      Self.parents.replacing("title],", with: "title], mode: sync, sync: { \(options) },"),
      "code,title,parent\nb,B2,\nc,C,b\n")
    #expect((moved.deleted, moved.denied) == (1, 0))
    #expect(try codes() == ["b", "c"])
  }

  @Test("over chains and cycles, and not over “nullify”") func chains() throws {
    try map.run(
      Self.parents.replacing("relationships: {", with: "relationships: { friend: { find_by: { code: friend } },"),
      """
      code,title,parent,friend
      a,,,
      b,,a,
      c,,b,
      d,,c,n
      e,,,
      f,,e,
      n,,,
      p,,q,
      q,,p,
      x,,y,
      y,,x,
      z,,y,

      """)
    let summary = try map.run(Self.sync(), "code,title\nd,\nz,\n")
    #expect((summary.deleted, summary.denied) == (5, 5))
    #expect(try codes() == ["a", "b", "c", "d", "x", "y", "z"])
    #expect(try map.rows("SELECT count(*) FROM ZNODE WHERE ZFRIEND") == ["0"])
    #expect(
      map.rejects().filter { $0.contains("would go with it, and that one cannot be deleted for such a reason") }.count
        == 3)
  }

  @Test("what another import names stays, by every kind of relationship", arguments: ["Leaf", "box", "boxes", "Twig"])
  func otherImports(kind: String) throws {
    try map.run("{ entity: Node, find_by: [code] }", "code\na\nb\nc\n")
    let entity = kind.hasPrefix("box") ? "Box" : kind
    let key = kind == "Twig" ? "code" : "name"
    let text =
      switch kind {
      case "box": "{ entity: Node, find_by: [code], relationships: { box: { find_by: { name: name } } } }"
      case "boxes":
        "{ entity: Node, find_by: [code], relationships: { boxes: { split: \";\", find_by: { name: name } } } }"
      case "Leaf": "{ entity: Leaf, find_by: [name], relationships: { node: { find_by: { code: code } } } }"
      default: "{ entity: Twig, find_by: { code: name }, relationships: { parent: { find_by: { code: code } } } }"
      }
    try map.run(text, "code,name\na,l1\nb,l2\nc,l3\n")
    let summary = try run("c\n", and: entity, "l1\n")
    #expect((summary.deleted, summary.denied) == (2, 1), "\(map.rejects())")
    #expect(try map.rows("SELECT ZCODE FROM ZNODE WHERE ZCODE < 'l' ORDER BY 1") == ["a", "c"])
    #expect(
      try map.rows("SELECT Z\(key.uppercased()) FROM Z\(kind == "Twig" ? "NODE" : entity.uppercased()) ORDER BY 1")
        .filter { $0.hasPrefix("l") } == ["l1", "l3"])
    let found = kind == "Twig" ? "Twig 4" : "\(entity) 1"
    #expect(map.rejects().count == 1 && map.rejects()[0].contains("\(found), which a record names, would go with it"))
  }

  @Test("a resumed run leaves the same objects") func resumed() throws {
    try map.run("{ entity: Node, find_by: [code] }", "code\na\nb\nc\nd\n")
    let leaves = "{ entity: Leaf, find_by: [name], relationships: { node: { find_by: { code: code } } } }"
    let others = (1...40).map { "k\($0)" }
    try map.run(leaves, "code,name\na,l1\nb,l2\nc,l3\n" + others.map { "d,\($0)\n" }.joined())
    var definition = try definition("d\n", and: "Leaf", (["l1", "l3"] + others).map { $0 + "\n" }.joined())
    definition.batchLimit.records = 1
    var seen = 0
    let first = try ImportSession(definition).run(
      progress: { if $0.stage == .records { seen += 1 } }, shouldStop: { seen >= 20 })
    #expect(first.status == .interrupted)
    let second = try ImportSession(definition).run()
    #expect(second.resumedAfter ?? 0 > 3)
    #expect((second.read, second.deleted, second.denied) == (43, 2, 2))
    #expect(try codes() == ["a", "c", "d"])
    #expect(try map.rows("SELECT count(*) FROM ZLEAF") == ["42"])
  }

  @Test("the limit counts what delete rules take along") func limit() throws {
    try map.run("{ entity: Node, find_by: [code] }", "code\na\nb\n")
    let leaves = "{ entity: Leaf, find_by: [name], relationships: { node: { find_by: { code: code } } } }"
    try map.run(leaves, "code,name\na,l1\na,l2\na,l3\nb,l4\n")
    let before = try Data(contentsOf: URL(fileURLWithPath: map.store))
    let stopped = try map.run(Self.sync("limit: 3"), "code,title\nb,new\n")
    #expect(stopped.status == .limitBreached)
    #expect(
      stopped.breach?.message
        == "1 of 2 objects of Node would be deleted, and 4 with all that delete rules take along; the limit is 3")
    #expect(try Data(contentsOf: URL(fileURLWithPath: map.store)) == before)
    let summary = try map.run(Self.sync("limit: 4, ratio: 50%"), "code,title\nb,new\n")
    #expect((summary.deleted, summary.updated) == (4, 1))
    #expect(try map.rows("SELECT ZNAME FROM ZLEAF") == ["l4"])
  }

  @Test("an object stays that would take along one of the entity that is not in scope") func scope() throws {
    try map.run(Self.parents, "code,title,parent\na,feed,\nb,own,a\nc,feed,\nd,feed,c\ne,feed,\n")
    let summary = try map.run(Self.sync("where: \"title == 'feed'\""), "code,title\ne,feed\n")
    #expect((summary.deleted, summary.denied) == (2, 1))
    #expect(try codes() == ["a", "b", "e"])
    #expect(map.rejects()[0].contains("Node 2, which is not in scope, would go with it"), "\(map.rejects())")
  }

  @Test("thousands of objects, in small batches") func many() throws {
    var csv = "code,title,parent\n"
    // A chain whose last one is named, and stars of which every second one has a named member.
    for number in 1...3000 { csv += "c\(number),,\(number > 1 ? "c\(number - 1)" : "")\n" }
    for number in 1...1000 { csv += "s\(number),,\nm\(number),,s\(number)\n" }
    try map.run(Self.parents, csv)
    let named = ["c3000"] + (1...500).map { "m\($0 * 2)" }
    let summary = try map.run(Self.sync(), "code,title\n" + named.map { $0 + ",\n" }.joined()) {
      $0.batchLimit.records = 100
    }
    #expect((summary.deleted, summary.denied) == (1000, 3499))
    #expect(try map.rows("SELECT count(*) FROM ZNODE") == ["4000"])
    #expect(map.rejects().count == 3499)
  }
}
