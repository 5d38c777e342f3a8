import Diagnostics
import ObjectModel
import ObjectStore
import RecordFormats

/// A to-many relationship that records fill with lists, resolved against the model.
struct ImportList: Sendable {
  /// The relationship.
  var description: RelationshipDescription
  /// The column of the record batch that holds the lists.
  var column: Int
  /// The column's name.
  var columnName: String
  /// How a list is written: the separator's bytes, or nil for JSON.
  var separator: [UInt8]?
  /// The policies, as the definition has them.
  var options: ListImport
  /// What an element whose object does not exist means.
  var missing: MissingTargetPolicy
  /// What an element fills; its root is the relationship's target.
  var plan: ImportPlan
  /// The node of ``plan`` that stands for the owner, when each target belongs to one owner and says so itself: nothing
  /// is looked for, its objects are given.
  var ownerNode: Int?
  /// The slot of the target's relationship to its owner, with ``ownerNode``.
  var inverseSlot: Int { description.inverseSlot }
  /// Whether elements are looked for among the owner's members only.
  var isScoped: Bool

  /// All plans of lists within lists, this one first.
  var allPlans: [ImportPlan] { [plan] + plan.lists.flatMap(\.allPlans) }

  /// This list and all within it.
  fileprivate var all: [ImportList] { [self] + plan.lists.flatMap(\.all) }
}

extension ImportPlan {
  /// How many nodes of this plan and of its lists' plans fill each hierarchy, by root entity.
  ///
  /// Where lists may delete objects that are looked for everywhere, they count as one more: what is in memory would not
  /// know of it.
  func hierarchyUses(_ model: ManagedObjectModel) -> [Int: Int] {
    var uses: [Int: Int] = [:]
    let all = lists.flatMap(\.all)
    let gone = Self.rootsThatMayGo(all, model)
    for (plan, isScoped) in [(self, false)] + all.map({ ($0.plan, $0.isScoped) }) {
      // What is looked for in a second pass is alone then.
      let postponed = Set(plan.postponed.map(\.target))
      for (index, node) in plan.nodes.enumerated() where !node.isGiven && !postponed.contains(index) {
        let isRead = isScoped && index == plan.root
        uses[node.rootEntity, default: 0] += gone.contains(node.rootEntity) && !isRead ? 2 : 1
      }
    }
    return uses
  }

  /// The hierarchies of which lists may delete objects, with those that delete rules take along.
  private static func rootsThatMayGo(_ lists: [ImportList], _ model: ManagedObjectModel) -> Set<Int> {
    var roots: Set<Int> = []
    var waiting = lists.filter { $0.ownerNode != nil && $0.options.orphans == .delete && $0.options.links == .replace }
      .map { model.entities[$0.plan.nodes[$0.plan.root].rootEntity] }
    while let root = waiting.popLast() {
      guard roots.insert(root.index).inserted else { continue }
      for entity in model.entities[root.index...root.lastDescendantIndex] {
        for relationship in entity.relationships where relationship.deleteRule == .cascade {
          guard relationship.destinationEntity >= 0 else { continue }
          waiting.append(model.entities[model.entities[relationship.destinationEntity].rootIndex])
        }
      }
    }
    return roots
  }
}

extension ImportPlanBuilder {
  /// Adds the to-many relationships of a part.
  mutating func addLists(_ part: EntityImport, of entity: EntityDescription, takesLists: Bool) {
    for relationship in part.relationships {
      guard let options = relationship.list else { continue }
      guard takesLists else {
        report(
          "wrongRelationship", relationship.position,
          "\(entity.name).\(relationship.name): only the records' own entity and the elements of lists can have lists")
        continue
      }
      if let list = list(relationship, options, of: entity) { lists.append(list) }
    }
  }

  private mutating func list(
    _ relationship: RelationshipImport, _ options: ListImport, of entity: EntityDescription
  ) -> ImportList? {
    guard let description = entity.relationship(named: relationship.name) else {
      let nearest = NearestName.find(relationship.name, in: entity.relationships.map(\.name))
      report(
        "unknownRelationship", relationship.position, "\(entity.name) has no relationship \(relationship.name)",
        hint: nearest.map { "did you mean \($0)?" })
      return nil
    }
    guard description.isToMany, !description.isTransient else {
      report(
        "wrongRelationship", relationship.position,
        "\(entity.name).\(relationship.name) is \(description.isTransient ? "transient" : "to-one"); a list fills stored "
          + "to-many relationships only")
      return nil
    }
    let destination = definition.model.entities[description.destinationEntity]
    if let target = definition.model.entity(named: relationship.target.entityName), !target.isKind(of: destination) {
      report(
        "wrongEntity", relationship.position,
        "\(entity.name).\(relationship.name) refers to \(destination.name), not to \(target.name)")
    }
    let inverse = definition.model.inverse(of: description)
    let isOwned = inverse.map { !$0.isToMany } ?? false
    if options.links == .replace, options.orphans == .unlink, isOwned, inverse?.isOptional == false {
      report(
        "orphans", relationship.position,
        "an object of \(destination.name) cannot be without \(inverse?.name ?? ""), so it cannot stay when a list leaves it out",
        hint: "say orphans: delete, or links: add")
    }
    var builder = ImportPlanBuilder(definition)
    if isOwned {
      builder.nodes.append(ImportNode(given: entity))
    }
    let creates = relationship.missing == .create
    let root = builder.add(
      relationship.target, owner: entity, creates: creates, filled: isOwned ? inverse?.name : nil, takesLists: true)
    findings += builder.findings
    for name in builder.columnNames where !ListElements.isColumn(name) {
      report(
        "invalidPath", relationship.position, "\(name) is not a path of member names; write a dot inside a name as \\.")
      return nil
    }
    if builder.fieldColumns.contains(-1) {
      report(
        "wrongTransform", relationship.position,
        "the columns of elements of \(relationship.name) are taken as they are: they have no steps, values or maps",
        hint: "derive a column of the record instead")
      return nil
    }
    guard let root else { return nil }
    builder.nodes[root].createsMissing = creates
    if isOwned, let inverse {
      // Positions in the list are written with it, so that the reference alone is enough here.
      builder.nodes[root].relationships.append(
        ImportRelationship(
          name: inverse.name, slot: inverse.slot, target: 0, missing: .null, isOptional: true, needsInverse: false,
          isLate: false, description: inverse))
    }
    var separator: [UInt8]?
    if case .split(let text) = options.form { separator = Array(text.utf8) }
    let isScoped = options.scope.map { $0 == .owner } ?? Self.isScoped(relationship.target, destination, isOwned)
    return ImportList(
      description: description, column: column(options.column), columnName: options.column, separator: separator,
      options: options, missing: relationship.missing,
      plan: ImportPlan(
        nodes: builder.nodes, fields: builder.fields, fieldColumns: builder.fieldColumns,
        columnNames: builder.columnNames, fieldNames: builder.fieldNames, root: root, lists: builder.lists),
      ownerNode: isOwned ? 0 : nil, isScoped: isScoped && isOwned)
  }

  /// Whether elements are looked for among their owner's members when the definition does not say.
  private static func isScoped(_ target: EntityImport, _ entity: EntityDescription, _ isOwned: Bool) -> Bool {
    guard isOwned else { return false }
    let keys = Set(target.findBy.map(\.attributeName))
    return !entity.uniquenessConstraints.contains { Set($0).isSubset(of: keys) }
  }
}

extension ManagedObjectModel {
  /// The relationship back, or `nil`.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard relationship.inverseDeclaringEntity >= 0, let name = relationship.inverseName else { return nil }
    return entities[relationship.inverseDeclaringEntity].relationship(named: name)
  }
}

extension ImportNode {
  /// A node whose objects are known before: nothing is looked for and nothing is written.
  init(given entity: EntityDescription) {
    self.init(
      entity: entity.index, rootEntity: entity.rootIndex, hasSubentities: entity.hasSubentities, mode: .update,
      duplicates: .last, keyFields: [], keySlots: [], attributeFields: [], attributeSlots: [], relationships: [])
    isGiven = true
  }
}
