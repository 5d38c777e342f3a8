import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The example of `docs/history.md`, compiled and run.
@Suite("History page")
struct HistoryExamples {
  private typealias Deleted = (id: ManagedObjectID, values: [String: AttributeValue])

  private static func readHistory(
    _ store: PersistentStore, _ context: ManagedObjectContext, _ other: ManagedObjectContext,
    _ change: (ManagedObjectContext) throws -> Void
  ) throws -> ([Deleted], String) {
    var deleted: [Deleted] = []
    // Page: history
    let token = try store.currentHistoryToken()
    context.transactionAuthor = "sync"
    try change(context)
    try context.save()

    // Read the transactions since then, one after the other.
    var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    request.predicate = Key("author") != "widget"
    let cursor = try store.history(request)
    while let transaction = try cursor.next() {
      for change in transaction.changes ?? [] where change.changeType == .delete {
        deleted.append((change.changedObjectID, change.tombstone ?? [:]))
      }
      try other.mergeChanges(from: transaction)
    }

    // Save the token's text in a file, so that the next run starts here. The history before it is no longer needed.
    let place = try store.currentHistoryToken()
    let text = place.description
    _ = try store.execute(.deleteHistory(before: place))
    // Page: end
    return (deleted, text)
  }

  @Test func `its example is the one that is compiled here`() throws {
    let text = try Pages.text("Tests/DocumentationTests/HistoryExamples.swift")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    // Page: history"))
    let end = try #require(lines.firstIndex(of: "    // Page: end"))
    let example = lines[start + 1..<end].map { $0.dropFirst(4) + "\n" }.joined()
    #expect(try Pages.blocks("swift", of: "docs/history.md") == [example])
  }

  @Test func `its example reads, merges and deletes history`() throws {
    let folder = TemporaryFolder()
    var draft = ModelDraft()
    var note = EntityDraft(name: "Note")
    var title = AttributeDescription(name: "title", type: .string)
    title.isOptional = true
    title.preservesValueInHistoryOnDeletion = true
    note.attributes = [title]
    draft.entities = [note]
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(draft))
    let store = try coordinator.addSQLiteStore(at: folder.file("notes.sqlite"))
    try HistoryRecorder.attach(to: store)
    let context = ManagedObjectContext(coordinator: coordinator)
    let first = try context.insert("Note")
    try first.setValue(.string("first"), forKey: "title")
    let second = try context.insert("Note")
    try context.save()
    let other = ManagedObjectContext(coordinator: coordinator)
    let copy: ManagedObject = try #require(try other.existingObject(with: second.objectID))
    #expect(try copy.value(forKey: "title") == .null)
    let (deleted, text) = try Self.readHistory(store, context, other) { context in
      try context.delete(first)
      try second.setValue(.string("second"), forKey: "title")
    }
    #expect(deleted.map(\.values) == [["title": .string("first")]])
    #expect(try copy.value(forKey: "title") == .string("second"))
    #expect(text == "\(store.identifier):2")
    #expect(try store.execute(.fetchHistory(after: PersistentHistoryToken(text))) == .transactions([]))
  }
}
