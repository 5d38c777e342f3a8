import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A shop whose store has orders already, and two files of a night: new orders, changed ones, repeated ones, and some
/// that cannot be imported.
///
/// Each run works on a copy of its own, so that all runs begin with the same bytes.
struct NightShop {
  private let folder = TemporaryFolder()
  /// What the pipeline says beside the usual.
  var extra = ""
  var mode = "upsert"
  var duplicates = "last"
  var hasKey = true
  /// What the import says beside the usual.
  var more = ""
  var batch = 40
  /// Whether the runs begin with a store.
  let hasStore: Bool

  /// Makes the files.
  ///
  /// - Parameter orders: how many orders the store has; the night brings as many.
  init(seed: UInt64, orders: Int = 400, hasStore: Bool = true) throws {
    self.hasStore = hasStore
    var generator = SeededGenerator(seed: seed)
    if hasStore {
      try folder.write(Self.orders(orders, from: 1, bad: false, &generator), to: "in-1.csv")
      try folder.write(pipeline(), to: "p.yaml")
      let command = try Command(["run", "p.yaml", "--quiet"], in: folder.path)
      #expect(command.status == 0, "\(command.words)")
    }
    try folder.write(Self.orders(orders * 2 / 3, from: orders / 2, bad: true, &generator), to: "in-1.csv")
    try folder.write(Self.orders(orders / 3, from: orders, bad: true, &generator), to: "in-2.csv")
  }

  private static func orders(
    _ count: Int, from first: Int, bad: Bool, _ generator: inout SeededGenerator
  ) -> String {
    var text =
      "order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,product_name,category\n"
    for i in 0..<count {
      let order =
        Int.random(in: 0..<10, using: &generator) < 7 ? first + i : Int.random(in: 1..<first + count, using: &generator)
      let draw = Int.random(in: 0..<100, using: &generator)
      if bad, draw == 0 {
        text += "\(order),too short\n"
        continue
      }
      let quantity = bad && draw < 4 ? "many" : "\(Int.random(in: 1..<9, using: &generator))"
      let customer = Int.random(in: 0..<80, using: &generator)
      let product = Int.random(in: 0..<30, using: &generator)
      text += "\(order),2024-05-\(Int.random(in: 10..<29, using: &generator))T10:00:00Z,\(quantity),"
      text +=
        "\(Int.random(in: 100..<9999, using: &generator)).5,\"a, \(draw)\",c\(customer)@example.com,C\(customer),DE,"
      text += "S\(product),P\(product),cat\(product % 7)\n"
    }
    return text
  }

  /// The pipeline's text.
  func pipeline(name: String = "night") -> String {
    """
    pipeline: \(name)
    model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
    store: shop.sqlite
    source: { files: in-*.csv, format: csv }
    history: false
    batch: { records: \(batch) }
    \(extra.isEmpty ? "rejects: rejects.ndjson" : extra)
    import:
      entity: Order
      mode: \(mode)
      duplicates: \(duplicates)
    \(hasKey ? "  find_by: [orderID]" : "")
    \(more.isEmpty ? "" : "  " + more)
      attributes:
        orderID: order_id
        orderedAt: { from: ordered_at, date: iso8601 }
        quantity: quantity
        unitPrice: unit_price
        note: { trim: true, empty: null }
      relationships:
        customer: { find_by: { email: customer_email }, attributes: { name: customer_name, country: country } }
        product:
          find_by: { sku: sku }
          attributes: { name: product_name }
          relationships:
            category: { find_by: { name: category } }
    """
  }

  /// A folder with the store, the files and the pipeline as they are before the run.
  func night() throws -> Night {
    let night = Night()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "rejects.ndjson" {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: night.folder.file(name))
    }
    try night.folder.write(pipeline(), to: "p.yaml")
    return night
  }
}

/// One night of the shop.
final class Night {
  let folder = TemporaryFolder()

  /// Runs the pipeline.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Command {
    try Command(["run", "p.yaml", "--json", "--quiet"] + arguments, in: folder.path, environment: environment)
  }

  /// Leaves rejects of an earlier run, which were not replayed.
  func leaveRejects() throws {
    try folder.write(
      "{\"run\":\"night@2024-05-01T02:00:00.123Z\",\"file\":\"in-0.csv\",\"record\":1,\"line\":2,\"column\":1,"
        + "\"code\":\"value.integer\",\"message\":\"no\",\"raw\":\"1,bad\"}\n",
      to: "rejects.2024-05-01T020000.123Z.ndjson")
  }

  /// Runs the pipeline and kills it after about this share of its writes.
  func runHalf(of writes: Int, share: Double = 0.5) throws {
    let command = try run(environment: Shim.killing(at: Int(Double(writes) * share)))
    #expect(command.status == -9, "\(command.words)")
  }

  /// What is left of the night: the store by content, the rejects, and what else lies in the folder.
  struct State: Equatable {
    var tables: [String: [String]] = [:]
    var rejects: [String] = []
    var files: [String] = []
    var isIntact = false
  }

  /// Reads the state.
  func state() throws -> State {
    var state = State()
    state.files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let store = folder.file("shop.sqlite")
    if FileManager.default.fileExists(atPath: store) {
      let connection = try Connection(path: store, mode: .readWrite)
      state.isIntact = try connection.text("PRAGMA integrity_check") == "ok"
      let tables = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      while try tables.step() {
        let table = tables.text(0)
        let columns =
          try connection.text(
            "SELECT group_concat('quote(\"' || name || '\")', ' || ''|'' || ')"
              + " FROM pragma_table_info('\(table)')") ?? "''"
        let rows = try connection.prepare("SELECT \(columns) FROM \"\(table)\" ORDER BY 1")
        var list: [String] = []
        while try rows.step() { list.append(rows.text(0)) }
        state.tables[table] = list
      }
      try connection.close()
    }
    if let text = try? String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8) {
      state.rejects = text.split(separator: "\n").map { line in
        // The run's name has the time in it.
        String(line.replacing(/"run":"[^"]*",/, with: ""))
      }
    }
    return state
  }

  /// What a report counts.
  static func counts(_ command: Command) throws -> [String: String] {
    let object = try command.object()
    var counts: [String: String] = [:]
    for name in [
      "status", "read", "inserted", "updated", "unchanged", "skipped", "rejected", "batches", "bytes_read",
    ] { counts[name] = "\(object[name] ?? "nothing")" }
    for name in ["reject_codes", "entities"] {
      let data = try JSONSerialization.data(withJSONObject: object[name] ?? [:], options: .sortedKeys)
      counts[name] = String(decoding: data, as: UTF8.self)
    }
    return counts
  }
}
