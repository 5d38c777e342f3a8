import MergewalkSQLite

/// What a store holds, read by plain SQL with nothing of the store's own schema, and whether it hangs together.
struct RelationStore {
  struct Row {
    var entity: String
    /// By column: integers only; the key is ``key``.
    var cells: [String: Int64]
    var key: String
  }

  let shape: RelationShape
  /// By root entity and primary key.
  private(set) var rows: [String: [Int64: Row]] = [:]
  /// By join table: its columns, and its rows.
  private var joins: [String: (columns: [String], rows: [[Int64?]])] = [:]
  private var entities: [Int64: String] = [:]

  init(_ shape: RelationShape, path: String) throws {
    self.shape = shape
    let connection = try Connection(path: path, mode: .readOnly)
    defer { try? connection.close() }
    let numbers = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")
    while try numbers.step() { entities[numbers.integer(0)] = numbers.text(1) }
    for entity in shape.entities where entity.parent == nil {
      let select = try connection.prepare("SELECT * FROM Z\(entity.name)")
      var found: [Int64: Row] = [:]
      while try select.step() {
        var row = Row(entity: "", cells: [:], key: "")
        for column in 0..<select.columnCount where !select.isNull(column) {
          let name = select.columnName(column)
          if name == "ZK" { row.key = select.text(column) } else { row.cells[name] = select.integer(column) }
        }
        row.entity = entities[row.cells["Z_ENT"] ?? 0] ?? "?"
        found[row.cells["Z_PK"] ?? 0] = row
      }
      rows[entity.name] = found
    }
    var tables: [String] = []
    let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
    while try names.step() { tables.append(names.text(0)) }
    for table in tables {
      let select = try connection.prepare("SELECT * FROM \(table)")
      let columns = (0..<select.columnCount).map(select.columnName)
      var found: [[Int64?]] = []
      while try select.step() {
        found.append((0..<select.columnCount).map { select.isNull($0) ? nil : select.integer($0) })
      }
      joins[table] = (columns, found)
    }
  }

  /// The objects of a hierarchy by their keys, and what a to-one relationship of each refers to.
  func targets(_ relation: RelationShape.Relation) -> [String: String?] {
    var found: [String: String?] = [:]
    for row in rows[shape.root(relation.owner)]?.values ?? [:].values where shape.isKind(row.entity, of: relation.owner)
    {
      let target = row.cells["Z" + relation.name.uppercased()]
      found[row.key] = .some(target.flatMap { rows[shape.root(relation.destination)]?[$0]?.key })
    }
    return found
  }

  // MARK: Checking

  /// What is wrong.
  var problems: [String] {
    shape.relations.flatMap { $0.isToMany ? problems(ofMany: $0) : problems(ofOne: $0) }
      + joins.keys.sorted().flatMap(problems)
  }

  /// What is wrong with a primary key that should lead to an object of an entity.
  private func problem(_ key: Int64, _ entity: String, _ place: String) -> String? {
    guard let row = rows[shape.root(entity)]?[key] else {
      return "\(place) leads to \(entity) \(key), which is not there"
    }
    return shape.isKind(row.entity, of: entity) ? nil : "\(place) leads to a \(row.entity), which is no \(entity)"
  }

  private func problems(ofOne relation: RelationShape.Relation) -> [String] {
    var found: [String] = []
    var partners: Set<Int64> = []
    var places: Set<[Int64]> = []
    let column = "Z" + relation.name.uppercased()
    let inverse = shape.inverse(of: relation)
    for (key, row) in (rows[shape.root(relation.owner)] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let place = "\(relation.owner).\(relation.name) of \(key)"
      let isOwner = shape.isKind(row.entity, of: relation.owner)
      guard let target = row.cells[column] else {
        if isOwner, relation.isRequired { found.append("\(place) is mandatory and empty") }
        continue
      }
      if !isOwner { found.append("\(place) is set, and it is a \(row.entity)") }
      if let problem = problem(target, relation.destination, place) {
        found.append(problem)
        continue
      }
      guard let inverse else { continue }
      if !inverse.isToMany {
        if !partners.insert(target).inserted { found.append("\(place) leads to \(target), as that of another one") }
        let back = rows[shape.root(relation.destination)]?[target]?.cells["Z" + inverse.name.uppercased()]
        if back != key { found.append("\(place) leads to \(target), which leads back to \(back ?? 0)") }
      } else if inverse.isOrdered {
        let order = row.cells.first { $0.key.hasPrefix("Z_FOK_" + relation.name.uppercased()) }?.value
        guard let order else {
          found.append("\(place) has no position")
          continue
        }
        if !places.insert([target, order]).inserted {
          found.append("\(place) has the position \(order) of another one")
        }
      }
    }
    return found
  }

  /// A to-many relationship without an inverse is a column of the other table; the rest are pairs or the other side's.
  private func problems(ofMany relation: RelationShape.Relation) -> [String] {
    guard relation.inverse == nil else { return [] }
    var found: [String] = []
    for (key, row) in (rows[shape.root(relation.destination)] ?? [:]).sorted(by: { $0.key < $1.key }) {
      for (column, owner) in row.cells where Self.isReverse(column, of: relation) {
        let place = "\(column) of \(row.entity) \(key)"
        if let problem = problem(owner, relation.owner, place) { found.append(problem) }
        if !shape.isKind(row.entity, of: relation.destination) { found.append("\(place) is set") }
      }
    }
    return found
  }

  /// `Z<n>NAME`, where `n` is the owner's number.
  private static func isReverse(_ column: String, of relation: RelationShape.Relation) -> Bool {
    guard column.hasPrefix("Z"), !column.hasPrefix("Z_") else { return false }
    let rest = column.dropFirst().drop { $0.isNumber }
    return rest.count < column.count - 1 && rest == Substring(relation.name.uppercased())
  }

  private func problems(_ table: String) -> [String] {
    guard let (columns, list) = joins[table] else { return [] }
    var found: [String] = []
    for row in list {
      for (column, value) in zip(columns, row) {
        guard let value else {
          found.append("\(table).\(column) is null")
          continue
        }
        // `Z_<n>NAME`: the objects at that end are of the entity with the number.
        guard let number = Int64(column.dropFirst(2).prefix { $0.isNumber }), let entity = entities[number] else {
          continue
        }
        if let problem = problem(value, entity, "\(table).\(column)") { found.append(problem) }
      }
    }
    let keys = columns.indices.filter { !columns[$0].hasPrefix("Z_FOK") }
    let isReflexive = shape.relations.contains {
      $0.isToMany && $0.inverse == $0.name && table.hasSuffix($0.name.uppercased())
    }
    guard isReflexive, keys.count == 2 else { return found }
    let pairs = Set(list.map { [$0[keys[0]], $0[keys[1]]] })
    for pair in pairs where !pairs.contains([pair[1], pair[0]]) {
      found.append("\(table) has the pair \(pair) in one direction only")
    }
    return found
  }
}
