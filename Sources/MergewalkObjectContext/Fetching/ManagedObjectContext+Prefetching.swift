import MergewalkObjectModel
import MergewalkObjectStore

/// Rows that were fetched together with others, and objects that know their members, for as long as this lives.
final class PrefetchedRows {
  private let link: ContextLink
  private let generation: UInt32
  private var places: [(table: TableID, rows: ContiguousArray<Int32>)] = []
  private var handles: [ManagedObject] = []

  init(_ context: ManagedObjectContext) {
    link = context.registry.link
    generation = context.registry.generation
  }

  deinit {
    handles.removeAll()
    guard let context = link.context, context.registry.generation == generation else { return }
    for (table, rows) in places { context.unpin(table: table, rows) }
  }

  func keep(table: TableID, _ rows: ContiguousArray<Int32>, _ context: ManagedObjectContext) {
    context.pin(table: table, rows)
    places.append((table, rows))
  }

  func keep(_ object: ManagedObject) { handles.append(object) }

  /// Keeps rows only.
  func letObjectsGo() { handles.removeAll() }
}

extension ManagedObjectContext {
  /// How many fetches with prefetched rows are remembered for arrays.
  private static let prefetchLimit = 4

  /// The objects of a result as an array, which keeps no rows: what was prefetched with them stays in the context until a few
  /// more such fetches were made, or all objects are refreshed.
  package func array(of result: FetchedObjects) -> [ManagedObject] {
    let objects = Array(result)
    guard let companions = result.companions else { return objects }
    // Objects keep their context, which must not keep itself.
    companions.letObjectsGo()
    keptPrefetches.append(companions)
    if keptPrefetches.count > Self.prefetchLimit { keptPrefetches.removeFirst() }
    return objects
  }
}

/// Key paths of relationships, with common beginnings once.
struct PrefetchTree {
  /// A relationship and what is fetched from there.
  struct Step {
    var relationship: RelationshipDescription
    var next = PrefetchTree()
  }

  var steps: [Step] = []

  /// Resolves key paths from an entity.
  ///
  /// - Throws: `PredicateError` with `unknownKey` for a step that is no stored relationship.
  init(_ paths: [String], entity: EntityDescription, model: ManagedObjectModel) throws(PredicateError) {
    for path in paths {
      let names = PropertyPath(path)?.propertyNames ?? [path]
      guard names.count <= PrefetchTree.longestPath else {
        throw PredicateError(.tooLarge, "a key path for prefetching has at most \(PrefetchTree.longestPath) steps")
      }
      try add(names[...], entity, model)
    }
  }

  private init() {}

  /// The most steps of a key path.
  static let longestPath = 64

  private mutating func add(
    _ names: ArraySlice<String>, _ entity: EntityDescription, _ model: ManagedObjectModel
  ) throws(PredicateError) {
    guard let name = names.first else { return }
    guard let relationship = entity.relationship(named: name), !relationship.isTransient else {
      let kind = entity.attribute(named: name) == nil ? "" : "; it is an attribute, which comes with its object"
      throw PredicateError(.unknownKey, "\(entity.name) has no relationship \"\(name)\" to prefetch\(kind)")
    }
    var position = steps.firstIndex { $0.relationship.name == name }
    if position == nil {
      steps.append(Step(relationship: relationship))
      position = steps.count - 1
    }
    if let position {
      try steps[position].next.add(names.dropFirst(), model.entities[relationship.destinationEntity], model)
    }
  }
}

/// Fetching related objects together with others: one SELECT for each step of a key path, however many objects there are.
extension ManagedObjectContext {
  /// Fetches what the relationships of a tree lead to from some rows.
  func prefetch(
    _ tree: PrefetchTree, table: TableID, _ rows: ContiguousArray<Int32>, options: FetchedRowReader.Options,
    into kept: PrefetchedRows
  ) throws(ObjectError) {
    guard !rows.isEmpty else { return }
    for step in tree.steps {
      let relationship = step.relationship
      guard try hasTable(for: relationship, of: table) else { continue }
      let found =
        relationship.isToMany
        ? try prefetchMembers(relationship, table, rows, options, kept)
        : try prefetchTargets(relationship, table, rows, options, kept)
      let destination = destinationTable(relationship, from: table)
      try prefetch(step.next, table: destination, found, options: options, into: kept)
    }
  }

  /// Fetches the destinations of a to-one relationship.
  private func prefetchTargets(
    _ relationship: RelationshipDescription, _ table: TableID, _ rows: ContiguousArray<Int32>,
    _ options: FetchedRowReader.Options, _ kept: PrefetchedRows
  ) throws(ObjectError) -> ContiguousArray<Int32> {
    let (buffer, slot) = (buffer(table: table), relationship.slot)
    let destination = destinationTable(relationship, from: table)
    let other = self.buffer(table: destination)
    var keys: [Int64] = []
    for row in rows where has(buffer, Int(row), slot) && buffer.tags[slot][Int(row)] == CellTag.integer {
      keys.append(Int64(bitPattern: buffer.payloads[slot][Int(row)]))
    }
    keys = keys.sortedUnique()
    let missing = keys.filter { key in
      guard let row = other.row(primaryKey: key) else { return true }
      return other.states[row] == RowState.fault && !other.knowsEverything(row: row)
    }
    if !missing.isEmpty {
      let access = try access(table: destination)
      try objectErrors { () throws(StoreError) in
        try access.fetchRows(primaryKeys: missing, options: options, into: other)
      }
    }
    let found = ContiguousArray(keys.compactMap { other.row(primaryKey: $0).map(Int32.init) })
    kept.keep(table: destination, found, self)
    return found
  }

  /// Fetches the members of a to-many relationship, and lets the owners know who they are.
  private func prefetchMembers(
    _ relationship: RelationshipDescription, _ table: TableID, _ rows: ContiguousArray<Int32>,
    _ options: FetchedRowReader.Options, _ kept: PrefetchedRows
  ) throws(ObjectError) -> ContiguousArray<Int32> {
    let buffer = buffer(table: table)
    var ownerRows: [Int64: Int] = [:]
    for row in rows {
      // An object of an entity beside the one that has the relationship has no members.
      let entity = Int(buffer.entities[Int(row)])
      let declaring = model.entities[relationship.declaringEntity]
      guard buffer.states[Int(row)] != RowState.inserted, entity >= declaring.index,
        entity <= declaring.lastDescendantIndex
      else { continue }
      ownerRows[buffer.primaryKeys[Int(row)]] = Int(row)
    }
    let owners = ownerRows.keys.sorted()
    let destination = destinationTable(relationship, from: table)
    let other = self.buffer(table: destination)
    let access = try access(table: destination)
    let place = try memberColumns(relationship, access, table: table)
    var found: ContiguousArray<Int32> = []
    var members: [Int64: [Partner]] = [:]
    members.reserveCapacity(owners.count)
    try objectErrors { () throws(StoreError) in
      try access.fetchMembers(
        of: owners, join: place.join, ownerColumn: place.owner, orderColumn: place.order,
        options: options, into: other
      ) { owner, row, order in
        found.append(Int32(truncatingIfNeeded: row))
        members[owner, default: []].append(Partner(primaryKey: other.primaryKeys[row], order: order))
      }
    }
    kept.keep(table: destination, found, self)
    for owner in owners {
      guard let row = ownerRows[owner] else { continue }
      let object = object(buffer, row: row)
      object.makeExtras().storedMembers[relationship.slot] = StoredMembers(
        version: storedVersion, partners: members[owner] ?? [])
      kept.keep(object)
    }
    return ContiguousArray(Set(found).sorted())
  }

  /// Where the store keeps the members of a to-many relationship.
  private func memberColumns(
    _ relationship: RelationshipDescription, _ access: TableAccess, table: TableID
  ) throws(ObjectError) -> (join: (table: String, other: String)?, owner: String, order: String?) {
    if let inverse = model.inverse(of: relationship), !inverse.isToMany {
      guard let column = access.table.columnName(slot: inverse.slot) else {
        throw ObjectError(
          .transient, "the inverse of \"\(relationship.name)\" is transient: no table holds its members")
      }
      return (nil, column, nil)
    }
    let relation = try linkRelation(relationship, table: table)
    let columns = try objectErrors { () throws(StoreError) in
      try readStore(table: table).links(relation.storage).columns(isOwner: relation.isOwner)
    }
    return (columns.table.map { ($0, columns.other) }, columns.own, columns.order)
  }

  /// Whether a row's cell holds what the record says.
  private func has(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Bool {
    let state = buffer.states[row]
    return state != RowState.free && (state != RowState.fault || buffer.isKnown(row: row, slot: slot))
  }
}

extension Int64 {
  /// Whether a primary key comes before another one: those of records that were never saved come last, in the order of
  /// the inserts.
  @inline(__always)
  func comesBefore(_ other: Int64) -> Bool { UInt64(bitPattern: self) < UInt64(bitPattern: other) }
}

extension [Int64] {
  /// The elements in ascending order, each once.
  func sortedUnique() -> [Int64] {
    var result = sorted { $0.comesBefore($1) }
    var last: Int64?
    result.removeAll { key in
      defer { last = key }
      return key == last
    }
    return result
  }
}
