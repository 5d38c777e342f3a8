import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// The options that say what an input must be, such as one whose producer may die.
struct ExpectationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Roll back unless the input has this many records, including rejects.", valueName: "records"))
  var expectRecords: Int?

  @Option(
    help: ArgumentHelp(
      "Roll back unless the bytes of the single input have this SHA-256.", valueName: "digest"))
  var expectSha256: String?

  func validate() throws {
    if let expectRecords, expectRecords < 0 {
      throw ValidationError("--expect-records takes a number of records, not \(expectRecords)")
    }
    if let expectSha256, SourceExpectation.sha256(hex: expectSha256) == nil {
      throw ValidationError("--expect-sha256 takes 64 hexadecimal digits, not “\(expectSha256)”")
    }
  }

  /// Tells the definition.
  ///
  /// - Throws: a finding when there is no single input that the digest could be of.
  func apply(to definition: inout ImportDefinition) throws(DiagnosticList) {
    if let expectRecords { definition.expectedRecords = expectRecords }
    guard let expectSha256 else { return }
    let digest = SourceExpectation.sha256(hex: expectSha256)
    guard definition.objects.isEmpty, definition.allSources.count == 1,
      let part = definition.parts.firstIndex(where: { !$0.sources.isEmpty })
    else {
      throw finding(definition, "--expect-sha256 is for one input, and there are \(definition.allSources.count)")
    }
    if !definition.parts[part].sources[0].expect(SourceExpectation(sha256: digest)) {
      throw finding(definition, "the manifest of the input has another SHA-256 than --expect-sha256")
    }
  }

  private func finding(_ definition: ImportDefinition, _ message: String) -> DiagnosticList {
    DiagnosticList([
      Diagnostic(.invalidOption, path: definition.path ?? definition.name, position: .file, message: message)
    ])
  }
}
