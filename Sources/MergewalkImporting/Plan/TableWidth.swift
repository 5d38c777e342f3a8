package import MergewalkObjectModel
import MergewalkObjectStore

/// Whether SQLite takes the tables of a model.
package enum TableWidth {
  /// The most columns of a table.
  ///
  /// Source: [Limits in SQLite](https://sqlite.org/limits.html), `SQLITE_MAX_COLUMN`.
  package static let limit = 2000

  /// Why no store can be made: an entity, with all that inherit from it, is too wide a table, or two tables would have
  /// one name; `nil` when neither is the case.
  package static func problem(_ model: ManagedObjectModel) -> String? {
    // Every column is of a property, but for a few; most models need no schema to tell.
    let properties = model.entities.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }
    let mayClash =
      hasLookalikes(model.entities.map(\.name))
      || model.entities.contains { hasLookalikes($0.relationships.map(\.name)) }
    guard properties > limit / 4 || mayClash else { return nil }
    let schema = StoreSchema(model: model)
    if let clash = schema.tableNameClash { return clash.message }
    for table in schema.tables where table.columns.count > limit {
      return
        "“\(model.entities[table.rootEntity.index].name)”, with what inherits from it, is a table of \(table.columns.count)"
        + " columns, and SQLite takes \(limit): divide it into entities with relationships"
    }
    return nil
  }

  /// Whether names differ only in case, which that of a table does not keep.
  private static func hasLookalikes(_ names: [String]) -> Bool {
    Set(names.map { $0.uppercased() }).count < names.count
  }
}
