package import MergewalkObjectModel
import MergewalkSQLite

/// Brings the records of an incremental store into the tables when they are requested, and its changes back.
///
/// ``TableAccess`` and ``LinkAccess`` call it once a statement, never once a row.
final class IncrementalBacking: StoreObserver {
  private let source: any IncrementalStore
  private unowned let store: PersistentStore
  /// The to-many relationships of records whose members are in the tables.
  private var known = Set<KnownRelationship>()
  /// The root entities whose records are all in the tables.
  private var wholeRoots = Set<RootIndex>()
  /// The root entity of the request that was executed last: its statement needs nothing more of that table.
  private var executedRoot: RootIndex?
  /// The facts learned within a transaction: rows that are rolled back no longer exist.
  private var uncertain = Uncertain()
  /// Whether rows are being brought: what that reads must not ask again.
  private var isFilling = false
  /// The positions of members, also of evicted ones; made for the first eviction.
  private var positions: MemberPositions?

  private struct KnownRelationship: Hashable {
    var declaringEntity: Int
    var slot: Int
    var owner: Int64
  }

  private struct Uncertain {
    var known = Set<KnownRelationship>()
    var wholeRoots = Set<RootIndex>()
    /// Whether the rows of a save were written, so that they are there unless the observer hears otherwise.
    var isWritten = false

    var isEmpty: Bool { known.isEmpty && wholeRoots.isEmpty }
  }

  init(_ source: any IncrementalStore, _ store: PersistentStore) {
    self.source = source
    self.store = store
  }

  // MARK: - Requests

  func willFetch(_ request: FetchRequest) throws(StoreError) {
    guard !isFilling, let entity = store.model.entity(named: request.entityName), store.contains(entity) else { return }
    executedRoot = entity.root
    settle()
    guard !wholeRoots.contains(entity.root) else { return }
    try execute(request, entity)
  }

  private func execute(_ request: FetchRequest, _ entity: EntityDescription) throws(StoreError) {
    var seen = Set<Int64>()
    var result = IncrementalFetchResult()
    try fill { filler throws(StoreError) in
      result = try source.execute(request, into: filler)
      seen = filler.seen[entity.root] ?? []
    }
    let missing = try missingKeys(root: entity.root, result.references.map(\.primaryKey))
    try bring(result.references.filter { missing.contains($0.primaryKey) })
    guard result.isWhole else { return }
    seen.formUnion(result.references.map(\.primaryKey))
    try removeOthers(entity, seen)
  }

  /// Removes the records of an entity that are not there any more.
  private func removeOthers(_ entity: EntityDescription, _ seen: Set<Int64>) throws(StoreError) {
    let table = store.schema.table(forRoot: entity.root).name
    try writing { () throws(StoreError) in
      let select = try store.connection.prepare(
        "SELECT Z_PK FROM \(table) WHERE Z_ENT \(store.schema.entityTest(entity))")
      var gone: [Int64] = []
      while try select.step() {
        if !seen.contains(select.integer(0)) { gone.append(select.integer(0)) }
      }
      for key in gone { try store.connection.execute("DELETE FROM \(table) WHERE Z_PK = \(key)") }
    }
  }

  /// Rows of an entity are going to be read, by values or all of them.
  func willRead(_ entity: EntityDescription) throws(StoreError) {
    guard !isFilling else { return }
    settle()
    if !wholeRoots.contains(entity.root) { try execute(FetchRequest(entity.name), entity) }
  }

  func willRun(_ sql: String) throws(StoreError) {
    guard !isFilling else { return }
    // Only the executed request itself is answered by what it brought; the next statement may be another.
    let root = executedRoot
    executedRoot = nil
    for table in store.schema.tables {
      let uses = occurrences(of: table.name, in: sql)
      guard uses > (table.rootEntity == root ? 1 : 0) else { continue }
      try loadAll(root: table.rootEntity)
    }
    for join in store.schema.joinTables where occurrences(of: join.name, in: sql) > 0 {
      try loadAll(root: store.model.entities[join.master.entity].root)
      try loadMembers(declaredBy: join.master.entity, slot: join.master.slot)
    }
  }

  /// How often a statement names a table; a column with that name has its table before it.
  private func occurrences(of table: String, in sql: String) -> Int {
    sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.count { word in
      guard word == table else { return false }
      return word.startIndex == sql.startIndex || sql[sql.index(before: word.startIndex)] != "."
    }
  }

  // MARK: - Everything

  /// Brings all records with all relationships.
  func loadAll() throws(StoreError) {
    for table in store.schema.tables { try loadAll(root: table.rootEntity) }
    for entity in store.model.entities where store.contains(entity) {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity.index && relationship.isToMany {
        try loadMembers(declaredBy: entity.index, slot: relationship.slot)
      }
    }
  }

  private func loadAll(root: RootIndex) throws(StoreError) {
    settle()
    guard !wholeRoots.contains(root) else { return }
    let entity = store.model.entities[root.index]
    try execute(FetchRequest(entity.name), entity)
    if wholeRoots.insert(root).inserted, !store.connection.isAutocommit { uncertain.wholeRoots.insert(root) }
  }

  private func loadMembers(declaredBy entity: Int, slot: Int) throws(StoreError) {
    let declaring = store.model.entities[entity]
    guard let relationship = declaring.relationships.first(where: { $0.slot == slot && $0.isToMany }) else { return }
    let table = store.schema.table(forRoot: declaring.root).name
    let select = try store.connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE Z_ENT \(store.schema.entityTest(declaring))")
    var keys: [Int64] = []
    while try select.step() { keys.append(select.integer(0)) }
    try bringMembers(of: keys, relationship)
  }

  /// Forgets everything that was brought.
  func evict() throws(StoreError) {
    try writing { () throws(StoreError) in
      if positions == nil { positions = try MemberPositions(store) }
      try positions?.keepAll()
      for table in store.schema.tables { try store.connection.execute("DELETE FROM \(table.name)") }
      for join in store.schema.joinTables { try store.connection.execute("DELETE FROM \(join.name)") }
    }
    known.removeAll()
    wholeRoots.removeAll()
    uncertain = Uncertain()
    executedRoot = nil
  }

  // MARK: - Records

  func willRead(root: RootIndex, primaryKeys: [Int64]) throws(StoreError) {
    guard !isFilling else { return }
    settle()
    guard !wholeRoots.contains(root) else { return }
    let missing = try missingKeys(root: root, primaryKeys)
    let entity = store.model.entities[root.index]
    try bring(primaryKeys.filter(missing.contains).map { StoredReference(entity, $0) })
  }

  func willRead(root: RootIndex, referringBy slot: Int, to targets: [Int64]) throws(StoreError) {
    guard !isFilling else { return }
    if let relationship = toMany(root: root, slot: slot) { return try bringMembers(of: targets, relationship) }
    // Without a way back, who refers to a record can only be asked for all.
    if isUnpaired(root: root, slot: slot), targets.contains(where: { $0 > 0 }) { try loadAll(root: root) }
  }

  /// The members of relationships are going to be read, by a column of a table that names their owners.
  func willRead(table: String, membersBy column: String, of owners: [Int64]) throws(StoreError) {
    if let position = store.schema.joinTables.firstIndex(where: { $0.name == table }) {
      let isOwner = store.schema.joinTables[position].master.ownerColumn == column
      return try willRead(.join(position), of: owners, isOwner: isOwner)
    }
    guard let table = store.schema.tables.first(where: { $0.name == table }) else { return }
    switch table.columns.first(where: { $0.name == column })?.role {
    case .slot(let slot): try willRead(root: table.rootEntity, referringBy: slot, to: owners)
    case .reverse(let slot, let owner):
      let storage = LinkStorage.reverse(ownerEntity: owner, slot: slot, destinationRoot: table.rootEntity)
      try willRead(storage, of: owners, isOwner: true)
    default: break
    }
  }

  /// The pairs of some records are going to be read.
  func willRead(_ storage: LinkStorage, of primaryKeys: [Int64], isOwner: Bool) throws(StoreError) {
    if !isOwner, !isFilling, case .reverse(let owner, let slot, _) = storage {
      // Whose member a record is can only be asked for all owners.
      try loadAll(root: store.model.entities[owner].root)
      return try loadMembers(declaredBy: owner, slot: slot)
    }
    guard !isFilling, let relationship = relationship(storage, isOwner: isOwner) else { return }
    try bringMembers(of: primaryKeys, relationship)
  }

  /// Whether a to-one relationship has no inverse.
  private func isUnpaired(root: RootIndex, slot: Int) -> Bool {
    store.model.entities.contains { entity in
      entity.root == root
        && entity.relationships.contains { !$0.isToMany && $0.slot == slot && $0.inverseSlot < 0 }
    }
  }

  /// The to-many relationship whose inverse is a to-one relationship.
  private func toMany(root: RootIndex, slot: Int) -> RelationshipDescription? {
    for entity in store.model.entities {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity.index && relationship.isToMany && relationship.inverseSlot == slot
        && store.model.entities[relationship.destinationEntity].root == root
        && store.schema.joinTable(entity: entity.index, slot: relationship.slot) == nil
      {
        return relationship
      }
    }
    return nil
  }

  private func relationship(_ storage: LinkStorage, isOwner: Bool) -> RelationshipDescription? {
    let (entity, slot): (Int, Int)
    switch storage {
    case .join(let position):
      let join = store.schema.joinTables[position]
      let side = isOwner ? join.master : join.inverse
      (entity, slot) = (side.entity, side.slot)
    case .reverse(let owner, let number, _):
      guard isOwner else { return nil }
      (entity, slot) = (owner, number)
    }
    return store.model.entities[entity].relationships.first { $0.slot == slot && $0.isToMany }
  }

  /// Which of some records are not in the tables.
  private func missingKeys(root: RootIndex, _ keys: [Int64]) throws(StoreError) -> Set<Int64> {
    let table = store.schema.table(forRoot: root).name
    let select = try store.connection.prepare("SELECT 1 FROM \(table) WHERE Z_PK = ?")
    var missing = Set<Int64>()
    for key in keys where key > 0 {
      select.bind(1, key)
      if try !select.step() { missing.insert(key) }
      select.reset()
    }
    return missing
  }

  private func bring(_ references: [StoredReference]) throws(StoreError) {
    guard !references.isEmpty else { return }
    try fill { filler throws(StoreError) in try source.newValues(for: references, into: filler) }
  }

  private func bringMembers(of owners: [Int64], _ relationship: RelationshipDescription) throws(StoreError) {
    let declaring = store.model.entities[relationship.declaringEntity]
    let destination = store.model.entities[relationship.destinationEntity]
    settle()
    for owner in owners where owner > 0 {
      let key = KnownRelationship(
        declaringEntity: relationship.declaringEntity, slot: relationship.slot, owner: owner)
      guard learn(key) else { continue }
      do {
        let reference = StoredReference(try ownEntity(of: owner, declaring), owner)
        let members = try source.newValue(for: relationship, of: reference)
        let missing = try missingKeys(root: destination.root, members.map(\.primaryKey))
        try bring(members.filter { missing.contains($0.primaryKey) })
        try fill { filler throws(StoreError) in
          let known = try positions?.positions(of: members, owner: owner, relationship)
          try filler.setMembers(members, at: known, of: owner, for: relationship)
        }
      } catch {
        known.remove(key)
        uncertain.known.remove(key)
        throw error
      }
    }
  }

  /// Takes note that the members of a relationship are in the tables; returns whether that is new.
  private func learn(_ key: KnownRelationship) -> Bool {
    guard known.insert(key).inserted else { return false }
    if !store.connection.isAutocommit { uncertain.known.insert(key) }
    return true
  }

  /// Decides about the facts learned in a transaction that is over: they are requested again unless rows were written.
  private func settle() {
    guard !uncertain.isEmpty, store.connection.isAutocommit else { return }
    if !uncertain.isWritten { forgetUncertain() }
    uncertain = Uncertain()
  }

  private func forgetUncertain() {
    known.subtract(uncertain.known)
    wholeRoots.subtract(uncertain.wholeRoots)
  }

  /// The entity of a record that is here, which may inherit from the requested one.
  private func ownEntity(of primaryKey: Int64, _ entity: EntityDescription) throws(StoreError) -> EntityDescription {
    guard entity.hasSubentities else { return entity }
    let table = store.schema.table(forRoot: entity.root).name
    let select = try store.connection.prepare("SELECT Z_ENT FROM \(table) WHERE Z_PK = ?1")
    select.bind(1, primaryKey)
    guard try select.step() else { return entity }
    let number = Int(select.integer(0))
    return store.schema.entityNumbers.firstIndex(of: number).map { store.model.entities[$0] } ?? entity
  }

  private func fill(_ body: (StoreFiller) throws(StoreError) -> Void) throws(StoreError) {
    isFilling = true
    defer { isFilling = false }
    try allowWriting(true)
    defer { try? allowWriting(false) }
    let isOwn = store.connection.isAutocommit
    if isOwn { try store.connection.execute("BEGIN") }
    do {
      let filler = try StoreFiller(store, replaces: true)
      try body(filler)
      try filler.finish()
      try positions?.restore(filler.seen)
      if isOwn { try store.connection.execute("COMMIT") }
    } catch {
      if isOwn { try? store.connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// Writes values to the tables that are no changes made here.
  private func writing(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try allowWriting(true)
    defer { try? allowWriting(false) }
    try body()
  }

  /// The tables of a store that is read only take what is brought, and nothing else.
  private func allowWriting(_ isAllowed: Bool) throws(StoreError) {
    guard store.isReadOnly else { return }
    try store.connection.execute("PRAGMA query_only=\(isAllowed ? "OFF" : "ON")")
  }

  // MARK: - Changes

  func takeKeys(_ count: Int, root: RootIndex) -> Int64? {
    source.obtainPermanentKeys(count, of: store.model.entities[root.index])
  }

  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    guard !store.isInBatchRequest else {
      throw StoreError(.unsupported, path: store.path, message: "incremental stores take no batch requests")
    }
    guard !store.isReadOnly else {
      throw StoreError(.readOnly, path: store.path, message: "the store is open for reading only")
    }
    settle()
    // What changes must be in the tables, where its version is compared, although it may have been evicted.
    var written: [RootIndex: [StoredReference]] = [:]
    for change in changes.changes where change.kind != .insert {
      let entity = store.model.entities[change.entity]
      written[entity.root, default: []].append(StoredReference(entity, change.primaryKey))
    }
    for (root, references) in written.sorted(by: { $0.key < $1.key }) {
      let missing = try missingKeys(root: root, references.map(\.primaryKey))
      try bring(references.filter { missing.contains($0.primaryKey) })
    }
    // What is saved of a record is whole, so the values not asked for yet are brought before it changes.
    for change in changes.changes {
      let entity = store.model.entities[change.entity]
      for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
        if change.kind == .insert {
          _ = learn(
            KnownRelationship(
              declaringEntity: relationship.declaringEntity, slot: relationship.slot, owner: change.primaryKey))
        } else if change.kind == .update,
          relationship.isInverseToMany || relationship.inverseSlot < 0 || relationship.isOrdered
        {
          try bringMembers(of: [change.primaryKey], relationship)
        }
      }
      guard change.kind == .update else { continue }
      for relationship in entity.relationships
      where !relationship.isToMany && !relationship.isTransient && relationship.isInverseToMany {
        try bringSiblings(of: change.primaryKey, entity, relationship)
      }
    }
  }

  /// Brings the ordered members among which a record is, as its store may want to write their order down.
  private func bringSiblings(
    of primaryKey: Int64, _ entity: EntityDescription, _ relationship: RelationshipDescription
  ) throws(StoreError) {
    let table = store.schema.table(forRoot: entity.root)
    guard table.orderKeyColumn(slot: relationship.slot) != nil, let column = table.columnName(slot: relationship.slot),
      let members = toMany(root: entity.root, slot: relationship.slot)
    else { return }
    let owner = try store.connection.integer("SELECT \(column) FROM \(table.name) WHERE Z_PK = \(primaryKey)")
    if let owner { try bringMembers(of: [owner], members) }
  }

  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    isFilling = true
    defer { isFilling = false }
    try source.save(IncrementalStoreChanges(changes, store))
    uncertain.isWritten = true
  }

  func didRollBack(_ store: PersistentStore) {
    forgetUncertain()
    uncertain = Uncertain()
  }

  func saveMetadata(_ metadata: StoreMetadata) throws(StoreError) { try source.saveMetadata(metadata) }
}

extension PersistentStore {
  static func openIncremental(
    _ source: any IncrementalStore, type: PersistentStoreType, path: String, model: ManagedObjectModel,
    configuration: String?, options: PersistentStoreOptions
  ) throws(StoreError) -> PersistentStore {
    let file = try StoreFile.inMemory(path: path, model: model, configuration: configuration, type: type)
    let metadata = try source.loadMetadata(for: model, proposed: file.metadata)
    guard StoreUUID.isValid(metadata.uuid) else {
      throw StoreError(.damagedMetadata, path: path, message: "“\(metadata.uuid)” is not a UUID in upper case")
    }
    try metadata.requireHashes(of: file.schema, path: path, options: options)
    try file.writeMetadata(metadata)
    var maxima: [(rootEntity: RootIndex, maximum: Int64)] = []
    for table in file.schema.tables {
      maxima.append((table.rootEntity, try source.maximum(of: model.entities[table.rootEntity.index])))
    }
    try file.writeMaxima(maxima)
    let store = try PersistentStore(file: file, type: type, configuration: configuration, options: options)
    let backing = IncrementalBacking(source, store)
    store.incremental = backing
    DerivedValueWriter.detach(from: store)
    store.observers.append(backing)
    try store.refuseWritesIfReadOnly()
    return store
  }

  /// Discards the records loaded from an incremental store, so that they are requested again; does nothing in other
  /// stores.
  ///
  /// Contexts keep their values; refresh their objects.
  ///
  /// - Throws: ``StoreError`` with `sqlite`.
  public func evictCachedRecords() throws(StoreError) { try incremental?.evict() }

  /// A request is going to be compiled and run: what may match is brought into the tables.
  ///
  /// - Throws: ``StoreError`` of the incremental store behind the tables.
  package func willFetch(_ request: FetchRequest) throws(StoreError) { try incremental?.willFetch(request) }
}
