import MergewalkDiagnostics
import MergewalkObjectModel

/// An ``ImportDefinition`` resolved against the model: names have become slots, columns and indexes.
struct ImportPlan: Sendable {
  /// The entities that records fill, targets of relationships before the entities that refer to them; the targets of
  /// relationships within one hierarchy come after their owner, whose objects they may be.
  let nodes: [ImportNode]
  let fields: [CompiledField]
  /// For each field, the column of the record batch that it comes from.
  let fieldColumns: [Int]
  /// The columns to request from the reader.
  let columnNames: [String]
  /// Where the definition first names each of them.
  let columnPlaces: [SourcePosition]
  /// For each field, the names that messages use.
  let fieldNames: [FieldName]
  /// For each field, the node at the other end of a relationship whose objects it fills; -1 for those of ``root``.
  let targetNodes: [Int]
  /// For each node, the relationship that leads to it; nil for ``root``.
  let leading: [ImportRelationship?]

  /// The node that the records stand for.
  let root: Int
  /// The to-many relationships of the root node that records fill.
  var lists: [ImportList] = []
  /// The transforms of columns before conversion.
  var transforms = TransformPlan()

  /// The field that tells which records earlier runs have read, or `nil`; it belongs to no node.
  var sinceField: Int?

  /// Whether records of a new store are rejected that repeat a key, and fill other objects if that is not known before.
  var rejectsRepeats: Bool {
    let own = nodes[root]
    return own.mode != .update && (own.duplicates == .reject || own.mode == .insert && own.duplicates == .last)
      && nodes.count > postponed.count + 1
  }

  struct FieldName: Sendable {
    var entity: String
    var attribute: String
    var column: String
  }

  /// Resolves a part of a definition.
  ///
  /// - Throws: `DiagnosticList` with all findings.
  init(_ definition: ImportDefinition, part: ImportPart) throws(DiagnosticList) {
    let resolved = part.resolved(
      model: definition.model, path: definition.path ?? definition.name,
      hasRejectsFile: definition.rejects.path != nil, storePath: definition.storePath)
    guard let plan = resolved.plan else { throw DiagnosticList(resolved.findings) }
    self = plan
  }
}

extension ImportPlan {
  /// Takes parts that are resolved already.
  init(
    nodes: [ImportNode], fields: [CompiledField], fieldColumns: [Int], columnNames: [String],
    columnPlaces: [SourcePosition], fieldNames: [FieldName], root: Int, lists: [ImportList] = []
  ) {
    self.columnPlaces = columnPlaces
    self.lists = lists
    self.nodes = nodes
    self.fields = fields
    self.fieldColumns = fieldColumns
    self.columnNames = columnNames
    self.fieldNames = fieldNames
    self.root = root
    var targets = Array(repeating: -1, count: fields.count)
    for node in nodes.indices where node != root {
      for field in nodes[node].fields { targets[field] = node }
    }
    targetNodes = targets
    var leading: [ImportRelationship?] = Array(repeating: nil, count: nodes.count)
    for relationship in nodes.flatMap(\.relationships) { leading[relationship.target] = relationship }
    self.leading = leading
  }
}

/// One entity that records fill.
struct ImportNode: Sendable {
  /// The entity's index in the model.
  var entity: Int
  var rootEntity: RootIndex
  /// Whether other entities inherit from the entity.
  var hasSubentities: Bool
  /// The handling of known and unknown keys.
  var mode: ImportMode
  /// Which of several records with the same key counts.
  var duplicates: DuplicatePolicy
  /// The fields of the key, and their slots.
  var keyFields: [Int]
  var keySlots: [Int]
  /// The fields of the other attributes, and their slots.
  var attributeFields: [Int]
  var attributeSlots: [Int]
  /// The relationships to other nodes.
  var relationships: [ImportRelationship]

  /// The fields of the key and of the other attributes.
  var fields: [Int] { keyFields + attributeFields }
  /// Whether records say something of the objects beside their keys.
  var fills: Bool { !attributeFields.isEmpty || !relationships.isEmpty }

  /// The slots whose content is compared: the attributes', then the relationships'.
  var contentSlots: [Int] { attributeSlots + relationships.map(\.slot) + clearedReferences.map(\.slot) }
  /// Whether a target that is named but not there is created, as far as the mode allows.
  var createsMissing = true
  /// Whether an object can be made of the mapped attributes alone: nothing mandatory is left out.
  var canCreate = true
  /// Whether the objects are known before: nothing is looked for and nothing is written.
  var isGiven = false
  /// All slots that change detection needs.
  var fetchedSlots: [Int] { keySlots + contentSlots + inverseSlots + (softDelete.map { [$0.slot] } ?? []) }
  /// To-one relationships that every record clears: those that mode `replace` leaves unfilled.
  var clearedReferences: [RelationshipDescription] = []
  /// The attribute that says that an object is gone, which a record that names the object clears.
  var softDelete: SoftDelete?
  /// The objects that may go when no record names them; `nil` for all.
  var scope: ObjectPredicate?
  /// Slots of to-one relationships that are set from their other side.
  var inverseSlots: [Int] = []
}

/// A to-one relationship from one node to another.
struct ImportRelationship: Sendable {
  var name: String
  var slot: Int
  /// The node at the other end.
  var target: Int
  /// The policy for a target that is named but missing.
  var missing: MissingTargetPolicy
  /// Whether an object may be without a target.
  var isOptional: Bool
  /// Whether setting it needs more than the reference itself: a to-one or an ordered inverse.
  var needsInverse: Bool
  /// Whether the target is of the owner's own hierarchy, so that it may be an object that the same batch creates: it is
  /// found after the owner's objects are written.
  var isLate: Bool
  /// Whether it is set in a second pass, when all objects exist; it is late too.
  var isPostponed = false
  var description: RelationshipDescription

  /// Whether a record refers to an object that is not there, so that by policy it refers to nothing.
  ///
  /// Of a late target this is not known when its record comes for the first time: it is never said of one.
  ///
  /// - Parameters:
  ///   - state: one of ``ImportBatch/KeyState``.
  ///   - target: the primary key of the target, if any.
  func leadsNowhere(_ state: UInt8, _ target: Int64) -> Bool {
    missing == .null && !isLate && ReferenceCount(state: state, target: target) == .missing
  }

  /// Whether records of other objects change it, too, because they take the target away: it has one object at both ends.
  var isTakenByOthers: Bool { needsInverse && !description.isInverseToMany }
}
