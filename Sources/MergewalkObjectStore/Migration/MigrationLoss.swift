/// Something that an app has added to a store's file and that a migration does not keep, or keeps though it may not work.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
  /// The kind of object.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A column of one of the model's tables.
    case column
    /// A table of the app's own, with its rows; only a migration with a mapping model, which makes a new file, may lose one.
    case table
    /// An index of one of the model's tables, or of a table of the app's own that is lost.
    case index
    /// A trigger.
    case trigger
    /// A view.
    case view
  }

  /// The kind of object.
  public let kind: Kind
  /// Its name; of a column `TABLE.COLUMN`.
  public let name: String
  /// The message: what happens to it, and why.
  public let message: String

  /// `the KIND NAME MESSAGE`.
  public var description: String { "the \(kind.rawValue) \(name) \(message)" }
}
