/// The kind of storage of a store's records.
public enum PersistentStoreType: Sendable, Hashable, CustomStringConvertible {
  /// An SQLite file in Core Data's layout.
  case sqlite
  /// No storage: the records are lost with the store.
  case inMemory
  /// An XML file that is read and written as a whole.
  case xml
  /// A binary property list that is read and written as a whole.
  case binary
  /// A store of the program's own, with its name in the metadata.
  case custom(String)

  /// The name in the metadata (`NSStoreType`).
  public var name: String {
    switch self {
    case .sqlite: "SQLite"
    case .inMemory: "InMemory"
    case .xml: "XML"
    case .binary: "Binary"
    case .custom(let name): name
    }
  }

  /// Whether nothing is behind the tables that a save would have to write besides them.
  package var isOnlyTables: Bool { self == .sqlite || self == .inMemory }

  /// The name.
  public var description: String { name }
}
