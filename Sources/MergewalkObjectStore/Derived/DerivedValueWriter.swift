package import MergewalkObjectModel
import MergewalkSQLite

/// Keeps the values of derived attributes: after the rows of a save are written, those of the objects concerned are
/// computed by the store, one statement an attribute.
///
/// Objects are concerned when they are new, when a value or a relationship that the expression names was written, in
/// them or in the objects at the end of the path, and when an object on the path is new or gone. Who refers to an
/// object is asked before the rows are written and again afterwards, so that former owners are found too. Values that
/// are taken from other derived values come after these, and concern the objects that those concerned.
///
/// Versions (`Z_OPT`) do not move: objects need not be fetched again before their next save. The contexts have the
/// former value until they refresh the object, as with Core Data.
final class DerivedValueWriter: StoreObserver {
  private let attributes: [DerivedAttribute]
  /// For each attribute, the later ones that are taken from it, and at which of their levels.
  private let followers: [[(attribute: Int, level: Int)]]
  private let statements: StatementCache
  private let path: String
  /// The time, in seconds since 2001-01-01 00:00:00 UTC.
  var clock: () -> Double = ExpressionFunction.currentTime
  /// Whose values have to be computed in the transaction that is open, by attribute.
  private var concerned: [Set<Int64>]

  /// Makes a store compute derived values; does nothing when its model has none.
  ///
  /// A store that is being built gets all of them when it is finished: it has no indexes yet.
  static func attach(to store: PersistentStore) {
    guard !store.file.isNew, !store.isReadOnly else { return }
    let attributes = store.schema.derivedAttributes
    guard !attributes.isEmpty else { return }
    store.observers.append(DerivedValueWriter(attributes, store))
  }

  /// Leaves derived values to whoever keeps the records of an incremental store: not all of its rows are here.
  static func detach(from store: PersistentStore) { store.observers.removeAll { $0 is DerivedValueWriter } }

  private init(_ attributes: [DerivedAttribute], _ store: PersistentStore) {
    self.attributes = attributes
    followers = attributes.indices.map { index in
      attributes.indices[(index + 1)...].compactMap { next in
        attributes[next].level(needing: attributes[index]).map { (next, $0) }
      }
    }
    statements = store.queryStatements
    path = store.path
    concerned = Array(repeating: [], count: attributes.count)
  }

  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    concerned = Array(repeating: [], count: attributes.count)
    try collect(changes, isBefore: true)
  }

  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    try collect(changes, isBefore: false)
    let now = clock()
    for (i, attribute) in attributes.enumerated() where !concerned[i].isEmpty {
      let hasTime = attribute.value == nil
      if hasTime, store.file.isReproducible { continue }
      let keys = concerned[i].sorted()
      concerned[i] = []
      try run(attribute.update(listed: true), keys, time: hasTime ? now : nil)
      for (next, level) in followers[i] { try concern(next, level, keys) }
    }
  }

  func didRollBack(_ store: PersistentStore) { concerned = Array(repeating: [], count: attributes.count) }

  private func collect(_ changes: StoreChanges, isBefore: Bool) throws(StoreError) {
    for (i, attribute) in attributes.enumerated() {
      for (number, level) in attribute.levels.enumerated() {
        if number == 0, isBefore { continue }
        let entities = level.entity.index...level.entity.lastDescendantIndex
        // Whether each set of slots has one that matters; time matters to every change.
        let matters = changes.slotSets.map { set in
          attribute.value == nil
            || level.slots.contains { $0 >> 6 < set.count && set[$0 >> 6] >> (UInt64($0) & 63) & 1 == 1 }
        }
        let keys = changes.changes.compactMap { change -> Int64? in
          guard entities.contains(change.entity) else { return nil }
          switch change.kind {
          case .insert: return isBefore ? nil : change.primaryKey
          case .delete: return isBefore ? change.primaryKey : nil
          case .update: return change.slotSet < 0 || matters[Int(change.slotSet)] ? change.primaryKey : nil
          }
        }
        if keys.isEmpty { continue }
        try concern(i, number, keys)
      }
    }
  }

  /// Notes the objects whose values are taken from objects at a level.
  private func concern(_ attribute: Int, _ level: Int, _ keys: [Int64]) throws(StoreError) {
    if level == 0 { return concerned[attribute].formUnion(keys) }
    try run(attributes[attribute].owners(level: level), keys) { self.concerned[attribute].insert($0) }
  }

  /// Runs a statement over a list of keys and calls `body` with the first column of each row.
  private func run(
    _ sql: String, _ keys: [Int64], time: Double? = nil, _ body: (Int64) -> Void = { _ in }
  ) throws(StoreError) {
    let statement: Statement
    do {
      statement = try statements.take(sql)
    } catch {
      throw StoreError(.unsupported, path: path, message: "derived values cannot be computed: \(error)")
    }
    defer { statements.give(statement) }
    ListSource.bind(keys.map { .integer($0) }, to: statement, 1)
    if let time { statement.bind(2, time) }
    while try statement.step() { body(statement.integer(0)) }
  }
}

extension StoreFile {
  /// Computes the derived attributes of all rows: the end of a run that wrote rows without a context, or a new store.
  ///
  /// Times are left alone: a store that is built of the same input has the same bytes.
  func fillDerivedValues() throws(StoreError) {
    let attributes = schema.derivedAttributes.filter { $0.value != nil }
    guard !attributes.isEmpty else { return }
    let functions = try QueryFunctions.register(connection)
    try withExtendedLifetime(functions) { () throws(StoreError) in
      for attribute in attributes { try connection.execute(attribute.update(listed: false)) }
    }
  }

  /// Computes the derived attributes and the counts of a new store before its end, as something reads them now.
  ///
  /// The end computes them again, with what comes later.
  package func computeValuesNow() throws(StoreError) {
    guard isNew else { return }
    try endDirectLoad()
    try begin()
    var filled: Set<String> = []
    for name in schema.tables.map(\.name) + schema.joinTables.map(\.name)
    where try connection.integer("SELECT EXISTS (SELECT 1 FROM \(name))") == 1 { filled.insert(name) }
    // Without indexes each count would read a whole table; on empty tables they would slow down what comes.
    try buildIndexes { !$0.isUnique && filled.contains($0.table) }
    try fillDerivedValues()
    try fillCounts()
  }
}

extension StoreSchema {
  /// Whether the values of an attribute are not with the rows of a new store, but computed at its end.
  package func computesLater(_ attribute: AttributeDescription, of entity: EntityDescription) -> Bool {
    let table = table(forRoot: entity.root)
    return attribute.isDerived
      || countedAttributes.contains { $0.table == table.name && $0.column == table.columnName(slot: attribute.slot) }
  }
}
