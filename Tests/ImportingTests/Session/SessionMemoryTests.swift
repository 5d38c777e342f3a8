import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@testable import MergewalkImporting

@Suite("What a session holds") struct SessionMemoryTests {
  @Test("goes with it, whatever became of the run", arguments: ["completed", "limit", "failed"])
  func released(outcome: String) throws {
    let folder = TemporaryFolder()
    let rows = (0..<20).map { "s\($0),\(outcome == "limit" ? "none" : "\($0)")\n" }.joined()
    let input = try folder.write("sku,amount\n" + rows, to: "in.csv")
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("amount")]
    var definition = ImportDefinition(
      name: "memory", model: try ShopModel(itemConstraints: [["sku"]]).build(), storePath: folder.file("s.sqlite"),
      inputs: [input], format: .csv(CSVOptions()), root: root)
    definition.rejects.limit = 0
    if outcome == "failed" { try folder.write("no store", to: "s.sqlite") }
    weak var left: ImportSession?
    do {
      let session = try ImportSession(definition)
      left = session
      let status = (try? session.run())?.status
      #expect(status == (outcome == "completed" ? .completed : outcome == "limit" ? .limitBreached : nil))
    }
    #expect(left == nil)
  }
}
