import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

extension Models {
  /// The model `works` with a unique code of parties, a default age and a mandatory name of skills.
  static func batchWorks() throws -> ManagedObjectModel {
    var draft = try works().draft
    for i in draft.entities.indices {
      switch draft.entities[i].name {
      case "Party":
        draft.entities[i].attributes.append(attribute("code", .integer32))
        draft.entities[i].uniquenessConstraints = [["code"]]
      case "Person":
        for j in draft.entities[i].attributes.indices { draft.entities[i].attributes[j].defaultValue = .integer(7) }
      default: break
      }
    }
    return try ManagedObjectModel(draft)
  }
}

extension Workplace {
  /// Everything that the store holds, metadata aside: tables, then rows by their first columns.
  func dump() throws -> [String] {
    var lines: [String] = []
    let tables = try rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE') ORDER BY name"
    )
    for table in tables {
      lines.append(table)
      lines += try rows("SELECT * FROM \(table) ORDER BY 1, 2")
    }
    return lines
  }

  /// Inserts objects with names and saves.
  func make(_ entity: String, _ names: String...) throws -> [ManagedObject] {
    let made = try names.map { name in
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: "name")
      return object
    }
    try context.save()
    return made
  }
}

/// Runs `body` and returns the ``BatchError`` it throws; `nil` when it throws none.
func batchError(_ body: () throws -> Void) -> BatchError? {
  do {
    try body()
    return nil
  } catch {
    return error as? BatchError
  }
}

extension BatchError {
  var objectCode: ObjectError.Code? { if case .object(let error) = self { error.code } else { nil } }
  var saveCode: SaveError.Code? { if case .save(let error) = self { error.code } else { nil } }
  var predicateCode: PredicateError.Code? {
    if case .object(let error) = self { error.predicateError?.code } else { nil }
  }
}
