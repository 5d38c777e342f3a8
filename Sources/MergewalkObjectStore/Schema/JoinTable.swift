/// The table of a many-to-many relationship: one row a pair.
package struct JoinTable: Sendable, Hashable {
  /// One direction of the relationship.
  package struct Side: Sendable, Hashable {
    /// The index of the entity that declares the relationship.
    package var entity: Int
    /// The relationship's slot in the hierarchy of its entity.
    package var slot: Int
    /// The column with the `Z_PK` of the object that *has* the relationship.
    package var ownerColumn: String
    /// The column with the `Z_PK` of the object that the relationship refers to.
    package var targetColumn: String
    /// The column with the target's position in the owner's relationship; `nil` when it is not ordered.
    package var orderColumn: String?
  }

  /// The table's name, such as `Z_8REPOSITORIES`.
  package var name: String
  /// The side that gives the table its name.
  package var master: Side
  /// The other side; equal to ``master`` when the relationship is its own inverse.
  package var inverse: Side
  /// Whether the relationship is its own inverse: the second column is called `REFLEXIVE`.
  package var isReflexive: Bool { master == inverse }

  /// The first two columns in the order of the DDL: the owners of the master side, then its targets.
  package var keyColumns: [String] { [master.ownerColumn, master.targetColumn] }

  /// The order columns in the order of the DDL.
  package var orderColumns: [String] {
    isReflexive
      ? [master.orderColumn].compactMap { $0 } : [inverse.orderColumn, master.orderColumn].compactMap { $0 }
  }

  /// The `CREATE TABLE` statement as Core Data words it.
  package var createStatement: String {
    let list = (keyColumns + orderColumns).map { $0 + " INTEGER" }.joined(separator: ", ")
    return "CREATE TABLE \(name) ( \(list), PRIMARY KEY (\(keyColumns.joined(separator: ", "))) )"
  }

  /// The side whose relationship is declared by `entity` at `slot`, or `nil`.
  package func side(entity: Int, slot: Int) -> Side? {
    if master.entity == entity, master.slot == slot { return master }
    return inverse.entity == entity && inverse.slot == slot ? inverse : nil
  }
}
