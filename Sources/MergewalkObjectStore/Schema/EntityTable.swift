package import MergewalkObjectModel

/// The table of a root entity and of everything that inherits from it.
package struct EntityTable: Sendable {
  package let rootEntity: RootIndex
  /// The table's name, such as `ZORDER`.
  package let name: String
  /// All columns in the order of the DDL, `Z_PK`, `Z_ENT` and `Z_OPT` first.
  package let columns: [ColumnDefinition]

  private let slotColumns: [Int: Int]
  private let destinationEntityColumns: [Int: Int]
  private let orderKeyColumns: [Int: Int]

  init(rootEntity: RootIndex, name: String, columns: [ColumnDefinition]) {
    self.rootEntity = rootEntity
    self.name = name
    self.columns = columns
    var slots: [Int: Int] = [:]
    var entities: [Int: Int] = [:]
    var orders: [Int: Int] = [:]
    for (i, column) in columns.enumerated() {
      switch column.role {
      case .slot(let slot): slots[slot] = i
      case .destinationEntity(let slot): entities[slot] = i
      case .orderKey(let slot): orders[slot] = i
      default: break
      }
    }
    slotColumns = slots
    destinationEntityColumns = entities
    orderKeyColumns = orders
  }

  /// The column of an attribute or a to-one relationship; `nil` for transient properties and to-many relationships.
  package func columnName(slot: Int) -> String? { slotColumns[slot].map { columns[$0].name } }

  /// The column with the destination's entity number; `nil` when nothing inherits from the destination entity.
  package func destinationEntityColumn(slot: Int) -> String? { destinationEntityColumns[slot].map { columns[$0].name } }

  /// The column with the position in the ordered inverse of a to-one relationship; `nil` when it is not ordered.
  package func orderKeyColumn(slot: Int) -> String? { orderKeyColumns[slot].map { columns[$0].name } }

  /// The columns of a whole row as statements name them, and for each slot its place among them, counted from 0, and that
  /// of the destination's entity number.
  var rowColumns: (names: [String], places: [Int: (value: Int32, entity: Int32?)]) {
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var places: [Int: (value: Int32, entity: Int32?)] = [:]
    for column in columns {
      guard case .slot(let slot) = column.role else { continue }
      let place = Int32(names.count)
      names.append(column.name)
      let entity = destinationEntityColumn(slot: slot)
      if let entity { names.append(entity) }
      places[slot] = (place, entity == nil ? nil : place + 1)
    }
    return (names, places)
  }

  /// The `CREATE TABLE` statement as Core Data words it.
  package var createStatement: String {
    let list = columns.map { $0.role == .primaryKey ? "Z_PK INTEGER PRIMARY KEY" : "\($0.name) \($0.declaredType)" }
    return "CREATE TABLE \(name) ( \(list.joined(separator: ", ")) )"
  }
}
