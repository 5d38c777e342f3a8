import MergewalkObjectModel

/// The steps that make the tables of a store fit another version of its model, in order.
///
/// A pure value made from the tables of both versions; nothing has run. Tables that get columns, other names or other
/// entity numbers are changed where they are; those that lose columns or give rows away are written anew by one
/// `INSERT … SELECT`. So memory does not grow with the rows.
package struct MigrationPlan: Sendable {
  /// One thing that is done.
  package struct Step: Sendable {
    /// The step in words, for people.
    package let title: String
    let actions: [Action]
  }

  /// A piece of work of a step.
  enum Action: Sendable {
    /// Counts what must not be there.
    case check(String, MigrationFinding)
    /// Removes the triggers on these tables, and those that mention one of them.
    case dropTriggers(tables: [String])
    /// Removes the explicit indexes of a table, except these and an app's own.
    case dropIndexes(table: String, keeping: Set<String>)
    /// Gives a table another name until its rows are carried over, as if what refers to it meant the new one of its name.
    case putAside(table: String, name: String)
    /// Runs a statement.
    case run(String)
    /// Creates an index unless it exists.
    case createIndex(IndexDefinition)
    /// Makes the R-trees and triggers of the new version, and those triggers anew that were removed and still fit.
    case createTriggers
    /// Writes entity numbers, history, metadata and the copy of the model.
    case bookkeeping
  }

  package let steps: [Step]
  /// The tables afterwards.
  package let destination: StoreSchema
  /// For the number of each root entity afterwards, the number of the root before whose keys it continues.
  let sequences: [Int: Int]
  /// For each entity number before, the number afterwards; `nil` when the entity is gone.
  let numbers: [Int: Int?]
  /// The numbers afterwards of entities whose properties changed.
  let changedNumbers: Set<Int>
  let goneLinks: Set<CloudTables.Relationship>
  /// What nothing in the new model continues, and how to count the data of it before the first step.
  let removals: [(removal: MigrationRemoval, sql: String)]
}

extension MigrationPlan {
  /// Plans the way from the tables of one version to those of another.
  ///
  /// - Parameters:
  ///   - mapping: What becomes of what; without findings.
  ///   - source: The tables as they are.
  ///   - configuration: The configuration of the new model; `nil` for all entities.
  ///   - crowded: Tables with columns that the model does not know, in upper case: they are written anew.
  /// - Throws: ``MigrationError`` with `notInferable` and all findings.
  package init(
    _ mapping: InferredMapping, source: StoreSchema, configuration: String? = nil, crowded: Set<String> = []
  ) throws(MigrationError) {
    guard let destination = StoreSchema(model: mapping.destination, configuration: configuration) else {
      throw MigrationError(
        .notInferable, path: "", message: "the new model has no configuration \(configuration ?? "")",
        findings: [
          MigrationFinding(
            .configuration, entity: configuration ?? "", message: "the store belongs to this configuration",
            hint: "keep the configuration, or name another one")
        ])
    }
    var findings = mapping.findings
    for (old, new) in mapping.destinationEntities.enumerated() {
      guard let new, source.entityNumbers[old] > 0, destination.entityNumbers[new] == 0 else { continue }
      findings.append(
        MigrationFinding(
          .configuration, entity: mapping.destination.entities[new].name,
          message: "the store has its objects, and the configuration leaves it out now",
          hint: "keep it in the configuration; objects cannot go to another store by themselves"))
    }
    guard findings.isEmpty else { throw Self.notInferable(findings) }
    var planner = MigrationPlanner(mapping: mapping, old: source, new: destination, crowded: crowded)
    planner.plan()
    self.init(
      steps: planner.steps, destination: planner.new, sequences: planner.sequences, numbers: planner.numbers,
      changedNumbers: planner.changedNumbers, goneLinks: planner.goneLinks,
      removals: RemovalSearch(mapping, old: source).result)
  }

  /// What two versions leave open, as an error.
  package static func notInferable(_ findings: [MigrationFinding], path: String = "") -> MigrationError {
    MigrationError(
      .notInferable, path: path,
      message: "the mapping of the data cannot be inferred from the two versions of the model", findings: findings)
  }
}
