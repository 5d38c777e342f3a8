import MergewalkSQLite

// What comes after the rows: the ends of one-to-one relationships, and the files of external data.
extension ObjectCopyWriter {
  /// Sees to both ends of a one-to-one relationship of a new object: a found object that refers to nothing takes the new
  /// one; any other stays with what it has, like a new one that does not refer back, and then the new one gets nothing.
  func link(_ pair: ObjectCopyPlan.Pair) throws(StoreError) {
    let table = plan.tables[pair.table]
    let other = plan.tables[pair.otherTable]
    // The new rows are `n`.
    let isNew = "n.Z_PK > \(bases[table.number]) AND n.\(pair.column)"
    let isFound = "\(isNew) IN (SELECT n FROM temp.\(map(other.number)) WHERE f)"
    let isLeft =
      "(SELECT o.\(pair.otherColumn) FROM main.\(other.target) o WHERE o.Z_PK = n.\(pair.column)) IS NOT n.Z_PK"
    var sets = "\(pair.otherColumn) = a.Z_PK"
    if let column = pair.otherEntityColumn { sets += ", \(column) = a.Z_ENT" }
    try change(
      other, sets,
      from: """
        (SELECT min(n.Z_PK) Z_PK, n.Z_ENT, n.\(pair.column) AS target FROM main.\(table.target) n WHERE \(isFound) \
        GROUP BY n.\(pair.column)) a
        """,
      where: "a.target = t.Z_PK AND t.\(pair.otherColumn) IS NULL", slots: ObjectCopyHistory.slots(pair.otherSlot))
    if !pair.isOptional {
      let count = "SELECT count(*) FROM main.\(table.target) n WHERE \(isFound) AND \(isLeft)"
      let left = try connection.integer(count) ?? 0
      guard left == 0 else {
        throw StoreError(
          .incompatibleModel, path: file.path,
          message: "\(pair.name) of \(left) prepared objects refers to existing objects that belong to others")
      }
    }
    let entity = pair.entityColumn.map { ", \($0) = NULL" } ?? ""
    let isCut = "\(isNew) IS NOT NULL AND \(isLeft)"
    try change(
      table, counting: "SELECT count(*) FROM main.\(table.target) AS n WHERE \(isCut)",
      "UPDATE main.\(table.target) AS n SET \(pair.column) = NULL\(entity) WHERE \(isCut)")
  }

  /// The files that cells of copied rows name.
  func externalNames() throws(StoreError) -> [String] {
    var names = Set<String>()
    for table in plan.tables {
      for column in table.columns where column.isExternal {
        let select = try connection.prepare(
          "SELECT s.\(column.source) FROM seed.\(table.source) s JOIN temp.\(map(table.number)) m ON m.o = s.Z_PK"
            + " WHERE length(s.\(column.source)) = \(ExternalData.fileCellLength)"
            + " AND hex(substr(s.\(column.source), 1, 1)) = '02'\(options.updates ? "" : " AND NOT m.f")")
        while try select.step() {
          names.insert(String(decoding: select.bytes(0).dropFirst().prefix(36), as: UTF8.self))
        }
      }
    }
    return names.sorted()
  }
}
