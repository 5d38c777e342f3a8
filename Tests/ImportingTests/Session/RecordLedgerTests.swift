@testable import Importing
import Testing

@Suite struct RecordLedgerTests {
  @Test func everyOutcomeIsCountedOnce() {
    var ledger = RecordLedger()
    ledger.read(8)
    ledger.reject(1)
    ledger.settle([.inserted, .updated, .unchanged, .skipped, .rejected, .deferred, .deferred])
    ledger.settleDeferred([.inserted, .rejected])
    ledger.check()
    #expect(ledger.read == 8)
    #expect(ledger.inserted == 2)
    #expect(ledger.updated == 1)
    #expect(ledger.unchanged == 1)
    #expect(ledger.skipped == 1)
    #expect(ledger.rejected == 3)
  }

  @Test func aLostRecordTraps() async {
    await #expect(processExitsWith: .failure) {
      var ledger = RecordLedger()
      ledger.read(2)
      ledger.settle([.inserted])
      ledger.check()
    }
  }

  @Test func aRecordWithoutAnOutcomeTraps() async {
    await #expect(processExitsWith: .failure) {
      var ledger = RecordLedger()
      ledger.read(1)
      ledger.settle([.pending])
    }
  }

  @Test func aDeferredRecordThatNeverComesBackTraps() async {
    await #expect(processExitsWith: .failure) {
      var ledger = RecordLedger()
      ledger.read(1)
      ledger.settle([.deferred])
      ledger.check()
    }
  }

  @Test func aRecordThatIsSettledTwiceTraps() async {
    await #expect(processExitsWith: .failure) {
      var ledger = RecordLedger()
      ledger.read(1)
      ledger.settle([.inserted])
      ledger.settle([.inserted])
      ledger.check()
    }
  }
}
