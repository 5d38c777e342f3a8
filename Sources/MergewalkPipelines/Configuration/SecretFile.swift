import MergewalkDiagnostics
import MergewalkImporting

/// Reads secrets from files, as container platforms mount them.
enum SecretFile {
  /// The most bytes of a secret; a key or a certificate fits.
  private static let limit = 64 << 10

  /// Reads the file's text without the line break at its end; `nil` when it cannot be read, which is a finding.
  ///
  /// - Parameter isOptional: whether a file that does not exist is no finding.
  static func read(
    _ path: String, isOptional: Bool, at place: SourcePosition, _ findings: Findings
  ) -> String? {
    findings.noteRead(path)
    do throws(DiagnosticList) {
      var bytes = try SourceFile.read(path, limit: limit)
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        findings.add(.invalidSecret, at: place, "the file “\(path)” is not text in UTF-8")
        return nil
      }
      return text
    } catch {
      let finding = error.diagnostics.first
      if isOptional, finding?.code == "fileMissing" { return nil }
      findings.add(
        .missingVariable, at: place, "the file “\(path)” of a secret: \(finding?.message ?? "")", hint: finding?.hint)
      return nil
    }
  }
}
