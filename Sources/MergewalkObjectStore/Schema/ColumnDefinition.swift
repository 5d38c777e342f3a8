/// One column of an entity table.
package struct ColumnDefinition: Sendable, Hashable {
  /// The kind of content of a column.
  package enum Role: Sendable, Hashable {
    /// `Z_PK`: the object's number, from one sequence per root entity.
    case primaryKey
    /// `Z_ENT`: the number of the object's own entity.
    case entity
    /// `Z_OPT`: 1 on insert, one more at every saved update.
    case version
    /// The value of an attribute, or the `Z_PK` a to-one relationship refers to.
    case slot(Int)
    /// The entity number of the object that the to-one relationship at `ofSlot` refers to.
    case destinationEntity(ofSlot: Int)
    /// The position of this object in the ordered to-many relationship that is the inverse of the to-one at `ofSlot`.
    case orderKey(ofSlot: Int)
    /// The `Z_PK` of the owner whose to-many relationship without an inverse contains this object.
    case reverse(ofSlot: Int, ownerEntity: Int)
    /// The position of this object in that relationship, when it is ordered.
    case reverseOrderKey(ofSlot: Int, ownerEntity: Int)
    /// The entity number of that owner, when entities inherit from the one that declares the relationship.
    case reverseEntity(ofSlot: Int, ownerEntity: Int)
  }

  /// The column's name as SQL writes it.
  package var name: String
  /// The declared type: `INTEGER`, `FLOAT`, `TIMESTAMP`, `DECIMAL`, `VARCHAR` or `BLOB`.
  package var declaredType: String
  /// The kind of content.
  package var role: Role
}
