@testable import MergewalkImporting
import Testing

@Suite struct RecordLedgerTests {
  @Test func everyOutcomeIsCountedOnce() throws {
    var ledger = RecordLedger()
    ledger.take(8)
    ledger.reject(1)
    ledger.settle([.inserted, .updated, .unchanged, .skipped, .rejected, .deferred, .deferred])
    ledger.settleDeferred([.inserted, .rejected])
    try ledger.check()
    #expect(ledger.read == 8)
    #expect(ledger.inserted == 2)
    #expect(ledger.updated == 1)
    #expect(ledger.unchanged == 1)
    #expect(ledger.skipped == 1)
    #expect(ledger.rejected == 3)
  }

  @Test(
    "records that were lost, left without an outcome, deferred for ever or settled twice are an error",
    arguments: [[.inserted, .inserted, .inserted], [.inserted], [.inserted, .pending], [.inserted, .deferred]]
      as [ContiguousArray<RecordLedger.Outcome>])
  func breach(outcomes: ContiguousArray<RecordLedger.Outcome>) {
    var ledger = RecordLedger()
    ledger.take(2)
    ledger.settle(outcomes)
    let error = #expect(throws: ImportError.self) { try ledger.check() }
    #expect(error?.code == .countsDiffer)
  }

  @Test("sums of counts are those of their parts") func sums() {
    let (first, second) = (RecordCounts(numbers: [6, 1, 2, 1, 1, 1]), RecordCounts(numbers: [5, 5, 0, 0, 0, 0]))
    #expect(first.isBalanced && (first + second).numbers == [11, 6, 2, 1, 1, 1])
    #expect((first + second - first) == second)
  }
}
