/// A regular expression that a whole text must match.
///
/// The expression is compiled to an automaton that reads each character once, so no text can make it slow. Expressions
/// that no automaton can express (references to groups, looking around, word boundaries, atomic groups, set
/// operations, inline flags) fall back to the standard library's `Regex`, which backtracks: for these, texts of more
/// than ``greatestBacktrackingLength`` bytes do not match, and an ill-made expression can take time exponential in the
/// text's length. ``isLinear`` tells, so that lint can warn.
public struct TextPattern: Sendable {
  /// Texts of more bytes do not match an expression that needs backtracking.
  public static let greatestBacktrackingLength = 1_024

  private enum Engine: Sendable {
    case nothing
    case automaton(PatternAutomaton)
    case backtracking(BacktrackingPattern)
  }

  private let engine: Engine

  /// The pattern that no text matches.
  static let nothing = TextPattern(engine: .nothing)

  private init(engine: Engine) { self.engine = engine }

  /// Compiles an expression in ICU's syntax, as far as it is described in `docs/rejects.md`.
  ///
  /// - Throws: ``TextPatternError`` when the expression is malformed or too large.
  public init(_ expression: String) throws(TextPatternError) {
    do throws(PatternSyntaxError) {
      engine = .automaton(try PatternAutomaton(try PatternSyntax.parse(expression)))
    } catch {
      guard error.isUnsupported else { throw TextPatternError(message: error.message) }
      engine = .backtracking(try BacktrackingPattern(expression))
    }
  }

  /// Whether the time for a match is at most proportional to the text's length.
  public var isLinear: Bool {
    switch engine {
    case .automaton, .nothing: true
    case .backtracking: false
    }
  }

  /// Whether all of the text matches; the bytes are valid UTF-8.
  public func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch engine {
    case .nothing: false
    case .automaton(let automaton): automaton.matches(bytes)
    case .backtracking(let pattern): pattern.matches(bytes)
    }
  }

  /// Whether all of the text matches.
  public func matches(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer(matches)
  }
}

/// An expression that cannot be compiled.
public struct TextPatternError: Error, Sendable, Hashable {
  /// What is wrong with it.
  public var message: String
}

/// An expression for the standard library's engine.
private struct BacktrackingPattern: @unchecked Sendable {
  /// `Regex` is not `Sendable` because it can hold closures; one that is compiled from text holds none, and matching
  /// does not change it.
  private let regex: Regex<AnyRegexOutput>

  init(_ expression: String) throws(TextPatternError) {
    do {
      regex = try Regex(expression).matchingSemantics(.unicodeScalar)
    } catch {
      throw TextPatternError(message: String(describing: error))
    }
  }

  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count <= TextPattern.greatestBacktrackingLength else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return (try? regex.wholeMatch(in: text)) != nil
  }
}
