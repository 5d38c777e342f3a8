/// The table of a many-to-many relationship: one row a pair.
public struct JoinTable: Sendable, Hashable {
  /// One direction of the relationship.
  public struct Side: Sendable, Hashable {
    /// The index of the entity that declares the relationship.
    public var entity: Int
    /// The relationship's slot in the hierarchy of its entity.
    public var slot: Int
    /// The column with the `Z_PK` of the object that *has* the relationship.
    public var ownerColumn: String
    /// The column with the `Z_PK` of the object that the relationship refers to.
    public var targetColumn: String
    /// The column with the target's position in the owner's relationship; `nil` when it is not ordered.
    public var orderColumn: String?
  }

  /// The table's name, such as `Z_8REPOSITORIES`.
  public var name: String
  /// The side that gives the table its name.
  public var master: Side
  /// The other side; equal to ``master`` when the relationship is its own inverse.
  public var inverse: Side
  /// Whether the relationship is its own inverse: the second column is called `REFLEXIVE`.
  public var isReflexive: Bool { master == inverse }

  /// The first two columns in the order of the DDL: the owners of the master side, then its targets.
  public var keyColumns: [String] { [master.ownerColumn, master.targetColumn] }

  /// The order columns in the order of the DDL.
  public var orderColumns: [String] {
    isReflexive
      ? [master.orderColumn].compactMap { $0 } : [inverse.orderColumn, master.orderColumn].compactMap { $0 }
  }

  /// The `CREATE TABLE` statement as Core Data words it.
  public var createStatement: String {
    let list = (keyColumns + orderColumns).map { $0 + " INTEGER" }.joined(separator: ", ")
    return "CREATE TABLE \(name) ( \(list), PRIMARY KEY (\(keyColumns.joined(separator: ", "))) )"
  }

  /// The side whose relationship is declared by `entity` at `slot`, or `nil`.
  public func side(entity: Int, slot: Int) -> Side? {
    if master.entity == entity, master.slot == slot { return master }
    return inverse.entity == entity && inverse.slot == slot ? inverse : nil
  }
}
