import Synchronization

/// A pattern that is made once, as making one takes longer than a match.
///
/// Threads match in turn, because `Regex` is not `Sendable`.
final class SharedPattern<Output: Sendable>: Sendable {
  private let regex: Mutex<Regex<Output>>

  init(_ regex: sending Regex<Output>) { self.regex = Mutex(regex) }

  /// What the pattern finds where all of a text fits it; `nil` for other texts.
  func match(_ text: String) -> Output? { regex.withLock { text.wholeMatch(of: $0)?.output } }
}
