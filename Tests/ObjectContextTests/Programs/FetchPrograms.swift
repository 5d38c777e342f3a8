import CoreData
import MergewalkTestSupport
import Testing

/// Small programs as people write them for Core Data, with what its documentation says about fetches and batches.
@Suite("Programs: fetches, aggregates, batches, history")
struct FetchPrograms {
  private let place: Workplace
  private var context: NSManagedObjectContext { place.context }

  /// Items of three shops: amounts 0, 10, ..., 80, of shop s0, s1, s2 by turns.
  init() throws {
    place = try Workplace(try ConflictModels.shop())
    let shops = try (0..<3).map { try place.context.make("Shop", ["name": .string("s\($0)")]) }
    for number in 0..<9 {
      let item = try place.context.make(
        "Item",
        [
          "code": .string("c\(number)"), "name": .string("n\(number % 2)"), "amount": .integer(Int64(number) * 10),
          "note": number % 4 == 0 ? .null : .string("note"),
        ])
      try item.setObject(shops[number % 3], forKey: "shop")
    }
    try place.context.save()
  }

  private func codes(
    _ format: String, _ sort: String = "code", configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  )
    throws -> [String]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSPredicate(format: format)
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    configure(request)
    return try context.fetch(request).names("code")
  }

  private func item(_ code: String) throws -> NSManagedObject {
    try #require(try context.fetch("Item", where: ["code": .string(code)]).first)
  }

  @Test("without pending changes the store decides, with them what is here")
  func pendingChanges() throws {
    let (changed, deleted) = (try item("c1"), try item("c2"))
    try changed.setValue(.integer(999), forKey: "amount")
    try context.delete(deleted)
    _ = try context.make("Item", ["code": .string("new"), "amount": .integer(15)])
    #expect(try codes("amount < 30") == ["c0", "new"])
    #expect(try codes("amount < 30") { $0.includesPendingChanges = false } == ["c0", "c1", "c2"])
    // An object of the context has its own values, also when the store found it.
    #expect(try changed["amount"] == .integer(999))
    #expect(try codes("amount < 30", "amount") { $0.fetchOffset = 1 } == ["new"])
    #expect(try codes("amount >= 0", "amount") { ($0.fetchOffset, $0.fetchLimit) = (7, 5) } == ["c8", "c1"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    #expect(try context.count(for: request) == 9)
    request.fetchLimit = 4
    #expect(try context.count(for: request) == 4)
    request.fetchOffset = 7
    #expect(try context.count(for: request) == 2)
    request.includesPendingChanges = false
    (request.fetchOffset, request.fetchLimit) = (0, 0)
    #expect(try context.count(for: request) == 9)
  }

  @Test("a batch size changes nothing but how the rows come")
  func batchSize() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: false)]
    let plain = try context.fetch(request).names("code")
    request.fetchBatchSize = 2
    let batched = try context.fetch(request)
    #expect(batched.count == 9 && batched.names("code") == plain)
    try context.delete(batched[3])
    try context.save()
    #expect(batched.count == 9)
    #expect(try batched[8] == item("c0"))
    (request.fetchOffset, request.fetchLimit) = (2, 3)
    #expect(try context.fetch(request).names("code") == ["c6", "c4", "c3"])
  }

  @Test("collections in predicates: ANY, ALL, NONE, counts, sums and subqueries, before and after the save")
  func collections() throws {
    func shops(_ format: String) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Shop")
      request.predicate = NSPredicate(format: format)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      return try context.fetch(request).names()
    }
    let cases: [(String, [String])] = [
      ("ANY items.amount > 70", ["s2"]), ("ALL items.amount < 80", ["empty", "s0", "s1"]),
      ("NONE items.amount < 20", ["empty", "s2"]), ("items.@count == 3", ["s0", "s1", "s2"]),
      ("items.@count == 0", ["empty"]), ("items.@sum.amount == 120", ["s1"]),
      ("items.@max.amount >= 70", ["s1", "s2"]),
      ("items.@min.amount == 0", ["s0"]), ("items.@avg.amount == 50", ["s2"]),
      ("SUBQUERY(items, $i, $i.amount > 20 AND $i.name == 'n0').@count == 1", ["s0", "s1", "s2"]),
      ("SUBQUERY(items, $i, $i.note == nil).@count > 0", ["s0", "s1", "s2"]),
      ("ANY items.name BEGINSWITH[cd] 'N' AND name ENDSWITH '2'", ["s2"]),
      ("name IN {'s0', 'S1'}", ["s0"]), ("name LIKE[c] 'S?'", ["s0", "s1", "s2"]),
      ("name MATCHES 's[01]'", ["s0", "s1"]),
      ("name BETWEEN {'s1', 's2'}", ["s1", "s2"]), ("NOT (name CONTAINS 's')", ["empty"]),
      ("TRUEPREDICATE", ["empty", "s0", "s1", "s2"]),
    ]
    let empty = try context.make("Shop", ["name": .string("empty")])
    // Once with everything saved, once with the same things changed here only.
    for (format, expected) in cases { #expect(try shops(format) == expected, "pending: \(format)") }
    try context.save()
    for (format, expected) in cases { #expect(try shops(format) == expected, "saved: \(format)") }
    for object in try context.fetchAll("Item") { try object.setValue(.string("changed"), forKey: "note") }
    try empty.setValue(.string("empty"), forKey: "name")
    #expect(try shops("SUBQUERY(items, $i, $i.note == nil).@count > 0").isEmpty)
    #expect(try shops("ANY items.note == 'changed'") == ["s0", "s1", "s2"])
  }

  private func value(_ expression: NSExpression, _ type: NSAttributeType, _ predicate: String? = nil) throws -> Any? {
    let description = NSExpressionDescription()
    (description.name, description.expression, description.expressionResultType) = ("x", expression, type)
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.propertiesToFetch = [description]
    return try context.fetch(request).first?["x"]
  }

  @Test("aggregates of expressions come as dictionaries; what is not saved does not count in them")
  func aggregates() throws {
    let amount = NSExpression(forKeyPath: "amount")
    try item("c8").setValue(.integer(1_000_000), forKey: "amount")
    #expect(try value(NSExpression(forFunction: "sum:", arguments: [amount]), .integer64AttributeType) as? Int == 360)
    #expect(try value(NSExpression(forFunction: "max:", arguments: [amount]), .integer32AttributeType) as? Int == 80)
    #expect(try value(NSExpression(forFunction: "min:", arguments: [amount]), .integer32AttributeType) as? Int == 0)
    #expect(
      try value(NSExpression(forFunction: "average:", arguments: [amount]), .doubleAttributeType, "shop.name == 's1'")
        as? Double == 40)
    let note = NSExpression(forKeyPath: "note")
    #expect(try value(NSExpression(forFunction: "count:", arguments: [note]), .integer64AttributeType) as? Int == 6)
    // Of nothing there is no greatest one, and the sum is 0.
    #expect(
      try value(NSExpression(forFunction: "max:", arguments: [amount]), .integer32AttributeType, "code == 'x'") == nil)
    #expect(
      try value(NSExpression(forFunction: "sum:", arguments: [amount]), .integer64AttributeType, "code == 'x'") as? Int
        == 0)
    // The same expressions have a value in memory.
    let shop = try #require(try context.fetchAll("Shop").first)
    guard case .attribute(let sum) = try NSExpression(format: "items.@sum.amount").evaluate(with: .object(shop)) else {
      Issue.record("a sum is a value")
      return
    }
    #expect(sum == .integer(90))
  }

  @Test("dictionaries: groups, having, distinct values, to-one key paths and IDs")
  func dictionaries() throws {
    let count = NSExpressionDescription()
    (count.name, count.expression) = (
      "n", NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "code")])
    )
    count.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.propertiesToGroupBy = ["shop.name", "name"]
    request.propertiesToFetch = ["shop.name", "name", count]
    request.havingPredicate = NSPredicate(format: "count:(code) > 1")
    request.sortDescriptors = [
      NSSortDescriptor(key: "shop.name", ascending: false), NSSortDescriptor(key: "name", ascending: true),
    ]
    let rows = try context.fetch(request)
    #expect(
      rows.map { "\($0["shop.name"] ?? "") \($0["name"] ?? "") \($0["n"] ?? "")" } == ["s2 n0 2", "s1 n1 2", "s0 n0 2"])
    let distinct = NSFetchRequest<NSDictionary>(entityName: "Item")
    distinct.propertiesToFetch = ["name"]
    distinct.returnsDistinctResults = true
    #expect(try context.fetch(distinct).count == 2)
    distinct.fetchLimit = 1
    #expect(try context.fetch(distinct).count == 1)
    let ids = NSFetchRequest<NSDictionary>(entityName: "Item")
    ids.predicate = NSPredicate(format: "code == 'c0'")
    ids.propertiesToFetch = ["shop", "code"]
    let id = try #require(try context.fetch(ids).first?["shop"] as? NSManagedObjectID)
    #expect(try context.object(with: id)["name"] == .string("s0"))
  }

  @Test("a batch update passes by the context until its result is merged; what was changed here stays")
  func batchUpdate() throws {
    let (one, two) = (try item("c1"), try item("c2"))
    _ = (try one["amount"], try two["amount"])
    try two.setValue(.string("mine"), forKey: "note")
    let request = NSBatchUpdateRequest(entityName: "Item")
    request.predicate = NSPredicate(format: "amount < 50")
    request.propertiesToUpdate = ["amount": NSExpression(forConstantValue: 7), "note": "batch"]
    request.resultType = .updatedObjectIDsResultType
    let result = try context.execute(request)
    let ids = try #require(result.result as? [NSManagedObjectID])
    #expect(ids.count == 5 && Set(ids).contains(one.objectID))
    #expect(try one["amount"] == .integer(10))
    try NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
    #expect(try one["amount"] == .integer(7) && one["note"] == .string("batch"))
    #expect(try two["amount"] == .integer(7) && two["note"] == .string("mine"))
    try context.save()
    #expect(
      try place.rows("SELECT ZNOTE FROM ZITEM WHERE ZAMOUNT = 7 ORDER BY ZCODE") == [
        "batch", "batch", "mine", "batch", "batch",
      ])
  }

  @Test("a batch delete passes by the context: deleted objects are faults that cannot be filled until it is merged")
  func batchDelete() throws {
    let gone = try item("c3")
    let kept = try item("c4")
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
    fetch.predicate = NSPredicate(format: "amount <= 30")
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request)
    #expect(result.deletedObjectIDs.count == 4)
    #expect(try gone["code"] == .string("c3"), "it was read before")
    try NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result.deletedObjectIDs], into: [context])
    #expect(gone.isDeleted && !kept.isDeleted)
    #expect(try context.count("Item") == 5)
    let shop = try #require(try kept.object(forKey: "shop"))
    #expect(try shop.objects(forKey: "items").count == 2)
    try place.verify()
  }

  @Test("history: tokens lead on, travel as text, and what was deleted before them is missed")
  func historyTokens() throws {
    let folder = TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ConflictModels.shop())
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let store = try coordinator.addStore(type: .sqlite, at: folder.file("s.sqlite"), options: options)
    let context = NSManagedObjectContext(coordinator: coordinator)
    func changes(after token: NSPersistentHistoryToken?) throws -> [String] {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let found = try #require(try context.execute(request).result as? [NSPersistentHistoryTransaction])
      return found.flatMap { transaction in
        (transaction.changes ?? []).map {
          "\(transaction.author ?? "-") \($0.changeType) \($0.changedObjectID.entity.name)"
        }
      }
    }
    let first = try store.currentHistoryToken()
    context.transactionAuthor = "one"
    let item = try context.make("Item", ["code": .string("a")])
    try context.save()
    let second = try store.currentHistoryToken()
    context.transactionAuthor = "two"
    try item.setValue(.string("x"), forKey: "name")
    try context.save()
    context.transactionAuthor = nil
    try context.delete(item)
    try context.save()
    #expect(try changes(after: first) == ["one insert Item", "two update Item", "- delete Item"])
    #expect(try changes(after: second) == ["two update Item", "- delete Item"])
    let last = try store.currentHistoryToken()
    #expect(try changes(after: last).isEmpty)
    try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
    let error = #expect(throws: StoreError.self) { try changes(after: first) }
    #expect(error?.code == .expiredHistoryToken)
    #expect(try changes(after: last).isEmpty)
  }
}
