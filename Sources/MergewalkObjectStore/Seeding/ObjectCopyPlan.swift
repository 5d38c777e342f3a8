import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkSQLite

/// A prepared store, as far as copying needs to know it.
struct ObjectCopySource {
  let schema: StoreSchema
  /// How many objects of its own each entity has, by index.
  let counts: [Int]
  /// What is not copied, because there is nothing that it could lead to.
  let dangling: DanglingReferences

  /// Reads what is there.
  ///
  /// - Throws: ``StoreError`` with `damagedFile` when there are objects that are none of their entities: a sound store
  ///   must not become a damaged one.
  init(_ schema: StoreSchema, _ connection: Connection, path: String) throws(StoreError) {
    self.schema = schema
    var damages: [String] = []
    (counts, damages) = try Self.counts(schema, connection)
    damages += try Self.misfits(schema, connection)
    guard damages.isEmpty else {
      throw StoreError(
        .damagedFile, path: path,
        message: "objects of the prepared store are damaged (\(damages.joined(separator: "; "))); “mergewalk store"
          + " verify” lists them; correct them, or use a sound copy")
    }
    let entities = schema.model.entities.filter { !$0.isAbstract && schema.contains($0) }
    dangling = try DanglingReferences(of: entities, schema, connection)
  }

  /// Counts the objects of an open store, and those of no entity that has objects.
  ///
  /// - Complexity: O(objects).
  private static func counts(
    _ schema: StoreSchema, _ connection: Connection
  ) throws(StoreError) -> (counts: [Int], strays: [String]) {
    let model = schema.model
    var counts = Array(repeating: 0, count: model.entities.count)
    var strays: [String] = []
    for table in schema.tables {
      let family = model.family(of: table.rootEntity.index).filter { !$0.isAbstract && schema.contains($0) }
      let numbers = Dictionary(uniqueKeysWithValues: family.map { (schema.entityNumbers[$0.index], $0.index) })
      let select = try connection.prepare("SELECT Z_ENT, count(*), typeof(Z_ENT) FROM \(table.name) GROUP BY Z_ENT")
      var stray = 0
      while try select.step() {
        let entity = select.text(2) == "integer" ? Int(exactly: select.integer(0)).flatMap { numbers[$0] } : nil
        if let entity { counts[entity] += Int(select.integer(1)) } else { stray += Int(select.integer(1)) }
      }
      if stray > 0 {
        strays.append(
          "\(model.entities[table.rootEntity.index].name): \(PrintableText.count(stray, "object")) of no entity that has"
            + " objects")
      }
    }
    return (counts, strays)
  }

  /// Counts the values that are none of their attributes.
  private static func misfits(_ schema: StoreSchema, _ connection: Connection) throws(StoreError) -> [String] {
    try ColumnMisfit.registerFunction(connection)
    var result: [String] = []
    for table in schema.tables {
      var checks: [(field: String, misfit: ColumnMisfit)] = []
      for entity in schema.model.family(of: table.rootEntity.index) {
        for attribute in entity.attributes where attribute.declaringEntity == entity.index {
          guard let column = table.columnName(slot: attribute.slot) else { continue }
          checks += ColumnMisfit.all(attribute, in: column).map { ("\(entity.name).\(attribute.name)", $0) }
        }
      }
      // A statement has 2,000 columns at most.
      for start in stride(from: 0, to: checks.count, by: 500) {
        let part = checks[start..<min(start + 500, checks.count)]
        let sums = part.map { "sum(\($0.misfit.condition))" }.joined(separator: ", ")
        let select = try connection.prepare("SELECT \(sums) FROM \(table.name)")
        guard try select.step() else { continue }
        for (column, check) in zip(Int32(0)..., part) where select.integer(column) > 0 {
          let count = PrintableText.count(Int(select.integer(column)), "value")
          result.append("\(check.field) \(check.misfit.problem): \(count)")
        }
      }
    }
    return result
  }

  /// Says where everything goes in a store.
  ///
  /// - Throws: ``StoreError`` with `incompatibleModel` and all that has no place there, or with `invalidOption` if only
  ///   attributes by which objects are found are missing.
  func matched(
    to target: StoreSchema, at path: String, options: ObjectCopy.Options
  ) throws(StoreError) -> ObjectCopyPlan {
    var matcher = ObjectCopyMatcher(source: self, target: target, options: options)
    let plan = matcher.plan()
    guard matcher.findings.isEmpty else {
      throw StoreError(
        matcher.isOnlyKeys ? .invalidOption : .incompatibleModel, path: path,
        message: "the prepared objects do not fit the store: " + matcher.findings.joined(separator: "; "))
    }
    return plan
  }
}

/// Which column goes where.
struct ObjectCopyPlan {
  /// A table of the prepared store, with the one that takes its rows.
  struct Table {
    /// The number that names of temporary tables have.
    let number: Int
    let source: String
    let target: String
    /// The root entity in the model of the target.
    let targetRoot: RootIndex
    var columns: [Column] = []
    var references: [Reference] = []
    /// Values for attributes that only the target has.
    var defaults: [Default] = []
    var entities: [Entity] = []
  }
  struct Entity {
    let name: String
    let sourceNumber: Int
    let targetNumber: Int
    /// The columns by which its objects are found; empty when they are not.
    let keys: [(name: String, source: String, target: String)]
  }
  /// A column with the value of an attribute.
  struct Column {
    /// The name of the attribute.
    let name: String
    let source: String
    let target: String
    /// The slot of the attribute in the target.
    let slot: Int
    let isExternal: Bool
    /// Whether each object of the target must have a value.
    let isMandatory: Bool
  }
  /// A column with the primary key of another object, and the columns that go with it.
  struct Reference {
    let source: String
    let target: String
    /// The table of the other object.
    let table: Int
    /// The condition on the number of the other object's entity in the prepared store, such as `= 3`.
    let entityTest: String
    /// The target's column with the number of the other object's entity.
    let entityColumn: String?
    /// The columns with the position in the other object's ordered relationship.
    let position: (source: String, target: String)?
    /// Whether the other object refers back with a column of its own.
    let isPair: Bool
    /// The slot of the relationship in the target; `nil` when it is the other object's.
    let slot: Int?
  }
  /// The value of an attribute that prepared objects lack.
  struct Default {
    let target: String
    let value: AttributeValue
    let entityNumbers: [Int]
  }
  struct Join {
    let number: Int
    let source: String
    let target: String
    let owner: (source: String, target: String, table: Int, entityTest: String)
    let member: (source: String, target: String, table: Int, entityTest: String)
    /// The positions of members in their owners' relationships, and the other way round.
    let order: (source: String, target: String)?
    let inverseOrder: (source: String, target: String)?
    /// The slots of both directions in the target.
    let slot: Int
    let inverseSlot: Int
  }
  /// A one-to-one relationship, seen from one end; columns of the target.
  struct Pair {
    let table: Int
    let column: String
    let entityColumn: String?
    let isOptional: Bool
    let name: String
    let otherTable: Int
    let otherColumn: String
    let otherEntityColumn: String?
    /// The slot of the other end.
    let otherSlot: Int
  }

  var tables: [Table] = []
  var joins: [Join] = []
  var pairs: [Pair] = []
}
