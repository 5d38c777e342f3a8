import Foundation
import GRDB

/// The median time of a fetch, and how many rows it gave.
struct FetchResult: Encodable {
  var seconds: Double
  var rows: Int
}

/// Times the fetches of the benchmark as an application with GRDB would write them.
func fetch(store: String, repetitions: Int) throws -> [String: FetchResult] {
  var configuration = Configuration()
  configuration.readonly = true
  configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size=-65536") }
  let queue = try DatabaseQueue(path: store, configuration: configuration)
  return try queue.read { db in
    [
      "ids": try measure(repetitions) {
        try Int64.fetchAll(db, sql: "SELECT Z_PK FROM ZORDER WHERE ZQUANTITY > ?", arguments: [10]).count
      },
      "dictionaries": try measure(repetitions) {
        try Row.fetchAll(
          db, sql: "SELECT ZORDERID, ZQUANTITY, ZUNITPRICE, ZORDEREDAT, ZCUSTOMER FROM ZORDER WHERE ZQUANTITY > ?",
          arguments: [10]
        ).count
      },
      "objects": try measure(repetitions) {
        try Order.filter(Column("ZQUANTITY") > 10).fetchAll(db).count
      },
    ]
  }
}

private func measure(_ repetitions: Int, _ body: () throws -> Int) rethrows -> FetchResult {
  var rows = try body()
  var seconds: [Double] = []
  for _ in 0..<repetitions {
    let start = DispatchTime.now().uptimeNanoseconds
    rows = try body()
    seconds.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
  }
  return FetchResult(seconds: seconds.sorted()[repetitions / 2], rows: rows)
}
