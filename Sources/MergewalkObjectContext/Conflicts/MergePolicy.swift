import MergewalkDiagnostics

/// The treatment of conflicts at a save: records changed by another context meanwhile, and values that are not unique.
///
/// | | changed here and there | changed here, deleted there | deleted here, changed there | not unique |
/// |---|---|---|---|---|
/// | `error` | the save fails | the save fails | the save fails | the save fails |
/// | `mergeByPropertyStoreTrump` | if both changed a property, the store's value | gone | stays | the stored record |
/// | `mergeByPropertyObjectTrump` | if both changed a property, this context's | stored again | gone | new values win |
/// | `overwrite` | all of this context's values | stored again | gone | all new values |
/// | `rollback` | all of the store's values | gone | stays | the stored record |
///
/// A policy works in the transaction of the save that met the conflicts, so that no other process can change the
/// records again before they are written. What it did to objects stays done when the save fails for another reason.
///
/// A policy of one's own inherits from this class, changes the objects of the conflicts as it sees fit, and lets a
/// standard policy do the rest:
///
/// ```swift
/// final class Summing: MergePolicy {
///   override func resolve(
///     optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
///   ) throws(SaveError) {
///     for conflict in conflicts { ... }
///     try super.resolve(optimisticLockingConflicts: conflicts, in: context)
///   }
/// }
/// context.mergePolicy = Summing(.mergeByPropertyObjectTrump)
/// ```
///
/// Source: Apple, [NSMergePolicy](https://developer.apple.com/documentation/coredata/nsmergepolicy).
open class MergePolicy {
  /// The standard policies.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The save fails and lists the conflicts.
    case error
    /// Conflicting properties take the store's values.
    case mergeByPropertyStoreTrump
    /// Conflicting properties take this context's values.
    case mergeByPropertyObjectTrump
    /// All values become those of this context.
    case overwrite
    /// All values become those of the store.
    case rollback
  }

  /// The standard policy that handles everything a custom policy leaves over.
  public let kind: Kind

  /// Creates a policy.
  public init(_ kind: Kind) { self.kind = kind }

  /// The save fails and lists the conflicts: the default.
  public static var error: MergePolicy { MergePolicy(.error) }
  /// Conflicting properties take the store's values.
  public static var mergeByPropertyStoreTrump: MergePolicy { MergePolicy(.mergeByPropertyStoreTrump) }
  /// Conflicting properties take this context's values.
  public static var mergeByPropertyObjectTrump: MergePolicy { MergePolicy(.mergeByPropertyObjectTrump) }
  /// All values become those of this context.
  public static var overwrite: MergePolicy { MergePolicy(.overwrite) }
  /// All values become those of the store.
  public static var rollback: MergePolicy { MergePolicy(.rollback) }

  /// Resolves conflicts with changes that another context or process made to records, so that the save can be tried
  /// again.
  ///
  /// - Throws: ``SaveError`` when they cannot be resolved; the save fails with it.
  open func resolve(
    optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
  ) throws(SaveError) {
    guard kind != .error else { throw SaveError(conflicts) }
    try context.resolve(conflicts, kind)
  }

  /// Resolves conflicts of values that must be unique, so that the save can be tried again.
  ///
  /// - Throws: ``SaveError`` when they cannot be resolved; the save fails with it.
  open func resolve(
    constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext
  ) throws(SaveError) {
    guard kind != .error else { throw SaveError(conflicts) }
    try context.resolve(conflicts, kind)
  }
}

extension SaveError {
  /// Reports records that another context or process changed or deleted.
  public init(_ conflicts: [MergeConflict]) {
    self.init(
      code: .conflict,
      message: "another context or process changed or deleted \(PrintableText.count(conflicts.count, "record")) since "
        + "the last fetch; refresh what conflicts and save again, or set a merge policy:\n"
        + conflicts.map(\.description).joined(separator: "\n"),
      conflicts: conflicts.map(\.objectID), mergeConflicts: conflicts)
  }

  /// Reports values that must be unique and are not.
  public init(_ conflicts: [ConstraintConflict]) {
    self.init(
      code: .constraint,
      message: "values that must be unique are not:\n" + conflicts.map(\.description).joined(separator: "\n"),
      conflicts: conflicts.flatMap(\.conflictingObjectIDs), constraintConflicts: conflicts)
  }
}
