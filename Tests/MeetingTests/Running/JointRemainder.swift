import CMergewalkSQLite
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite

/// Leaves a store behind whose last save has reached another store and not this one.
///
/// It is as if a process had been killed between the two commits. Whoever opens it next completes the save; then it holds what it held before.
struct JointRemainder {
  let path: String
  let model: ManagedObjectModel

  private static let attributes = [("Item", "label"), ("Tag", "name"), ("Person", "email"), ("Line", "text")]

  func leave() throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try coordinator.addStore(type: .sqlite, at: path)
    let other = try coordinator.addStore(type: .sqlite, at: path + ".other")
    let context = ManagedObjectContext(coordinator: coordinator)
    var former: [(object: ManagedObject, key: String, value: AttributeValue)] = []
    for (entity, key) in Self.attributes {
      for object in try context.fetch(FetchRequest(entity)).prefix(9) {
        former.append((object, key, try object.value(forKey: key)))
        try object.setValue(.string("other \(former.count)"), forKey: key)
      }
    }
    try context.save()
    for (object, key, value) in former { try object.setValue(value, forKey: key) }
    let tag = try context.insert("Tag")
    try context.assign(tag, to: other)
    try tag.setValue(.string("elsewhere"), forKey: "name")
    sqlite3_commit_hook(store.connection.handle, { _ in 1 }, nil)
    do {
      try context.save()
      throw MeetingFailure("the save has reached both stores")
    } catch is SaveError {
      guard coordinator.partialSaves.map(\.missingPath) == [store.path] else {
        throw MeetingFailure("the save is not in one store alone: \(coordinator.partialSaves)")
      }
    }
    try coordinator.close()
  }

  /// What the stores lack of saves that the other one has.
  func lacking() throws -> [PartialSave] {
    let coordinator = PersistentStoreCoordinator(model: model)
    for path in [path, path + ".other"] { try coordinator.addStore(type: .sqlite, at: path) }
    defer { try? coordinator.close() }
    return coordinator.partialSaves
  }
}
