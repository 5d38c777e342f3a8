import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Inserts objects with or without an undo manager, as an application does it, and returns one line of JSON.
///
/// One way a process: the greatest resident memory of a process cannot be set back.
///
/// - Parameters:
///   - store: The path of the new store.
///   - count: How many objects are inserted.
///   - undo: `true` to record every insert and to take all of them back at the end.
func undoBenchmark(store: String, count: Int, undo: Bool) throws -> String {
  var draft = ModelDraft()
  var person = EntityDraft(name: "Person")
  person.attributes = [
    AttributeDescription(name: "name", type: .string), AttributeDescription(name: "age", type: .integer32),
    AttributeDescription(name: "height", type: .double),
  ]
  draft.entities = [person]
  let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(draft))
  try coordinator.addSQLiteStore(at: store)
  let context = ManagedObjectContext(coordinator: coordinator)
  if undo { context.undoManager = UndoManager() }

  let clock = ContinuousClock()
  func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock.now
    try body()
    let parts = (clock.now - start).components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }
  let before = residentBytes()
  let insert = try seconds {
    for i in 0..<count {
      let object = try context.insert("Person")
      try object.setValue(.string("Person \(i)"), forKey: "name")
      try object.setValue(.integer(Int64(i % 100)), forKey: "age")
      try object.setValue(.double(1.5), forKey: "height")
      // As an application with a window does it: one step for each thing that its user does.
      if i % 10 == 9 { try context.processPendingChanges() }
    }
  }
  let inserted = residentBytes()
  let save = try seconds { try context.save() }
  var undone = 0.0
  if undo {
    undone = try seconds { while context.undoManager?.canUndo ?? false { try context.undo() } }
  }
  return "{\"objects\": \(count), \"undo\": \(undo), \"insert_seconds\": \(insert), \"save_seconds\": \(save), "
    + "\"undo_seconds\": \(undone), \"bytes_per_insert\": \((inserted - before) / count)}"
}

/// The memory that the process has in use now.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, 256, file) != nil else { return 0 }
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let fields = text.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
}
