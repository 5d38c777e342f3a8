import CMergewalkICU
import Synchronization

/// An expression for ICU's engine, with limits of time and memory.
final class BacktrackingPattern: Sendable {
  /// In ICU's unit of time, 10,000 of its steps: about a quarter of a second.
  private static let timeLimit: Int32 = 1_000
  /// The greatest memory for places to go back to.
  private static let greatestStack: Int32 = 32 << 20
  /// Longer texts take too long.
  private static let greatestLength = 1 << 26
  /// Longer expressions are refused.
  static let greatestExpression = 1 << 20

  /// ICU keeps the state of a match inside the expression, so one thread at a time uses it.
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let regex: UnsafeMutableRawPointer
    var text = UTF16Buffer()

    init(regex: UnsafeMutableRawPointer) { self.regex = regex }

    deinit { mergewalk_closeRegex(regex) }
  }

  init(_ expression: String, ignoresCase: Bool) throws(TextPatternError) {
    let regex = try Self.open(expression, ignoresCase: ignoresCase)
    state = Mutex(State(regex: regex))
  }

  /// Compiles an expression with the limits; `mergewalk_closeRegex` lets go of it.
  static func open(
    _ expression: String, ignoresCase: Bool = false
  ) throws(TextPatternError) -> UnsafeMutableRawPointer {
    guard expression.utf8.count <= greatestExpression else {
      throw TextPatternError(message: "it is longer than \(greatestExpression) bytes")
    }
    var source = UTF16Buffer()
    expression.withBytes { source.set($0) }
    var status: Int32 = 0
    let made = source.withUnits { units in
      mergewalk_openRegex(units.baseAddress, Int32(units.count), ignoresCase ? 1 : 0, &status)
    }
    guard status <= 0, let made else {
      if let made { mergewalk_closeRegex(made) }
      throw TextPatternError(icu: String(cString: mergewalk_errorName(status)))
    }
    mergewalk_limitRegex(made, timeLimit, greatestStack, &status)
    return made
  }

  func matches(_ bytes: UnsafeBufferPointer<UInt8>) throws(PredicateError) -> Bool {
    guard bytes.count <= Self.greatestLength else { throw Self.tooSlow(bytes.count) }
    var status: Int32 = 0
    let matches = state.withLock { state in
      state.text.set(bytes)
      let regex = state.regex
      let result = state.text.withUnits { units in
        mergewalk_matchRegex(regex, units.baseAddress, Int32(units.count), &status) != 0
      }
      return result
    }
    guard status <= 0 else { throw Self.tooSlow(bytes.count) }
    return matches
  }

  private static func tooSlow(_ count: Int) -> PredicateError {
    PredicateError(
      .patternTimeLimit, "matching a text of \(count) bytes with a regular expression took too many steps",
      hint: "write the expression without nested repetitions, back references or looking around")
  }
}
