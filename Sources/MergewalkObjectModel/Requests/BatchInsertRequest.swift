/// Rows to insert directly into a store, without an object for each: a plain value.
///
/// A row whose values of a uniqueness constraint are those of an object in the store, or of an earlier row, updates
/// that object with the row's properties. Other properties keep the model's default in new objects, and the old value
/// in others. Source: Apple,
/// [NSBatchInsertRequest](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest).
public struct BatchInsertRequest: Hashable, Sendable {
  /// The name of the entity; it must not be abstract.
  public var entityName: String
  /// The attributes and to-one relationships that rows can set; a closure that fills rows counts them from 0.
  public var properties: [String]
  /// The rows; empty if a closure fills them.
  public var rows: [[String: ConstantValue]] = []
  /// The kind of result to return.
  public var resultType = BatchResultType.status
  /// The identifiers of stores, the first of which with the entity gets the rows; `nil` for the one that new objects go
  /// to.
  public var affectedStores: [String]?

  /// Creates a request with its rows: values by property, IDs for to-one relationships.
  ///
  /// - Complexity: O(values).
  public init(_ entityName: String, rows: [[String: ConstantValue]]) {
    self.entityName = entityName
    self.rows = rows
    var names = Set<String>()
    for row in rows { names.formUnion(row.keys) }
    properties = names.sorted()
  }

  /// Creates a request whose rows a closure fills, with the properties that it sets.
  public init(_ entityName: String, properties: [String]) {
    self.entityName = entityName
    self.properties = properties
  }
}
