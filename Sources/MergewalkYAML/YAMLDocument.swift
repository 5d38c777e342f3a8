package import MergewalkDiagnostics

/// Reads YAML files that people write into trees of nodes with positions.
///
/// Codes of the findings: `yamlSyntax` (what libyaml refuses, and a key without a text), `duplicateKey`, `unknownAlias`, `multipleDocuments`,
/// `notUTF8` and `yamlLimit`. `<<` is a key like any other.
package enum YAMLDocument {
  /// Parses one document.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, with or without a byte order mark. Nothing but comments is a null scalar.
  ///   - path: the path that findings name.
  /// - Throws: every duplicate key, or what stopped the reading.
  /// - Complexity: O(bytes + nodes).
  package static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> YAMLNode {
    var findings: [Diagnostic] = []
    let root = try parse(bytes, path: path, findings: &findings)
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    return root
  }

  /// Parses one document held in a string.
  package static func parse(_ text: String, path: String) throws(DiagnosticList) -> YAMLNode {
    try parse(Array(text.utf8), path: path)
  }

  /// Parses one document and reports duplicate keys as findings, so that a lint can go on and find more.
  ///
  /// The first of several equal keys counts.
  ///
  /// - Throws: what stopped the reading, together with `findings`.
  package static func parse(
    _ bytes: [UInt8], path: String, findings: inout [Diagnostic]
  ) throws(DiagnosticList) -> YAMLNode {
    do throws(Diagnostic) {
      let composer = try YAMLComposer(bytes, path: path)
      defer { findings += composer.findings }
      return try composer.document()
    } catch {
      throw DiagnosticList(findings + [error])
    }
  }
}
