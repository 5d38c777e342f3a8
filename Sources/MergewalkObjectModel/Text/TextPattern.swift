extension TextPatternError {
  /// Makes the error of an expression, by ICU's name for it.
  init(icu name: String) {
    switch name {
    case "U_REGEX_MISMATCHED_PAREN": message = "a group is never closed, or closed without being opened"
    case "U_REGEX_MISSING_CLOSE_BRACKET": message = "a set is never closed"
    case "U_REGEX_BAD_ESCAPE_SEQUENCE": message = "a backslash precedes something that has no meaning after it"
    case "U_REGEX_BAD_INTERVAL": message = "a count in braces is not a number"
    case "U_REGEX_MAX_LT_MIN": message = "the counts between braces are in wrong order"
    case "U_REGEX_INVALID_RANGE": message = "a range of characters is in wrong order"
    case "U_REGEX_INVALID_BACK_REF": message = "it names a group that does not exist"
    case "U_REGEX_RULE_SYNTAX": message = "something that cannot be repeated is repeated, or a sign is out of place"
    default: message = "ICU says \(name)"
    }
  }
}

/// A regular expression that a whole text must match.
///
/// The expression is compiled to an automaton that reads each character once, so no text can make it slow. Expressions
/// that no automaton of moderate size can express (references to groups, looking around, word boundaries, atomic
/// groups, set operations, inline flags, counts above 1,000) are left to ICU, which goes back and tries again: for
/// these, a text that takes too many steps is an error. ``isLinear`` tells, so that lint can warn.
package struct TextPattern: Sendable {
  private enum Engine: Sendable {
    case nothing
    case automaton(PatternAutomaton)
    case backtracking(BacktrackingPattern)
    /// The automaton for texts of ASCII, ICU's engine for others: only it knows which letters are the same in Unicode.
    case byText(PatternAutomaton, BacktrackingPattern)
  }

  /// Longer expressions have too many places for an automaton.
  private static let greatestAutomaton = 1 << 15

  private let engine: Engine

  package static let nothing = TextPattern(engine: .nothing)

  private init(engine: Engine) { self.engine = engine }

  /// Compiles an expression in ICU's syntax.
  ///
  /// - Parameter ignoresCase: ICU's flag for matching without regard to case.
  /// - Throws: ``TextPatternError`` when the expression is malformed or too large.
  package init(_ expression: String, ignoresCase: Bool = false) throws(TextPatternError) {
    let automaton: PatternAutomaton?
    do throws(PatternSyntaxError) {
      automaton =
        expression.utf8.count > Self.greatestAutomaton
        ? nil : try PatternAutomaton(try PatternSyntax.parse(expression, ignoresCase: ignoresCase))
    } catch {
      guard error.isUnsupported else { throw TextPatternError(message: error.message) }
      automaton = nil
    }
    // ICU refuses the empty expression.
    if let automaton, !ignoresCase || expression.isEmpty {
      engine = .automaton(automaton)
      return
    }
    let pattern = try BacktrackingPattern(expression, ignoresCase: ignoresCase)
    engine = automaton.map { .byText($0, pattern) } ?? .backtracking(pattern)
  }

  /// Whether the time for a match is at most proportional to the text's length; with `ignoresCase` of texts of ASCII.
  package var isLinear: Bool {
    switch engine {
    case .automaton, .byText, .nothing: true
    case .backtracking: false
    }
  }

  /// Whether all of the text matches; the bytes are valid UTF-8.
  ///
  /// A text that takes too many steps does not match.
  package func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { (try? match(bytes)) ?? false }

  /// Whether all of the text matches.
  ///
  /// A text that takes too many steps does not match.
  package func matches(_ text: String) -> Bool { text.withBytes { matches($0) } }

  /// Whether all of the text matches; the bytes are valid UTF-8.
  ///
  /// - Throws: ``PredicateError`` with `patternTimeLimit` when that takes too many steps, about a quarter of a second's; never when
  ///   ``isLinear``.
  package func match(_ bytes: UnsafeBufferPointer<UInt8>) throws(PredicateError) -> Bool {
    switch engine {
    case .nothing: return false
    case .automaton(let automaton): return automaton.matches(bytes)
    case .backtracking(let pattern): return try pattern.matches(bytes)
    case .byText(let automaton, let pattern):
      return TextBytes.areASCII(bytes) ? automaton.matches(bytes) : try pattern.matches(bytes)
    }
  }
}

/// An expression that cannot be compiled.
package struct TextPatternError: Error, Sendable, Hashable {
  /// The reason why the pattern is refused.
  package var message: String
}
