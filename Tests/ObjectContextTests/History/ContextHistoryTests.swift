import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("History of contexts")
struct ContextHistoryTests {
  /// A store of notes in folders, with tags, that records its history.
  final class Desk {
    let place: Workplace
    var context: ManagedObjectContext { place.context }
    var store: PersistentStore

    init() throws {
      var title = Models.attribute("title", .string)
      title.preservesValueInHistoryOnDeletion = true
      var notes = Models.toMany("notes", "Note", inverse: "folder")
      notes.deleteRule = .cascade
      var mood = Models.attribute("mood", .string)
      mood.isTransient = true
      place = try Workplace(
        try Models.model(
          Models.entity(
            "Note", attributes: [title, Models.attribute("body", .string), Models.attribute("size", .integer32), mood],
            relationships: [
              Models.toOne("folder", "Folder", inverse: "notes"), Models.toMany("tags", "Tag", inverse: "notes"),
              Models.toOne("reader", "Reader"),
            ]),
          Models.entity("Letter", parent: "Note", attributes: [Models.attribute("address", .string)]),
          Models.entity("Folder", attributes: [Models.attribute("name", .string)], relationships: [notes]),
          Models.entity("Reader", attributes: [Models.attribute("name", .string)]),
          Models.entity(
            "Tag", attributes: [Models.attribute("name", .string)],
            relationships: [Models.toMany("notes", "Note", inverse: "tags")])))
      store = try #require(place.coordinator.store)
      try HistoryRecorder.attach(to: store)
    }

    @discardableResult
    func add(_ entity: String, _ values: [String: AttributeValue] = [:]) throws -> ManagedObject {
      let object = try context.insert(entity)
      for (key, value) in values { try object.setValue(value, forKey: key) }
      return object
    }

    func transactions(
      after token: PersistentHistoryToken? = nil
    ) throws -> [PersistentHistoryTransaction] {
      guard case .transactions(let list) = try store.execute(.fetchHistory(after: token)) else {
        throw StoreError(.unsupported, path: store.path, message: "the result holds no transactions")
      }
      return list
    }

    /// The changes after a token in short, sorted: `update Note 1 title`.
    func words(after token: PersistentHistoryToken? = nil) throws -> [[String]] {
      try transactions(after: token).map { transaction in
        (transaction.changes ?? []).map { change in
          let id = change.changedObjectID
          let names = change.updatedProperties.map { " " + $0.joined(separator: ",") } ?? ""
          return "\(change.changeType) \(id.entity.name) \(id.primaryKey)\(names)"
        }.sorted()
      }
    }
  }

  @Test("AP54: a save is one transaction with the context's author and name")
  func ap54Saves() throws {
    let desk = try Desk()
    desk.context.name = "main"
    desk.context.transactionAuthor = "app"
    let folder = try desk.add("Folder", ["name": .string("inbox")])
    let note = try desk.add("Note", ["title": .string("a"), "body": .string("b")])
    let letter = try desk.add("Letter", ["title": .string("c"), "address": .string("d")])
    try note.setObject(folder, forKey: "folder")
    try desk.context.save()
    desk.context.transactionAuthor = nil
    try note.setValue(.string("e"), forKey: "title")
    try note.setValue(.string("happy"), forKey: "mood")
    try letter.setObject(folder, forKey: "folder")
    try letter.setValue(.integer(3), forKey: "size")
    try desk.context.save()
    try desk.context.delete(note)
    try desk.context.save()
    let transactions = try desk.transactions()
    #expect(transactions.map(\.author) == ["app", nil, nil])
    #expect(transactions.map(\.contextName) == ["main", "main", "main"])
    #expect(
      try desk.words() == [
        ["insert Folder 1", "insert Letter 2", "insert Note 1"],
        ["update Letter 2 folder,size", "update Note 1 title"], ["delete Note 1"],
      ])
    // The value that the store had, not one that was set and never saved.
    #expect(transactions[2].changes?.first?.tombstone == ["title": .string("e")])
    #expect(transactions[0].changes?.map(\.changedObjectID).contains(note.objectID) == true)
    try desk.place.verify()
  }

  @Test(
    "AP54: changed pairs of many-to-many relationships are updates of both ends, with the names of the relationships")
  func ap54Pairs() throws {
    let desk = try Desk()
    let note = try desk.add("Note")
    let letter = try desk.add("Letter")
    let tag = try desk.add("Tag")
    _ = try note.add(tag, to: "tags")
    try desk.context.save()
    let token = try desk.store.currentHistoryToken()
    _ = try letter.add(tag, to: "tags")
    try desk.context.save()
    _ = try note.remove(tag, from: "tags")
    try note.setValue(.string("b"), forKey: "body")
    let fresh = try desk.add("Tag")
    _ = try letter.add(fresh, to: "tags")
    try desk.context.save()
    #expect(
      try desk.words(after: token) == [
        ["update Letter 2 tags", "update Tag 1 notes"],
        ["insert Tag 2", "update Letter 2 tags", "update Note 1 body,tags", "update Tag 1 notes"],
      ])
    try desk.context.delete(letter)
    try desk.context.save()
    #expect(
      try desk.words(after: token).last == ["delete Letter 2", "update Tag 2 notes", "update Tag 1 notes"].sorted())
    try desk.place.verify()
  }

  @Test("saves that write nothing, and saves that fail, are no transactions")
  func noTransactions() throws {
    let desk = try Desk()
    let note = try desk.add("Note", ["title": .string("a")])
    try desk.context.save()
    try desk.context.save()
    try note.setValue(.string("b"), forKey: "title")
    try note.setValue(.string("a"), forKey: "title")
    try desk.context.save()
    #expect(try desk.transactions().count == 1)
    // Somebody else's version of the row makes the save a conflict.
    try note.setValue(.string("c"), forKey: "title")
    try desk.store.connection.execute("UPDATE ZNOTE SET Z_OPT = 9")
    #expect(throws: SaveError.self) { try desk.context.save() }
    #expect(try desk.transactions().count == 1)
    #expect(try desk.place.rows("SELECT count(*) FROM ACHANGE") == ["1"])
    desk.context.rollback()
    try desk.add("Tag", ["name": .string("x")])
    try desk.context.save()
    #expect(try desk.transactions().map(\.transactionNumber) == [1, 2])
  }

  @Test("AP54: a batch insert is one transaction, however many pieces it is written in")
  func ap54BatchInsert() throws {
    let desk = try Desk()
    desk.context.transactionAuthor = "importer"
    var request = BatchInsertRequest("Letter", rows: (1...25).map { ["title": .attribute(.string("\($0)"))] })
    request.resultType = .objectIDs
    var rows = request.rows.makeIterator()
    _ = try desk.context.insert(BatchInsertRequest("Letter", properties: ["title"]), chunkRows: 10) {
      row throws(BatchError) in
      guard rows.next() != nil else { return true }
      do throws(ObjectError) { try row.set(0, "x") } catch { throw BatchError.object(error) }
      return false
    }
    _ = try desk.context.execute(request)
    let transactions = try desk.transactions()
    #expect(transactions.map(\.author) == ["importer", "importer"])
    #expect(transactions.map { $0.objectIDs(of: .insert).map(\.primaryKey) } == [Array(1...25), Array(26...50)])
    #expect(try desk.place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == ["50"])
  }

  @Test("AP54: a batch update is one transaction with the properties that it sets")
  func ap54BatchUpdate() throws {
    let desk = try Desk()
    desk.context.name = "batches"
    for i in 1...4 { try desk.add(i % 2 == 0 ? "Letter" : "Note", ["size": .integer(Int64(i))]) }
    try desk.context.save()
    let token = try desk.store.currentHistoryToken()
    for type in BatchResultType.allCases {
      var request = BatchUpdateRequest(
        "Note", where: try ObjectPredicate(format: "size > 2"), set: ["title": "big", "body": Key("title")])
      request.resultType = type
      _ = try desk.context.execute(request)
    }
    let expected = ["update Letter 4 body,title", "update Note 3 body,title"]
    #expect(try desk.words(after: token) == [expected, expected, expected])
    #expect(try desk.transactions(after: token).map(\.contextName) == ["batches", "batches", "batches"])
    // Nothing is found, so nothing happens.
    _ = try desk.context.execute(BatchUpdateRequest("Note", where: .value(false), set: ["title": "never"]))
    #expect(try desk.transactions(after: token).count == 3)
  }

  @Test("AP54: a batch delete is one transaction with what goes, what is kept of it, and what loses references")
  func ap54BatchDelete() throws {
    let desk = try Desk()
    let folder = try desk.add("Folder", ["name": .string("old")])
    let reader = try desk.add("Reader", ["name": .string("r")])
    for i in 1...4 {
      let note = try desk.add(i == 2 ? "Letter" : "Note", ["title": .string("n\(i)")])
      try note.setObject(i < 3 ? folder : nil, forKey: "folder")
      try note.setObject(i == 4 ? reader : nil, forKey: "reader")
    }
    try desk.context.save()
    let token = try desk.store.currentHistoryToken()
    _ = try desk.context.execute(BatchDeleteRequest("Folder"))
    _ = try desk.context.execute(BatchDeleteRequest("Reader"))
    #expect(
      try desk.words(after: token) == [
        ["delete Folder 1", "delete Letter 2", "delete Note 1"], ["delete Reader 1", "update Note 4 reader"],
      ])
    let kept = try desk.transactions(after: token)[0].changes?.compactMap { $0.tombstone?["title"] }
    #expect(kept == [.string("n1"), .string("n2")])
    #expect(try desk.place.rows("SELECT Z_PK FROM ZNOTE") == ["3", "4"])
  }

  @Test("a batch request that fails leaves no history")
  func failedBatches() throws {
    let desk = try Desk()
    try desk.add("Note", ["title": .string("a")])
    try desk.context.save()
    let request = BatchInsertRequest("Note", properties: ["title"])
    var count = 0
    #expect(throws: BatchError.self) {
      try desk.context.insert(request, chunkRows: 2) { row throws(BatchError) in
        count += 1
        if count == 6 { throw BatchError.source(StoreError(.unsupported, path: "", message: "no more")) }
        return false
      }
    }
    #expect(try desk.transactions().map(\.transactionNumber) == [1])
    #expect(try desk.place.rows("SELECT count(*) FROM ACHANGE") == ["1"])
    try desk.add("Note", ["title": .string("b")])
    try desk.context.save()
    #expect(try desk.transactions().map { $0.changes?.count } == [1, 1])
  }

  @Test("AP54: another context takes over what the transactions of history say")
  func ap54Merging() throws {
    let desk = try Desk()
    let note = try desk.add("Note", ["title": .string("old")])
    let doomed = try desk.add("Note", ["title": .string("doomed")])
    try desk.context.save()
    let token = try desk.store.currentHistoryToken()
    let other = desk.place.anotherContext()
    let copy: ManagedObject = try #require(try other.existingObject(with: note.objectID))
    let gone: ManagedObject = try #require(try other.existingObject(with: doomed.objectID))
    #expect(try copy.value(forKey: "title") == .string("old"))
    try note.setValue(.string("new"), forKey: "title")
    try desk.context.delete(doomed)
    try desk.add("Letter", ["title": .string("fresh")])
    try desk.context.save()
    #expect(try copy.value(forKey: "title") == .string("old"))
    for transaction in try desk.transactions(after: token) { try other.mergeChanges(from: transaction) }
    #expect(try copy.value(forKey: "title") == .string("new"))
    #expect(!gone.isValid)
    #expect(try other.existingObject(with: doomed.objectID) == nil)
    let stranger = try Desk()
    try stranger.add("Note")
    try stranger.context.save()
    let foreign = try #require(try stranger.transactions().first)
    #expect(objectErrorCode { try other.mergeChanges(from: foreign) } == .otherContext)
  }

  @Test("AP54: history replayed over random work gives the objects that are there")
  func ap54Random() throws {
    let seed = Soak.seed(4114)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      let desk = try Desk()
      var notes: [ManagedObject] = []
      var tags: [ManagedObject] = []
      for i in 0..<3 { tags.append(try desk.add("Tag", ["name": .string("\(i)")])) }
      try desk.context.save()
      for _ in 0..<25 {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = notes.indices.randomElement(using: &random)
          switch (Int.random(in: 0..<8, using: &random), place) {
          case (0...2, _), (_, nil):
            notes.append(try desk.add(Bool.random(using: &random) ? "Note" : "Letter", ["title": .string("new")]))
          case (3, let place?): try desk.context.delete(notes.remove(at: place))
          case (4, let place?):
            let tag = tags[Int.random(in: 0..<3, using: &random)]
            if try !notes[place].add(tag, to: "tags") { _ = try notes[place].remove(tag, from: "tags") }
          case (_, let place?):
            let key = ["title", "body"][Int.random(in: 0..<2, using: &random)]
            let value = "\(Int.random(in: 0..<3, using: &random))"
            try notes[place].setValue(.string(value), forKey: key)
          }
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
          desk.context.rollback()
          notes = try desk.context.fetchAll("Note")
        } else {
          try desk.context.save()
        }
      }
      try desk.context.save()
      var alive = Set<ManagedObjectID>()
      for transaction in try desk.transactions() {
        #expect(transaction.unreadableChangeCount == 0, "seed \(seed)")
        for change in transaction.changes ?? [] where change.changedObjectID.entity.name != "Tag" {
          switch change.changeType {
          case .insert: #expect(alive.insert(change.changedObjectID).inserted, "seed \(seed)")
          case .update: #expect(alive.contains(change.changedObjectID), "seed \(seed)")
          case .delete: #expect(alive.remove(change.changedObjectID) != nil, "seed \(seed)")
          }
        }
      }
      #expect(alive == Set(notes.map(\.objectID)), "seed \(seed)")
      try desk.place.verify()
    }
  }
}
