import CMergewalkSQLite
import MergewalkObjectModel
package import MergewalkSQLite

/// An R-tree over numbers of an entity's objects, which triggers keep right.
///
/// The wording is that of two libraries of Photos, whose R-trees belong to attributes that are computed from two others.
package struct SpatialIndex: Sendable, Hashable {
  /// The greatest number of dimensions that SQLite knows.
  static let maximumDimensions = 5
  /// The key of an attribute's user info that names the columns of its R-tree.
  static let componentsKey = "_NSLocationAttributeDerivedComponents"

  /// The name of the virtual table: `Z_RT_Entity_name`.
  package let name: String
  let table: String
  /// The columns with the numbers.
  let columns: [String]

  /// The last step of all its triggers.
  private var insertion: String {
    let bounds = columns.map { "\($0)_MIN, \($0)_MAX" }.joined(separator: ", ")
    // The space stands where Core Data has one.
    let values = columns.enumerated().map { "NEW.\($1)\($0 == 0 ? " ," : ", ")NEW.\($1)" }.joined(separator: ", ")
    return "INTO \(name) (Z_PK, \(bounds)) VALUES (NEW.Z_PK, \(values)) ;"
  }

  package var createStatement: String {
    let bounds = columns.map { "\($0)_MIN FLOAT, \($0)_MAX FLOAT" }.joined(separator: ", ")
    return "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(bounds))"
  }

  /// Fills the empty R-tree from the table.
  var fillStatement: String {
    let values = columns.map { "\($0), \($0)" }.joined(separator: ", ")
    return "INSERT INTO \(name) SELECT Z_PK, \(values) FROM \(table)"
  }

  var triggers: [TriggerDefinition] {
    func make(_ event: String, _ body: String) -> TriggerDefinition {
      TriggerDefinition(
        name: "\(name)_\(event)", table: table, event: "AFTER \(event)", body: body)
    }
    return [
      make("INSERT", "INSERT OR REPLACE \(insertion)"),
      make("UPDATE", "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(insertion)"),
      make("DELETE", "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ;"),
    ]
  }
}

package struct TriggerDefinition: Sendable, Hashable {
  package let name: String
  let table: String
  /// When it runs: `AFTER UPDATE OF ZNAME`.
  let event: String
  /// For which rows, in Core Data's words: `WHEN NEW.ZNAME IS NULL`.
  var clause = "FOR EACH ROW"
  /// Its statements, each with its semicolon.
  let body: String

  package var sql: String { "CREATE TRIGGER \(rest)" }
  /// The same for one connection, which the file knows nothing of.
  var temporarySQL: String { "CREATE TEMP TRIGGER \(rest)" }
  private var rest: String { "\(name) \(event) ON \(table) \(clause) BEGIN \(body) END" }
}

extension StoreSchema {
  /// The R-trees of a new store: of fetch indexes whose elements are all of that kind, and of attributes that Core Data
  /// computes from others.
  ///
  /// Only entities without a parent have one: what Core Data does for others is not known.
  package var spatialIndexes: [SpatialIndex] { model.entities.flatMap { spatialIndexes(of: $0) } }

  private func spatialIndexes(of entity: EntityDescription) -> [SpatialIndex] {
    guard entity.isRoot, contains(entity) else { return [] }
    var wanted = entity.declaration.fetchIndexes.filter { $0.elements.contains { $0.kind == .rTree } }.map { index in
      (index.name, index.elements.map { $0.kind == .rTree ? $0.propertyName ?? "" : "" })
    }
    for attribute in entity.declaration.attributes {
      guard let names = attribute.userInfo[SpatialIndex.componentsKey] else { continue }
      wanted.append((attribute.name, names.split(separator: ",").map { String($0.drop { $0 == " " }) }))
    }
    return wanted.compactMap { spatialIndex(entity, $0.0, $0.1) }
  }

  private func spatialIndex(_ entity: EntityDescription, _ name: String, _ properties: [String]) -> SpatialIndex? {
    let table = table(forRoot: entity.root)
    let columns = properties.compactMap { name in
      entity.attribute(named: name).flatMap { $0.type.isNumeric ? table.columnName(slot: $0.slot) : nil }
    }
    guard columns.count == properties.count, (1...SpatialIndex.maximumDimensions).contains(columns.count),
      Set(columns).count == columns.count
    else { return nil }
    return SpatialIndex(name: "Z_RT_\(entity.name)_\(name)", table: table.name, columns: columns)
  }

  /// All triggers of a new store, entity by entity in Core Data's order.
  package var triggers: [TriggerDefinition] {
    model.entities.flatMap { entity in
      derivedAttributes(of: entity).flatMap(\.triggers) + spatialIndexes(of: entity).flatMap(\.triggers)
        + countedAttributes(of: entity).flatMap(\.triggers)
    }
  }
}

extension AttributeType {
  /// Whether the values are numbers, and so fit for an R-tree and for arithmetic.
  var isNumeric: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: true
    default: false
    }
  }
}

extension Connection {
  /// Lets triggers write to R-trees, which a connection that does not trust its file's schema refuses; other kinds of virtual
  /// tables stay refused.
  ///
  /// R-trees read and write nothing but their own tables.
  package func trustSpatialIndexes() throws(StoreError) {
    let tables = try prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND rootpage = 0")
    var isKnown = false
    while try tables.step() {
      let words = tables.text(0).uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
      guard let place = words.firstIndex(of: "USING"), words.indices.contains(place + 1), words[place + 1] == "RTREE"
      else { return }
      isKnown = true
    }
    if isKnown { setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true) }
  }

  /// Keeps R-trees right whose triggers are missing: this connection gets its own.
  func completeSpatialTriggers(_ schema: StoreSchema) throws(StoreError) {
    for index in schema.spatialIndexes where try hasTable(index.name) {
      for trigger in index.triggers where try !hasTrigger(trigger.name) { try execute(trigger.temporarySQL) }
    }
  }

  func hasTrigger(_ name: String) throws(StoreError) -> Bool {
    let find = try prepare("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND upper(name) = upper(?)")
    find.bind(1, text: name)
    return try find.step() && find.integer(0) > 0
  }

  /// Makes an R-tree with what the table has; one that is there already is filled anew.
  func build(_ index: SpatialIndex) throws(StoreError) {
    if try hasTable(index.name) { try execute("DELETE FROM \(index.name)") } else { try execute(index.createStatement) }
    try execute(index.fillStatement)
  }
}

extension StoreFile {
  /// Makes R-trees and triggers, the last of what a new store gets.
  func makeTriggers() throws(StoreError) {
    for index in schema.spatialIndexes where try !connection.hasTable(index.name) { try connection.build(index) }
    for trigger in schema.triggers where try !connection.hasTrigger(trigger.name) {
      try connection.execute(trigger.sql)
    }
  }
}
