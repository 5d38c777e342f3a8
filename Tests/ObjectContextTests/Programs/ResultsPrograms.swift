import CoreData
import Testing

/// Small programs as people write them for Core Data: results controllers and unique values.
@Suite("Programs: results controllers, unique values")
struct ResultsPrograms {
  private final class Listener: NSFetchedResultsControllerDelegate {
    var heard: [String] = []

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) { heard.append("\(type) section \(sectionInfo.name)") }
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      func text(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }
      let name = [anObject as? NSManagedObject].compactMap { $0 }.names("code").first ?? "?"
      heard.append("\(type) \(name) \(text(indexPath)) \(text(newIndexPath))")
    }
  }

  /// Does something when it first hears that the content will change.
  private final class Meddler: NSFetchedResultsControllerDelegate {
    var heard: [String] = []
    var meddles: (() throws -> Void)?

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      heard.append("begin")
      let meddles = self.meddles
      self.meddles = nil
      do { try meddles?() } catch { heard.append("\(error)") }
    }
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      let place = indexPath ?? newIndexPath
      heard.append("\(type) \(place?.section ?? -1).\(place?.row ?? -1)")
    }
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      heard.append("end \(controller.fetchedObjects?.count ?? -1)")
    }
  }

  private let place: Workplace
  private let listener = Listener()
  private let controller: NSFetchedResultsController<NSManagedObject>
  private var context: NSManagedObjectContext { place.context }

  init() throws {
    place = try Workplace(try ConflictModels.shop())
    for (code, name) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")] {
      _ = try place.context.make("Item", ["code": .string(code), "name": .string(name)])
    }
    try place.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [
      NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "code", ascending: true),
    ]
    request.predicate = NSPredicate(format: "amount >= 0")
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: place.context, sectionNameKeyPath: "name", cacheName: nil)
    controller.delegate = listener
    try controller.performFetch()
  }

  private func item(_ code: String) throws -> NSManagedObject {
    try #require(try context.fetch("Item", where: ["code": .string(code)]).first)
  }

  private func layout() -> String {
    (controller.sections ?? []).map { section in
      "\(section.name):" + (section.objects as? [NSManagedObject] ?? []).names("code").joined()
    }.joined(separator: " ")
  }

  /// What a list would show that did what the listener heard, with sections and rows as UIKit takes them.
  private func heard() throws -> [String] {
    listener.heard = []
    try context.processPendingChanges()
    return listener.heard
  }

  @Test("an object moves to another section, to a new one, and empties its own")
  func sections() throws {
    #expect(layout() == "x:ab y:c z:d")
    try item("a").setValue(.string("y"), forKey: "name")
    #expect(try heard() == ["move a 0.0 1.0"])
    #expect(layout() == "x:b y:ac z:d")
    try item("b").setValue(.string("w"), forKey: "name")
    #expect(try heard() == ["delete section x", "insert section w", "move b 0.0 0.0"])
    #expect(layout() == "w:b y:ac z:d")
    try context.delete(try item("d"))
    #expect(try heard() == ["delete section z", "delete d 2.0 -"])
    context.rollback()
    #expect(layout() == "x:ab y:c z:d")
  }

  @Test(
    "objects come and go by the predicate; a change of another property is an update; what another context saves is merged"
  )
  func predicate() throws {
    try item("c").setValue(.integer(-1), forKey: "amount")
    #expect(try heard() == ["delete section y", "delete c 1.0 -"])
    try item("a").setValue(.string("note"), forKey: "note")
    #expect(try heard() == ["update a 0.0 0.0"])
    try item("c").setValue(.integer(1), forKey: "amount")
    #expect(try heard() == ["insert section y", "insert c - 1.0"])
    try context.save()
    let other = place.anotherContext()
    let theirs = try #require(try other.fetch("Item", where: ["code": .string("d")]).first)
    try theirs.setValue(.string("x"), forKey: "name")
    _ = try other.make("Item", ["code": .string("aa"), "name": .string("x")])
    listener.heard = []
    let token = other.observe(.didSave) { event in
      #expect(throws: Never.self) { try context.mergeChanges(from: event) }
    }
    try other.save()
    token.cancel()
    #expect(listener.heard == ["delete section z", "insert aa - 0.1", "move d 2.0 0.3"])
    #expect(layout() == "x:aabd y:c".replacing("aabd", with: "aaabd"))
  }

  @Test("a delegate that saves while it is told of a change is told of its own change afterwards")
  func savingDelegate() throws {
    let meddler = Meddler()
    controller.delegate = meddler
    let context = context
    meddler.meddles = {
      for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) {
        try context.delete(object)
      }
      try context.save()
    }
    _ = try context.make("Item", ["code": .string("e"), "name": .string("z")])
    try context.save()
    #expect(
      meddler.heard == [
        "begin", "insert 2.1", "end 5", "begin", "delete 0.0", "delete 0.1", "delete 1.0", "delete 2.0", "delete 2.1",
        "end 0",
      ])
    #expect(controller.fetchedObjects?.isEmpty == true && controller.sections?.isEmpty == true)
  }

  @Test("inserting and deleting in one event is no news, and neither is a value set back")
  func nothing() throws {
    let new = try context.make("Item", ["code": .string("n"), "name": .string("x")])
    try context.delete(new)
    let a = try item("a")
    try a.setValue(.string("q"), forKey: "name")
    try a.setValue(.string("x"), forKey: "name")
    #expect(try heard().isEmpty)
    context.reset()
    #expect(controller.fetchedObjects?.count == 4)
  }

  @Test(
    "a new object with the code of a stored one, while another context changes that: each policy",
    arguments: [
      (MergePolicy.Kind.mergeByPropertyStoreTrump, "theirs|5"), (.mergeByPropertyObjectTrump, "mine|5"),
      (.overwrite, "mine|0"), (.rollback, "theirs|5"), (.error, "theirs|5"),
    ])
  func unique(policy: (kind: MergePolicy.Kind, row: String)) throws {
    let stored = try item("a")
    try stored.setValue(.integer(5), forKey: "amount")
    try stored.setValue(.string("theirs"), forKey: "name")
    try context.save()
    let other = place.anotherContext()
    other.mergePolicy = MergePolicy(policy.kind)
    let shop = try other.make("Shop", ["name": .string("s")])
    let new = try other.make("Item", ["code": .string("a"), "name": .string("mine")])
    try new.setObject(shop, forKey: "shop")
    let error = saveError { try other.save() }
    #expect((error?.code == .constraint) == (policy.kind == .error))
    #expect(try place.rows("SELECT ZNAME, ZAMOUNT FROM ZITEM WHERE ZCODE = 'a'") == [policy.row])
    #expect(try place.rows("SELECT count(*) FROM ZITEM WHERE ZCODE = 'a'") == ["1"])
    if policy.kind == .error {
      other.rollback()
    } else {
      #expect(new.objectID == stored.objectID && !other.hasChanges)
    }
    try context.refreshAllObjects()
    #expect(try stored["name"] == .string(String(policy.row.prefix { $0 != "|" })))
    try place.verify()
  }
}
