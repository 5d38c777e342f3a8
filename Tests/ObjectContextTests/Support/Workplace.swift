import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A store in a folder of its own, with a coordinator and a context on it.
final class Workplace {
  let folder: TemporaryFolder
  let model: ManagedObjectModel
  private(set) var coordinator: PersistentStoreCoordinator
  private(set) var context: ManagedObjectContext
  private let kind: StoreKind

  init(_ model: ManagedObjectModel, kind: StoreKind = .sqlite) throws {
    folder = TemporaryFolder()
    self.model = model
    self.kind = kind
    coordinator = kind.coordinator(model)
    try coordinator.addStore(type: kind.type, at: folder.file("store.sqlite"))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  var path: String { folder.file("store.sqlite") }

  /// A second context on the same store.
  func anotherContext() -> ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }

  /// Closes the store and opens it again, with a fresh context.
  ///
  /// What is in memory stays open, as it would be gone.
  func reopen() throws {
    if kind.isPersistent {
      try coordinator.close()
      coordinator = kind.coordinator(model)
      try coordinator.addStore(type: kind.type, at: path)
    }
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Closes the store and checks it.
  ///
  /// A store of another type than SQLite is migrated first, as only SQLite stores can be checked.
  func verify(sourceLocation: SourceLocation = #_sourceLocation) throws {
    var path = self.path
    if kind != .sqlite {
      path = folder.file("migrated.sqlite")
      try coordinator.migratePersistentStore(try #require(coordinator.store), to: path, type: .sqlite)
    }
    try coordinator.close()
    let report = try StoreVerifier.verify(path: path, model: model)
    let errors = report.findings.filter { $0.severity != .note }
    #expect(errors.isEmpty, "\(errors)", sourceLocation: sourceLocation)
  }

  /// The rows of a query, columns joined by `|`, nulls as `null`.
  func rows(_ sql: String) throws -> [String] {
    let store = try #require(coordinator.store)
    let statement = try store.connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "null" : statement.text($0) }.joined(separator: "|"))
    }
    return rows
  }

  /// The statements that `body` runs, without the question whether another connection has written.
  func statements(_ body: () throws -> Void) throws -> [String] {
    let store = try #require(coordinator.store)
    var seen: [String] = []
    store.connection.trace { if $0 != "PRAGMA data_version" { seen.append($0) } }
    defer { store.connection.trace(nil) }
    try body()
    return seen
  }
}

/// Runs `body` and returns the code of the ``ObjectError`` it throws; `nil` when it throws none.
func objectErrorCode(_ body: () throws -> Void) -> ObjectError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ObjectError)?.code
  }
}

/// Runs `body` and returns the ``SaveError`` it throws; `nil` when it throws none.
func saveError(_ body: () throws -> Void) -> SaveError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SaveError
  }
}

extension [ManagedObject] {
  /// The values of an attribute as short texts, for comparing.
  func names(_ key: String = "name") -> [String] {
    map { object in
      guard let value = try? object.value(forKey: key), case .string(let text) = value else { return "?" }
      return text
    }
  }
}

/// The values of an attribute of all objects of an entity, as a new context reads them.
func storedNames(
  _ coordinator: PersistentStoreCoordinator, _ entity: String, _ key: String = "name"
) throws -> [String] {
  let context = ManagedObjectContext(coordinator: coordinator)
  // Objects are valid only while their context lives.
  return try withExtendedLifetime(context) { try context.fetchAll(entity).names(key) }
}

/// A new skill, of the model ``Models/works()``.
func skill(_ title: String, _ context: ManagedObjectContext) throws -> ManagedObject {
  let skill = try context.insert("Skill")
  try skill.setValue(.string(title), forKey: "title")
  return skill
}
