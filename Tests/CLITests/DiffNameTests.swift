import Foundation
import MergewalkTestSupport
import Testing

@Suite("Names of objects in --diff")
struct DiffNameTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Shop
      entities:
        Order:
          attributes: { number: string!, pieces: integer32 }
          relationships: { customer: { to_one: Customer, inverse: orders } }
          unique: [number]
        Customer:
          attributes: { country: string!, id: string!, name: string }
          relationships: { orders: { to_many: Order, inverse: customer } }
          unique: [[country, id]]
        Note:
          attributes: { text: string }
      """, to: "model.yaml")
    try pipeline()
  }

  private func pipeline(mode: String = "upsert") throws {
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.csv
      import:
        entity: Order
        find_by: { number: number }
        mode: \(mode)
        attributes: { pieces: pieces }
        relationships: { customer: { find_by: { country: country, id: id } } }
      """, to: "p.yaml")
  }

  private func run(_ csv: String, _ arguments: String...) throws -> Command {
    try folder.write("number,pieces,country,id\n" + csv, to: "in.csv")
    return try Command(["run", "p.yaml", "--diff", "20"] + arguments, in: folder.path)
  }

  @Test("objects and what they refer to are called by their keys: inserted, updated, deleted") func names() throws {
    let first = try run("A-17,1,CH,7\n").words
    #expect(first.contains("+ Order A-17\n") && first.contains("+ Customer CH, 7\n"), "\(first)")
    #expect(first.contains("customer  Customer CH, 7\n"), "\(first)")
    let second = try run("A-17,2,DE,9\nA-18,1,CH,7\n").words
    #expect(
      second.contains("~ Order A-17\n") && second.contains("customer  Customer CH, 7 → Customer DE, 9\n"), "\(second)")
    try pipeline(mode: "sync")
    let third = try run("A-18,1,CH,7\n", "--dry-run").words
    #expect(third.contains("- Order A-17\n"), "\(third)")
    let object = try run("A-18,5,DE,9\n", "--dry-run", "--json", "--quiet").object()
    let changes = try #require(object["changes"] as? [[String: Any]])
    let update = try #require(changes.first { $0["change"] as? String == "updated" })
    #expect(update["key"] as? String == "A-18" && (update["object"] as? String)?.hasPrefix("Order/p") == true)
    let customer = try #require((update["properties"] as? [String: [String: Any]])?["customer"])
    #expect(customer["before_key"] as? String == "CH, 7" && customer["after_key"] as? String == "DE, 9")
    #expect((customer["before"] as? String)?.hasPrefix("Customer/p") == true)
  }

  @Test("objects without a key keep their numbers") func withoutKey() throws {
    try folder.write(
      "model: model.yaml\nstore: n.sqlite\nsource: n.csv\nimport: { entity: Note, mode: insert, attributes: [text] }\n",
      to: "n.yaml")
    try folder.write("text\nhello\n", to: "n.csv")
    let words = try Command(["run", "n.yaml", "--diff", "5"], in: folder.path).words
    #expect(words.contains("+ Note p1\n    text  \"hello\""), "\(words)")
  }

  @Test("objects that the second pass takes out again are not shown, not even as what others refer to")
  func takenOut() throws {
    try folder.write(
      """
      model: Tree
      entities:
        Node:
          attributes: { name: string!, size: integer32 }
          relationships:
            parent: { to_one: Node, inverse: children }
            children: { to_many: Node, inverse: parent }
            badge: { to_one: Badge, inverse: node }
          unique: [name]
        Badge:
          attributes: { sign: string! }
          relationships: { node: { to_one: Node, inverse: badge } }
          unique: [sign]
      """, to: "tree.yaml")
    try folder.write(
      """
      model: tree.yaml
      store: t.sqlite
      source: t.csv
      import:
        entity: Node
        find_by: [name]
        attributes: [size]
        relationships:
          parent: { find_by: { name: parent }, missing: reject }
          badge: { find_by: { sign: badge } }
      """, to: "t.yaml")
    try folder.write("name,size,parent,badge\nroot,1,,r\nkept,2,root,k\n", to: "t.csv")
    #expect(try Command(["run", "t.yaml", "--quiet"], in: folder.path).status == 0)
    try folder.write(
      "name,size,parent,badge\nlost,1,nobody,r\nchild,2,lost,c\nkept,3,root,k\nnew,1,kept,n\n", to: "t.csv")
    let command = try Command(["run", "t.yaml", "--diff", "20", "--json", "--quiet"], in: folder.path)
    let object = try command.object()
    let changes = try #require(object["changes"] as? [[String: Any]])
    func keys(_ kind: String, _ entity: String) -> [String] {
      changes.filter { $0["change"] as? String == kind && $0["entity"] as? String == entity }
        .compactMap { $0["key"] as? String }.sorted()
    }
    #expect(keys("inserted", "Node") == ["new"] && keys("inserted", "Badge") == ["c", "n"], "\(changes)")
    #expect(keys("updated", "Node") == ["kept", "root"] && keys("updated", "Badge") == ["r"], "\(changes)")
    let entities = try #require(object["entities"] as? [String: [String: Int]])
    #expect(entities["Node"]?["inserted"] == 1 && entities["Badge"]?["inserted"] == 2)
    let badge = try #require(changes.first { $0["key"] as? String == "r" }?["properties"] as? [String: [String: Any]])
    #expect(badge["node"]?["before_key"] as? String == "root")
    #expect(badge["node"]?["after"] is NSNull, "\(badge)")
  }
}
