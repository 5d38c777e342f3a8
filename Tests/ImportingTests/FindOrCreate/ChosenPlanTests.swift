@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// The way of finding objects that a run chooses by the rows of the store.
@Suite struct ChosenPlanTests {
  private let folder = TemporaryFolder()

  private func run(_ numbers: Range<Int>, label: String) throws -> ImportSummary {
    let records: [MadeRecord] = numbers.map { ["sku": .text("sku \($0)"), "label": .text($0 % 7 == 0 ? label : "x")] }
    let input = try folder.write(RecordGenerator.csv(records), to: "in.csv")
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("label")]
    var definition = ImportDefinition(
      name: "items", model: try ShopModel().build(), storePath: folder.file("s.sqlite"), inputs: [input],
      format: RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: 4096)
    return try ImportSession(definition).run()
  }

  @Test(
    "the records' own rows are scanned where they are more than 10,000",
    arguments: [(10_000, "table"), (10_001, "scan")])
  func ownRows(_ rows: Int, _ plan: String) throws {
    #expect(try run(0..<rows, label: "x").inserted == rows)
    let night = try run(rows - 7000..<rows + 10, label: "y")
    #expect(night.findPlans["Item"] == plan)
    #expect(night.inserted == 10 && night.updated == 1000 && night.unchanged == 6000)
    #expect(try run(rows - 7000..<rows + 10, label: "y").unchanged == 7010)
  }
}
