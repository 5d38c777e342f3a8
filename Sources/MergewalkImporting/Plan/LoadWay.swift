import MergewalkObjectModel
import MergewalkObjectStore

/// The way in which the rows of a run are written to its store, and the reason.
///
/// The direct way writes the pages of a new store's file from rows in their order and from sorted keys, several times
/// as fast as SQLite builds its trees. Nothing remains of it if the process dies: the next run starts over.
public struct LoadWay: Sendable, Hashable {
  /// The reason for a way.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The pipeline asks for the direct way.
    case asked
    /// The inputs are large enough to gain by it, and quick to read again.
    case large
    /// The pipeline forbids it.
    case forbidden
    /// The store exists, or an interrupted run is resumed.
    case storeExists
    /// The store exists, and the run's changes are held back, sorted, and written once at its end.
    case sorted
    /// The same, unless records repeat keys, which is not known before they are read.
    case unlessRepeated
    /// The store exists, and a scan in pieces had no result for so many records that changes cannot be held back.
    case repeatedKeys
    /// Whole objects are loaded.
    case objects
    /// The size of the inputs is unknown.
    case unknownSize
    /// The inputs are so small that there is nothing to gain.
    case small
    /// The inputs are so large that starting over after an interruption costs more than the direct way gains.
    case veryLarge
    /// Records fill lists.
    case lists
    /// Setting a relationship also writes to the object at its other end, or waits for a second pass.
    case relationships
    /// Objects of several entities share a table, so each is looked up in it.
    case hierarchy
    /// Rows may violate a uniqueness constraint although their keys were looked up.
    case constraints
  }

  /// The reason.
  public var reason: Reason

  /// Creates the way for a reason.
  public init(_ reason: Reason) { self.reason = reason }

  /// Whether rows bypass SQLite.
  public var isDirect: Bool { reason == .asked || reason == .large }

  /// `direct`, `sorted` or `sqlite`.
  public var name: String { isDirect ? "direct" : isSorted ? "sorted" : "sqlite" }

  /// Whether rows are held back until the end of the run.
  public var isSorted: Bool { reason == .sorted || reason == .unlessRepeated }

  /// Smaller inputs, in bytes, are not worthwhile: they take a second, and an interrupted run can resume.
  public static let leastBytes = 16 << 20
  /// Larger inputs, in bytes, take minutes, too long to repeat.
  public static let mostBytes = 8 << 30

  /// The reason as the end of a sentence.
  public var sentence: String {
    switch reason {
    case .asked: "the pipeline has direct: always"
    case .large: "the inputs have at least 16 MiB and at most 8 GiB; an interrupted run starts over"
    case .forbidden: "the pipeline has direct: never"
    case .storeExists: "the store exists"
    case .sorted: "the store exists, and keys are found without it: changed rows are held back and written once, sorted"
    case .unlessRepeated:
      "the store exists: changed rows are held back and written once, sorted, unless the input repeats keys"
    case .repeatedKeys:
      "the store exists, and keys repeat in the input or memory is short, so that records are looked for in it"
    case .objects: "whole objects are loaded"
    case .unknownSize: "the size of the inputs is unknown, and an interrupted run can resume"
    case .small: "the inputs have less than 16 MiB, and an interrupted run can resume"
    case .veryLarge: "the inputs have more than 8 GiB, and an interrupted run can resume"
    case .lists: "records fill lists"
    case .relationships: "a relationship is set from both ends or in a second pass"
    case .hierarchy: "several entities share a table"
    case .constraints: "rows may break a uniqueness constraint although their keys are looked for"
    }
  }
}

extension LoadWay {
  /// Chooses for a store that does not exist yet.
  ///
  /// - Parameter schema: The tables of the model.
  init(new definition: ImportDefinition, plans: [ImportPlan], schema: StoreSchema) {
    self.init(Self.obstacle(definition, plans, schema) ?? Self.size(definition))
  }

  /// Chooses for a store that exists.
  ///
  /// - Parameter searches: for each part where the keys of its nodes are looked for; none for parts that wait for each
  ///   other.
  init(existing definition: ImportDefinition, plans: [ImportPlan], searches: [[KeySearch]]) {
    let reasons = Self.mayWait(definition, plans) ? searches.map(Self.reason) : []
    self.init([.sorted, .unlessRepeated, .repeatedKeys].first(where: reasons.contains) ?? .storeExists)
  }

  /// The way of a part whose rows nothing else keeps from waiting.
  private static func reason(_ searches: [KeySearch]) -> Reason {
    if searches.isEmpty || searches.contains(.store) { return .storeExists }
    if searches.contains(.pieces(isDecided: false)) { return .repeatedKeys }
    return searches.contains(.pieces(isDecided: nil)) ? .unlessRepeated : .sorted
  }

  /// Whether what a run changes in an existing store may wait for its end.
  static func mayWait(_ definition: ImportDefinition, _ plans: [ImportPlan]) -> Bool {
    obstacle(definition, plans, StoreSchema(model: definition.model)) == nil
  }

  /// The reason why the direct way cannot be taken at all.
  private static func obstacle(
    _ definition: ImportDefinition, _ plans: [ImportPlan], _ schema: @autoclosure () -> StoreSchema
  ) -> Reason? {
    if definition.policy.direct == .never { return .forbidden }
    if plans.isEmpty { return .objects }
    let tables = schema()
    for plan in plans {
      if !plan.lists.isEmpty { return .lists }
      let nodes = plan.nodes
      let relationships = nodes.flatMap(\.relationships)
      if !plan.postponed.isEmpty || relationships.contains(where: { $0.isLate || $0.needsInverse }) {
        return .relationships
      }
      if nodes.contains(where: \.hasSubentities) || Set(nodes.map(\.rootEntity)).count < nodes.count {
        return .hierarchy
      }
      if nodes.contains(where: { definition.model.entities[$0.rootEntity.index].hasSubentities }) { return .hierarchy }
      if nodes.contains(where: { mayBreakConstraints($0, tables) }) { return .constraints }
    }
    return nil
  }

  private static func mayBreakConstraints(_ node: ImportNode, _ schema: StoreSchema) -> Bool {
    let table = schema.table(forRoot: node.rootEntity)
    let columns = Set(node.keySlots.compactMap { table.columnName(slot: $0) })
    return schema.indexes.contains { $0.isUnique && $0.table == table.name && Set($0.columns) != columns }
  }

  private static func size(_ definition: ImportDefinition) -> Reason {
    if definition.policy.direct == .always { return .asked }
    let sizes = definition.parts.filter { !$0.sources.isEmpty }.map { ImportSession.estimatedBytes($0.sources) }
    if sizes.contains(0) { return .unknownSize }
    let sum = sizes.reduce(0, +)
    return sum < leastBytes ? .small : sum > mostBytes ? .veryLarge : .large
  }
}
