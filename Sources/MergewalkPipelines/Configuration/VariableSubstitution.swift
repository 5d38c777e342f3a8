import MergewalkDiagnostics
import MergewalkImporting
import MergewalkYAML

/// Replaces variables in the scalars of a YAML tree by their values.
///
/// `${NAME}` is the variable's value, `${secret:NAME}` one that must not be shown, `${file:PATH}` the contents of a
/// file, which are a secret, too; `:-text` behind the name is the replacement for a missing or empty value. `$${` is
/// `${` itself. Keys are left alone. A scalar with a variable in it counts as plain, so that `"${N}"` can be a number.
struct VariableSubstitution {
  private let variables: Variables
  private let findings: Findings
  private(set) var usedNames: Set<String> = []
  /// Whether a secret was put into the scalar that is being expanded.
  private var tookSecret = false

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
      tookSecret = false
      result.kind = .scalar(expand(text, in: node, isPlain: isPlain), isPlain: true)
      result.isSecret = tookSecret
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
        findings.add(
          .invalidVariable, at: place, "“${” has no “}”",
          hint: "write “}” after the name; for the text “${”, write “$${”")
        return String(decoding: output + bytes[i...], as: UTF8.self)
      }
      if let value = value(of: String(decoding: bytes[(i + 2)..<end], as: UTF8.self), at: place) {
        output += value.utf8
      } else {
        output += bytes[i...end]
        findings.leaveOut(node.position)
      }
      i = end + 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// What a reference stands for; `nil`, with a finding, when there is nothing.
  private mutating func value(of reference: String, at place: SourcePosition) -> String? {
    guard let parsed = VariableReference(reference) else {
      findings.add(
        .invalidVariable, at: place, "“${\(reference)}” does not name a variable",
        hint: "write “${NAME}”, “${NAME:-text}”, “${secret:NAME}” or “${file:PATH}”")
      return nil
    }
    var found: String?
    switch parsed.kind {
    case .variable(let name):
      usedNames.insert(name)
      found = variables.value(of: name)
    case .secret(let name):
      usedNames.insert(name)
      tookSecret = true
      found = secret(name, at: place)
    case .file(let path):
      tookSecret = true
      let file = Paths.resolve(path, besideFile: place.includedPath ?? findings.path)
      found = SecretFile.read(file, isOptional: parsed.fallback != nil, at: place, findings)
      if found == nil, parsed.fallback == nil { return nil }
    }
    if let fallback = parsed.fallback, found?.isEmpty ?? true { found = fallback }
    guard let found else {
      findings.add(
        .missingVariable, at: place, "the \(tookSecret ? "secret" : "variable") “\(parsed.name)” is not set",
        hint: hint(parsed))
      return nil
    }
    if parsed.isSecret { findings.hide(found, at: place) }
    return found
  }

  /// The value of a secret: of the variable, or of the file that a variable with `_FILE` behind the name names.
  private mutating func secret(_ name: String, at place: SourcePosition) -> String? {
    if let value = variables.value(of: name) { return value }
    guard let path = variables.value(of: name + "_FILE"), !path.isEmpty else { return nil }
    usedNames.insert(name + "_FILE")
    return SecretFile.read(path, isOptional: false, at: place, findings)
  }

  private func hint(_ reference: VariableReference) -> String {
    let name = reference.name
    if let near = NearestName.find(name, in: variables.assignments.keys.sorted()) { return "did you mean “\(near)”?" }
    if reference.isSecret {
      return "set \(name) in the environment, or \(name)_FILE to the path of a file that holds it"
    }
    return "set it by --set \(name)=VALUE, in the environment, or write “${\(name):-default}”"
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
}
