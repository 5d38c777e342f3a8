import MergewalkObjectModel

/// Has the chance to bring rows into the tables of a store before they are read.
///
/// The calls come once a statement, never once a row.
protocol RowBacking: AnyObject {
  /// Rows of an entity are going to be read, by values or all of them.
  func willRead(_ entity: EntityDescription) throws(StoreError)
  func willRead(root: RootIndex, primaryKeys: [Int64]) throws(StoreError)
  func willRead(root: RootIndex, referringBy slot: Int, to targets: [Int64]) throws(StoreError)
  /// The pairs of some records are going to be read.
  func willRead(_ storage: LinkStorage, of primaryKeys: [Int64], isOwner: Bool) throws(StoreError)
  /// The members of relationships are going to be read, by a column of a table that names their owners.
  func willRead(table: String, membersBy column: String, of owners: [Int64]) throws(StoreError)
}
