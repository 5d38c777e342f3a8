import Diagnostics
import Glibc
import YAML

/// The values of `${NAME}` in pipeline files: those set for the run first, then the environment's.
public struct Variables: Sendable {
  /// Values set for this run, by name.
  public var assignments: [String: String]
  /// Whether the process's environment is asked for names that are not set.
  public var usesEnvironment: Bool

  /// Creates variables.
  public init(assignments: [String: String] = [:], usesEnvironment: Bool = true) {
    self.assignments = assignments
    self.usesEnvironment = usesEnvironment
  }

  /// The variable's value, or `nil` when it is neither set nor in the environment.
  func value(of name: String) -> String? {
    if let value = assignments[name] { return value }
    guard usesEnvironment, let value = getenv(name) else { return nil }
    return String(cString: value)
  }
}

/// Puts the values of variables into the scalars of a YAML tree.
///
/// `${NAME}` is the variable's value, `${NAME:-text}` is `text` when there is no such variable or it is empty, `$${` is
/// `${` itself. Keys are left alone. A scalar with a variable in it counts as plain, so that `"${N}"` can be a number.
struct VariableSubstitution {
  private let variables: Variables
  private let findings: Findings
  private(set) var usedNames: Set<String> = []

  init(_ variables: Variables, findings: Findings) {
    self.variables = variables
    self.findings = findings
  }

  /// Returns the tree with all variables replaced; variables that are missing are findings and stay as they are.
  mutating func apply(_ node: YAMLNode) -> YAMLNode {
    var result = node
    switch node.kind {
    case .scalar(let text, let isPlain):
      guard text.contains("${") else { return node }
      result.kind = .scalar(expand(text, in: node, isPlain: isPlain), isPlain: true)
    case .sequence(let items):
      var expanded: [YAMLNode] = []
      for item in items { expanded.append(apply(item)) }
      result.kind = .sequence(expanded)
    case .mapping(let entries):
      var expanded: [YAMLNode.Entry] = []
      for entry in entries { expanded.append(.init(key: entry.key, value: apply(entry.value))) }
      result.kind = .mapping(expanded)
    }
    return result
  }

  private mutating func expand(_ text: String, in node: YAMLNode, isPlain: Bool) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var i = 0
    while i < bytes.count {
      if bytes[i...].starts(with: [UInt8](("$${").utf8)) {
        output += Array("${".utf8)
        i += 3
        continue
      }
      guard bytes[i...].starts(with: [UInt8](("${").utf8)) else {
        output.append(bytes[i])
        i += 1
        continue
      }
      let place = position(of: i, in: node, isPlain: isPlain, bytes: bytes)
      guard let end = bytes[i...].firstIndex(of: UInt8(ascii: "}")) else {
        findings.add(.invalidVariable, at: place, "“${” has no “}”", hint: "write “$${” for the text “${”")
        return String(decoding: output + bytes[i...], as: UTF8.self)
      }
      output += value(of: String(decoding: bytes[(i + 2)..<end], as: UTF8.self), at: place)
      i = end + 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private mutating func value(of reference: String, at place: SourcePosition) -> [UInt8] {
    let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":"))
    let name = String(reference[..<(colon ?? reference.endIndex)])
    let rest = colon.map { reference[$0...] } ?? ""
    guard Self.isName(name), rest.isEmpty || rest.hasPrefix(":-") else {
      findings.add(
        .invalidVariable, at: place, "“${\(reference)}” does not name a variable",
        hint: "write “${NAME}” or “${NAME:-text}”")
      return Array("${\(reference)}".utf8)
    }
    usedNames.insert(name)
    let value = variables.value(of: name)
    if rest.isEmpty {
      if let value { return Array(value.utf8) }
      findings.add(
        .missingVariable, at: place, "the variable “\(name)” is not set",
        hint: NearestName.find(name, in: variables.assignments.keys.sorted()).map { "did you mean “\($0)”?" }
          ?? "set it by --set \(name)=VALUE, in the environment, or write “${\(name):-default}”")
      return Array("${\(reference)}".utf8)
    }
    if let value, !value.isEmpty { return Array(value.utf8) }
    return Array(rest.dropFirst(2).utf8)
  }

  /// The place of a byte of a scalar's text in the file; where escapes or lines make it unsure, the scalar's own.
  private func position(of index: Int, in node: YAMLNode, isPlain: Bool, bytes: [UInt8]) -> SourcePosition {
    let before = bytes[..<index]
    let isUnsure = before.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") }
    guard !isUnsure else { return node.position }
    let offset = index + (isPlain ? 0 : 1)
    var place = node.position
    place.column += offset
    place.byteOffset += offset
    return place
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first < UInt8(ascii: "0") || first > UInt8(ascii: "9") else { return false }
    return text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
  }
}
