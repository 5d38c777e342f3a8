import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkYAML

/// Collects what is wrong with one pipeline file.
final class Findings {
  /// The path of the pipeline file as the user gave it.
  let path: String
  /// The findings, unsorted and with secrets.
  private var found: [Diagnostic] = []
  /// The same, to tell what exists already.
  private var known: Set<Diagnostic> = []
  /// The secrets that the file and what it includes hold.
  private(set) var redaction = Redaction()

  init(path: String) { self.path = path }

  /// The findings, unsorted, without secrets.
  var list: [Diagnostic] { found.map { redaction($0) } }

  /// The bytes of the file, as far as they were read: what scalars look like in it.
  var source: [UInt8] = []

  /// The line of the file in which a place is; `nil` for places elsewhere.
  private func line(of position: SourcePosition) -> ArraySlice<UInt8>? {
    guard position.includedPath == nil, position.line > 0, position.column > 0 else { return nil }
    let lines = source.split(separator: 10, maxSplits: position.line, omittingEmptySubsequences: false)
    return position.line <= lines.count ? lines[position.line - 1] : nil
  }

  /// The last byte before a place on its line, but for spaces.
  func byte(before position: SourcePosition) -> UInt8? {
    line(of: position)?.prefix(position.column - 1).last { $0 != 32 }
  }

  /// The name of the variable whose value is all of a scalar; `nil` where none is written.
  func variable(at position: SourcePosition) -> String? {
    guard let line = line(of: position) else { return nil }
    let text = line.dropFirst(position.column - 1).drop { $0 == 0x22 || $0 == 0x27 }
    guard text.starts(with: [0x24, 0x7B]), let end = text.firstIndex(of: 0x7D) else { return nil }
    let name = String(decoding: text[text.startIndex..<end].dropFirst(2), as: UTF8.self)
    return name.contains(":") ? nil : name
  }

  /// The files that were read beside it: what it includes, its model, manifests, secrets.
  private(set) var readFiles: [String] = []

  func noteRead(_ path: String) { if !readFiles.contains(path) { readFiles.append(path) } }

  /// A text of the file with the places of its bytes.
  func sourceText(_ text: String, of node: YAMLNode) -> SourceText {
    let isHere = node.position.includedPath == nil
    let offsets = isHere ? ScalarPlaces.offsets(of: text, at: node.position, in: source) : []
    return SourceText(text, position: node.position, offsets: offsets)
  }

  /// The scalars with a variable that has no value.
  private var withoutValue: Set<SourcePosition> = []

  /// Says that a scalar's value is not known, which is a finding already: what else is wrong with it follows from that.
  func leaveOut(_ position: SourcePosition) { withoutValue.insert(position) }

  private(set) var hasErrors = false

  var count: Int { found.count }

  /// Keeps what another file keeps out of everything that is shown out of this, too.
  func hide(_ other: Redaction) { redaction.add(other) }

  /// Keeps a secret out of everything that is shown; one that is too short for that is a finding.
  func hide(_ secret: String, at position: SourcePosition) {
    guard secret.utf8.count >= Redaction.shortestSecret else {
      add(
        .invalidSecret, at: position,
        "the secret has fewer than \(Redaction.shortestSecret) bytes, too few to be kept out of the output")
      return
    }
    redaction.add(secret)
  }

  /// The path that a text of the file means: relative to the file that the text stands in.
  func resolve(_ path: Located<String>) -> String {
    Paths.resolve(path.value, besideFile: path.position.includedPath ?? self.path)
  }

  /// Adds a finding about the pipeline file.
  func add(_ code: FindingCode, at position: SourcePosition, _ message: String, hint: String? = nil) {
    add([Diagnostic(code, path: path, position: position, message: message, hint: hint)])
  }

  /// Adds a warning with a code that is an error elsewhere.
  func warn(_ code: FindingCode, at position: SourcePosition, _ message: String, hint: String) {
    add([
      Diagnostic(.warning, code: code.rawValue, path: path, position: position, message: message, hint: hint)
    ])
  }

  /// Warns of an option that changes nothing where it stands.
  func addIdle(_ message: String, at position: SourcePosition) {
    warn(.unsuitableOption, at: position, message, hint: "it has no effect there")
  }

  /// Adds findings of another module or about another file; what exists already, or follows from a variable that has no
  /// value, is not added.
  func add(_ findings: [Diagnostic]) {
    let aboutVariables = [FindingCode.missingVariable.rawValue, FindingCode.invalidVariable.rawValue]
    for finding in findings
    where aboutVariables.contains(finding.code) || finding.path != path || !withoutValue.contains(finding.position) {
      guard known.insert(finding).inserted else { continue }
      found.append(finding)
      if finding.severity == .error { hasErrors = true }
    }
  }

  /// The places of the file where something is wrong, but for findings with one code.
  func placesOfErrors(besides code: FindingCode) -> Set<SourcePosition> {
    Set(found.filter { $0.severity == .error && $0.path == path && $0.code != code.rawValue }.map(\.position))
  }

  /// Drops the findings with a code that do not hold for another file that goes with this one.
  func keep(_ code: FindingCode, where holds: (Diagnostic) -> Bool) {
    found.removeAll { $0.code == code.rawValue && !holds($0) }
  }

  /// Adds what keeps an input from being read: about members at their place in the pipeline, else about the input.
  func add(_ error: ReadError, of input: SourceFiles.Input, _ source: ComponentValue) {
    switch error.code {
    case .missingMember, .severalMembers:
      add(
        .unknownMember, at: source.texts("member")?.first?.position ?? input.position,
        "“\(error.path)”: \(error.message)")
    case .unsupportedContainer where error.position == .file:
      add(.unreadableFile, at: input.position, "“\(error.path)”: \(error.message)")
    default: if !addDatabase(error, of: input, source) { add([error.diagnostic]) }
    }
  }

  /// Adds a finding about a name that does not exist, with the nearest one that does.
  func addUnknown(
    _ code: FindingCode, at position: SourcePosition, _ message: String, name: String, candidates: [String]
  ) {
    add(code, at: position, message, hint: NearestName.hint(for: name, among: candidates))
  }
}
