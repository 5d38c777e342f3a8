import MergewalkDiagnostics
import MergewalkSQLite

/// Prepared objects that a store may have already and that cannot be found in it, by entity.
///
/// Nothing says which objects came with which mark. So each entity counts of which both stores have objects that no
/// attribute tells from others: all of an entity without attributes to find them by, else those without a value.
struct ObjectCopyRepeats {
  /// `Airport`, or `2 objects of Airport without iata`.
  private(set) var names: [String] = []

  /// Searches the attached prepared store, `seed`, and the store.
  ///
  /// - Complexity: O(objects) for entities with attributes to find them by.
  init(_ plan: ObjectCopyPlan, _ connection: Connection) throws(StoreError) {
    for table in plan.tables {
      for entity in table.entities {
        func lacking(_ columns: [String]) -> String {
          columns.isEmpty ? "" : " AND (" + columns.map { "\($0) IS NULL" }.joined(separator: " OR ") + ")"
        }
        let select = try connection.prepare(
          """
          SELECT count(*) FROM seed.\(table.source) WHERE Z_ENT = \(entity.sourceNumber)\
          \(lacking(entity.keys.map(\.source))) AND EXISTS (SELECT 1 FROM main.\(table.target) \
          WHERE Z_ENT = \(entity.targetNumber)\(lacking(entity.keys.map(\.target))))
          """)
        guard try select.step(), select.integer(0) > 0 else { continue }
        names.append(
          entity.keys.isEmpty
            ? entity.name
            : "\(PrintableText.count(Int(select.integer(0)), "object", "objects")) of \(entity.name) without "
              + entity.keys.map(\.name).joined(separator: " or "))
      }
    }
  }
}
