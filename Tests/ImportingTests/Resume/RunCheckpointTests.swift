import MergewalkDiagnostics
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Checkpoints")
struct RunCheckpointTests {
  /// Entries that a checkpoint may lack.
  private static let optional = [
    "origin", "reject_headers", "late_rejects", "late_repeats", "late_unfound", "late_unsaid",
  ]

  private func sample() -> RunCheckpoint {
    var checkpoint = RunCheckpoint()
    checkpoint.run = "orders@2024-05-01T00:00:00.000Z"
    checkpoint.started = 1_714_521_600.5
    checkpoint.definition = .max
    checkpoint.seed = 7
    checkpoint.inputs = ["/nowhere/a", "-"].compactMap { try? SourcePrint(ByteSource(path: $0)) }
    checkpoint.inputCounts = [2, 0]
    checkpoint.inputsHash = 1 << 63
    checkpoint.commits = 12
    checkpoint.part = 1
    checkpoint.position = InputPosition(source: 1, records: 1000, good: 990, hash: 0xFFFF_0000_1234_5678)
    checkpoint.ledger = RecordLedger(numbers: [1000, 500, 200, 100, 90, 110]) ?? RecordLedger()
    checkpoint.rejectBytes = 4096
    checkpoint.rejectHeaders = [
      RejectOutput.FilePlace(part: "x", source: 1, member: "a/b.csv"),
      RejectOutput.FilePlace(part: nil, source: 0, member: nil),
    ]
    checkpoint.late.rejected = [0, 1, 5, 127, 128, 500_000, 1 << 40]
    checkpoint.late.repeated = [7]
    checkpoint.late.unfound = [2, 3]
    checkpoint.late.unsaid = [4]
    checkpoint.tally.batches = 10
    checkpoint.tally.nodes = [ImportSummary.EntityCounts()]
    checkpoint.tally.nodes[0].inserted = 3
    checkpoint.tally.entities = ["Order": checkpoint.tally.nodes[0]]
    checkpoint.tally.findPlans = ["Order": "seek"]
    checkpoint.tally.rejectCounts = ["value.date": 110]
    checkpoint.tally.seconds = 1.25
    checkpoint.tally.unreadable = [0: 3, 2: 1]
    checkpoint.tally.loss = "x"
    checkpoint.tally.unmatched = UnmatchedColumns.State(
      open: [0, 3], inFilledLists: [3], hasRecords: true, hasChildless: true)
    checkpoint.tally.warnings = [
      RunWarning(.neverMatched, "x", file: "p.yaml", position: SourcePosition(line: 2, column: 3, byteOffset: 9)),
      RunWarning(.neverMatched, "y"),
    ]
    return checkpoint
  }

  @Test("come back from the property list as they were")
  func roundTrip() throws {
    let checkpoint = sample()
    let bytes = BinaryPropertyListWriter.write(checkpoint.list)
    #expect(try RunCheckpoint(BinaryPropertyListReader.read(bytes)) == checkpoint)
  }

  @Test("of another version, damaged, or with counts that do not add up are none")
  func strangers() {
    guard case .dictionary(let entries) = sample().list else { return #expect(Bool(false)) }
    for (index, entry) in entries.enumerated()
    where !Self.optional.contains(entry.key) {
      var fewer = entries
      fewer.remove(at: index)
      #expect(RunCheckpoint(.dictionary(fewer)) == nil, "\(entry.key)")
      var other = entries
      other[index].value = .string("x")
      #expect(entry.key == "run" || RunCheckpoint(.dictionary(other)) == nil, "\(entry.key)")
    }
    #expect(RecordLedger(numbers: [3, 1, 1, 0, 0, 0]) == nil)
    #expect(RecordLedger(numbers: [3, 1, 1, 1, 0, -1]) == nil)
    #expect(RecordLedger(numbers: [.max, .max, 1, 0, 0, 0]) == nil)
  }

  @Test("a definition's digest is of what decides about records, wherever it stands")
  func digest() throws {
    let folder = TemporaryFolder()
    let shop = ShopModel()
    func digest(_ change: (inout ImportDefinition) -> Void = { _ in }) throws -> UInt64 {
      var definition = ImportDefinition(
        name: "d", model: try shop.build(), storePath: folder.file("s"), inputs: ["a.csv"],
        format: RecordGenerator.csvFormat, root: ShopImport.item())
      change(&definition)
      return DefinitionDigest.of(definition)
    }
    let plain = try digest()
    #expect(try digest() == plain)
    #expect(try digest { $0.inputs = ["b.csv", "c.csv"] } == plain)
    #expect(try digest { $0.root.position.line = 12 } == plain)
    #expect(try digest { $0.batchLimit = BatchLimit(records: 1) } == plain)
    #expect(try digest { $0.rejects.limit = 1 } == plain)
    #expect(try digest { $0.root.mode = .update } != plain)
    #expect(try digest { $0.root.attributes[0].conversion.trim.toggle() } != plain)
    #expect(try digest { $0.root.attributes[0].conversion.nullSpellings = ["-"] } != plain)
    #expect(try digest { $0.format = .ndjson(NDJSONOptions()) } != plain)
    #expect(try digest { $0.parts.append($0.parts[0]) } != plain)
  }
}

@Suite("Limits of rejects")
struct RejectLimitTests {
  private func breach(
    read: Int, _ counts: [RejectCode: Int], isEnd: Bool = false, _ change: (inout RejectPolicy) -> Void
  ) -> String? {
    var policy = RejectPolicy()
    change(&policy)
    let rejected = counts.values.reduce(0, +)
    let breach = policy.breach(read: read, rejected: rejected, counts: counts, isEnd: isEnd)
    return breach.map { [$0.limit, $0.subject].compactMap { $0 }.joined(separator: " ") }
  }

  @Test("by count, by code, by stage, by share")
  func kinds() {
    let counts: [RejectCode: Int] = [.valueDate: 3, .readFieldCount: 1, .readNulByte: 1]
    #expect(breach(read: 10_000, counts) { _ in } == nil)
    #expect(breach(read: 10_000, counts) { $0.limit = 5 } == nil)
    #expect(breach(read: 10_000, counts) { $0.limit = 4 } == "rejects.limit")
    #expect(breach(read: 10_000, counts) { $0.codes = [.init("value.date", limit: 3)] } == nil)
    #expect(breach(read: 10_000, counts) { $0.codes = [.init("value.date", limit: 2)] } == "rejects.codes value.date")
    #expect(breach(read: 10_000, counts) { $0.codes = [.init("read.*", limit: 1)] } == "rejects.codes read.*")
    #expect(breach(read: 10_000, counts) { $0.codes = [.init("value.*", limit: 3)] } == nil)
    #expect(breach(read: 10_000, [:]) { $0.codes = [.init("read.*", limit: 0)] } == nil)
  }

  @Test("a share is asked after the minimum, and at the end in any case")
  func share() {
    let counts: [RejectCode: Int] = [.valueDate: 5]
    #expect(breach(read: 100, counts) { $0.ratio = 0.01 } == nil)
    #expect(breach(read: 100, counts, isEnd: true) { $0.ratio = 0.01 } == "rejects.ratio")
    #expect(breach(read: 100, counts) { ($0.ratio, $0.minimum) = (0.01, 100) } == "rejects.ratio")
    #expect(breach(read: 100, counts, isEnd: true) { $0.ratio = 0.05 } == nil)
  }
}
