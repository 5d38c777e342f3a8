import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Orders with customers, who have countries and favourite orders.
private struct OrderFolder {
  let folder = TemporaryFolder()
  static let customer =
    "customer: { find_by: { name: customer }, attributes: [level], relationships: { country: { find_by: { code: country } } } }"

  init(attributes: String = "id: string!", unique: String = "id") throws {
    try folder.write(
      """
      model: Shop
      entities:
        Order:
          attributes: { \(attributes) }
          relationships:
            customer: { to_one: Customer, inverse: orders }
            product: { to_one: Product, inverse: orders }
            tags: { to_many: Tag, inverse: orders }
            fans: { to_many: Customer, inverse: favourite }
          unique: [\(unique)]
        Customer:
          attributes: { name: string!, level: integer32 }
          relationships:
            orders: { to_many: Order, inverse: customer }
            country: { to_one: Country, inverse: customers }
            favourite: { to_one: Order, inverse: fans }
          unique: [name]
        Country:
          attributes: { code: string! }
          relationships: { customers: { to_many: Customer, inverse: country } }
          unique: [code]
        Product:
          attributes: { sku: string! }
          relationships: { orders: { to_many: Order, inverse: product } }
          unique: [sku]
        Tag:
          attributes: { name: string! }
          relationships: { orders: { to_many: Order, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
  }

  func definition(
    _ csv: String, _ options: String = "", _ relationships: String = OrderFolder.customer, batch: Int = 100
  ) throws -> ImportDefinition {
    try folder.write(csv, to: "in.csv")
    let path = try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.csv
      rejects: rejects.ndjson
      import: { entity: Order, find_by: [id], \(options)relationships: { \(relationships) } }
      """, to: "pipeline.yaml")
    var definition = try Pipeline.read(path).definition
    definition.batchLimit.records = batch
    return definition
  }

  @discardableResult
  func run(
    _ csv: String, _ options: String = "", _ relationships: String = OrderFolder.customer, batch: Int = 100,
    _ change: (inout ImportDefinition) -> Void = { _ in }
  ) throws -> ImportSummary {
    var definition = try definition(csv, options, relationships, batch: batch)
    change(&definition)
    return try ImportSession(definition).run()
  }

  func orders() throws -> [String] {
    try folder.rows(
      "SELECT o.ZID, c.ZNAME FROM ZORDER AS o LEFT JOIN ZCUSTOMER AS c ON c.Z_PK = o.ZCUSTOMER ORDER BY 1",
      of: "s.sqlite")
  }

  func customers() throws -> [String] {
    try folder.rows("SELECT ZNAME, ZLEVEL FROM ZCUSTOMER ORDER BY 1", of: "s.sqlite")
  }

  func countries() throws -> [String] { try folder.rows("SELECT ZCODE FROM ZCOUNTRY ORDER BY 1", of: "s.sqlite") }
}

/// A rejected record changes nothing: neither its own object nor those that it refers to.
@Suite("Targets of rejected records") struct RejectedTargetTests {
  private static let header = "id,customer,level,country"

  @Test(
    "a record that repeats a key leaves nothing, however objects are found and written",
    arguments: ["duplicates: reject, ", "mode: insert, ", "mode: insert, duplicates: reject, "], [1, 2, 100])
  func repeatedKeys(options: String, batch: Int) throws {
    let night = "\(Self.header)\n1,Ada,1,x\n1,Bob,2,y\n1,Ada,9,z\n2,Cid,3,x\n2,Bob,,\n"
    for plan in FindPlan.allCases {
      for (isNew, isDirect) in [(true, false), (true, true), (false, false)] {
        let shop = try OrderFolder()
        let how = "\(plan), new \(isNew), direct \(isDirect)"
        let before = isNew ? [] : ["0 Ada"]
        if !isNew { try shop.run("\(Self.header)\n0,Ada,1,x\n") }
        let summary = try shop.run(night, options, batch: batch) {
          $0.parts[0].findPlan = plan
          $0.policy.direct = isDirect ? .always : .never
        }
        #expect(summary.load.isDirect == isDirect, "\(how)")
        #expect((summary.inserted, summary.rejected) == (2, 3), "\(how)")
        #expect(summary.rejectCounts == ["key.duplicate": 3], "\(how)")
        #expect(summary.entities["Order"]?.duplicates == 3, "\(how)")
        #expect(summary.entities["Customer"]?.inserted == (isNew ? 2 : 1), "\(how)")
        #expect(summary.entities["Customer"]?.updated == 0, "\(how)")
        #expect(try shop.orders() == before + ["1 Ada", "2 Cid"], "\(how)")
        #expect(try shop.customers() == ["Ada 1", "Cid 3"], "\(how)")
        #expect(try shop.countries() == ["x"], "\(how)")
      }
    }
  }

  @Test(
    "records whose object is there are all rejected and leave nothing: none of them is the first with its key",
    arguments: DuplicatePolicy.allCases, [1, 2, 100])
  func storedKeys(policy: DuplicatePolicy, batch: Int) throws {
    for plan in FindPlan.allCases {
      let shop = try OrderFolder()
      try shop.run("\(Self.header)\n1,Ada,1,x\n")
      let summary = try shop.run(
        "\(Self.header)\n1,Bob,2,y\n3,Ada,1,x\n1,Cid,2,y\n3,Eve,5,z\n",
        "mode: insert, duplicates: \(policy.rawValue), ", batch: batch
      ) { $0.parts[0].findPlan = plan }
      // The second one with “3” repeats a record of the run; what is skipped fills its targets.
      let isSkipped = policy == .first
      let customers = isSkipped ? ["Ada 1", "Eve 5"] : ["Ada 1"]
      #expect((summary.inserted, summary.skipped, summary.rejected) == (1, isSkipped ? 1 : 0, isSkipped ? 2 : 3))
      #expect(summary.entities["Order"]?.duplicates == 1)
      #expect(try shop.orders() == ["1 Ada", "3 Ada"], "\(plan)")
      #expect(try shop.customers() == customers, "\(plan)")
    }
  }

  @Test("a resumed import of new objects knows which were rejected for one that the store had", arguments: 1...3)
  func storedKeysResumed(stop: Int) throws {
    let shop = try OrderFolder()
    try shop.run("\(Self.header)\n1,Ada,1,x\n")
    let definition = try shop.definition(
      "\(Self.header)\n1,Bob,2,y\n3,Ada,1,x\n1,Cid,2,y\n3,Eve,5,z\n", "mode: insert, duplicates: first, ", batch: 1)
    var read = 0
    let first = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= stop })
    #expect(first.status == .interrupted)
    let summary = try ImportSession(definition).run()
    #expect(summary.resumedAfter == stop)
    #expect((summary.inserted, summary.skipped, summary.rejected) == (1, 1, 2))
    #expect(try shop.customers() == ["Ada 1", "Eve 5"])
  }

  @Test("a record that lacks a target leaves nothing of its other ones", arguments: [1, 2, 100], [false, true])
  func missingTargets(batch: Int, isDirect: Bool) throws {
    let product = "product: { find_by: { sku: sku }, missing: reject }"
    for relationships in ["\(OrderFolder.customer), \(product)", "\(product), \(OrderFolder.customer)"] {
      let shop = try OrderFolder()
      let first = try shop.run(
        "\(Self.header),sku\n1,Bob,2,y,none\n2,Ada,1,x,\n2,Ada,1,x,\n", "", relationships, batch: batch
      ) { $0.policy.direct = isDirect ? .always : .never }
      #expect((first.inserted, first.unchanged, first.rejected) == (1, 1, 1))
      #expect(try shop.customers() == ["Ada 1"] && shop.countries() == ["x"])
      let second = try shop.run(
        "\(Self.header),sku\n2,Ada,9,z,none\n3,Ada,1,x,\n4,Eve,4,w,none\n", "", relationships, batch: batch)
      #expect((second.inserted, second.rejected) == (1, 2))
      #expect(second.entities["Customer"]?.unchanged == 1 && second.entities["Customer"]?.updated == 0)
      #expect(try shop.customers() == ["Ada 1"] && shop.countries() == ["x"])
      #expect(try shop.orders() == ["2 Ada", "3 Ada"])
    }
  }

  @Test(
    "a record takes the place of one with its key that is rejected later, with its targets",
    arguments: ["duplicates: reject, ", "mode: insert, "], [1, 2, 100])
  func placeTaken(options: String, batch: Int) throws {
    let shop = try OrderFolder()
    let tags = "\(OrderFolder.customer), tags: { split: \";\", find_by: { name: tags }, missing: reject }"
    let summary = try shop.run(
      "\(Self.header),tags\n1,Ada,1,x,none\n1,Bob,2,y,\n1,Cid,3,z,\n2,Bob,2,y,\n", options, tags, batch: batch)
    #expect((summary.inserted, summary.rejected) == (2, 2))
    #expect(try shop.orders() == ["1 Bob", "2 Bob"])
    #expect(try shop.customers() == ["Bob 2"] && shop.countries() == ["y"])
  }

  @Test(
    "a record that repeats one of its batch is a duplicate, though another one is refused when it is written",
    arguments: ["duplicates: reject, ", "mode: insert, ", "mode: insert, duplicates: reject, "], [1, 2, 100])
  func repeatedBesideRefused(options: String, batch: Int) throws {
    let shop = try OrderFolder(attributes: "id: string!, code: string", unique: "id, code")
    let attributes = "attributes: [code], "
    try shop.run("\(Self.header),code\n0,Ada,1,x,\n", attributes)
    let summary = try shop.run(
      "\(Self.header),code\n1,Ada,1,x,c\n2,Bob,2,y,c\n1,Cid,3,z,d\n", options + attributes, batch: batch)
    #expect((summary.inserted, summary.rejected) == (1, 2))
    #expect(summary.rejectCounts == ["constraint.unique": 1, "key.duplicate": 1])
    #expect(summary.entities["Order"]?.duplicates == 1)
    #expect(try shop.customers() == ["Ada 1"])
  }

  @Test("an object that only a rejected record has made rejects no other record", arguments: [1, 2, 100])
  func madeByRejected(batch: Int) throws {
    let shop = try OrderFolder()
    try shop.run("\(Self.header)\n1,Ada,1,x\n")
    let relationships = OrderFolder.customer.replacing(
      "relationships: { ", with: "relationships: { favourite: { find_by: { id: favourite } }, ")
    let summary = try shop.run(
      "\(Self.header),favourite\n1,Eve,2,y,7\n7,Bob,3,x,\n", "mode: insert, ", relationships, batch: batch)
    #expect((summary.inserted, summary.rejected) == (1, 1))
    #expect(try shop.orders() == ["1 Ada", "7 Bob"])
    #expect(try shop.customers() == ["Ada 1", "Bob 3"])
  }

  @Test("records that are rejected together take no statements of their own, though targets refer to their hierarchy")
  func statements() throws {
    let relationships = OrderFolder.customer.replacing(
      "relationships: { ", with: "relationships: { favourite: { find_by: { id: favourite } }, ")
    func statements(_ count: Int) throws -> Int {
      let shop = try OrderFolder()
      let csv = "\(Self.header),favourite\n" + (1...count).map { "\($0),Ada,1,x,\n" }.joined()
      try shop.run(csv, "", relationships)
      let summary = try shop.run(csv, "mode: insert, ", relationships)
      #expect(summary.rejected == count)
      return summary.statements
    }
    let few = try statements(2)
    #expect(try statements(80) < few + 40)
  }

  @Test("a run that is stopped and resumed counts what only a rejected record has named as not named")
  func resumed() throws {
    for options in ["duplicates: reject, ", "mode: insert, "] {
      let shop = try OrderFolder()
      try shop.run("\(Self.header)\n0,Ada,1,x\n9,Bob,1,x\n")
      let definition = try shop.definition(
        "\(Self.header)\n1,Ada,1,x\n1,Bob,1,x\n2,Cid,1,x\n3,Bob,1,x\n", options, batch: 2)
      var read = 0
      let first = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= 2 })
      #expect(first.status == .interrupted)
      let summary = try ImportSession(definition).run()
      #expect(summary.resumedAfter == 2)
      #expect((summary.inserted, summary.rejected) == (3, 1))
      #expect(summary.entities["Customer"]?.unchanged == 2 && summary.entities["Customer"]?.inserted == 1)
      #expect(try shop.orders() == ["0 Ada", "1 Ada", "2 Cid", "3 Bob", "9 Bob"])
    }
  }
}
