public import MergewalkDiagnostics
package import Synchronization

/// The frozen, immutable description of a store's data.
///
/// A model is created once from a ``ModelDraft``, which resolves all names and gives every property a dense slot.
/// Source: Apple, Core Data Programming Guide, "Creating a Managed Object Model".
public final class ManagedObjectModel: Sendable {
  /// The model's draft; to create another model, change a copy of it.
  public let draft: ModelDraft
  /// All entities, by number: roots by name, ignoring case, each followed by its descendants.
  public let entities: [EntityDescription]
  /// For each entity index that is a root: the number of slots in its hierarchy; 0 at other indexes.
  public let slotCounts: [Int]
  /// For each entity index that is a root: the number of first slots that have a column of their own; 0 at other
  /// indexes.
  ///
  /// These are the attributes and the to-one relationships, including transient ones.
  public let columnSlotCounts: [Int]

  private let positions: [String: Int]
  /// The number that distinguishes the model from all others of the process, from 1.
  package let serial = ManagedObjectModel.serials.add(1, ordering: .relaxed).newValue
  private static let serials = Atomic<UInt64>(0)
  /// Data that other layers keep with the model, such as the classes of objects.
  package let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// An entity by its number, and everything that inherits from it.
  package func family(of index: Int) -> ArraySlice<EntityDescription> {
    entities[index...entities[index].lastDescendantIndex]
  }

  /// Everything that inherits from a root, and the root.
  package func family(of root: RootIndex) -> ArraySlice<EntityDescription> { family(of: root.index) }

  /// Freezes a draft.
  ///
  /// - Throws: ``DiagnosticList`` with every finding if the draft has an error; warnings alone do not throw.
  /// - Complexity: O(entities × properties).
  public convenience init(_ draft: ModelDraft) throws(DiagnosticList) {
    let findings = ModelLint.check(draft)
    guard !findings.contains(where: { $0.severity == .error }) else { throw DiagnosticList(findings) }
    self.init(sound: draft)
  }

  /// Freezes a draft that is known to have no errors.
  init(sound draft: ModelDraft) {
    var resolver = ModelResolver(draft)
    resolver.resolve()
    self.draft = draft
    entities = resolver.entities
    slotCounts = resolver.slotCounts
    columnSlotCounts = resolver.columnSlotCounts
    positions = Dictionary(uniqueKeysWithValues: resolver.entities.map { ($0.name, $0.index) })
  }

  /// The entity with this name, or `nil`.
  public func entity(named name: String) -> EntityDescription? { positions[name].map { entities[$0] } }

  /// The entities of a configuration; all entities for `nil`; returns `nil` if there is no such configuration.
  public func entities(forConfiguration name: String?) -> [EntityDescription]? {
    guard let name else { return entities }
    guard let configuration = draft.configurations.first(where: { $0.name == name }) else { return nil }
    return configuration.entityNames.compactMap(entity(named:))
  }

  /// The named fetch request with this name, or `nil`; a copy that you may change.
  public func fetchRequestTemplate(named name: String) -> FetchRequestTemplate? {
    draft.fetchRequestTemplates.first { $0.name == name }
  }

  /// The entity that an entity inherits from; `nil` for a root.
  ///
  /// It follows from the hierarchy in the draft and cannot be set.
  public func superentity(of entity: EntityDescription) -> EntityDescription? {
    entity.superentityIndex.map { entities[$0] }
  }

  /// The direct subentities of an entity, in number order.
  ///
  /// - Complexity: O(entities below it).
  public func subentities(of entity: EntityDescription) -> [EntityDescription] {
    entities[entity.index...entity.lastDescendantIndex].filter { $0.superentityIndex == entity.index }
  }

  /// The entities of a compiled model of which something is left out, with all that inherits from them: their version
  /// hashes are not those of the model that was compiled.
  package var incompleteEntities: Set<String> {
    guard !draft.incompleteEntities.isEmpty else { return [] }
    return Set(
      entities.filter { draft.incompleteEntities.contains($0.name) }
        .flatMap { entities[$0.index...$0.lastDescendantIndex].map(\.name) })
  }

  /// The relationship back, as the entity that declares it has it; `nil` when there is none.
  package func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard relationship.inverseDeclaringEntity >= 0, let name = relationship.inverseName else { return nil }
    return entities[relationship.inverseDeclaringEntity].relationship(named: name)
  }

  /// The roots in number order.
  public var rootEntities: [EntityDescription] { entities.filter(\.isRoot) }
}
