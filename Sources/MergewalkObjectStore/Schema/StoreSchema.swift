package import MergewalkObjectModel

/// The tables and indexes that hold a model's objects, in Core Data's layout.
///
/// A pure value: it runs no SQL. The rules and how well each is established: `docs/coredata-layout.md`.
package struct StoreSchema: Sendable {
  package let model: ManagedObjectModel
  /// For each entity index of the model its number (`Z_ENT`) in this store; 0 for entities outside the configuration.
  package let entityNumbers: [Int]
  /// The entity tables, in the order of their root entities' numbers.
  package internal(set) var tables: [EntityTable]
  /// The join tables, by the numbers of the entities that name them, then by name.
  package internal(set) var joinTables: [JoinTable]
  /// All indexes of a new store; of an existing one those that it has.
  package internal(set) var indexes: [IndexDefinition]
  /// The indexes of the model that an existing store has not, under any name: an index alone is no other version.
  package internal(set) var missingIndexes: [IndexDefinition] = []
  /// Parts of the schema that could not be mapped, or not with certainty.
  package internal(set) var warnings: [SchemaWarning]

  private let tablePositions: [RootIndex: Int]

  /// Maps all entities of a model.
  ///
  /// - Complexity: O(properties).
  package init(model: ManagedObjectModel) {
    self.init(model: model, numbers: model.entities.map(\.number))
  }

  /// Maps the entities of a configuration with their ancestors, numbered among themselves; all entities for `nil`.
  ///
  /// Returns `nil` when the model has no such configuration.
  package init?(model: ManagedObjectModel, configuration: String?) {
    guard let configuration else {
      self.init(model: model)
      return
    }
    guard let members = model.entities(forConfiguration: configuration) else { return nil }
    var included = Array(repeating: false, count: model.entities.count)
    for member in members {
      var index: Int? = member.index
      while let i = index {
        included[i] = true
        index = model.entities[i].superentityIndex
      }
    }
    var number = 0
    let numbers = included.map { isIncluded in
      if isIncluded { number += 1 }
      return isIncluded ? number : 0
    }
    self.init(model: model, numbers: numbers)
  }

  /// Maps the entities that have a number.
  init(model: ManagedObjectModel, numbers: [Int]) {
    self.model = model
    entityNumbers = numbers
    var builder = TableBuilder(model: model, numbers: numbers)
    builder.build()
    var joins = JoinTableBuilder(model: model, numbers: numbers)
    joins.build(builder.tables)
    var indexes = IndexBuilder(model: model, numbers: numbers, tables: builder.tables, joinTables: joins.tables)
    indexes.build()
    tables = builder.tables
    joinTables = joins.tables
    self.indexes = indexes.indexes
    warnings = builder.warnings + indexes.warnings
    tablePositions = Dictionary(uniqueKeysWithValues: builder.tables.enumerated().map { ($1.rootEntity, $0) })
  }

  /// Whether the store has an entity: its configuration has it, or one that inherits from it.
  package func contains(_ entity: EntityDescription) -> Bool { entityNumbers[entity.index] > 0 }

  /// The condition on `Z_ENT` in the rows of an entity and everything that inherits from it, such as `BETWEEN 3 AND 5`.
  package func entityTest(_ entity: EntityDescription) -> String {
    let numbers = entityNumbers[entity.index...entity.lastDescendantIndex].filter { $0 > 0 }
    let (low, high) = (numbers.min() ?? 0, numbers.max() ?? 0)
    if low == high { return "= \(low)" }
    // The numbers of an entity and of what inherits from it follow each other, unless a store numbers oddly.
    if high - low + 1 == numbers.count { return "BETWEEN \(low) AND \(high)" }
    return "IN (\(numbers.map(String.init).joined(separator: ", ")))"
  }

  /// The condition in SQL that a column has a key, and that no object of an entity of this store has it.
  ///
  /// - Parameter column: The column with its table's alias, which is not `d`.
  package func refersToNothing(_ column: String, _ entity: EntityDescription) -> String {
    "\(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(table(forRoot: entity.root).name) d"
      + " WHERE d.Z_PK = \(column) AND d.Z_ENT \(entityTest(entity)))"
  }

  /// The rows in SQL that have the values of an earlier row in the columns of an index.
  ///
  /// Their keys are `k`, and their entity numbers `e`. Where a value is null, rows are never alike.
  package func duplicates(_ index: IndexDefinition) -> String {
    let columns = index.columns.joined(separator: ", ")
    let isWhole = index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return "(SELECT Z_PK AS k, Z_ENT AS e, row_number() OVER (PARTITION BY \(columns) ORDER BY Z_PK) AS n"
      + " FROM \(index.table) WHERE \(isWhole)) WHERE n > 1"
  }

  /// The properties that an index is over, such as `Person.email`.
  package func propertyNames(_ index: IndexDefinition) -> String {
    propertyNames(ofColumns: index.columns.map { "\(index.table).\($0)" }).joined(separator: " and ")
  }

  /// The properties that columns hold, such as `Person.email`; for other columns the column itself.
  ///
  /// - Parameter columns: The columns as `TABLE.COLUMN`, as in ``DatabaseFailure/columns``.
  package func propertyNames(ofColumns columns: [String]) -> [String] {
    var names: [String: String] = [:]
    for entity in model.entities where contains(entity) {
      let table = table(forRoot: entity.root)
      let properties = entity.attributes.map { ($0.name, $0.slot) } + entity.relationships.map { ($0.name, $0.slot) }
      for (name, slot) in properties {
        guard let column = table.columnName(slot: slot) else { continue }
        names["\(table.name).\(column)"] = names["\(table.name).\(column)"] ?? "\(entity.name).\(name)"
      }
    }
    return columns.map { names[$0] ?? $0 }
  }

  /// The table of a root entity.
  ///
  /// The entity must be a root and belong to the store's configuration.
  package func table(forRoot root: RootIndex) -> EntityTable {
    guard let position = tablePositions[root] else {
      preconditionFailure("entity \(root) is not a root entity of this store")
    }
    return tables[position]
  }

  /// The name of the table of the root entity with a number; `nil` when there is none.
  func tableName(ofNumber number: Int) -> String? {
    tables.first { entityNumbers[$0.rootEntity.index] == number }?.name
  }

  /// The join table of the many-to-many relationship that `entity` declares at `slot`, or `nil` for other properties.
  package func joinTable(entity: Int, slot: Int) -> JoinTable? {
    joinTables.first { $0.side(entity: entity, slot: slot) != nil }
  }

  /// One statement a table: entity tables by number, each followed by the join tables that its entities name.
  package func createTableStatements() -> [String] {
    var statements: [String] = []
    for table in tables {
      statements.append(table.createStatement)
      let joins = joinTables.filter { model.entities[$0.master.entity].root == table.rootEntity }
      statements += joins.map(\.createStatement)
    }
    return statements
  }

  package func createIndexStatements() -> [String] { indexes.map(\.sql) }

  /// The tables that keep numbers and metadata; Core Data makes them after the others.
  package func bookkeepingStatements() -> [String] {
    [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
  }
}

extension AttributeType {
  /// The declared type of the attribute's column; `nil` for types without a known column.
  var declaredColumnType: String? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .date: "TIMESTAMP"
    case .decimal: "DECIMAL"
    case .string, .uri: "VARCHAR"
    case .binary, .transformable, .uuid: "BLOB"
    case .undefined, .objectID, .composite: nil
    }
  }
}
