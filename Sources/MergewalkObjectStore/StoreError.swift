import MergewalkDiagnostics
import MergewalkSQLite

/// An error about a store that could not be opened, created, read or written.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; tests and callers match it, never the text.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no file at the path.
    case notFound
    /// A new store was to be created, but there is already a file, or one appeared in the meantime.
    case alreadyExists
    /// The file is not an SQLite database.
    case notADatabase
    /// The file is a store of Core Data, or looks like one, but not an SQLite one.
    case otherStoreType
    /// The file is a database without Core Data's metadata.
    case notACoreDataStore
    /// The metadata cannot be read: not exactly one row, not a property list, or no version hashes.
    case damagedMetadata
    /// The store was created with another model; ``StoreError/differences`` lists the entities.
    case incompatibleModel
    /// No model was given, and the store carries no copy that fits its version hashes.
    case noModel
    /// A table required by the model is missing.
    case missingTable
    /// A column required by the model is missing.
    case missingColumn
    /// The store uses a feature that cannot be written without Core Data.
    case unsupported
    /// The store has no persistent history.
    case noHistory
    /// A position in the history of another store.
    case foreignHistoryToken
    /// A position in history after which something was deleted, or that the store has not reached: a reader has to
    /// start over.
    case expiredHistoryToken
    /// Another process has the store open.
    case busy
    /// Another process has written to the store since a run into it was planned.
    case changedMeanwhile
    /// A row held back until the end of a planned run is refused; nothing of the run is in the store.
    case refusedRows
    /// An option has an unusable name or value, or a type of store is not registered.
    case invalidOption
    /// The store is open read-only.
    case readOnly
    /// The store was closed.
    case closed
    /// The contents of a file that is read as a whole are invalid.
    case damagedFile
    /// The program's own part of a custom store failed.
    case customStore
    /// The file system refused the operation.
    case inputOutput
    /// There is not enough memory.
    case outOfMemory
    /// SQLite refused the operation; ``StoreError/cause`` gives the reason.
    case sqlite
  }

  /// The kind of failure.
  public let code: Code
  /// The store's path.
  public let path: String
  /// The message: expected, then found.
  public let message: String
  /// For ``Code/incompatibleModel``: the differences between the model and the store.
  public let differences: ModelDifferences?
  /// SQLite's own error, or `nil` if it is not the cause.
  public let cause: DatabaseFailure?

  /// Creates an error.
  public init(
    _ code: Code, path: String, message: String, differences: ModelDifferences? = nil, cause: DatabaseFailure? = nil
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.differences = differences
    self.cause = cause
  }

  /// Wraps SQLite's error, with the code that says most about a store.
  init(_ error: SQLiteError, path: String) {
    let cause = DatabaseFailure(error)
    let code: Code =
      switch cause.kind {
      case .notADatabase: .notADatabase
      case .busy: .busy
      default: .sqlite
      }
    self.init(code, path: path, message: cause.description, cause: cause)
  }

  /// The model that the store was opened with, as words of a command; `nil` if only the caller knows its file.
  package var model: String?

  /// The cure, for a person; `nil` if that depends on the caller.
  public var advice: String? {
    switch code {
    case .notADatabase: "name the file of a store, or another path for a new one"
    case .otherStoreType:
      "make an SQLite store of it with migratePersistentStore, of the library or of Core Data, and name that one"
    case .notACoreDataStore where hasLog:
      "it is a database of something else, or the log beside it, “\(path)-wal”, is; look at it, and move it away then"
    case .notACoreDataStore:
      "it is a database of something else: name another path for a new store, or read its tables with “format: sqlite”"
    case .incompatibleModel:
      "bring it to this model by “mergewalk store migrate \(ShellText.word(path)) --to \(model ?? "MODEL")”, or name the version that it was made with"
    case .noModel: "name its model"
    case .inputOutput: "look whether its folder can be written and its disk has room"
    case .outOfMemory: "give the process more memory"
    case .readOnly: "open it for writing, or copy it first"
    case .sqlite where cause?.isOfDisk ?? false: "look whether its folder can be written and its disk has room"
    case .sqlite where cause?.kind == .damaged && hasLog:
      "the log beside it, “\(path)-wal”, may be that of another store: look at it, and move it away if it is"
    case .sqlite where cause?.kind == .damaged: "the file is damaged: restore it from a backup"
    // The other errors of this code say themselves who has the store.
    case .busy where cause != nil: "another process holds the store: wait for its end"
    default: nil
    }
  }

  /// Whether there is a log with anything in it beside the store.
  private var hasLog: Bool { LogFiles.hasLog(path) }

  /// `path: message; advice`.
  public var words: String {
    (path.isEmpty ? "" : path + ": ") + message + (advice.map { "; " + $0 } ?? "")
  }

  /// `path: message; advice [code]`.
  public var description: String { "\(words) [\(code.rawValue)]" }
}

/// The differences between a model and a store, entity by entity.
public struct ModelDifferences: Sendable, Hashable, CustomStringConvertible {
  /// Entities that both have, with different version hashes; sorted.
  public var differing: [String] = []
  /// Entities of the model that the store does not have; sorted.
  public var missingInStore: [String] = []
  /// Entities of the store that the model does not have; sorted.
  public var missingInModel: [String] = []

  /// Creates an empty list.
  public init() {}

  /// Whether there is no difference.
  public var isEmpty: Bool { differing.isEmpty && missingInStore.isEmpty && missingInModel.isEmpty }

  /// Whether both have the same entities, and only some of these differ.
  func isConfined(to entities: Set<String>) -> Bool {
    missingInStore.isEmpty && missingInModel.isEmpty && differing.allSatisfy(entities.contains)
  }

  /// The lists as text.
  public var description: String {
    let parts = [
      ("different in both", differing), ("only in the model", missingInStore), ("only in the store", missingInModel),
    ]
    return parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}

/// Runs a piece of SQLite work and wraps its error for a store.
func storeErrors<Value>(_ path: String, _ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
  do { return try body() } catch { throw StoreError(error, path: path) }
}
