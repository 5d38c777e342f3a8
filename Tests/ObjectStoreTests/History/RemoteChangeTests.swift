import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Remote changes")
struct RemoteChangeTests {
  private let folder = TemporaryFolder()

  private func write(_ store: PersistentStore, key: Int64, author: String) throws {
    var list = Notebook.Changes(model: store.model)
    list.changes.author = author
    try list.insert("Note", key)
    let recorder = try #require(HistoryRecorder.recorder(of: store))
    try store.connection.execute("BEGIN IMMEDIATE")
    try recorder.willWrite(list.changes, to: store)
    try recorder.didWrite(list.changes, to: store)
    try store.connection.execute("COMMIT")
  }

  @Test("AP51: a store tells whether others have written it, and their transactions are in one history with its own")
  func ap51RemoteChanges() throws {
    let model = try Notebook.model()
    let one = PersistentStoreCoordinator(model: model)
    let other = PersistentStoreCoordinator(model: model)
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let mine = try one.addStore(type: .sqlite, at: folder.file("a.sqlite"), options: options)
    let theirs = try other.addStore(type: .sqlite, at: folder.file("a.sqlite"), options: options)
    let start = try mine.currentHistoryToken()
    _ = try mine.remoteChange()
    #expect(try mine.remoteChange() == nil)
    try write(mine, key: 1, author: "mine")
    #expect(try mine.remoteChange() == nil)
    try write(theirs, key: 2, author: "theirs")
    try write(theirs, key: 3, author: "theirs")
    let token = try #require(try mine.remoteChange())
    #expect(token.transactionNumber(forStore: mine.identifier) == 3)
    #expect(try mine.remoteChange() == nil)
    #expect(try theirs.remoteChange() != nil)
    try write(mine, key: 4, author: "mine")
    guard case .transactions(let transactions) = try theirs.execute(.fetchHistory(after: start)) else {
      Issue.record("transactions were asked for")
      return
    }
    #expect(transactions.map(\.author) == ["mine", "theirs", "theirs", "mine"])
    #expect(transactions.map(\.transactionNumber) == [1, 2, 3, 4])
    #expect(try one.currentHistoryToken() == transactions[3].token)
    try one.close()
    #expect(try mine.remoteChange() == nil)
    try other.close()
  }

  @Test("a store without history has no remote changes")
  func withoutHistory() throws {
    let coordinator = PersistentStoreCoordinator(model: try Notebook.model())
    let store = try coordinator.addSQLiteStore(at: folder.file("b.sqlite"))
    #expect(try store.remoteChange() == nil)
    #expect(try coordinator.currentHistoryToken() == nil)
  }
}
