public import MergewalkDiagnostics

/// A predicate, an expression or a fetch request that cannot be parsed, evaluated or compiled.
public struct PredicateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; tests and callers match it, never the text.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The format string is not in the predicate language.
    case syntax
    /// The format string is longer, more deeply nested or has more parts than allowed.
    case tooLarge
    /// There are fewer arguments than placeholders.
    case missingArgument
    /// There are more arguments than placeholders.
    case unusedArgument
    /// An argument is not of the kind required by its placeholder.
    case argumentType
    /// No function has this name and number of arguments.
    case unknownFunction
    /// A variable has no value.
    case missingVariable
    /// The entity or object has no property of this name.
    case unknownKey
    /// The model has no entity of this name.
    case unknownEntity
    /// The values cannot be compared, or a function does not accept them.
    case typeMismatch
    /// A to-many key path is used where a single value is needed.
    case toManyKey
    /// An index is outside a collection.
    case indexOutOfRange
    /// A regular expression is malformed.
    case pattern
    /// Matching a text took more steps than allowed.
    case patternTimeLimit
    /// A sum of whole numbers is beyond 64 bits; or a result is beyond its type where numbers are exact, as in
    /// transforms.
    case overflow
    /// A division by zero where numbers are exact, as in transforms; elsewhere it gives null.
    case divisionByZero
    /// A function has no value for a number where numbers are exact, as in transforms; elsewhere it gives null.
    case undefined
    /// The store cannot do this in SQL: a closure, a transient property, an operation on collections in memory.
    case notInSQL
    /// A value of a managed object cannot be read: its record does not exist, or the store failed.
    case unavailable
    /// The options of a fetch request contradict each other.
    case invalidRequest
  }

  /// The kind of failure.
  public var code: Code
  /// The message: expected, then found.
  public var message: String
  /// The position in the format string: line and column from 1, the column counted in bytes; ``SourcePosition/file`` if
  /// the error has no position in a text.
  public var position: SourcePosition
  /// The cure, or `nil`.
  public var hint: String?

  /// Creates an error.
  public init(_ code: Code, _ message: String, position: SourcePosition = .file, hint: String? = nil) {
    self.code = code
    self.message = message
    self.position = position
    self.hint = hint
  }

  /// `line:column: message; hint`.
  package var words: String {
    let place = position.line == 0 ? "" : "\(position.line):\(position.column): "
    return "\(place)\(message)\(hint.map { "; " + $0 } ?? "")"
  }

  /// `line:column: message; hint [code]`.
  public var description: String { "\(words) [\(code.rawValue)]" }
}

/// Another name of the type that does not clash with Foundation's, for files that import both.
public typealias ObjectPredicateError = PredicateError
