import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Reading history")
struct HistoryReadingTests {
  /// Six transactions, ten seconds apart from 100, by two authors in turn.
  private func makeNotebook() throws -> Notebook {
    let notebook = try Notebook()
    let recorder = try #require(HistoryRecorder.recorder(of: notebook.store))
    for i in 1...6 {
      recorder.clock = { Double(90 + 10 * i) }
      try notebook.save(author: i % 2 == 1 ? "app" : "sync", context: i == 3 ? "import" : nil) {
        try $0.insert(i % 3 == 0 ? "Letter" : "Note", Int64(i))
        if i > 1 { try $0.update("Note", 1, "body") }
      }
    }
    return notebook
  }

  @Test("AP54: history is fetched after a token, a date and a transaction")
  func ap54Places() throws {
    let notebook = try makeNotebook()
    let all = try notebook.transactions()
    #expect(all.map(\.transactionNumber) == [1, 2, 3, 4, 5, 6])
    #expect(try notebook.transactions(after: all[3].token).map(\.transactionNumber) == [5, 6])
    #expect(
      try notebook.store.execute(.fetchHistory(after: all[4])) == .transactions([all[5]]))
    #expect(try notebook.store.execute(.fetchHistory(afterDate: 130)) == .transactions(Array(all[4...])))
    #expect(try notebook.store.execute(.fetchHistory(afterDate: .infinity)) == .transactions([]))
    #expect(try notebook.store.execute(.fetchHistory(afterDate: .nan)) == .transactions([]))
    let end = try notebook.store.currentHistoryToken()
    #expect(end == all[5].token)
    #expect(try notebook.transactions(after: end) == [])
    try notebook.save { try $0.delete("Note", 1) }
    #expect(try notebook.transactions(after: end).map { Notebook.words($0.changes) } == [["delete Note 1"]])
  }

  @Test("AP54: results are what the result type asks for")
  func ap54ResultTypes() throws {
    let notebook = try makeNotebook()
    func result(_ type: PersistentHistoryChangeRequest.ResultType) throws -> PersistentHistoryResult {
      var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
      request.resultType = type
      return try notebook.store.execute(request)
    }
    #expect(try result(.statusOnly) == .status)
    #expect(try result(.count) == .count(6))
    let all = try notebook.transactions()
    #expect(try result(.transactionsAndChanges) == .transactions(all))
    #expect(try result(.changesOnly) == .changes(all.flatMap { $0.changes ?? [] }))
    guard case .transactions(let bare) = try result(.transactionsOnly) else {
      Issue.record("transactions were asked for")
      return
    }
    #expect(bare.map(\.transactionNumber) == [1, 2, 3, 4, 5, 6])
    #expect(bare.allSatisfy { $0.changes == nil && $0.objectIDs(of: .insert).isEmpty })
    guard case .objectIDs(let ids) = try result(.objectIDs) else {
      Issue.record("IDs were asked for")
      return
    }
    #expect(ids.map(\.primaryKey) == [1, 2, 3, 4, 5, 6])
    #expect(ids[2].entity.name == "Letter")
  }

  @Test("AP54: transactions are chosen by author, context and what else they say")
  func ap54Predicate() throws {
    let notebook = try makeNotebook()
    func numbers(_ format: String) throws -> [Int64] {
      let predicate = try ObjectPredicate(format: format)
      return try notebook.transactions { $0.predicate = predicate }.map(\.transactionNumber)
    }
    #expect(try numbers("author == 'app'") == [1, 3, 5])
    #expect(try numbers("author != 'app'") == [2, 4, 6])
    #expect(try numbers("contextName == nil AND author == 'app'") == [1, 5])
    #expect(try numbers("contextName BEGINSWITH 'imp'") == [3])
    #expect(try numbers("transactionNumber IN {2, 6} AND processID != 'nobody'") == [2, 6])
    #expect(try numbers("storeID == '\(notebook.store.identifier)' AND bundleID != nil").count == 6)
    let error = #expect(throws: StoreError.self) { try numbers("colour == 'red'") }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("colour") == true)
  }

  @Test("AP54: the history of some entities, and of one record, holds only their changes")
  func ap54Objects() throws {
    let notebook = try makeNotebook()
    let letters = try notebook.transactions { $0.entityNames = ["Letter"] }
    #expect(letters.map { Notebook.words($0.changes) } == [["insert Letter 3"], ["insert Letter 6"]])
    #expect(try notebook.transactions { $0.entityNames = ["Folder"] } == [])
    #expect(try notebook.transactions { $0.entityNames = [] } == [])
    // Entities below count.
    #expect(try notebook.transactions { $0.entityNames = ["Note"] }.count == 6)
    let first = try #require(try notebook.transactions()[0].changes?.first?.changedObjectID)
    let story = try notebook.transactions { $0.changedObjectID = first }
    let words = story.flatMap { Notebook.words($0.changes) }
    #expect(words == ["insert Note 1"] + Array(repeating: "update Note 1 body", count: 5))
    var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    request.resultType = .count
    request.entityNames = ["Letter"]
    #expect(try notebook.store.execute(request) == .count(2))
    let other = try Notebook()
    let error = #expect(throws: StoreError.self) { try other.transactions { $0.changedObjectID = first } }
    #expect(error?.code == .unsupported)
    let unknown = #expect(throws: StoreError.self) { try notebook.transactions { $0.entityNames = ["Nothing"] } }
    #expect(unknown?.code == .unsupported)
  }

  @Test("a limit counts the transactions that are given out")
  func limit() throws {
    let notebook = try makeNotebook()
    #expect(try notebook.transactions { $0.fetchLimit = 2 }.map(\.transactionNumber) == [1, 2])
    #expect(try notebook.transactions { $0.fetchLimit = 0 } == [])
    #expect(try notebook.transactions { $0.fetchLimit = -1 } == [])
    let letters = try notebook.transactions {
      $0.fetchLimit = 1
      $0.entityNames = ["Letter"]
    }
    #expect(letters.map(\.transactionNumber) == [3])
    var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    request.resultType = .changesOnly
    request.fetchLimit = 2
    guard case .changes(let changes) = try notebook.store.execute(request) else {
      Issue.record("changes were asked for")
      return
    }
    #expect(Notebook.words(changes) == ["insert Note 1", "insert Note 2", "update Note 1 body"])
    request.entityNames = ["Letter"]
    request.fetchLimit = 1
    guard case .changes(let filtered) = try notebook.store.execute(request) else {
      Issue.record("changes were asked for")
      return
    }
    #expect(Notebook.words(filtered) == ["insert Letter 3"])
    request.resultType = .count
    #expect(try notebook.store.execute(request) == .count(1))
    request.entityNames = nil
    request.resultType = .transactionsOnly
    guard case .transactions(let bare) = try notebook.store.execute(request) else {
      Issue.record("transactions were asked for")
      return
    }
    #expect(bare.map(\.transactionNumber) == [1])
  }

  @Test("a cursor gives what was there when it was made, one by one, while history goes on")
  func cursor() throws {
    let notebook = try makeNotebook()
    let cursor = try notebook.store.history(.fetchHistory(after: nil))
    #expect(try cursor.next()?.transactionNumber == 1)
    try notebook.save { try $0.insert("Note", 7) }
    var numbers: [Int64] = []
    while let transaction = try cursor.next() { numbers.append(transaction.transactionNumber) }
    #expect(numbers == [2, 3, 4, 5, 6])
    #expect(try cursor.next() == nil)
    let changes = try notebook.store.history(.fetchHistory(after: nil))
    #expect(try changes.nextChange()?.transactionNumber == 1)
    #expect(try changes.next()?.transactionNumber == 2)
    #expect(try changes.nextChange()?.changeID == 4)
    #expect(try changes.nextChange()?.changeID == 5)
    // The rest of the transaction that was begun is behind the cursor.
    #expect(try changes.next()?.transactionNumber == 4)
    let refused = #expect(throws: StoreError.self) {
      try notebook.store.history(.deleteHistory(beforeDate: 0))
    }
    #expect(refused?.code == .unsupported)
  }

  @Test("a store that was closed under a cursor is an error")
  func closed() throws {
    let notebook = try makeNotebook()
    let cursor = try notebook.store.history(.fetchHistory(after: nil))
    #expect(try cursor.next() != nil)
    try notebook.store.file.finish()
    #expect(throws: StoreError.self) { try cursor.next() }
    #expect(throws: StoreError.self) { try notebook.store.currentHistoryToken() }
    #expect(throws: StoreError.self) { try notebook.store.execute(.fetchHistory(after: nil)) }
  }

  @Test("AP54: history before a token, a transaction or a date can be deleted; numbers go on")
  func ap54Deleting() throws {
    let notebook = try makeNotebook()
    let all = try notebook.transactions()
    var request = PersistentHistoryChangeRequest.deleteHistory(before: all[2])
    request.resultType = .count
    #expect(try notebook.store.execute(request) == .count(2))
    #expect(try notebook.transactions().map(\.transactionNumber) == [3, 4, 5, 6])
    #expect(try notebook.rows("SELECT min(ZTRANSACTIONID) FROM ACHANGE") == ["3"])
    #expect(try notebook.store.execute(.deleteHistory(before: all[3].token)) == .status)
    #expect(try notebook.store.execute(.deleteHistory(beforeDate: 140)) == .status)
    #expect(try notebook.transactions().map(\.transactionNumber) == [5, 6])
    #expect(try notebook.store.execute(.deleteHistory(beforeDate: 1000)) == .status)
    #expect(try notebook.transactions() == [])
    #expect(try notebook.rows("SELECT count(*) FROM ACHANGE") == ["0"])
    #expect(try notebook.store.currentHistoryToken() == all[5].token)
    try notebook.save { try $0.insert("Note", 9) }
    #expect(try notebook.transactions(after: all[5].token).map(\.transactionNumber) == [7])
  }

  @Test("AP54: a token after which something was deleted has expired, and so has one that the store has not come to")
  func ap54Expired() throws {
    let notebook = try makeNotebook()
    let all = try notebook.transactions()
    _ = try notebook.store.execute(.deleteHistory(before: all[3]))
    func code(_ token: PersistentHistoryToken?) -> StoreError.Code? {
      do {
        _ = try notebook.transactions(after: token)
        return nil
      } catch {
        return (error as? StoreError)?.code
      }
    }
    #expect(code(all[0].token) == .expiredHistoryToken)
    #expect(code(all[1].token) == .expiredHistoryToken)
    // Everything after the third is still there.
    #expect(code(all[2].token) == nil)
    #expect(code(all[5].token) == nil)
    #expect(code(nil) == nil)
    #expect(
      code(PersistentHistoryToken(storeID: notebook.store.identifier, transactionNumber: 7)) == .expiredHistoryToken)
    #expect(
      code(PersistentHistoryToken(storeID: notebook.store.identifier, transactionNumber: .max)) == .expiredHistoryToken)
    _ = try notebook.store.execute(.deleteHistory(beforeDate: 1000))
    #expect(code(all[4].token) == .expiredHistoryToken)
    #expect(code(all[5].token) == nil)
    let empty = try Notebook()
    let start = try empty.store.currentHistoryToken()
    #expect(start.transactionNumber(forStore: empty.store.identifier) == 0)
    try empty.save { try $0.insert("Note", 1) }
    #expect(try empty.transactions(after: start).count == 1)
  }

  @Test("AP54: a token of another store is refused")
  func ap54Foreign() throws {
    let notebook = try makeNotebook()
    let other = try makeNotebook()
    let token = try other.store.currentHistoryToken()
    for request in [PersistentHistoryChangeRequest.fetchHistory(after: token), .deleteHistory(before: token)] {
      let error = #expect(throws: StoreError.self) { try notebook.store.execute(request) }
      #expect(error?.code == .foreignHistoryToken)
    }
    // A token of several stores is good for each of them.
    let both = PersistentHistoryToken([token, try notebook.transactions()[1].token])
    #expect(try notebook.transactions(after: both).count == 4)
    #expect(try other.transactions(after: both) == [])
  }

  @Test("a transaction says what to merge")
  func batchResult() throws {
    let notebook = try Notebook()
    try notebook.save {
      try $0.insert("Letter", 1)
      try $0.insert("Folder", 1)
      try $0.update("Note", 2, "title")
      try $0.delete("Note", 3)
    }
    let transaction = try notebook.transactions()[0]
    #expect(transaction.objectIDs(of: .insert).map(\.uri.description.last) == ["1", "1"])
    #expect(transaction.objectIDs(of: .insert).map(\.entity.name) == ["Letter", "Folder"])
    let result = transaction.batchResult
    #expect(result.insertedObjectIDs == transaction.objectIDs(of: .insert))
    #expect(result.updatedObjectIDs.map(\.primaryKey) == [2])
    #expect(result.deletedObjectIDs.map(\.primaryKey) == [3])
    #expect([result.insertedCount, result.updatedCount, result.deletedCount] == [2, 1, 1])
  }
}
