import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@testable import MergewalkImporting

@Suite("The clock of a run's progress") struct ProgressClockTests {
  @Test("begins with the run and goes on with the time")
  func seconds() throws {
    let folder = TemporaryFolder()
    let input = try folder.write(
      "sku,amount\n" + (0..<100).map { "s\($0),\($0)\n" }.joined(), to: "in.csv")
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("amount")]
    var definition = ImportDefinition(
      name: "clock", model: try ShopModel(itemConstraints: [["sku"]]).build(), storePath: folder.file("s.sqlite"),
      inputs: [input], format: .csv(CSVOptions()), root: root)
    definition.batchLimit = BatchLimit(records: 10)
    let began = ContinuousClock.now
    var told: [(seconds: Double, since: Double)] = []
    let summary = try ImportSession(definition).run(progress: { progress in
      told.append((progress.seconds, (ContinuousClock.now - began) / .seconds(1)))
    })
    #expect(told.count > 10)
    #expect(told.allSatisfy { $0.seconds > 0 && $0.seconds <= $0.since })
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
    #expect(told.last.map { $0.seconds <= summary.seconds } == true)
  }
}
