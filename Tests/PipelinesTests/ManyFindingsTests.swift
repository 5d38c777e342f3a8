import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Several mistakes")
struct ManyFindingsTests {
  @Test("all mistakes are found at once, sorted by place")
  func allAtOnce() throws {
    let folder = try PipelineFolder()
    let findings = try folder.lint(
      """
      pipline: orders
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: ${NO_SUCH_VARIABLE}/s.sqlite
      source: { files: orders.csv, delimeter: ";" }
      import:
        entity: Order
        find_by: [orderID]
        mode: upsrt
        attributes:
          orderID: orderid
          orderdAt: ordered_at
          quantity: { from: quantity, date: unix }
        relationships:
          customer: { find_by: { email: email }, attributes: { nam: name } }
      """)
    let places = findings.map { $0.split(separator: ": ")[0] + " " + ($0.split(separator: "[").last ?? "") }
    #expect(
      places == [
        "pipeline.yaml:1:1 unknownField]", "pipeline.yaml:3:8 missingVariable]", "pipeline.yaml:4:30 unknownField]",
        "pipeline.yaml:8:9 invalidOption]", "pipeline.yaml:10:14 unknownColumn]",
        "pipeline.yaml:11:5 unknownAttribute]", "pipeline.yaml:12:33 unsuitableOption]",
        "pipeline.yaml:14:58 unknownAttribute]",
      ], "\(findings)")
  }

  @Test("a variable without a value is one finding, whatever the text is used for")
  func unsetVariables() throws {
    let folder = try PipelineFolder()
    let findings = try folder.lint(
      PipelineFolder.sound.replacingAll("store: shop.sqlite", with: "store: \"${NO_STORE}\"")
        .replacingAll("files: orders.csv", with: "files: ${NO_FILES}")
        .replacingAll("\(Locations.fixtures)/shop/Shop.xcdatamodeld", with: "${NO_MODEL}"))
    #expect(findings.count == 3 && findings.allSatisfy { $0.contains("[missingVariable]") }, "\(findings)")
  }

  @Test(
    "a mistake is one finding, without what follows from it",
    arguments: [
      ("find_by: [orderID]", "find_by: [orderid]", "unknownAttribute"),
      ("{ sku: sku }", "skuu", "unknownAttribute"),
      (
        "customer:\n      find_by: { email: email }\n      attributes: { name: name, country: country }\n",
        "customer: email\n", "wrongType"
      ),
      ("  attributes:\n    orderID", "  atributes:\n    orderID", "unknownField"),
      ("orderedAt: { from: ordered_at, date: iso8601 }", "orderedAt: [ordered_at]", "wrongType"),
      ("  mode: upsert\n", "  where: \"quantiti > 1\"\n", "unknownColumn"),
      ("  mode: upsert\n", "  where: \"quantiti == 1\"\n", "unknownColumn"),
      ("quantity: quantity", "quantity: { value: \"quantiti + 1\" }", "unknownColumn"),
      ("quantity: quantity", "quantity: { from: quantity, do: [{ divide: { bye: 2 } }] }", "unknownField"),
      ("note: { from: note,", "note: { from: note, do: [{ replace: { patern: a } }],", "unknownField"),
      ("rejects:", "since: { field: ordered_at }\nrejects:", "unknownField"),
    ])
  func oneFinding(_ original: String, _ changed: String, _ code: String) throws {
    let text = PipelineFolder.sound.replacingAll(original, with: changed)
    try #require(text != PipelineFolder.sound)
    let findings = try PipelineFolder().lint(text)
    #expect(findings.count == 1 && findings[0].hasSuffix("[\(code)]"), "\(findings)")
  }

  @Test("a column that is made badly is there, and one that only a misspelling leaves unused is no finding")
  func madeColumns() throws {
    for (column, use, code) in [
      ("{ frm: quantity }", "made", "unknownField"), ("{ from: quantity }", "mad", "unknownColumn"),
    ] {
      let text = PipelineFolder.sound.replacingAll("quantity: quantity", with: "quantity: \(use)")
        .replacingAll("  mode: upsert\n", with: "  columns: { made: \(column) }\n")
      let findings = try PipelineFolder().lint(text)
      #expect(findings.count == 1 && findings[0].hasSuffix("[\(code)]"), "\(findings)")
    }
  }

  @Test("fields that need a component above them, which is missing, are one finding that says so")
  func withoutComponent() throws {
    let findings = try PipelineFolder().lint(
      """
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: shop.sqlite
      imports:
        - source: orders.csv
          entity: Category
          find_by: { name: category }
        - source: orders.csv
          import: { entity: Customer, find_by: { email: email } }
      """)
    #expect(findings.count == 1 && findings[0].hasPrefix("pipeline.yaml:5:5: error: "), "\(findings)")
    #expect(findings.first?.contains("write “import:” above it") == true, "\(findings)")
  }

  @Test("a misspelt field is one finding, also when it is needed; letters that changed places are near")
  func misspeltNeeded() throws {
    let folder = try PipelineFolder()
    let findings = try folder.lint(
      PipelineFolder.sound.replacingAll("model:", with: "modle:")
        .replacingAll("find_by: [orderID]", with: "fnid_by: [orderID]"))
    #expect(findings.count { $0.contains("did you mean “model”?") } == 1, "\(findings)")
    #expect(findings.count { $0.contains("did you mean “find_by”?") } == 1, "\(findings)")
    #expect(findings.count == 2, "\(findings)")
  }

  @Test("without the model the rest is still checked")
  func noModel() throws {
    let folder = try PipelineFolder()
    let text = PipelineFolder.sound.replacingAll("Shop.xcdatamodeld", with: "Other.xcdatamodeld")
      .replacingAll("quantity: quantity", with: "quantity: quantitee").replacingAll("records: 500", with: "records: no")
    let codes = try folder.lint(text).map { $0.split(separator: "[").last ?? "" }
    #expect(codes == ["fileMissing]", "wrongType]", "unknownColumn]"])
  }

  @Test(
    "a file that is no pipeline is findings, never a crash",
    arguments: [
      "", "a", "[]", "{}", "- a\n- b", "import: []", "import: {relationships: {x: }}", "a: &a [*a]", "\u{0}",
      "source: {files: {}}", "import: {entity: {}, find_by: {a: {b: c}}}", "? [a]\n: b", "model: [",
      "store: !!binary x",
    ])
  func noPipeline(_ text: String) throws {
    #expect(try !PipelineFolder().lint(text).isEmpty)
  }

  @Test("mistakes of the model come with its path")
  func modelMistakes() throws {
    let folder = try PipelineFolder()
    try folder.folder.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Category">
          <attribute name="name" attributeType="Strin"/>
        </entity>
      </model>
      """, to: "Bad.xcdatamodel/contents")
    let text = PipelineFolder.sound.replacingAll(
      Locations.fixtures + "/shop/Shop.xcdatamodeld", with: "Bad.xcdatamodel")
    let findings = try folder.lint(text)
    #expect(!findings.isEmpty)
    #expect(findings.allSatisfy { $0.hasPrefix("Bad.xcdatamodel/contents:4:") }, "\(findings)")
  }

  @Test("every column is looked for in every file")
  func severalFiles() throws {
    let folder = try PipelineFolder()
    try folder.folder.write("order_id,ordered_at,quantity\n", to: "orders-b.csv")
    let text = PipelineFolder.sound.replacingAll("files: orders.csv", with: "files: [orders.csv, orders-b.csv]")
    let findings = try folder.lint(text)
    #expect(findings.count == 8, "\(findings)")
    #expect(findings.allSatisfy { $0.contains("“orders-b.csv” has no column") }, "\(findings)")
  }

  @Test("headers are left alone when the caller says so")
  func withoutHeaders() throws {
    var settings = PipelineSettings()
    settings.checksHeaders = false
    #expect(try PipelineFolder(header: "x").lint(PipelineFolder.sound, settings).isEmpty)
  }
}
