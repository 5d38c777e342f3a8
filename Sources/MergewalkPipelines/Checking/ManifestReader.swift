import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkYAML

/// Reads a list of files with their checksums and sizes.
///
/// A manifest whose name ends in `.yaml`, `.yml` or `.json` is a list of paths, or of mappings with `path`, `sha256`
/// and `size`. Any other is text with a file on each line: a path alone, or what `sha256sum` and BSD's `shasum --tag`
/// write. Empty lines and lines that begin with `#` are skipped.
struct ManifestReader {
  /// One file of a manifest.
  struct Entry {
    var path: String
    var expected: SourceExpectation
    var position: SourcePosition
  }

  let path: String
  let findings: Findings

  /// The largest manifest in bytes.
  private static let largest = 16 << 20

  /// Returns the files in the manifest's order; what is wrong is in the findings.
  ///
  /// - Parameter position: where the pipeline names the manifest.
  func entries(namedAt position: SourcePosition) -> [Entry] {
    let isYAML = [".yaml", ".yml", ".json"].contains { path.lowercased().hasSuffix($0) }
    findings.noteRead(path)
    do throws(DiagnosticList) {
      let bytes = try SourceFile.read(path, limit: isYAML ? YAMLLimits.maximumBytes : Self.largest)
      let before = findings.list.count
      let entries = isYAML ? try yaml(bytes) : lines(bytes)
      if entries.isEmpty, findings.list.count == before {
        findings.add(.invalidManifest, at: position, "the manifest “\(path)” names no file")
      }
      return entries
    } catch {
      for finding in error.diagnostics {
        if finding.position.line == 0 {
          findings.add(.unreadableFile, at: position, "“\(path)”: \(finding.message)", hint: finding.hint)
        } else {
          findings.add([finding])
        }
      }
      return []
    }
  }

  // MARK: YAML and JSON

  private func yaml(_ bytes: [UInt8]) throws(DiagnosticList) -> [Entry] {
    var list: [Diagnostic] = []
    let root = try YAMLDocument.parse(bytes, path: path, findings: &list)
    findings.add(list)
    guard let items = root.items else {
      fault(root.position, "a manifest is a list of files, but here is \(root.summary)")
      return []
    }
    let inner = Findings(path: path)
    defer { findings.add(inner.list) }
    let reader = ComponentReader(registry: .standard, findings: inner)
    return items.compactMap { item in
      guard let component = reader.read(item, as: .manifest), let file = component.text("path") else { return nil }
      var expected = SourceExpectation()
      if let digest = component.text("sha256") {
        expected.sha256 = SourceExpectation.sha256(hex: digest.value)
        if expected.sha256 == nil { fault(digest.position, "a SHA-256 has 64 hexadecimal digits") }
      }
      if let size = component.text("size") {
        expected.size = Quantity.digits(size.value)
        if expected.size == nil { fault(size.position, "a size is a number of bytes") }
      }
      return Entry(path: file.value, expected: expected, position: item.position)
    }
  }

  // MARK: Lines

  private func lines(_ bytes: [UInt8]) -> [Entry] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      fault(.file, "the manifest is not UTF-8")
      return []
    }
    var entries: [Entry] = []
    for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      var line = Substring(line)
      if line.utf8.last == 13 { line = Substring(line.utf8.dropLast()) }
      if index == 0, line.hasPrefix("\u{FEFF}") { line.removeFirst() }
      if line.isEmpty || line.hasPrefix("#") { continue }
      let position = SourcePosition(line: index + 1, column: 1)
      let digits = line.prefix(while: \.isHexDigit).count
      if digits >= 32, digits != 64, [" ", "*"].contains(where: { line.dropFirst(digits).hasPrefix(" " + $0) }) {
        fault(position, "a SHA-256 has 64 hexadecimal digits, but here are \(digits); write the list with sha256sum")
        continue
      }
      guard let (path, digest) = Self.parse(line) else {
        fault(position, "a digest without a file after it")
        continue
      }
      entries.append(Entry(path: path, expected: SourceExpectation(sha256: digest), position: position))
    }
    return entries
  }

  /// The path on a line and its digest; nil when there is a digest only.
  private static func parse(_ line: Substring) -> (path: String, digest: [UInt8]?)? {
    // Names with line ends and backslashes are written with backslashes, and the line begins with one.
    let isEscaped = line.hasPrefix("\\")
    let rest = isEscaped ? line.dropFirst() : line
    let words = rest.utf8
    if words.count >= 64, let digest = SourceExpectation.sha256(hex: rest.prefix(64)) {
      let behind = rest.dropFirst(64)
      guard behind.hasPrefix("  ") || behind.hasPrefix(" *"), behind.count > 2 else { return nil }
      return (unescape(behind.dropFirst(2), isEscaped), digest)
    }
    let tag = "SHA256 ("
    if rest.hasPrefix(tag), let digest = SourceExpectation.sha256(hex: rest.suffix(64)) {
      let behind = rest.dropFirst(tag.count).dropLast(64)
      guard behind.hasSuffix(") = "), behind.count > 4 else { return nil }
      return (unescape(behind.dropLast(4), isEscaped), digest)
    }
    return (String(line), nil)
  }

  private static func unescape(_ name: Substring, _ isEscaped: Bool) -> String {
    guard isEscaped else { return String(name) }
    var result = ""
    var isBehindBackslash = false
    for character in name.unicodeScalars {
      if isBehindBackslash {
        result.unicodeScalars.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
        isBehindBackslash = false
      } else if character == "\\" {
        isBehindBackslash = true
      } else {
        result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private func fault(_ position: SourcePosition, _ message: String) {
    let code = FindingCode.invalidManifest
    findings.add([
      Diagnostic(code.severity, code: code.rawValue, path: path, position: position, message: message)
    ])
  }
}
