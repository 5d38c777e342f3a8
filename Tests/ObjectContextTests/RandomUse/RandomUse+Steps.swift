import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport

extension RandomUse {
  typealias Step = @Sendable (RandomUse) throws -> Void

  /// What such a program does; what it does often stands there several times.
  static let steps: [Step] =
    Array(repeating: insert, count: 6) + Array(repeating: setValue, count: 6) + Array(repeating: setObject, count: 3)
    + Array(repeating: { try $0.changeMembers() }, count: 6) + Array(repeating: delete, count: 4)
    + Array(repeating: { try $0.context.save() }, count: 4) + Array(repeating: fetch, count: 4) + [
      { use in for context in use.contexts.reversed() { try? context.save() } }, { $0.context.rollback() },
      { try $0.context.undo() }, { try $0.context.redo() }, { if $0.number(4) == 0 { $0.context.reset() } },
      { try $0.context.refreshAllObjects() }, { try $0.context.processPendingChanges() }, refresh,
      { if $0.contexts.count < 6 { $0.addContext() } else { $0.dropContext() } }, readResults, writeForeignRows, find,
      setTyped, readTyped, lookAt, validate, readKeyed,
      { try $0.object.map { try $0.context?.obtainPermanentIDs(for: [$0]) } },
      { use in try use.context.fetchValues(of: Array(use.objects.prefix(4))) }, { try $0.batch() }, assign, follow,
      observe,
      moveStores, pin, mergeHistory, setPrimitives, { use in use.objects.removeAll { _ in use.number(3) == 0 } },
      { if $0.number(4) == 0 { $0.dropContext() } },
    ]

  // MARK: Objects

  private static func insert(_ use: RandomUse) throws {
    let context = use.context
    let name = use.pick(["UsedUnit", "UsedUnit", "UsedSquad", "UsedTag", "City", "Place", "Nothing"])
    let object = try context.insert(name)
    if object is UsedUnit { try object.setValue(.string("u\(use.number(10_000))"), forKey: "name") }
    if object is UsedSquad, let lead = use.partner(of: object) { try? object.setObject(lead, forKey: "lead") }
    use.keep([object])
  }

  private static func setValue(_ use: RandomUse) throws {
    try use.object?.setValue(use.value, forKey: use.pick(attributes))
  }

  private static func setObject(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    try object.setObject(use.number(5) == 0 ? nil : use.partner(of: object), forKey: use.pick(toOnes))
  }

  private func changeMembers() throws {
    guard let object, let partner = partner(of: object) else { return }
    let key = pick(Self.toManys)
    switch number(6) {
    case 0: try object.remove(partner, from: key)
    case 1: try object.insert(partner, into: key, at: pick([0, 1, -1, 100, .max, .min]))
    case 2: try object.setObjects([partner, partner] + (self.partner(of: object).map { [$0] } ?? []), forKey: key)
    default: try object.add(partner, to: key)
    }
  }

  private static func delete(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    try (use.number(4) == 0 ? use.context : object.context ?? use.context).delete(object)
  }

  private static func refresh(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    try (use.number(3) == 0 ? use.context : object.context)?.refresh(object, mergingChanges: use.number(2) == 0)
  }

  private static func assign(_ use: RandomUse) throws {
    guard let object = use.object, let store = use.context.coordinator?.store else { return }
    try use.context.assign(object, to: store)
  }

  private static func setTyped(_ use: RandomUse) throws {
    guard let unit = use.objects(of: UsedUnit.self) else { return }
    unit.name = use.pick(["q", "é", ""]) + String(use.number(500))
    (unit.small, unit.large, unit.color, unit.sum) = (.max, .min, .blue, DecimalNumber("1e120"))
    unit.boss = use.objects(of: UsedUnit.self)
    guard let tag = use.objects(of: UsedTag.self) else { return }
    unit.tags.insert(tag)
    unit.plan.insert(tag)
    unit.plan.insert(tag, at: use.pick([0, 99, -3]))
    _ = unit.plan.map { unit.plan.remove($0) }
    for member in unit.staff.reversed() { unit.staff.remove(member) }
    for tag in unit.tags.prefix(3) { unit.tags.remove(tag) }
  }

  private static func readTyped(_ use: RandomUse) throws {
    for object in use.objects {
      if let unit = object as? UsedUnit {
        _ = (unit.name, unit.small, unit.large, unit.color, unit.sum, unit.boss?.name, unit.plan.first?.title)
        _ = (unit.staff.map(\.name), unit.tags.count)
      }
      if let tag = object as? UsedTag { _ = (tag.title, tag.units.count) }
    }
  }

  private static func lookAt(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    _ = (object.hasChanges, object.isFault, object.faultingState, object.hasPersistentChangedValues)
    _ = try (object.changedValues(), object.committedValues())
    _ = try object.hasFault(forRelationshipNamed: use.pick(toManys))
  }

  private static func validate(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    try? object.validateForDelete()
    try? object.validateForUpdate()
    try object.validateForInsert()
  }

  private static func readKeyed(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    _ = try? object.objects(forKey: use.pick(toManys))
    _ = try? object.object(forKey: use.pick(toOnes))
    _ = try? object.value(forKey: use.pick(attributes))
    use.keep(try object.fetchedObjects(forKey: use.pick(["same", "name", "nothing"])))
  }

  private static func setPrimitives(_ use: RandomUse) throws {
    guard let object = use.object else { return }
    try? object.setPrimitiveValue(use.value, forKey: use.pick(attributes))
    _ = try? object.primitiveValue(forKey: use.pick(attributes))
    try? object.setPrimitiveTransient("x", forKey: use.pick(["temp", "any", "obj", "name"]))
    _ = try? object.primitiveTransient(forKey: use.pick(attributes))
    try? object.setTransformedValue(use.pick([3, "x", nil, [1, 2]]), forKey: use.pick(["obj", "name"]))
    _ = try object.transformedValue(forKey: "obj")
  }

  // MARK: Contexts and stores

  private static func find(_ use: RandomUse) throws {
    guard !use.ids.isEmpty else { return }
    let id = use.pick(use.ids)
    if let found = try use.context.existingObject(with: id) { use.keep([found]) }
    use.keep([try use.context.object(with: id)])
  }

  private static func observe(_ use: RandomUse) throws {
    use.tokens.append(
      use.context.observe(.didSave) { [weak use] event in
        Meddling.body?()
        try? use?.contexts.last?.mergeChanges(from: event)
      })
    if use.tokens.count > 3 { use.tokens.removeFirst() }
  }

  private static func moveStores(_ use: RandomUse) throws {
    switch use.number(30) {
    case 0:
      try use.neighbour.close()
      use.neighbour = PersistentStoreCoordinator(model: use.model)
      try use.open(use.neighbour, use.type == .sqlite ? use.path : use.folder.file("other"))
    case 1: try use.coordinator.close()
    case 2: if let store = use.coordinator.store { try use.coordinator.remove(store) }
    case 3...6:
      if use.coordinator.stores.first(where: \.isOpen) == nil {
        use.coordinator = PersistentStoreCoordinator(model: use.model)
        try use.open(use.coordinator, use.path)
      }
    default:
      try ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          .updated: use.ids, .deleted: Array(use.ids.prefix(2)), .inserted: Array(use.ids.suffix(2)),
        ], into: use.contexts)
    }
  }

  private static func pin(_ use: RandomUse) throws {
    let context = use.context
    guard use.type == .sqlite, use.number(2) == 0 else { return context.setQueryGeneration(from: nil) }
    let generation = try (context.coordinator ?? use.coordinator).currentQueryGeneration()
    use.generations.append(generation)
    context.setQueryGeneration(from: generation)
  }

  private static func mergeHistory(_ use: RandomUse) throws {
    guard let history = try use.context.coordinator?.store?.history(.fetchHistory(after: nil)) else { return }
    for _ in 0..<5 { if let transaction = try history.next() { try use.context.mergeChanges(from: transaction) } }
  }
}
