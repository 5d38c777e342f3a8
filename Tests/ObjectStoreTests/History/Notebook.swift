import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A store of notes, written at the level of rows: each ``save(author:context:_:rows:)`` does what a save of the object
/// layer does.
final class Notebook {
  let folder = TemporaryFolder()
  let model: ManagedObjectModel
  private(set) var store: PersistentStore
  var connection: Connection { store.connection }

  /// Letters are notes, and notes are in folders.
  ///
  /// `code`, `title` and `scan` (in files) of notes and `stamp` of letters are kept.
  static func model(keeping isKept: Bool = true) throws -> ManagedObjectModel {
    func kept(_ name: String, _ type: AttributeType) -> AttributeDescription {
      var attribute = Models.attribute(name, type)
      attribute.preservesValueInHistoryOnDeletion = isKept
      return attribute
    }
    var note = EntityDraft(name: "Note")
    var draft = kept("draft", .string)
    draft.isTransient = true
    var scan = kept("scan", .binary)
    scan.allowsExternalBinaryDataStorage = true
    note.attributes = [
      Models.attribute("body", .string), kept("title", .string), Models.attribute("pinned", .boolean),
      Models.attribute("modifiedAt", .date), kept("code", .uuid), scan, draft,
    ]
    note.relationships = [
      Models.toOne("folder", "Folder", inverse: "notes"), Models.toMany("related", "Note", inverse: "related"),
    ]
    var letter = EntityDraft(name: "Letter")
    letter.parentName = "Note"
    letter.attributes = [kept("stamp", .decimal), Models.attribute("address", .string)]
    var folder = EntityDraft(name: "Folder")
    folder.attributes = [Models.attribute("name", .string)]
    folder.relationships = [Models.toMany("notes", "Note", inverse: "folder")]
    var model = ModelDraft()
    model.entities = [note, letter, folder]
    return try ManagedObjectModel(model)
  }

  init(tracksHistory: Bool = true, keeping isKept: Bool = true, prepare: String? = nil) throws {
    model = try Self.model(keeping: isKept)
    let path = folder.file("notes.sqlite")
    let file = try StoreFile.create(path: path, model: model)
    if let prepare { try file.connection.execute(prepare) }
    try file.finish()
    store = try Self.open(path, model, tracksHistory: tracksHistory)
  }

  private static func open(
    _ path: String, _ model: ManagedObjectModel, tracksHistory: Bool
  ) throws -> PersistentStore {
    let file = try StoreFile.open(path: path, model: model)
    file.keepCommits()
    var options = PersistentStoreOptions()
    options.tracksHistory = tracksHistory
    return try PersistentStore(file: file, options: options)
  }

  /// Closes the store and opens it again.
  func reopen(tracksHistory: Bool = true, between sql: String? = nil) throws {
    try store.file.finish()
    if let sql {
      let connection = try Connection(path: store.path, mode: .readWrite)
      try connection.execute(sql)
      try connection.close()
    }
    store = try Self.open(folder.file("notes.sqlite"), model, tracksHistory: tracksHistory)
  }

  // MARK: Writing

  func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

  /// A list of changes.
  struct Changes {
    var changes = StoreChanges()
    let model: ManagedObjectModel

    mutating func insert(_ entity: String, _ key: Int64) throws { try add(.insert, entity, key, -1) }
    mutating func delete(_ entity: String, _ key: Int64) throws { try add(.delete, entity, key, -1) }

    mutating func update(_ entity: String, _ key: Int64, _ names: String...) throws {
      try update(entity, key, names)
    }

    mutating func update(_ entity: String, _ key: Int64, _ names: [String]) throws {
      let description = try #require(model.entity(named: entity))
      var set: [UInt64] = [0]
      for name in names {
        let slot = try #require(
          description.attribute(named: name)?.slot ?? description.relationship(named: name)?.slot)
        set[slot >> 6] |= 1 << UInt64(slot & 63)
      }
      let index = changes.slotSets.firstIndex(of: set) ?? changes.slotSets.count
      if index == changes.slotSets.count { changes.slotSets.append(set) }
      try add(.update, entity, key, Int32(index))
    }

    private mutating func add(_ kind: StoreChanges.Kind, _ entity: String, _ key: Int64, _ set: Int32) throws {
      let description = try #require(model.entity(named: entity))
      changes.changes.append(
        StoreChanges.Change(kind: kind, entity: description.index, primaryKey: key, slotSet: set))
    }
  }

  /// What the save ends like.
  enum End { case commit, rollBack }

  /// Does what a save does: a transaction with the observers called around the rows.
  func save(
    author: String? = nil, context: String? = nil, end: End = .commit, rows: String,
    _ fill: (inout Changes) throws -> Void
  ) throws {
    try save(author: author, context: context, end: end) { list in
      try fill(&list)
      return rows
    }
  }

  /// Does what a save does that writes no rows, only history.
  func save(
    author: String? = nil, context: String? = nil, _ fill: (inout Changes) throws -> Void
  ) throws {
    try save(author: author, context: context, end: .commit, rows: "", fill)
  }

  /// Does what a save does; `fill` returns the statements that write the rows.
  func save(
    author: String?, context: String? = nil, end: End, _ fill: (inout Changes) throws -> String
  ) throws {
    var list = Changes(model: model)
    list.changes.author = author
    list.changes.contextName = context
    let rows = try fill(&list)
    try connection.execute("BEGIN IMMEDIATE")
    for observer in store.observers { try observer.willWrite(list.changes, to: store) }
    if !rows.isEmpty { try connection.execute(rows) }
    for observer in store.observers { try observer.didWrite(list.changes, to: store) }
    switch end {
    case .commit: try connection.execute("COMMIT")
    case .rollBack:
      try connection.execute("ROLLBACK")
      for observer in store.observers { observer.didRollBack(store) }
    }
  }

  // MARK: Reading

  /// The rows of a query, their columns with bars between, null as `-`.
  func rows(_ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.text($0) }.joined(separator: "|"))
    }
    return rows
  }

  /// The transactions after a token.
  func transactions(
    after token: PersistentHistoryToken? = nil, _ change: (inout PersistentHistoryChangeRequest) -> Void = { _ in }
  ) throws -> [PersistentHistoryTransaction] {
    var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    change(&request)
    guard case .transactions(let transactions) = try store.execute(request) else {
      throw StoreError(.unsupported, path: store.path, message: "the result holds no transactions")
    }
    return transactions
  }

  /// Changes in short: `insert Note 1`.
  static func words(_ changes: [PersistentHistoryChange]?) -> [String] {
    (changes ?? []).map { change in
      let names = change.updatedProperties.map { " " + $0.joined(separator: ",") } ?? ""
      return "\(change.changeType) \(change.changedObjectID.entity.name) \(change.changedObjectID.primaryKey)\(names)"
    }
  }
}
