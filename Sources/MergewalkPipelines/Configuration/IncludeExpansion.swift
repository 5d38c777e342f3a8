import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkYAML

/// Merges the contents of included files below a file's own.
///
/// Mappings are merged field by field; any other value of the including file replaces that of the included file, and of
/// several included files the later one wins. Every node keeps its place in its own file.
struct IncludeExpansion {
  /// How deep files may include each other.
  private static let deepest = 16
  /// How many files one pipeline may consist of, so that files that include each other twice do not double at each
  /// step.
  private static let mostFiles = 100

  private let findings: Findings
  private var substitution: VariableSubstitution
  private var files = 0

  init(_ substitution: VariableSubstitution, findings: Findings) {
    self.substitution = substitution
    self.findings = findings
  }

  /// The tree with everything that its `include` names, and what that includes; what cannot be included is a finding.
  ///
  /// - Returns: the tree, and the names of the variables that paths of included files use.
  static func apply(
    _ root: YAMLNode, substitution: VariableSubstitution, findings: Findings
  ) -> (root: YAMLNode, substitution: VariableSubstitution) {
    var expansion = IncludeExpansion(substitution, findings: findings)
    let result = expansion.expand(root, path: findings.path, above: [identity(findings.path)])
    return (result, expansion.substitution)
  }

  /// - Parameter above: the files on the way to this one, itself included.
  private mutating func expand(_ root: YAMLNode, path: String, above: [String]) -> YAMLNode {
    guard let list = root["include"] else { return root }
    var base: YAMLNode?
    for item in list.items ?? [list] {
      // What is no text, the reading of the field finds in the file itself; of included files the field is not read.
      guard let name = substitution.apply(item).string, !name.isEmpty else {
        if above.count > 1 {
          findings.add(
            .wrongType, at: item.position, "“include” takes text or a list of texts, but here is \(item.summary)")
        }
        continue
      }
      guard let included = read(name, besideFile: path, above: above, at: item.position) else { continue }
      base = base.map { Self.merge(included, over: $0) } ?? included
    }
    return base.map { Self.merge(root, over: $0) } ?? root
  }

  /// Reads one included file with what it includes; `nil` when it cannot be included.
  private mutating func read(
    _ name: String, besideFile file: String, above: [String], at position: SourcePosition
  ) -> YAMLNode? {
    let path = Paths.resolve(name, besideFile: file)
    let identity = Self.identity(path)
    if let first = above.firstIndex(of: identity) {
      let round = above[first...].map { "“\($0.split(separator: "/").last ?? "")”" }.joined(separator: ", ")
      findings.add(
        .invalidInclude, at: position, "“\(path)” is included inside itself",
        hint: above.count - first > 1
          ? "the cycle is \(round): remove one of them from “include”" : "remove it from “include”")
      return nil
    }
    files += 1
    guard above.count <= Self.deepest, files <= Self.mostFiles else {
      findings.add(
        .invalidInclude, at: position,
        above.count > Self.deepest
          ? "files include each other more than \(Self.deepest) deep"
          : "more than \(Self.mostFiles) files are included",
        hint: "join some of them to one file")
      return nil
    }
    guard let node = parse(path, at: position)?.placed(in: path) else { return nil }
    guard node.entries != nil else {
      if !node.isNull {
        findings.add(
          .wrongType, at: node.position, "an included file holds a mapping of fields, but here is \(node.summary)",
          hint: "write the fields as in a pipeline, for example “batch: { records: 5000 }”")
      }
      return nil
    }
    return expand(node, path: path, above: above + [identity]).without("include")
  }

  private func parse(_ path: String, at position: SourcePosition) -> YAMLNode? {
    var bytes: [UInt8] = []
    func isWrong(_ root: YAMLNode?) -> Bool {
      // An empty file includes nothing, and a list is one of fields with dashes too many.
      guard !bytes.isEmpty, root?.isNull != true, root?.items == nil,
        let wrong = WrongFile.finding(bytes, root: root, path: path)
          ?? root.flatMap({ WrongFile.model($0, path: path) })
      else { return false }
      findings.add(.wrongType, at: position, "“\(path)”: \(wrong.message)", hint: wrong.hint)
      return true
    }
    do throws(DiagnosticList) {
      findings.noteRead(path)
      bytes = try SourceFile.read(path, limit: YAMLLimits.maximumBytes)
      var list: [Diagnostic] = []
      let root = try YAMLDocument.parse(bytes, path: path, findings: &list)
      if isWrong(root) { return nil }
      findings.add(list)
      return root
    } catch {
      if isWrong(nil) { return nil }
      for finding in error.diagnostics {
        if finding.position == .file {
          findings.add(.unreadableFile, at: position, "“\(path)”: \(finding.message)", hint: finding.hint)
        } else {
          findings.add([finding])
        }
      }
      return nil
    }
  }

  /// Identifies a file, by whatever path it is reached.
  private static func identity(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The fields of both; of a field that both have, the upper one's, unless both are mappings again.
  private static func merge(_ upper: YAMLNode, over lower: YAMLNode) -> YAMLNode {
    guard var entries = lower.entries, let above = upper.entries else { return upper }
    var places: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      if let name = entry.key.text { places[name] = index }
    }
    for entry in above {
      if let name = entry.key.text, let index = places[name] {
        entries[index] = .init(key: entry.key, value: merge(entry.value, over: entries[index].value))
      } else {
        entries.append(entry)
      }
    }
    var result = upper
    result.kind = .mapping(entries)
    return result
  }
}

extension YAMLNode {
  /// The tree as one of an included file.
  fileprivate func placed(in path: String) -> YAMLNode {
    var result = self
    result.position.includedPath = path
    switch kind {
    case .scalar: break
    case .sequence(let items): result.kind = .sequence(items.map { $0.placed(in: path) })
    case .mapping(let entries):
      result.kind = .mapping(entries.map { .init(key: $0.key.placed(in: path), value: $0.value.placed(in: path)) })
    }
    return result
  }

  /// The mapping without a field.
  fileprivate func without(_ name: String) -> YAMLNode {
    guard let entries else { return self }
    var result = self
    result.kind = .mapping(entries.filter { $0.key.text != name })
    return result
  }
}
