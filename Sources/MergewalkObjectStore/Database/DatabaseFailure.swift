import MergewalkSQLite

/// The error of a call that SQLite refused.
public struct DatabaseFailure: Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure, as far as callers distinguish it.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Another row has the values of a unique index or the primary key; ``DatabaseFailure/columns`` lists the columns.
    case unique
    /// A row violates another constraint of its table, a trigger refused it, or its key is not a number.
    case constraint
    /// Another connection holds the lock.
    case busy
    /// The statement was stopped on request.
    case interrupted
    /// The file is damaged.
    case damaged
    /// The file is not a database.
    case notADatabase
    /// The file cannot be opened.
    case unopenable
    /// The file, or one of its companion files, cannot be written.
    case readOnly
    /// The statement exceeds one of SQLite's limits.
    case tooLarge
    /// A sum of whole numbers is beyond 64 bits.
    case overflow
    /// The statement is invalid, or does something forbidden.
    case statement
    /// A disk, memory or other error.
    case other
  }

  /// The kind of failure.
  public let kind: Kind
  /// SQLite's extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
  public let code: Int32
  /// SQLite's own message.
  public let message: String
  /// The statement that failed, without its values, or `nil`.
  public let statement: String?
  /// For ``Kind/unique``: the columns whose values another row has, as `TABLE.COLUMN`; empty for an index over
  /// expressions.
  public let columns: [String]

  /// `SQLite error CODE: message (statement)`.
  public var description: String { "SQLite error \(code): \(message)\(statement.map { " (\($0))" } ?? "")" }

  /// Whether the disk failed or is full: SQLITE_IOERR, SQLITE_FULL.
  var isOfDisk: Bool { [10, 13].contains(code & 0xFF) }

  init(_ error: SQLiteError) {
    code = error.code
    message = error.message
    statement = error.sql
    kind = Kind(error)
    columns = kind == .unique ? Self.columns(error.message) : []
  }

  /// The columns of `UNIQUE constraint failed: ZORDER.ZCODE, ZORDER.ZSHOP`.
  private static func columns(_ message: String) -> [String] {
    guard let place = message.firstRange(of: "constraint failed: ") else { return [] }
    let names = message[place.upperBound...].split(separator: ",").map { $0.drop { $0 == " " } }
    return names.allSatisfy { $0.contains(".") && !$0.contains(" ") } ? names.map(String.init) : []
  }
}

extension DatabaseFailure.Kind {
  /// The words by which SQLite tells what its code, the general one, does not.
  private static let tooLargeWords = [
    "parser stack overflow", "Expression tree is too large", "too many SQL variables", "tables in a join",
    "too many terms in compound SELECT", "too many columns", "string or blob too big",
  ]

  /// Source: [Result codes](https://sqlite.org/rescode.html).
  fileprivate init(_ error: SQLiteError) {
    switch error.code {
    // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY, _ROWID.
    case 2067, 1555, 2579: self = .unique
    default:
      switch error.primaryCode {
      case 19, 20: self = .constraint
      case 5, 6: self = .busy
      case 9: self = .interrupted
      case 11: self = .damaged
      case 26: self = .notADatabase
      case 14: self = .unopenable
      case 8: self = .readOnly
      case 18: self = .tooLarge
      case 1 where Self.tooLargeWords.contains(where: error.message.contains): self = .tooLarge
      case 1 where error.message == "integer overflow": self = .overflow
      case 1, 23: self = .statement
      default: self = .other
      }
    }
  }

  /// Whether a row was refused.
  public var isConstraint: Bool { self == .unique || self == .constraint }
}
