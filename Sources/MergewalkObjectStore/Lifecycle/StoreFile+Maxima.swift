package import MergewalkObjectModel
import MergewalkSQLite

/// The greatest primary keys given out.
extension StoreFile {
  /// The greatest `Z_PK` given out below a root entity: `Z_MAX`, or what the table really holds if that is more.
  ///
  /// - Complexity: Two index seeks.
  package func maximumPrimaryKey(forRoot rootEntity: RootIndex) throws(StoreError) -> Int64 {
    let table = schema.table(forRoot: rootEntity)
    let number = schema.entityNumbers[rootEntity.index]
    let said = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
    let found = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
    return max(said, found)
  }

  /// Records the greatest `Z_PK` given out below root entities; part of the batch that gave them out.
  package func writeMaxima(_ maxima: [(rootEntity: RootIndex, maximum: Int64)]) throws(StoreError) {
    let rows = maxima.map { (number: schema.entityNumbers[$0.rootEntity.index], maximum: $0.maximum) }
    try writeBookkeeping { () throws(StoreError) in try PrimaryKeyRow.writeMaxima(rows, connection) }
  }

  /// Ensures that no `Z_MAX` is below the keys in the table.
  func raiseMaxima(_ connection: Connection) throws(StoreError) {
    for table in schema.tables {
      let number = schema.entityNumbers[table.rootEntity.index]
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM \(table.name)) WHERE Z_ENT = \(number)"
          + " AND ifnull(Z_MAX, 0) < (SELECT max(Z_PK) FROM \(table.name))")
    }
  }
}
