import MergewalkObjectModel

/// A to-many relationship that records fill with lists, resolved against the model.
struct ImportList: Sendable {
  var description: RelationshipDescription
  /// The column of the record batch that holds the lists.
  var column: Int
  var columnName: String
  /// The request to the reader.
  var request: String
  /// How a list is written: the separator's bytes, or nil for JSON.
  var separator: [UInt8]?
  /// The policies, as the definition has them.
  var options: ListImport
  /// The policy for an element whose object does not exist.
  var missing: MissingTargetPolicy
  /// The plan of an element; its root is the relationship's target.
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

  /// Whether it makes no difference which of the owners' lists are imported first: none of them can name what another one
  /// names too and say something else about it, or refer to what another one makes.
  var isOrderFree: Bool {
    guard isScoped || ownerNode == nil else { return false }
    let roots = allPlans.flatMap(\.nodes).filter { !$0.isGiven }.map(\.rootEntity)
    guard Set(roots).count == roots.count else { return false }
    for (index, node) in plan.nodes.enumerated() where !node.isGiven && !(isScoped && index == plan.root) {
      if !node.contentSlots.isEmpty { return false }
    }
    return plan.lists.allSatisfy(\.isOrderFree)
  }

  /// This list and all within it.
  fileprivate var all: [ImportList] { [self] + plan.lists.flatMap(\.all) }
}

extension ImportPlan {
  /// How many nodes of this plan and of its lists' plans fill each hierarchy, by root entity.
  ///
  /// Where lists may delete objects that are looked for everywhere, they count as one more: what is in memory would not
  /// know of it.
  func hierarchyUses(_ model: ManagedObjectModel) -> [RootIndex: Int] {
    var uses: [RootIndex: Int] = [:]
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

  /// How often the plan and those of its lists fill a relationship, from either end; one that is its own inverse counts
  /// for each end.
  func fills(_ relationship: RelationshipDescription) -> Int {
    func isSame(_ other: RelationshipDescription) -> Bool {
      other.name == relationship.name && other.declaringEntity == relationship.declaringEntity
    }
    func isInverse(_ other: RelationshipDescription) -> Bool {
      other.name == relationship.inverseName && other.declaringEntity == relationship.inverseDeclaringEntity
    }
    var count = 0
    for list in lists.flatMap(\.all) {
      count += (isSame(list.description) ? 1 : 0) + (isInverse(list.description) ? 1 : 0)
    }
    for plan in [self] + lists.flatMap(\.allPlans) {
      for node in plan.nodes {
        // Elements refer to their owners because the list says so.
        for other in node.relationships where !plan.nodes[other.target].isGiven && isInverse(other.description) {
          count += 1
        }
        count += node.clearedReferences.count(where: isInverse)
      }
    }
    return count
  }

  /// The hierarchies of which lists may delete objects.
  func rootsThatMayGo(_ model: ManagedObjectModel) -> Set<RootIndex> {
    Self.rootsThatMayGo(lists.flatMap(\.all), model)
  }

  /// The hierarchies of which lists may delete objects, with those that delete rules take along.
  private static func rootsThatMayGo(_ lists: [ImportList], _ model: ManagedObjectModel) -> Set<RootIndex> {
    var roots: Set<RootIndex> = []
    var waiting = lists.filter { $0.ownerNode != nil && $0.options.orphans == .delete && $0.options.links == .replace }
      .map { model.entities[$0.plan.nodes[$0.plan.root].rootEntity.index] }
    while let root = waiting.popLast() {
      guard roots.insert(root.root).inserted else { continue }
      for entity in model.family(of: root.index) {
        for relationship in entity.relationships where relationship.deleteRule == .cascade {
          guard relationship.destinationEntity >= 0 else { continue }
          waiting.append(model.entities[model.entities[relationship.destinationEntity].rootIndex])
        }
      }
    }
    return roots
  }
}

extension ImportNode {
  /// A node whose objects are known before: nothing is looked for and nothing is written.
  init(given entity: EntityDescription) {
    self.init(
      entity: entity.index, rootEntity: entity.root, hasSubentities: entity.hasSubentities, mode: .update,
      duplicates: .last, keyFields: [], keySlots: [], attributeFields: [], attributeSlots: [], relationships: [])
    isGiven = true
  }
}
