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
}
