/// The text between `${` and `}`.
struct VariableReference {
  enum Kind {
    /// `NAME`: set for the run, or in the environment.
    case variable(String)
    /// `secret:NAME`: the same, but never shown.
    case secret(String)
    /// `file:PATH`: what the file holds, never shown.
    case file(String)
  }

  let kind: Kind
  /// The replacement for a value that is missing or empty: the text behind `:-`.
  let fallback: String?

  /// Reads a reference; `nil` when it is none.
  init?(_ text: String) {
    let parts = text.split(separator: ":-", maxSplits: 1, omittingEmptySubsequences: false)
    let subject = parts[0]
    fallback = parts.count > 1 ? String(parts[1]) : nil
    if subject.hasPrefix("secret:") {
      let name = String(subject.dropFirst("secret:".count))
      guard Self.isName(name) else { return nil }
      kind = .secret(name)
    } else if subject.hasPrefix("file:") {
      let path = String(subject.dropFirst("file:".count))
      guard !path.isEmpty else { return nil }
      kind = .file(path)
    } else {
      guard Self.isName(String(subject)) else { return nil }
      kind = .variable(String(subject))
    }
  }

  /// The variable's name or the file's path.
  var name: String {
    switch kind {
    case .variable(let name), .secret(let name), .file(let name): name
    }
  }

  /// Whether nothing may show the value.
  var isSecret: Bool {
    if case .variable = kind { false } else { true }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first < UInt8(ascii: "0") || first > UInt8(ascii: "9") else { return false }
    return text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
  }
}
