import Foundation
import GRDB

let batchSize = 20_000

struct Counts: Encodable {
  var read = 0, inserted = 0, updated = 0, unchanged = 0
}

/// The reference entities by key, kept in memory across batches, and the next primary keys.
struct Shop {
  var categories: [String: Category] = [:]
  var customers: [String: Customer] = [:]
  var products: [String: Product] = [:]
  var orderMax: Int64 = 0
  private var categoryMax: Int64 = 0
  private var customerMax: Int64 = 0
  private var productMax: Int64 = 0

  init() {}

  init(_ db: Database) throws {
    for entry in try Category.fetchAll(db) { categories[entry.name] = entry }
    for entry in try Customer.fetchAll(db) { customers[entry.email] = entry }
    for entry in try Product.fetchAll(db) { products[entry.sku] = entry }
    for row in try Row.fetchAll(db, sql: "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") {
      let max: Int64 = row["Z_MAX"]
      switch row["Z_NAME"] as String {
      case "Category": categoryMax = max
      case "Customer": customerMax = max
      case "Order": orderMax = max
      default: productMax = max
      }
    }
  }

  /// Finds or creates what a record refers to; returns the primary keys of customer and product.
  mutating func resolve(_ fields: [String], _ db: Database) throws -> (customer: Int64, product: Int64) {
    let category: Category
    if let known = categories[fields[10]] {
      category = known
    } else {
      categoryMax += 1
      category = Category(pk: categoryMax, name: fields[10])
      try category.insert(db)
      categories[fields[10]] = category
    }

    var product = products[fields[8]] ?? Product(pk: 0, sku: fields[8])
    if !sameBytes(product.name, fields[9]) || product.category != category.pk {
      product.name = fields[9]
      product.category = category.pk
      try save(&product, next: &productMax, db) { $0.pk = $1 }
      products[fields[8]] = product
    }

    var customer = customers[fields[5]] ?? Customer(pk: 0, email: fields[5])
    if !sameBytes(customer.name, fields[6]) || !sameBytes(customer.country, fields[7]) {
      customer.name = fields[6]
      customer.country = fields[7]
      try save(&customer, next: &customerMax, db) { $0.pk = $1 }
      customers[fields[5]] = customer
    }
    return (customer.pk, product.pk)
  }

  /// Inserts a record without primary key, updates one that has it.
  private func save<R: ShopRecord>(
    _ record: inout R, next: inout Int64, _ db: Database, assign: (inout R, Int64) -> Void
  ) throws {
    if record.pk == 0 {
      next += 1
      assign(&record, next)
      try record.insert(db)
    } else {
      record.version += 1
      try record.update(db)
    }
  }

  func writeMaxima(_ db: Database) throws {
    let maxima = [
      (1, "Category", categoryMax), (2, "Customer", customerMax), (3, "Order", orderMax), (4, "Product", productMax),
    ]
    for (entity, name, max) in maxima {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO Z_PRIMARYKEY VALUES (?, ?, 0, ?)")
        .execute(arguments: [entity, name, max])
    }
  }
}

func configuration(_ pragmas: String) -> Configuration {
  var configuration = Configuration()
  configuration.prepareDatabase { db in try db.execute(sql: pragmas) }
  return configuration
}

/// Reads up to one batch of records.
func readBatch(_ reader: inout CSVReader) throws -> [[String]] {
  var batch: [[String]] = []
  batch.reserveCapacity(batchSize)
  while batch.count < batchSize, let fields = try reader.next() { batch.append(fields) }
  return batch
}

/// Builds a new store beside its final name, its indexes last, and renames it when it is on the disk.
func load(csv: String, store: String) throws -> Counts {
  let building = store + ".building"
  try? FileManager.default.removeItem(atPath: building)
  var counts = Counts()
  var shop = Shop()
  var reader = try CSVReader(path: csv)
  var seen: [String: Int64] = [:]

  let queue = try DatabaseQueue(
    path: building,
    configuration: configuration(
      """
      PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA cache_size = -65536
      """))
  try queue.write { db in try db.execute(sql: Schema.tables) }
  while true {
    let batch = try readBatch(&reader)
    if batch.isEmpty { break }
    counts.read += batch.count
    try queue.write { db in
      for fields in batch {
        let (customer, product) = try shop.resolve(fields, db)
        var order = try Order(fields: fields, customer: customer, product: product)
        if let pk = seen[order.orderID] {
          try upsert(&order, over: Order.fetchOne(db, key: pk), &shop, &counts, db)
        } else {
          try upsert(&order, over: nil, &shop, &counts, db)
          seen[order.orderID] = order.pk
        }
      }
    }
  }
  try queue.write { db in
    try db.execute(sql: Schema.indexes + Schema.bookkeeping)
    try shop.writeMaxima(db)
  }
  try queue.close()
  try FileHandle(forUpdating: URL(fileURLWithPath: building)).synchronize()
  guard rename(building, store) == 0 else { throw CocoaError(.fileWriteUnknown) }
  return counts
}

/// Inserts an order, updates the row it differs from, or leaves an equal row alone.
func upsert(_ order: inout Order, over stored: Order?, _ shop: inout Shop, _ counts: inout Counts, _ db: Database)
  throws
{
  guard let stored else {
    shop.orderMax += 1
    order.pk = shop.orderMax
    try order.insert(db)
    counts.inserted += 1
    return
  }
  order.pk = stored.pk
  order.version = stored.version
  if order.hasSameValues(as: stored) {
    counts.unchanged += 1
  } else {
    order.version += 1
    try order.update(db)
    counts.updated += 1
  }
}

/// Upserts into an existing store: one fetch and one transaction a batch.
func nightly(csv: String, store: String) throws -> Counts {
  var counts = Counts()
  var reader = try CSVReader(path: csv)
  let queue = try DatabaseQueue(
    path: store,
    configuration: configuration(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16000"
    ))
  var shop = try queue.read { db in try Shop(db) }
  while true {
    let batch = try readBatch(&reader)
    if batch.isEmpty { break }
    counts.read += batch.count
    try queue.write { db in
      var stored: [String: Order] = [:]
      stored.reserveCapacity(batch.count)
      let orders = try Order.filter(batch.map { $0[0] }.contains(Order.Columns.orderID)).fetchCursor(db)
      while let order = try orders.next() { stored[order.orderID] = order }
      for fields in batch {
        let (customer, product) = try shop.resolve(fields, db)
        var order = try Order(fields: fields, customer: customer, product: product)
        try upsert(&order, over: stored[order.orderID], &shop, &counts, db)
        stored[order.orderID] = order
      }
      try shop.writeMaxima(db)
    }
  }
  try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
  try queue.close()
  return counts
}
