import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport

/// A program that makes every mistake: several contexts, coordinators and connections on one store, objects that outlive
/// what they were for, values and keys that do not fit, hooks that change what is being done.
///
/// Errors are what it gets; nothing else is checked here.
final class RandomUse {
  var random: SeededGenerator
  let folder = TemporaryFolder()
  let model: ManagedObjectModel
  let type: PersistentStoreType
  var options = PersistentStoreOptions()
  var coordinator: PersistentStoreCoordinator
  /// Another program's, on the same file where that can be shared.
  var neighbour: PersistentStoreCoordinator
  var contexts: [ManagedObjectContext] = []
  /// Objects that are held, with others whose time is over.
  var objects: [ManagedObject] = []
  var ids: [ManagedObjectID] = []
  var fetched: [FetchedObjects] = []
  var dictionaries: [FetchedDictionaries] = []
  var results: [FetchedResults] = []
  var tokens: [ObservationToken] = []
  var generations: [QueryGenerationToken] = []
  /// Whether a hook is at work; it is not called within itself.
  private var isMeddling = false

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    model = try Self.model()
    type = [3: .binary, 4: .inMemory, 5: .xml][seed % 7] ?? .sqlite
    options.tracksHistory = seed % 3 == 0 && type == .sqlite
    options.externalDataThreshold = 16
    coordinator = PersistentStoreCoordinator(model: model)
    neighbour = PersistentStoreCoordinator(model: model)
    try open(coordinator, path)
    try open(neighbour, type == .sqlite ? path : folder.file("other"))
    addContext()
  }

  /// Does so many things and lets everything go.
  ///
  /// - Parameter meddles: Whether hooks, observers and policies do something of their own now and then.
  func run(steps: Int, meddles: Bool) {
    if meddles {
      Meddling.body = { [unowned self] in
        if isMeddling || number(30) > 0 { return }
        isMeddling = true
        step()
        isMeddling = false
      }
    }
    for _ in 0..<steps { step() }
    Meddling.body = nil
    (results, tokens, fetched, dictionaries, contexts, objects, generations) = ([], [], [], [], [], [], [])
    try? coordinator.close()
    try? neighbour.close()
  }

  private func step() {
    if objects.count < 12 || number(12) == 0, let context = contexts.last {
      for entity in ["UsedUnit", "UsedTag", "City"] { keep((try? context.fetchAll(entity)) ?? []) }
    }
    // What fails is the program's; that it goes on is ours.
    try? pick(Self.steps)(self)
  }

  var path: String { folder.file("store.sqlite") }

  func open(_ coordinator: PersistentStoreCoordinator, _ path: String) throws {
    try coordinator.addStore(type: type, at: path, options: options)
  }

  func addContext() {
    let context =
      switch number(5) {
      case 0 where !contexts.isEmpty: ManagedObjectContext(parent: pick(contexts))
      case 1: ManagedObjectContext(coordinator: neighbour)
      default: ManagedObjectContext(coordinator: coordinator)
      }
    if number(2) == 0 { context.undoManager = UndoManager() }
    context.automaticallyMergesChangesFromParent = number(2) == 0
    let kind = pick(MergePolicy.Kind.allCases)
    context.mergePolicy = number(2) == 0 ? MergePolicy(kind) : MeddlingPolicy(kind)
    context.propagatesDeletesAtEndOfEvent = number(3) == 0
    context.shouldDeleteInaccessibleFaults = number(6) > 0
    contexts.append(context)
  }

  func dropContext() {
    contexts.remove(at: number(contexts.count))
    if contexts.isEmpty { addContext() }
  }

  // MARK: Choices

  func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

  var context: ManagedObjectContext { pick(contexts) }

  /// An object, mostly one that is valid.
  var object: ManagedObject? {
    for _ in 0..<6 where !objects.isEmpty {
      let place = number(objects.count)
      if objects[place].isValid || number(8) == 0 { return objects[place] }
      objects.remove(at: place)
    }
    return nil
  }

  /// An object for a relationship of another one, mostly of its context.
  func partner(of object: ManagedObject) -> ManagedObject? {
    number(5) == 0 ? self.object : objects.filter { $0.context === object.context }.randomElement(using: &random)
  }

  func objects<Object: ManagedObject>(of type: Object.Type) -> Object? {
    objects.compactMap { $0 as? Object }.randomElement(using: &random)
  }

  func keep(_ new: some Sequence<ManagedObject>) {
    for object in new.prefix(4) {
      objects.append(object)
      ids.append(object.objectID)
    }
    while objects.count > 60 { objects.remove(at: number(objects.count)) }
    while ids.count > 80 { ids.remove(at: number(ids.count)) }
  }
}
