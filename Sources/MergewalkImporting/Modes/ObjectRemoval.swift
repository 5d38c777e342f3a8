import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Deletes objects of one entity, or marks them as gone, in batches.
struct ObjectRemoval {
  let store: PersistentStore
  let context: ManagedObjectContext
  let entity: EntityDescription
  /// How many objects one transaction takes.
  let chunk: Int
  /// Takes the first changes, when they are to be shown.
  let sample: ChangeSample?
  /// Whether an object of a hierarchy has to stay, because a record of the run names it.
  let isNamed: (RootIndex, Int64) -> Bool

  // MARK: Deleting

  /// Deletes objects with everything that delete rules take along.
  ///
  /// An object stays that would take along another one that has to. Whether one may go can also depend on others that go
  /// too. So those that may not at first are tried again, all together and then in parts, until nothing more goes.
  ///
  /// - Parameter body: Is called with the index of each entity of which objects go, and their number.
  /// - Returns: How many of the objects may not be deleted.
  func delete(
    _ keys: ObjectMarks, rejects: RejectOutput, each body: (_ entity: Int, _ count: Int) -> Void
  ) throws(ImportError) -> Int {
    // What these would take along does not change when others go; in large pieces, as some of it may be the same.
    var reasons: [Int64: String] = [:]
    try keys.forEach(chunk: 20_000) { (piece) throws(ImportError) in
      for (key, other) in try held(Array(piece), keys) { reasons[key] = reason(takingAlong: other, keys) }
    }
    var waiting: [Denial] = []
    try keys.forEach(chunk: chunk) { (piece) throws(ImportError) in
      waiting += try attempt(piece.filter { reasons[$0] == nil }, body)
    }
    var before = Int.max
    while !waiting.isEmpty, waiting.count < before {
      before = waiting.count
      waiting = try attempt(waiting.map(\.key), body)
    }
    waiting += reasons.map { Denial(key: $0.key, reason: $0.value) }
    for denial in waiting.sorted(by: { $0.key < $1.key }) {
      try rejects.write(
        entity: entity.name, object: name(denial.key), code: .deleteDenied,
        message: "no record names \(entity.name) \(denial.key), but it cannot be deleted: \(denial.reason)")
    }
    return waiting.count
  }

  // MARK: What has to stay

  /// Whether an object has to stay: one that a record names, or one of the entity that is not among those that are to go.
  private func mustStay(_ index: Int, _ key: Int64, _ others: ObjectMarks) -> Bool {
    isNamed(store.model.entities[index].root, key) || index == entity.index && !others.contains(key)
  }

  /// The objects that may not go because delete rules would take along one that has to stay, each with one that would go
  /// with it at once.
  private func held(
    _ keys: [Int64], _ others: ObjectMarks
  ) throws(ImportError) -> [Int64: (entity: Int, primaryKey: Int64)] {
    try transaction { () throws(ImportError) in
      do throws(BatchError) {
        return try context.heldDeletions(entity, primaryKeys: keys) { mustStay($0, $1, others) }
      } catch {
        throw ImportError(code: .database, message: error.description)
      }
    }
  }

  /// What keeps an object that would take along another one.
  private func reason(takingAlong other: (entity: Int, primaryKey: Int64), _ others: ObjectMarks) -> String {
    let found = store.model.entities[other.entity]
    let name = "\(found.name) \(other.primaryKey)"
    if isNamed(found.root, other.primaryKey) { return "\(name), which a record names, would go with it" }
    return mustStay(other.entity, other.primaryKey, others)
      ? "\(name), which is not in scope, would go with it"
      : "\(name) would go with it, and that one cannot be deleted for such a reason"
  }

  // MARK: What is denied

  /// An object that may not be deleted.
  struct Denial {
    var key: Int64
    var reason: String
  }

  /// What is in the way of a deletion.
  enum Obstacle {
    /// The model's rules.
    case rules([ObjectValidationFailure])
    /// Something that others have added to the store, such as a trigger: its message.
    case others(String)
  }

  /// Deletes as many of the objects as may go together; returns the others, in order.
  private func attempt(_ keys: [Int64], _ body: (_ entity: Int, _ count: Int) -> Void) throws(ImportError) -> [Denial] {
    var keys = keys
    var denied: [Denial] = []
    while !keys.isEmpty {
      guard let obstacle = try deleteRows(keys, body) else { break }
      // Those that the model forbids to delete themselves; others fail because of what delete rules take along.
      var own: [Int64: String] = [:]
      if case .rules(let failures) = obstacle {
        for failure in failures where failure.code == .deletionDenied && isOwn(failure) {
          own[failure.primaryKey] = own[failure.primaryKey] ?? reason(failure, failure.primaryKey)
        }
      }
      denied += keys.compactMap { key in own[key].map { Denial(key: key, reason: $0) } }
      let rest = keys.filter { own[$0] == nil }
      if rest.count == keys.count {
        guard keys.count > 1 else {
          denied.append(Denial(key: keys[0], reason: reason(obstacle, keys[0])))
          break
        }
        let middle = keys.count / 2
        denied += try attempt(Array(keys[..<middle]), body)
        denied += try attempt(Array(keys[middle...]), body)
        break
      }
      keys = rest
    }
    return denied.sorted { $0.key < $1.key }
  }

  func reason(_ obstacle: Obstacle, _ key: Int64) -> String {
    switch obstacle {
    case .rules(let failures): reason(failures[0], key)
    case .others(let message): "the store refuses it: \(message)"
    }
  }

  /// What keeps an object.
  private func reason(_ failure: ObjectValidationFailure, _ key: Int64) -> String {
    let property = "“\(failure.entity).\(failure.property)”"
    let isOwn = isOwn(failure) && failure.primaryKey == key
    let other = "\(failure.entity) \(failure.primaryKey)"
    return switch failure.code {
    case .deletionDenied where isOwn: "\(property) denies that while it has objects"
    case .deletionDenied: "\(other) would go with it, and \(property) denies that while it has objects"
    case .tooFewObjects: "\(property) of \(other) would have too few objects"
    default: "\(property) of \(other) must not be empty"
    }
  }

  private func isOwn(_ failure: ObjectValidationFailure) -> Bool {
    store.model.entity(named: failure.entity)?.root == entity.root
  }

  /// Deletes objects together; returns what is in the way, and then all are still there.
  private func deleteRows(_ keys: [Int64], _ body: (_ entity: Int, _ count: Int) -> Void) throws(ImportError)
    -> Obstacle?
  {
    try transaction { () throws(ImportError) in
      let mark = sample?.mark ?? 0
      try collect(keys)
      // How many of each entity went: what is refused while it is written must not be counted.
      var gone = [Int](repeating: 0, count: store.model.entities.count)
      let obstacle = try inPart { () throws(ImportError) in
        do throws(BatchError) {
          let failures = try context.deleteRows(entity, primaryKeys: keys) { gone[$0] += 1 }
          return failures.isEmpty ? nil : .rules(failures)
        } catch {
          guard case .save(let refusal) = error, refusal.code == .constraint, takesBack else {
            throw ImportError(code: .database, message: "objects of \(entity.name) cannot be deleted: \(error)")
          }
          return .others(refusal.message)
        }
      }
      if obstacle != nil {
        sample?.removeAll(since: mark)
        return obstacle
      }
      for (entity, count) in gone.enumerated() where count > 0 { body(entity, count) }
      return nil
    }
  }

  /// Whether what the store refuses while it is written can be rolled back alone: what nothing refuses needs no savepoint.
  var takesBack: Bool { !store.file.guardedTables.isEmpty }

  /// Does something that others' triggers may refuse, and takes all of it back when they do.
  func inPart(_ body: () throws(ImportError) -> Obstacle?) throws(ImportError) -> Obstacle? {
    guard takesBack else { return try body() }
    try storeErrors { () throws(StoreError) in try store.beginPart() }
    let obstacle = try body()
    guard case .others(let message)? = obstacle else {
      try storeErrors { () throws(StoreError) in try store.keepPart() }
      return obstacle
    }
    guard store.isInTransaction else { throw ImportError.rolledBack(message) }
    try storeErrors { () throws(StoreError) in try store.takeBackPart() }
    for observer in store.observers.reversed() { observer.didRollBack(store) }
    return obstacle
  }

  /// Takes the first of the objects that are about to go; not those that delete rules take along.
  private func collect(_ keys: [Int64]) throws(ImportError) {
    guard let sample, sample.room > 0 else { return }
    let buffer = context.buffer(root: entity.root)
    try storeErrors { () throws(StoreError) in
      try store.fetch(Array(keys.prefix(sample.room)), of: entity.root, into: buffer)
    }
    sample.collect(deleted: buffer)
    context.reset()
  }

  func transaction<Value>(_ body: () throws(ImportError) -> Value) throws(ImportError) -> Value {
    do { try store.file.begin() } catch { throw ImportError(code: .database, message: error.description) }
    return try body()
  }

  // MARK: Names

  /// The name of an object in messages: its URI, which other tools know too.
  func name(_ key: Int64) -> String {
    ManagedObjectID(storeUUID: store.identifier, entity: entity, primaryKey: key).uri
  }
}
