/// Keeps secrets out of all text that is printed, logged or written for people.
///
/// The reader of a configuration collects its secrets here, and all output passes through. A text is redacted before it
/// is quoted for JSON or HTML, because quoting could hide a secret from the search. The data of a run is not
/// configuration and is not redacted.
public struct Redaction: Sendable, Hashable {
  /// The mark that replaces a secret.
  public static let mark = "***"
  /// The minimum length of a secret in bytes; shorter ones occur everywhere, so hiding them would garble all texts.
  public static let shortestSecret = 4
  /// How much of a secret's start gives it away where a message was cut off.
  private static let shortestStart = 12

  /// The secrets in UTF-8, the longest first, so that one that is part of another does not leave the rest of it.
  private var secrets: [[UInt8]] = []

  /// Creates a redaction that hides nothing.
  public init() {}

  /// Whether nothing is hidden.
  public var isEmpty: Bool { secrets.isEmpty }

  /// Hides a text from now on, and each of its lines separately.
  ///
  /// Texts of fewer than ``shortestSecret`` bytes are not hidden: code that accepts secrets must refuse them.
  public mutating func add(_ secret: String) {
    let whole = Array(secret.utf8)
    let lines = whole.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map(Array.init)
    for text in [whole] + lines where text.count >= Self.shortestSecret && !secrets.contains(text) {
      secrets.append(text)
    }
    secrets.sort { $0.count > $1.count }
  }

  /// Also hides everything that another redaction hides.
  public mutating func add(_ other: Redaction) {
    for secret in other.secrets where !secrets.contains(secret) { secrets.append(secret) }
    secrets.sort { $0.count > $1.count }
  }

  /// The text with ``mark`` in place of every secret, and of every start of a secret of at least 12 bytes.
  ///
  /// - Complexity: O(text × secrets).
  public func callAsFunction(_ text: String) -> String {
    if secrets.isEmpty { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var i = 0
    while i < bytes.count {
      let length = secrets.lazy.map { Self.match(bytes[i...], $0) }.max() ?? 0
      if length > 0 {
        output += Array(Self.mark.utf8)
        i += length
      } else {
        output.append(bytes[i])
        i += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The finding with its texts redacted.
  public func callAsFunction(_ finding: Diagnostic) -> Diagnostic {
    if secrets.isEmpty { return finding }
    var result = finding
    result.path = self(finding.path)
    result.message = self(finding.message)
    result.hint = finding.hint.map { self($0) }
    return result
  }

  /// How many bytes at the start of the text are the secret or give it away; 0 when they do not.
  private static func match(_ text: ArraySlice<UInt8>, _ secret: [UInt8]) -> Int {
    var length = zip(text, secret).prefix { $0 == $1 }.count
    if length == secret.count { return length }
    // A character is not cut in two.
    while length > 0, secret[length] & 0xC0 == 0x80 { length -= 1 }
    return length >= shortestStart ? length : 0
  }
}
