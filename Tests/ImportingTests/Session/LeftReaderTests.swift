@testable import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing
import MergewalkThreads

/// Runs that are stopped while the reader's thread waits for input: it is left to itself, and may still be at work.
@Suite("Readers that are left") struct LeftReaderTests {
  private let folder = TemporaryFolder()

  private func definition(_ source: String) throws -> ImportDefinition {
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("amount")]
    var definition = ImportDefinition(
      name: "left", model: try ShopModel(itemConstraints: [["sku"]]).build(), storePath: folder.file("s.sqlite"),
      inputs: [source], format: .ndjson(NDJSONOptions()), root: root)
    definition.batchLimit = BatchLimit(records: 100)
    return definition
  }

  @Test("an interrupted run has the contract's notes so far, and later ones disturb nobody")
  func interrupted() throws {
    let pipe = NamedPipe(folder.file("pipe"))
    var definition = try definition(pipe.path)
    var contract = SchemaContract()
    contract.types = .evolve
    definition.parts[0].contract = contract
    // Of the first 400 records one differs from the one before, later on all do.
    pipe.write((0..<400).map { "{\"sku\":\"b\($0)\",\"amount\":\($0 == 0 ? "1" : "\"2\"")}\n" }.joined())
    var records = 0
    let summary = try ImportSession(definition).run(
      progress: { records = $0.records }, shouldStop: { records == 400 })
    pipe.write((0..<400).map { "{\"sku\":\"c\($0)\",\"amount\":\($0 % 2 == 0 ? "3" : "\"4\"")}\n" }.joined())
    pipe.end()
    #expect(summary.status == .interrupted && summary.read == 400)
    #expect(summary.warnings.filter { $0.code == .contractType }.count == 1)
  }

  /// Under ThreadSanitizer this fails when the notes are read without a lock.
  @Test("the contract's notes may be asked for while it is at work")
  func notes() throws {
    var definition = try definition("s.csv")
    definition.parts[0].format = .csv(CSVOptions())
    var contract = SchemaContract()
    contract.newColumns = .evolve
    definition.parts[0].contract = contract
    let part = definition.parts[0]
    let ordered = OrderedTransforms(try ImportPlan(definition, part: part).transforms, columns: ["sku", "amount"])
    let paths = try (0..<100).map { try folder.write("sku,amount,new\($0)\na,1,2\n", to: "\($0).csv") }
    let reader = try #require(
      Worker { for path in paths { try? ordered.begin(ByteSource(path: path), format: part.format) } })
    var seen: [RunWarning] = []
    while seen.count < paths.count {
      let notes = ordered.warnings
      #expect(notes.starts(with: seen))
      seen = notes
    }
    reader.join()
  }
}
