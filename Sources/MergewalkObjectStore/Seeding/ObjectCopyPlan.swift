import MergewalkObjectModel
import MergewalkSQLite

/// A prepared store, as far as copying needs to know it.
struct ObjectCopySource {
  let schema: StoreSchema
  /// How many objects of its own each entity has, by index.
  let counts: [Int]
  /// What is not copied, because there is nothing that it could lead to.
  let dangling: DanglingReferences

  init(_ schema: StoreSchema, _ connection: Connection) throws(StoreError) {
    self.schema = schema
    counts = try Self.counts(schema, connection)
    let entities = schema.model.entities.filter { !$0.isAbstract && schema.contains($0) }
    dangling = try DanglingReferences(of: entities, schema, connection)
  }

  /// Counts the objects of an open store.
  ///
  /// - Complexity: O(objects).
  private static func counts(_ schema: StoreSchema, _ connection: Connection) throws(StoreError) -> [Int] {
    var counts = Array(repeating: 0, count: schema.model.entities.count)
    let entities = Dictionary(
      schema.entityNumbers.enumerated().filter { $1 > 0 }.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for table in schema.tables {
      let select = try connection.prepare("SELECT Z_ENT, count(*) FROM \(table.name) GROUP BY Z_ENT")
      while try select.step() {
        guard let entity = entities[Int(truncatingIfNeeded: select.integer(0))] else { continue }
        counts[entity] += Int(select.integer(1))
      }
    }
    return counts
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
  }

  var tables: [Table] = []
  var joins: [Join] = []
  var pairs: [Pair] = []
}
