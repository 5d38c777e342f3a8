package import MergewalkObjectModel
import MergewalkSQLite

/// The references of objects to objects that the store does not have, or that do not refer back in a one-to-one
/// relationship.
///
/// Stores of apps have them: a delete rule did nothing, or rows were removed by other means. No store is built with them:
/// an export's pipeline and a copy of the objects set them to nothing.
package struct DanglingReferences {
  /// How many there are of each field: `Order.customer`.
  package private(set) var counts: [(field: String, count: Int)] = []
  /// The indexes of the entities that have such references.
  package private(set) var entities = Set<Int>()

  /// Begins with none.
  package init() {}

  /// Counts those of a store.
  ///
  /// - Complexity: A seek for each reference.
  package init(of chosen: [EntityDescription], _ store: PersistentStore) throws(StoreError) {
    try self.init(of: chosen, store.schema, store.connection)
  }

  init(of chosen: [EntityDescription], _ schema: StoreSchema, _ connection: Connection) throws(StoreError) {
    var seen = Set<Int>()
    for entity in chosen {
      for field in schema.objectFields(of: entity) {
        var queries = Self.queries(field, of: entity, schema)
        // Pairs that no object has count once, for the first entity that could have them.
        if case .links(_, let position) = field.kind, !seen.insert(position).inserted { queries = [queries[0]] }
        var count = 0
        for query in queries { count += Int(try connection.integer("SELECT count(*) FROM \(query)") ?? 0) }
        guard count > 0 else { continue }
        counts.append((field: "\(entity.name).\(field.name)", count: count))
        entities.insert(entity.index)
      }
    }
  }

  /// The rows of an entity whose reference leads nowhere; of pairs, then also those that lead to no owner.
  private static func queries(_ field: IdentityField, of entity: EntityDescription, _ schema: StoreSchema) -> [String] {
    let model = schema.model
    let table = schema.table(forRoot: entity.root).name
    let number = schema.entityNumbers[entity.index]
    func references(to target: Int) -> [String] {
      let target = model.entities[target]
      guard let column = field.column?.name, schema.contains(target) else { return [] }
      // The column's index gives the keys in order, without the rows; whose they are matters only if some lead nowhere.
      return [
        "\(table) s WHERE s.Z_ENT = \(number) AND s.\(column) IN (SELECT s.\(column) FROM \(table) s"
          + " WHERE \(schema.refersToNothing("s.\(column)", target)))"
      ]
    }
    switch field.kind {
    case .toOne(let relationship):
      let other = schema.model.entities[relationship.destinationEntity]
      guard let column = field.column?.name, relationship.inverseSlot >= 0, !relationship.isInverseToMany,
        schema.contains(other),
        let inverse = schema.table(forRoot: other.root).columnName(slot: relationship.inverseSlot)
      else { return references(to: relationship.destinationEntity) }
      return references(to: relationship.destinationEntity) + [
        "\(table) s JOIN \(schema.table(forRoot: other.root).name) d ON d.Z_PK = s.\(column)"
          + " AND d.Z_ENT \(schema.entityTest(other)) WHERE s.Z_ENT = \(number) AND d.\(inverse) IS NOT s.Z_PK"
      ]
    case .owner(let relationship): return references(to: relationship.declaringEntity)
    case .links(let relationship, let position):
      let join = schema.joinTables[position]
      let isMaster = join.master.entity == relationship.declaringEntity && join.master.slot == relationship.slot
      let side = isMaster ? join.master : join.inverse
      let target = model.entities[relationship.destinationEntity]
      let owner = model.entities[relationship.declaringEntity]
      // Unlike a to-one reference, a pair without a key is none.
      func isLoose(_ column: String, _ entity: EntityDescription) -> String {
        "(s.\(column) IS NULL OR \(schema.refersToNothing("s.\(column)", entity)))"
      }
      return [
        "\(join.name) s JOIN \(table) t ON t.Z_PK = s.\(side.ownerColumn) WHERE t.Z_ENT = \(number)"
          + " AND \(isLoose(side.targetColumn, target))",
        "\(join.name) s WHERE \(isLoose(side.ownerColumn, owner))",
      ]
    case .identity, .attribute, .toOneOrder, .ownerOrder, .linkOrders, .inverseOrders: return []
    }
  }
}
