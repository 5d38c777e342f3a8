import MergewalkObjectModel

extension StoreSchema {
  /// Why a database cannot have the tables: two of them would have one name; `nil` when all names differ.
  ///
  /// How Core Data names the second one is not known, so no store is made.
  package var tableNameClash: (entity: String, message: String)? {
    var owners: [String: String] = [:]
    let entities = tables.map { table -> (table: String, entity: String, owner: String) in
      let name = model.entities[table.rootEntity.index].name
      return (table.name, name, name)
    }
    let links = joinTables.map { join -> (table: String, entity: String, owner: String) in
      let entity = model.entities[join.master.entity]
      let relationship = entity.relationships.first { $0.slot == join.master.slot }
      return (join.name, entity.name, "\(entity.name).\(relationship?.name ?? "")")
    }
    for (table, entity, owner) in entities + links {
      guard let other = owners.updateValue(owner, forKey: table.foldedForSQLite) else { continue }
      return (
        entity,
        "“\(other)” and “\(owner)” would have one table, \(table), as case does not count there: rename one of them"
      )
    }
    return nil
  }
}
