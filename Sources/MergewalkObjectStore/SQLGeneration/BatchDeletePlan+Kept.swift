package import MergewalkObjectModel

/// Objects that delete rules would take along and that have to stay: what would take them along has to stay, too.
///
/// The statements follow ``selection(_:columnCount:)``, and work on what it has put into the temporary table.
extension BatchDeletePlan {
  /// The temporary table of what has to stay: `r` is the index of a root entity, `k` a primary key.
  private static let kept = "temp.mergewalk_kept"

  /// Makes the temporary table.
  package static let createKept =
    "CREATE TEMP TABLE IF NOT EXISTS mergewalk_kept (r INTEGER, k INTEGER, PRIMARY KEY (r, k)) WITHOUT ROWID"
  /// Empties the temporary table.
  package static let clearKept = "DELETE FROM \(kept)"

  /// Whether delete rules take anything along with an object of the entity.
  package var takesAlong: Bool { cascades.contains { $0.ownRoot == entity.root } }

  /// Puts objects that have to stay into the temporary table.
  ///
  /// - Parameter query: Selects the primary keys in its only column.
  package static func keeping(_ root: RootIndex, _ query: String) -> String {
    "WITH s(v0) AS (\(query)) INSERT INTO \(kept) SELECT \(root), v0 FROM s"
  }

  /// Adds the objects that would take one of them along, and those that would take these along, and so on.
  package var keepingOwners: String {
    let steps = cascades.map { link in
      "SELECT \(link.ownRoot), \(link.ownKey) FROM b CROSS JOIN \(link.table) AS l ON \(link.otherKey) = b.k "
        + "WHERE b.r = \(link.otherRoot) AND EXISTS (SELECT 1 FROM \(Self.doomed) "
        + "WHERE r = \(link.ownRoot) AND k = \(link.ownKey))"
    }
    let terms = (["SELECT r, k FROM \(Self.kept)"] + steps).joined(separator: " UNION ")
    return "WITH RECURSIVE b(r, k) AS (\(terms)) INSERT OR IGNORE INTO \(Self.kept) SELECT r, k FROM b"
  }

  /// Selects the primary keys of objects in the entity's table that have to stay, each with the number (`Z_ENT`) and the
  /// primary key of one that would go with it at once and has to stay: a row for each of these.
  package var reasonsToKeep: String {
    cascades.filter { $0.ownRoot == entity.root }.map { link in
      "SELECT \(link.ownKey), o.Z_ENT, o.Z_PK FROM \(Self.kept) AS d CROSS JOIN \(link.joined) "
        + "CROSS JOIN \(schema.table(forRoot: link.otherRoot).name) AS o ON o.Z_PK = \(link.otherKey) "
        + "WHERE d.r = \(link.ownRoot) AND EXISTS (SELECT 1 FROM \(Self.kept) "
        + "WHERE r = \(link.otherRoot) AND k = o.Z_PK)"
    }.joined(separator: " UNION ALL ")
  }
}
