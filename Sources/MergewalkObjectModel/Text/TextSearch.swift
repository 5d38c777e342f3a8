import CMergewalkICU
import Synchronization

/// A regular expression that is looked for inside texts: the places of its matches, and texts with them replaced.
///
/// It is ICU's engine, with the limits of ``BacktrackingPattern``: what would take longer is an error.
package final class TextSearch: Sendable {
  /// Longer texts take too long.
  private static let greatestLength = 1 << 24

  package enum Outcome: Sendable {
    /// There is no match, or the group takes no part in it.
    case nothing
    /// Where the match, or its group, stands in the bytes.
    case found(Range<Int>)
    /// It took too many steps.
    case tooSlow
  }

  package let groupCount: Int
  private let replacement: [UInt16]
  /// ICU keeps the state of a match inside the expression, so one thread at a time uses it.
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let regex: UnsafeMutableRawPointer
    var text = UTF16Buffer()
    var result = UTF16Buffer()

    init(regex: UnsafeMutableRawPointer) { self.regex = regex }

    deinit { mergewalk_closeRegex(regex) }
  }

  /// Compiles an expression in ICU's syntax.
  ///
  /// - Parameter replacement: what takes the place of matches in ``replaceAll(_:to:)``: `$1` is the first group, `\$` a
  ///   dollar.
  /// - Throws: ``TextPatternError`` when the expression is malformed or too large, or the replacement names a group that
  ///   is not there.
  package init(_ expression: String, replacement: String = "") throws(TextPatternError) {
    guard replacement.utf8.count <= BacktrackingPattern.greatestExpression else {
      throw TextPatternError(message: "it is longer than \(BacktrackingPattern.greatestExpression) bytes")
    }
    let regex = try BacktrackingPattern.open(expression)
    var status: Int32 = 0
    groupCount = Int(mergewalk_regexGroups(regex, &status))
    self.replacement = Array(replacement.utf16)
    state = Mutex(State(regex: regex))
    if let problem = Self.problem(replacement, groupCount) { throw TextPatternError(message: problem) }
  }

  /// The error in a replacement; ICU would notice it at the first match only.
  private static func problem(_ replacement: String, _ groupCount: Int) -> String? {
    let bytes = Array(replacement.utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 2
        continue
      }
      if bytes[index] == UInt8(ascii: "$") {
        guard index + 1 < bytes.count, bytes[index + 1] &- UInt8(ascii: "0") < 10 else {
          return "a “$” in the replacement is followed by the number of a group; a dollar itself is written “\\$”"
        }
        let group = Int(bytes[index + 1] - UInt8(ascii: "0"))
        if group > groupCount { return "the replacement names group \(group), and there are \(groupCount)" }
      }
      index += 1
    }
    return nil
  }

  /// The place of the first match's group; group 0 is the match.
  package func first(in bytes: UnsafeBufferPointer<UInt8>, group: Int) -> Outcome {
    guard bytes.count <= Self.greatestLength else { return .tooSlow }
    var status: Int32 = 0
    var start: Int32 = 0
    var end: Int32 = 0
    let isFound = state.withLock { state in
      state.text.set(bytes)
      let regex = state.regex
      return state.text.withUnits { units in
        mergewalk_findRegex(regex, units.baseAddress, Int32(units.count), Int32(group), &start, &end, &status) != 0
      }
    }
    guard status <= 0 else { return .tooSlow }
    guard isFound, start >= 0, end >= start else { return .nothing }
    if TextBytes.areASCII(bytes) { return .found(Int(start)..<Int(end)) }
    let lower = Self.byteOffset(bytes, units: Int(start), from: 0, 0)
    return .found(lower..<Self.byteOffset(bytes, units: Int(end), from: lower, Int(start)))
  }

  /// The byte at which a code unit of the text in UTF-16 stands.
  private static func byteOffset(
    _ bytes: UnsafeBufferPointer<UInt8>, units: Int, from start: Int, _ before: Int
  ) -> Int {
    var index = start
    var count = before
    while count < units, index < bytes.count {
      count += bytes[index] >= 0xF0 ? 2 : 1
      index += 1
      while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
    }
    return index
  }

  /// Appends the text with every match replaced; false when that took too many steps or too much memory.
  package func replaceAll(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
    guard bytes.count <= Self.greatestLength else { return false }
    return state.withLock { state in
      state.text.set(bytes)
      let regex = state.regex
      var status: Int32 = 0
      let replacement = replacement
      state.result.set(
        { units, count, result, capacity, status in
          replacement.withUnsafeBufferPointer {
            mergewalk_replaceRegex(
              regex, units, count, $0.baseAddress, Int32($0.count), result, capacity, &status)
          }
        }, of: state.text, status: &status)
      guard status <= 0, state.result.count <= Self.greatestLength else { return false }
      state.result.append(to: &output)
      return true
    }
  }
}
