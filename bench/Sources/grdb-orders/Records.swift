import Foundation
import GRDB

/// A row of the store.
///
/// GRDB's idiom for speed is to encode and decode by hand instead of by `Codable`.
protocol ShopRecord: FetchableRecord, PersistableRecord, Sendable {
  var pk: Int64 { get }
  var version: Int64 { get set }
}

struct Category: ShopRecord {
  static let databaseTableName = "ZCATEGORY"
  var pk: Int64
  var version: Int64 = 1
  var name: String

  init(pk: Int64, name: String) {
    self.pk = pk
    self.name = name
  }

  init(row: Row) {
    pk = row["Z_PK"]
    version = row["Z_OPT"]
    name = row["ZNAME"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = pk
    container["Z_ENT"] = 1
    container["Z_OPT"] = version
    container["ZNAME"] = name
  }
}

struct Customer: ShopRecord {
  static let databaseTableName = "ZCUSTOMER"
  var pk: Int64
  var version: Int64 = 1
  var country: String?
  var email: String
  var name: String?

  init(pk: Int64, email: String) {
    self.pk = pk
    self.email = email
  }

  init(row: Row) {
    pk = row["Z_PK"]
    version = row["Z_OPT"]
    country = row["ZCOUNTRY"]
    email = row["ZEMAIL"]
    name = row["ZNAME"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = pk
    container["Z_ENT"] = 2
    container["Z_OPT"] = version
    container["ZCOUNTRY"] = country
    container["ZEMAIL"] = email
    container["ZNAME"] = name
  }
}

struct Product: ShopRecord {
  static let databaseTableName = "ZPRODUCT"
  var pk: Int64
  var version: Int64 = 1
  var category: Int64?
  var name: String?
  var sku: String

  init(pk: Int64, sku: String) {
    self.pk = pk
    self.sku = sku
  }

  init(row: Row) {
    pk = row["Z_PK"]
    version = row["Z_OPT"]
    category = row["ZCATEGORY"]
    name = row["ZNAME"]
    sku = row["ZSKU"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = pk
    container["Z_ENT"] = 4
    container["Z_OPT"] = version
    container["ZCATEGORY"] = category
    container["ZNAME"] = name
    container["ZSKU"] = sku
  }
}

struct Order: ShopRecord {
  static let databaseTableName = "ZORDER"
  enum Columns {
    static let orderID = Column("ZORDERID")
  }
  var pk: Int64
  var version: Int64 = 1
  var quantity: Int64
  var customer: Int64
  var product: Int64
  /// Seconds since 2001-01-01 00:00:00 UTC.
  var orderedAt: Double
  var unitPrice: Double
  var note: String?
  var orderID: String

  init(row: Row) {
    pk = row["Z_PK"]
    version = row["Z_OPT"]
    quantity = row["ZQUANTITY"]
    customer = row["ZCUSTOMER"]
    product = row["ZPRODUCT"]
    orderedAt = row["ZORDEREDAT"]
    unitPrice = row["ZUNITPRICE"]
    note = row["ZNOTE"]
    orderID = row["ZORDERID"]
  }

  init(fields: [String], customer: Int64, product: Int64) throws {
    guard let date = secondsSince2001(fields[1]), let quantity = Int64(fields[2]), let price = Double(fields[3]) else {
      throw BadRecord(id: fields[0])
    }
    pk = 0
    orderID = fields[0]
    orderedAt = date
    self.quantity = quantity
    unitPrice = price
    note = fields[4].isEmpty ? nil : fields[4]
    self.customer = customer
    self.product = product
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = pk
    container["Z_ENT"] = 3
    container["Z_OPT"] = version
    container["ZQUANTITY"] = quantity
    container["ZCUSTOMER"] = customer
    container["ZPRODUCT"] = product
    container["ZORDEREDAT"] = orderedAt
    container["ZUNITPRICE"] = unitPrice
    container["ZNOTE"] = note
    container["ZORDERID"] = orderID
  }
}

extension Order {
  func hasSameValues(as other: Order) -> Bool {
    quantity == other.quantity && customer == other.customer && product == other.product
      && orderedAt == other.orderedAt && unitPrice == other.unitPrice && sameBytes(note, other.note)
  }
}

/// Bytes decide, not canonical equivalence: a text may change from composed to decomposed.
func sameBytes(_ left: String?, _ right: String?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
  default: false
  }
}

struct BadRecord: Error { var id: String }

/// Reads `2025-03-04T05:06:07Z`.
func secondsSince2001(_ text: String) -> Double? {
  (try? Date(text, strategy: .iso8601))?.timeIntervalSinceReferenceDate
}
