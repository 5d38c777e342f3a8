public import MergewalkDiagnostics
import MergewalkImporting
public import MergewalkRecordFormats
import MergewalkYAML

/// Input files with their format and options, as in the `source` of a pipeline, from command-line texts.
public struct SourceDefinition: Sendable {
  /// The inputs in order; inputs that can be read only once were examined and can be read from their start.
  public var sources: [ByteSource]
  /// The format with its options.
  public var format: RecordFormat
  /// The name of the format.
  public var formatName: SourceFormat
  /// Whether a record's raw text is a JSON text that contains the whole record.
  public var hasRawJSON: Bool
  /// The detected options of delimited text that differ from the format's defaults, in pipeline syntax.
  public var detected: [String] = []
  /// The evidence for the detected options, one sentence each.
  public var evidence: [String] = []
  /// Whether no other dialect fits about as well as the detected one.
  public var isCertain = true
  /// The same, whatever the encoding is.
  package var isTableCertain = true
  /// Options that detection leaves to a person, because they lose or make up text.
  package var proposals: [CSVProposal] = []
  /// The sentence about the detected encoding, if it is not certain.
  package var encodingDoubt: String?
  /// Columns that blanks align, where the text may be fixed-width.
  package var aligned: AlignedColumns?
  /// Findings that do not prevent reading the inputs.
  public var warnings: [Diagnostic]

  /// Finds the inputs and their format.
  ///
  /// - Parameters:
  ///   - paths: files, globs, folders; `-` is standard input.
  ///   - options: options of a pipeline's `source`, each with its value in pipeline syntax. Values of options that take
  ///     one text, number or word may lack the quotes that YAML would need.
  ///   - defaults: options that apply if the format knows them and `options` does not set them; `dialect: detect`
  ///     detects the dialect of delimited text.
  ///   - detectsNulls: whether to detect spellings of null with the rest of a dialect.
  ///   - skipsEmptyMembers: whether members of archives with nothing in them are skipped, whatever the options say.
  ///   - staysLookable: whether inputs that can be read only once may be examined repeatedly, until
  ///     `ByteSource.endLooking()`.
  ///   - command: the command that reads the same from standard input.
  /// - Throws: every finding; the paths of those about an option are `--option NAME`.
  public static func read(
    paths: [String], options: [(name: String, value: String)], defaults: [(name: String, value: String)] = [],
    detectsNulls: Bool = true, skipsEmptyMembers: Bool = false, staysLookable: Bool = false,
    command: String = "mergewalk preview -"
  ) throws(DiagnosticList) -> SourceDefinition {
    var reading = SourceArguments(paths: paths, options: options, detectsNulls: detectsNulls, command: command)
    reading.skipsEmptyMembers = skipsEmptyMembers
    guard let definition = reading.definition(defaults: defaults), !reading.findings.hasErrors else {
      throw DiagnosticList(reading.renamed(reading.findings.list))
    }
    if !staysLookable { for source in definition.sources { source.endLooking() } }
    return definition
  }
}

/// Reads a source from texts of a command line: a YAML mapping is made of them, a line for each.
struct SourceArguments {
  /// A path without a folder, so that paths are relative to the working directory.
  let findings = Findings(path: "--option")
  private let paths: [String]
  private let options: [(name: String, value: String)]
  private let spec: ComponentSpec
  private let detectsNulls: Bool
  private let command: String
  /// Whether members of archives with nothing in them are skipped, whatever the options say.
  var skipsEmptyMembers = false

  /// The lines of paths begin behind those of all options.
  private var firstPathLine: Int { options.count + 1 }

  init(paths: [String], options: [(name: String, value: String)], detectsNulls: Bool, command: String) {
    self.command = command
    self.paths = paths
    self.options = options
    self.detectsNulls = detectsNulls
    var spec = ComponentSpec.source
    spec.fields.removeAll { $0.name == "files" || $0.name == "ignore" }
    self.spec = spec
  }

  /// The definition, or nil when findings keep it from being whole.
  func definition(defaults: [(name: String, value: String)]) -> SourceDefinition? {
    guard var source = component() else { return nil }
    let files = paths.enumerated().map { index, path in
      Located(value: path, position: SourcePosition(line: firstPathLine + index, column: 1))
    }
    source.fields["files"] = .init(
      keyPosition: SourcePosition(line: firstPathLine, column: 1),
      position: SourcePosition(line: firstPathLine, column: 1), value: .texts(files))
    var inputs = SourceFiles(findings: findings, command: command).expand(source)
    for index in inputs.indices {
      if skipsEmptyMembers { inputs[index].source.container.skipsEmptyMembers = true }
      inputs[index].source = inputs[index].source.lookable()
    }
    // An empty file says nothing of the others.
    guard !findings.hasErrors, let first = inputs.first(where: { !$0.source.isBlank }) ?? inputs.first else {
      return nil
    }
    let builder = SourceBuilder(findings: findings)
    builder.checkNames(inputs, source)
    guard !findings.hasErrors else { return nil }
    guard let name = source.choice("format", as: SourceFormat.self) ?? builder.detect(first, source) else { return nil }
    source.fields["format"] =
      source.fields["format"]
      ?? .init(keyPosition: first.position, position: first.position, value: .text(name.rawValue))
    add(defaults, to: &source, name)
    // The dialect is looked at here, where what was found can be said.
    let detects = source.text("dialect")?.value == "detect"
    source.fields["dialect"] = nil
    guard var format = builder.format(source, firstInput: first) else { return nil }
    var dialect: CSVDialect?
    if case .csv(let options) = format, detects {
      dialect = self.dialect(of: first, source, options)
      if let dialect { format = .csv(dialect.options) }
    }
    findings.addMisnamed(inputs) { _ in "it" }
    let isJSON = [.json, .ndjson, .jsonSequence].contains(name)
    var definition = SourceDefinition(
      sources: inputs.map(\.source), format: format, formatName: name, hasRawJSON: isJSON && !source.has("each"),
      warnings: renamed(findings.list))
    if let dialect {
      definition.evidence = dialect.evidence
      definition.isCertain = dialect.isCertain
      definition.isTableCertain = dialect.isTableCertain
      definition.proposals = dialect.proposals
      definition.aligned = dialect.aligned
      definition.encodingDoubt = dialect.encodingDoubt
      definition.detected = CSVText.differences(dialect.options, from: CSVText.base(name))
        .filter { !source.has($0.option) }.map { "\($0.option): \($0.value)" }
    }
    return definition
  }

  /// How a delimited text is written, as far as the options leave it open; nil when it is no text.
  private func dialect(of input: SourceFiles.Input, _ source: ComponentValue, _ options: CSVOptions) -> CSVDialect? {
    let known = CSVText.known(source)
    do throws(ReadError) {
      if !detectsNulls {
        let dialect = try CSVDialectDetector.detect(input.source, base: options, known: known.union(.nullTokens))
        // Behind an escape, `\N` is null or an N, and never itself.
        if dialect?.options.escape == nil { return dialect }
      }
      return try CSVDialectDetector.detect(input.source, base: options, known: known)
    } catch {
      findings.add(error, of: input, source)
      return nil
    }
  }

  // MARK: Options

  private func component() -> ComponentValue? {
    var entries: [YAMLNode.Entry] = []
    for (index, option) in options.enumerated() {
      let position = SourcePosition(line: index + 1, column: 1)
      if let before = options[..<index].firstIndex(where: { $0.name == option.name }) {
        findings.add(
          .invalidOption, at: position,
          "it is given twice: “\(options[before].value)” and “\(option.value)”")
        continue
      }
      guard let value = node(option, at: position) else { continue }
      entries.append(.init(key: YAMLNode(.scalar(option.name, isPlain: true), position: position), value: value))
    }
    let reader = ComponentReader(registry: .standard, findings: findings)
    return reader.read(YAMLNode(.mapping(entries)), as: spec)
  }

  /// The value of an option: YAML, but scalars may be spelt as they are meant.
  private func node(_ option: (name: String, value: String), at position: SourcePosition) -> YAMLNode? {
    if let scalar = Self.scalar(option.value, of: spec.field(named: option.name)) {
      return YAMLNode(scalar, position: position)
    }
    do throws(DiagnosticList) {
      return Self.moved(try YAMLDocument.parse(option.value, path: findings.path), to: position.line)
    } catch {
      for finding in error.diagnostics {
        findings.add([
          Diagnostic(
            .error, code: finding.code, path: findings.path, position: position, message: finding.message,
            hint: finding.hint)
        ])
      }
      return nil
    }
  }

  /// The scalar that a text is as it stands, without a look at YAML's marks; nil where the text has to be YAML.
  private static func scalar(_ text: String, of field: FieldSpec?) -> YAMLNode.Kind? {
    guard let field else { return .scalar(text, isPlain: true) }
    let first = text.utf8.first
    let isQuoted = text.utf8.count > 1 && (first == UInt8(ascii: "\"") || first == UInt8(ascii: "'"))
    switch field.kind {
    case .character, .delimiter, .text, .path, .flag, .count, .integer, .zone, .bytes, .share, .duration,
      .choice:
      return isQuoted ? nil : .scalar(text, isPlain: true)
    case .texts, .choices:
      // An option without a value is the empty text, which a pipeline must write in quotes.
      return isQuoted || first == UInt8(ascii: "[") ? nil : .scalar(text, isPlain: !text.isEmpty)
    case .content, .expression, .steps, .tree, .pairs, .component, .components, .named, .names: return nil
    }
  }

  /// The tree with all its nodes on one line.
  private static func moved(_ node: YAMLNode, to line: Int) -> YAMLNode {
    var result = node
    result.position.line = line
    switch node.kind {
    case .scalar: break
    case .sequence(let items): result.kind = .sequence(items.map { moved($0, to: line) })
    case .mapping(let entries):
      result.kind = .mapping(
        entries.map { .init(key: moved($0.key, to: line), value: moved($0.value, to: line)) })
    }
    return result
  }

  private func add(
    _ defaults: [(name: String, value: String)], to source: inout ComponentValue, _ format: SourceFormat
  ) {
    for (name, value) in defaults {
      guard spec.field(named: name) != nil, !source.has(name),
        SourceOptions.formats(of: name)?.contains(format) != false
      else { continue }
      source.fields[name] = .init(keyPosition: .file, position: .file, value: .text(value))
    }
  }

  // MARK: Findings

  /// The findings with the option or the file that they are about in place of a line of the mapping.
  func renamed(_ list: [Diagnostic]) -> [Diagnostic] {
    list.map { finding in
      guard finding.path == findings.path else { return finding }
      var finding = finding
      let line = finding.position.line
      if line >= 1, line < firstPathLine {
        finding.path += " " + options[line - 1].name
      } else {
        finding.path = paths.indices.contains(line - firstPathLine) ? paths[line - firstPathLine] : "mergewalk"
      }
      finding.position = .file
      return finding
    }
  }
}
