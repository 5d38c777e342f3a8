import Foundation
@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct DeferredRecordsTests {
  /// What a test can compare of a deferred record.
  private struct Kept: Equatable {
    var raw: [UInt8]
    var line: Int
    var source: Int
    var cells: [Value]
    var targets: [Int64]
    var hash: UInt64
  }

  private func kept(_ batch: ImportBatch, _ record: Int, _ plan: ImportPlan) -> Kept {
    let part = plan.nodes[plan.root]
    let cells = (part.keyFields + part.attributeFields).map { field -> Value in
      let payload = batch.columns[field].payloads[record]
      switch batch.columns[field].tags[record] {
      case CellTag.integer: return .integer(Int64(bitPattern: payload))
      case CellTag.text:
        let range = ByteRange(payload: payload)
        return .text(Array(batch.records.bytes[range.offset..<range.offset + range.length]))
      case CellTag.absent: return .text("absent")
      default: return .null
      }
    }
    return Kept(
      raw: batch.records.raw(record), line: batch.records.records[record].line, source: batch.records.source,
      cells: cells, targets: plan.nodes.indices.map { batch.nodes[$0].targets[record] },
      hash: batch.nodes[plan.root].keyHashes[record])
  }

  @Test(
    arguments: [(1, 100), (3, 100), (1000, 100), (1000, 1 << 20)], 1...3 as ClosedRange<UInt64>)
  func recordsComeBackAsTheyWere(limit: (records: Int, bytes: Int), seed: UInt64) throws {
    let folder = TemporaryFolder()
    var generator = RecordGenerator(random: SeededGenerator(seed: seed), allowsAbsent: true, keyCount: 10)
    let inputs = try (0..<2).map { i in
      try folder.write(RecordGenerator.ndjson(generator.records(40)), to: "input-\(i).ndjson")
    }
    let definition = ImportDefinition(
      name: "deferred", model: try ShopModel().build(), storePath: folder.file("s"), inputs: inputs,
      format: .ndjson(NDJSONOptions()), root: ShopImport.item())
    let plan = try ImportPlan(definition, part: definition.parts[0])
    let deferred = DeferredRecords(
      plan: plan, file: try DeferredFile(folder: folder.path), owner: DeferredFile.Owner(part: 0, kind: .records),
      limit: BatchLimit(records: limit.records, bytes: limit.bytes))
    var expected: [Kept] = []
    for (index, input) in inputs.enumerated() {
      var reader = try definition.format.reader(
        source: ByteSource(path: input), columns: .named(plan.columnNames), index: index)
      var batch = ImportBatch(plan: plan)
      while try reader.read(into: &batch.records, limit: BatchLimit(records: 7)) {
        BatchPreparer(plan: plan, seed: 1).prepare(&batch)
        for record in 0..<batch.records.recordCount where !batch.hasFailed[record] {
          for node in plan.nodes.indices { batch.nodes[node].targets[record] = Int64(expected.count * 10 + node) }
          expected.append(kept(batch, record, plan))
          try deferred.append(record, of: batch)
        }
      }
    }
    #expect(expected.count > 20)
    #expect(deferred.count == expected.count)
    // The file has no name.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == inputs.count)
    var found: [Kept] = []
    try deferred.replay { (batch) throws(ImportError) in
      for record in 0..<batch.records.recordCount { found.append(kept(batch, record, plan)) }
    }
    #expect(found == expected, "seed \(seed)")
  }

  @Test func aFolderThatIsNotThereIsAnError() throws {
    let folder = TemporaryFolder()
    let input = try folder.write("{\"sku\":\"a\"}\n", to: "input.ndjson")
    let definition = ImportDefinition(
      name: "deferred", model: try ShopModel().build(), storePath: folder.file("s"), inputs: [input],
      format: .ndjson(NDJSONOptions()), root: ShopImport.item())
    let plan = try ImportPlan(definition, part: definition.parts[0])
    var reader = try definition.format.reader(
      source: ByteSource(path: input), columns: .named(plan.columnNames), index: 0)
    var batch = ImportBatch(plan: plan)
    _ = try reader.read(into: &batch.records, limit: BatchLimit(records: 7))
    BatchPreparer(plan: plan, seed: 1).prepare(&batch)
    let deferred = DeferredRecords(
      plan: plan, file: try DeferredFile(folder: folder.file("nowhere")),
      owner: DeferredFile.Owner(part: 0, kind: .records), limit: BatchLimit(records: 1, bytes: 100))
    let error = #expect(throws: ImportError.self) { try deferred.append(0, of: batch) }
    #expect(error?.code == .temporaryFile)
  }
}
