import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Times the fetches of the benchmark, and substitution against parsing; returns one line of JSON.
func fetchBenchmark(store path: String, repetitions: Int) throws -> String {
  let model = try StoreModel.find(path: path).model
  let coordinator = PersistentStoreCoordinator(model: model)
  try coordinator.addSQLiteStore(at: path, cacheKiB: 64 * 1024)
  let context = ManagedObjectContext(coordinator: coordinator)
  let predicate = try ObjectPredicate(format: "quantity > %@", 10)

  var dictionaries = FetchRequest("Order", where: predicate)
  dictionaries.resultType = .dictionaries
  dictionaries.propertiesToFetch = ["orderID", "quantity", "unitPrice", "orderedAt", "customer"]
  let objects = FetchRequest("Order", where: predicate)

  var entries: [String] = []
  func measure(_ name: String, _ body: () throws -> Int) throws {
    var rows = try body()
    var seconds: [Double] = []
    for _ in 0..<repetitions {
      // Each fetch begins as the first one did: nothing is registered.
      context.reset()
      let clock = ContinuousClock()
      let start = clock.now
      rows = try body()
      let duration = (clock.now - start).components
      seconds.append(Double(duration.seconds) + Double(duration.attoseconds) / 1e18)
    }
    entries.append("\"\(name)\": {\"seconds\": \(seconds.sorted()[repetitions / 2]), \"rows\": \(rows)}")
  }
  try measure("ids") { try context.fetchObjectIDs(objects).count }
  try measure("dictionaries") { try context.fetchDictionaries(dictionaries).count }
  try measure("objects") { try context.fetch(objects).count }
  try measure("objects, each value read") {
    let found = try context.fetch(objects)
    for object in found {
      for key in ["quantity", "orderedAt", "unitPrice", "note", "orderID"] { _ = try object.value(forKey: key) }
    }
    return found.count
  }

  let format =
    "customer.email ==[c] $EMAIL AND quantity BETWEEN {$LOW, $HIGH} OR ANY product.orders.note CONTAINS $NOTE"
  let template = try ObjectPredicate(format: format)
  let count = 100_000
  try measure("parsing") {
    for _ in 0..<count { _ = try ObjectPredicate(format: format) }
    return count
  }
  let bindings: [String: ObjectExpression] = [
    "EMAIL": .constant("ada@example.org"), "LOW": .constant(10), "HIGH": .constant(20), "NOTE": .constant("x"),
  ]
  try measure("substitution of values that are there") {
    for _ in 0..<count { _ = try template.substituting(bindings) }
    return count
  }
  try measure("substitution") {
    for i in 0..<count {
      _ = try template.substituting([
        "EMAIL": .constant("ada@example.org"), "LOW": .constant(.attribute(.integer(Int64(i)))), "HIGH": .constant(20),
        "NOTE": .constant("x"),
      ])
    }
    return count
  }
  return "{\(entries.joined(separator: ", "))}"
}
