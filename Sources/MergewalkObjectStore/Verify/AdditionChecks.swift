import MergewalkObjectModel
import MergewalkSQLite

extension StoreVerifier {
  /// Finds out what an app has added that keeps the tables of the model from being written, such as a trigger that calls a
  /// function of the app.
  ///
  /// Statements are compiled, not run.
  mutating func checkAdditions(_ schema: StoreSchema) {
    let isReady: Void? = attempt { connection throws(StoreError) in
      try connection.registerCoreDataFunctions()
      try connection.trustSpatialIndexes()
    }
    guard isReady != nil else { return }
    var known = Set<String>()
    for table in schema.tables.map(\.name) + schema.joinTables.map(\.name) {
      guard let columns = attempt({ connection throws(StoreError) in try TableColumns(table, connection) }) else {
        continue
      }
      for statement in columns.statementsThatWrite {
        let refusal = attempt { connection throws(StoreError) -> String? in
          do throws(StoreError) {
            _ = try connection.prepare(statement)
            return nil
          } catch { return try error.refusal() }
        }
        guard let message = refusal ?? nil, known.insert(message).inserted else { continue }
        add(.warning, .addition, table: table, message: "the table cannot be written: \(message)")
      }
    }
  }
}
