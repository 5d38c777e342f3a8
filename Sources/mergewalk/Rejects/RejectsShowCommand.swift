import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Which lines of a rejects file are wanted.
struct RejectFilter: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Only rejects with this code, or of this stage (such as “value”); may be repeated.", valueName: "code"))
  var code: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Only rejects of this column; may be repeated.", valueName: "name"))
  var field: [String] = []

  func validate() throws {
    let codes = RejectCode.allCases.map(\.rawValue)
    let known = codes + Set(codes.map { String($0.prefix { $0 != "." }) }).sorted()
    for wanted in code.map(Self.bare) where !known.contains(wanted) {
      let hint = NearestName.hint(for: wanted, among: known).map { "; " + $0 } ?? ""
      throw ValidationError("no reject has the code “\(wanted)”\(hint)")
    }
  }

  /// Whether a line is wanted.
  func matches(_ line: RejectLine) -> Bool {
    if !field.isEmpty, !field.contains(where: { $0 == line.field }) { return false }
    return code.isEmpty || code.map(Self.bare).contains { $0 == line.code || line.code.hasPrefix($0 + ".") }
  }

  /// A stage may be written as pipelines write it under `codes`, too: `value.*`.
  fileprivate static func bare(_ code: String) -> String { code.hasSuffix(".*") ? String(code.dropLast(2)) : code }

  /// Whether all lines are wanted.
  var isOpen: Bool { code.isEmpty && field.isEmpty }
}

/// The codes and columns of a rejects file, for what to say when a filter leaves nothing of it.
struct RejectNames {
  private var codes: Set<String> = []
  private var fields: Set<String> = []
  /// More names than these are not kept, so that memory stays flat.
  private static let most = 10_000

  /// Notes the names of a line.
  mutating func add(_ line: RejectLine) {
    if codes.count < Self.most {
      codes.insert(line.code)
      if let dot = line.code.firstIndex(of: ".") { codes.insert(String(line.code[..<dot])) }
    }
    if let field = line.field, fields.count < Self.most { fields.insert(field) }
  }

  /// Says which names of a filter no line has, with the nearest ones that lines have.
  func explain(_ filter: RejectFilter, of file: String) {
    if codes.isEmpty { return }
    var parts: [String] = []
    for (words, wanted, known) in [
      ("code", filter.code.map(RejectFilter.bare), codes), ("column", filter.field, fields),
    ] {
      for name in wanted where !known.contains(name) {
        let hint = NearestName.hint(for: name, among: known.sorted()).map { "; " + $0 } ?? ""
        parts.append("no reject has the \(words) “\(RejectsFile.printable(name))”\(hint)")
      }
    }
    if parts.isEmpty { parts = ["no reject matches all filters"] }
    for part in parts { Console.words("\(file): \(part)") }
  }
}

/// `mergewalk rejects show`: the lines of a rejects file as a person reads them, or the records alone.
struct RejectsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print rejects: the location, the reason, and the record.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk rejects show orders.rejects.ndjson
        mergewalk rejects show orders.rejects.ndjson --code value.date --field ordered --limit 5
        mergewalk rejects show orders.rejects.ndjson --code read --raw > records.csv
      """))

  @Argument(help: "The rejects file.", completion: .file())
  var file: String

  @OptionGroup var filter: RejectFilter

  @Option(help: ArgumentHelp("The maximum number of rejects.", valueName: "number"))
  var limit: Int?

  @Flag(help: "Print only the records, exactly as in their files, each followed by a line end.")
  var raw = false

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on, not \(limit)") }
    if raw, json { throw ValidationError("--raw and --json exclude each other") }
  }

  func run() throws {
    var shown = 0
    var names = RejectNames()
    let isWhole = try RejectsFile.forEach(file) { line in
      if shown == 0, !filter.isOpen { names.add(line) }
      guard filter.matches(line) else { return true }
      shown += 1
      if raw {
        RejectsFile.writeRaw(line)
      } else {
        Console.data(lines: json ? RejectsFile.json(line).text : RejectsFile.text(line))
      }
      return shown < limit ?? .max && !Console.isReaderGone
    }
    if shown == 0 { names.explain(filter, of: file) }
    if !isWhole { throw ExitStatus.findings }
  }
}
