import MergewalkObjectModel
package import MergewalkSQLite

/// One row of `Z_PRIMARYKEY`: an entity's number and, for roots, the greatest `Z_PK` given out.
package struct PrimaryKeyRow: Sendable, Hashable {
  /// `Z_ENT`, from 1; 16001 to 16003 belong to persistent history, those from 17001 to the mirror of CloudKit.
  package var number: Int
  /// `Z_NAME`: the entity's name.
  package var name: String
  /// `Z_SUPER`: the number of the entity it inherits from, or 0.
  package var superNumber: Int
  /// `Z_MAX`: the greatest `Z_PK` used below a root entity; 0 for entities that inherit.
  package var maximum: Int64

  /// The number from which rows are not of the model's entities: the history's, then those of the mirror of CloudKit.
  static let foreignNumber = 16_000

  /// Whether it belongs to an entity of the model.
  package var isOfModel: Bool { number < Self.foreignNumber }

  /// Reads all rows in number order.
  package static func read(_ connection: Connection) throws(StoreError) -> [PrimaryKeyRow] {
    let select = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var rows: [PrimaryKeyRow] = []
    while try select.step() {
      rows.append(
        PrimaryKeyRow(
          number: Int(truncatingIfNeeded: select.integer(0)), name: select.text(1),
          superNumber: Int(truncatingIfNeeded: select.integer(2)), maximum: select.integer(3)))
    }
    return rows
  }

  package static func insert(_ rows: [PrimaryKeyRow], _ connection: Connection) throws(StoreError) {
    let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
    for row in rows {
      insert.bind(1, Int64(row.number))
      insert.bind(2, text: row.name)
      insert.bind(3, Int64(row.superNumber))
      insert.bind(4, row.maximum)
      try insert.run()
    }
  }

  /// Sets the maxima of existing rows, by entity number.
  package static func writeMaxima(_ maxima: [(number: Int, maximum: Int64)], _ connection: Connection)
    throws(StoreError)
  {
    let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    update.use = .bookkeeping
    for (number, maximum) in maxima {
      update.bind(1, maximum)
      update.bind(2, Int64(number))
      try update.run()
    }
  }
}

extension StoreSchema {
  /// The rows of a new store: one for each entity, abstract ones too, with maximum 0.
  package var primaryKeyRows: [PrimaryKeyRow] {
    model.entities.filter { entityNumbers[$0.index] > 0 }.map { entity in
      PrimaryKeyRow(
        number: entityNumbers[entity.index], name: entity.name,
        superNumber: entity.superentityIndex.map { entityNumbers[$0] } ?? 0, maximum: 0)
    }
  }
}
