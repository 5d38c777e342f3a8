public import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

extension SourceDefinition {
  /// Adds to findings that name an option of a pipeline's source how it is given on a command line.
  public static func advised(_ findings: [Diagnostic]) -> [Diagnostic] {
    let names = ComponentSpec.source.fields.map(\.name)
    return findings.map { finding in
      let text = finding.message + (finding.hint ?? "")
      guard finding.severity == .error, !finding.path.hasPrefix("--"),
        let name = finding.code == ReadError.Code.missingRecords.rawValue
          ? "records" : names.first(where: { text.contains("“\($0)”") || text.contains("“\($0): ") })
      else { return finding }
      var finding = finding
      finding.hint = (finding.hint.map { $0 + "; " } ?? "") + "here with “--option \(name)=…”"
      return finding
    }
  }
}
