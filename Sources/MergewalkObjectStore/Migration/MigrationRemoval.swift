import MergewalkDiagnostics

/// Data of the store that a migration removes, because nothing in the new model continues what held them.
///
/// This may be what the new version is for; it also is what a forgotten renaming identifier does.
public struct MigrationRemoval: Sendable, Hashable, CustomStringConvertible {
  /// The kind of data.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Objects of an entity.
    case entity
    /// Values of an attribute.
    case attribute
    /// References of a relationship, in both directions if it has an inverse.
    case relationship
    /// Objects with an entity number that is none of their table, in a table that is written anew; no version has them.
    case stray
  }

  /// The kind of data.
  public let kind: Kind
  /// The name in the old model: `Entity`, or `Entity.property` with the entity that declares it; of strays, the root entity.
  public let name: String
  /// The number of objects, values or references; `nil` in the plan of a later version on the way, whose tables are not
  /// there yet.
  public internal(set) var count: Int?
  /// Whether a derived attribute continues it, which computes its values.
  public let isDerivedNow: Bool

  /// `3 values of the attribute Order.note are removed: …`.
  public var description: String {
    let (one, many) =
      switch kind {
      case .entity, .stray: ("object", "objects")
      case .attribute: ("value", "values")
      case .relationship: ("reference", "references")
      }
    let amount = count.map { PrintableText.count($0, one, many) } ?? "all \(many)"
    if kind == .stray {
      return "\(amount) in the table of \(name) \(count == 1 ? "is" : "are") removed: the entity number (Z_ENT) is that"
        + " of no entity there"
    }
    let reason =
      isDerivedNow
      ? "the attribute is derived now" : "nothing in the new model has its name, or its name as renaming identifier"
    return "\(amount) of the \(kind.rawValue) \(name) \(count == 1 ? "is" : "are") removed: \(reason)"
  }
}
