import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// From the bytes of a file to the lines of the rejects file, without a store.
@Suite struct RejectOutputTests {
  private let folder = TemporaryFolder()

  private func definition(_ csv: String) throws -> ImportDefinition {
    let model = try ManagedObjectModel(ModelReader.read(Locations.fixtures + "/shop/Shop.xcdatamodeld"))
    let input = try folder.write(csv, to: "orders.csv")
    var root = EntityImport(entityName: "Order", findBy: [FieldImport(attributeName: "orderID", column: "id")])
    // The product of an order is not mapped here, so orders can be updated only.
    root.mode = .update
    root.attributes = [
      FieldImport(attributeName: "orderedAt", column: "at"), FieldImport(attributeName: "quantity", column: "n"),
      FieldImport(attributeName: "unitPrice", column: "price"),
    ]
    var customer = EntityImport(entityName: "Customer", findBy: [FieldImport(attributeName: "email", column: "email")])
    customer.attributes = [FieldImport(attributeName: "country", column: "country")]
    root.relationships = [RelationshipImport(name: "customer", target: customer)]
    var definition = ImportDefinition(
      name: "orders", model: model, storePath: folder.file("s.sqlite"), inputs: [input], format: .csv(CSVOptions()),
      root: root)
    definition.rejects.path = folder.file("rejects/r.ndjson")
    return definition
  }

  private func rejects(_ csv: String) throws -> (lines: [[String: Any]], summary: ImportSummary) {
    let definition = try definition(csv)
    let plan = try ImportPlan(definition, part: definition.parts[0])
    let output = try RejectOutput(definition, plan: plan, run: RunIdentity(pipeline: definition.name))
    var batch = ImportBatch(plan: plan)
    var reader = try definition.format.reader(
      source: ByteSource(path: definition.inputs[0]), columns: .named(plan.columnNames), index: 0)
    while try reader.read(into: &batch.records, limit: BatchLimit(records: 3)) {
      BatchPreparer(plan: plan, seed: 1).prepare(&batch)
      try output.write(batch, [])
    }
    try output.close(isFinished: true)
    var summary = ImportSummary()
    output.note(&summary)
    guard let path = summary.rejectsPath else { return ([], summary) }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let lines = try data.split(separator: UInt8(ascii: "\n")).map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
    return (lines, summary)
  }

  @Test func goodRecordsAreNotRejected() throws {
    let (lines, summary) = try rejects("id,at,n,price,email,country\nA,2024-01-31,2,1.5,a@b.c,DE\n")
    #expect(lines.isEmpty)
    #expect(summary.rejectCounts.isEmpty)
  }

  @Test("without a file the first lines are kept, and a process that resumes with a file writes the columns itself")
  func sample() throws {
    let rows = (0..<200).map { "\($0),2024-01-31,x,1.5,\(String(repeating: "a", count: $0 == 3 ? 5000 : 1))@b.c,DE\n" }
    var definition = try definition("id,at,n,price,email,country\n" + rows.joined())
    definition.rejects.path = nil
    let plan = try ImportPlan(definition, part: definition.parts[0])
    let output = try RejectOutput(definition, plan: plan, run: RunIdentity(pipeline: definition.name))
    var batch = ImportBatch(plan: plan)
    var reader = try definition.format.reader(
      source: ByteSource(path: definition.inputs[0]), columns: .named(plan.columnNames), index: 0)
    while try reader.read(into: &batch.records, limit: BatchLimit(records: 30)) {
      BatchPreparer(plan: plan, seed: 1).prepare(&batch)
      try output.write(batch, [])
    }
    #expect(output.writtenHeaders.isEmpty)
    var summary = ImportSummary()
    output.note(&summary)
    var lines = try RejectLines(ByteSource(bytes: summary.rejectSample))
    var found: [RejectLine] = []
    while let line = try lines.next() { found.append(try line.get()) }
    #expect(found.count == 50 && summary.rejectCounts == ["value.integer": 200] && summary.rejectsPath == nil)
    #expect(found.map(\.isCut) == (0..<50).map { $0 == 3 } && found.allSatisfy { ($0.raw?.count ?? 0) <= 4096 })
  }

  @Test func everyStageRejectsRecordsInTheOrderOfTheFile() throws {
    let csv = [
      "id,at,n,price,email,country",
      "A,2024-02-30,2,1.5,a@b.c,DE",
      "B,2024-01-31,0,1.5,a@b.c,Germany",
      "\"C\nC\",x,y,\"1,5\",a@b.c,DE",
      "D,2024-01-31,2,1.5,a@b.c",
      ",2024-01-31,2,1.5,a@b.c,DE",
      "F,2024-01-31,2,1.5,a@b.c,DE",
      "G,2024-01-31,2,1.5,a@b.c,DE,x",
      "H,,2,1.5,a@b.c,DE",
    ].joined(separator: "\n")
    let (lines, summary) = try rejects(csv)
    func codes(_ line: [String: Any]) -> [String] {
      let also = (line["also"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
      return [line["code"] as? String ?? ""] + also
    }
    #expect(lines.map { $0["record"] as? Int } == [1, 2, 3, 4, 5, 7, 8])
    #expect(
      lines.map(codes) == [
        ["value.calendar"], ["validate.tooLong", "validate.tooSmall"], ["value.date", "value.integer", "value.number"],
        ["read.fieldCount"], ["key.empty"], ["read.fieldCount"], ["validate.missing"],
      ])
    #expect(lines.map { $0["width"] as? String } == [nil, nil, nil, "missing", nil, "surplus", nil])
    #expect(lines.allSatisfy { ($0["run"] as? String)?.hasPrefix("orders@2") == true })
    let third = try #require(lines.first { $0["record"] as? Int == 3 })
    #expect(third["raw"] as? String == "\"C\nC\",x,y,\"1,5\",a@b.c,DE")
    #expect(third["line"] as? Int == 5)
    #expect(third["column"] as? Int == 4)
    #expect(third["attribute"] as? String == "orderedAt")
    #expect(third["field"] as? String == "at")
    #expect(third["message"] as? String == "\"x\" is not a date (ISO 8601) for Order.orderedAt")
    let offset = try #require(third["byte_offset"] as? Int)
    #expect(Array(csv.utf8)[offset] == UInt8(ascii: "x"))
    #expect(
      summary.rejectCounts == [
        "value.calendar": 1, "validate.tooLong": 1, "value.date": 1, "read.fieldCount": 2, "key.empty": 1,
        "validate.missing": 1,
      ])
  }

  @Test func recordsThatNameNoTargetSayNothingAboutItsAttributes() throws {
    let (lines, _) = try rejects("id,at,n,price,email,country\nA,2024-01-31,2,1.5,,Germany\n")
    // The customer is mandatory, so its absence is what counts, not the length of its country.
    #expect(lines.map { $0["code"] as? String } == ["relationship.missingTarget"])
  }
}
