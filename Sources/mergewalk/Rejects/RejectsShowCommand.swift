import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Which lines of a rejects file are wanted.
struct RejectFilter: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Only rejects with this code, or of this stage (“value”); may be said several times.", valueName: "code"))
  var code: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Only rejects that blame this column; may be said several times.", valueName: "name"))
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
  private static func bare(_ code: String) -> String { code.hasSuffix(".*") ? String(code.dropLast(2)) : code }
}

/// `mergewalk rejects show`: the lines of a rejects file as a person reads them, or the records alone.
struct RejectsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print rejects: where they stand, why, and the record.",
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

  @Option(help: ArgumentHelp("How many rejects at most.", valueName: "number"))
  var limit: Int?

  @Flag(help: "Print only the records as they stood in their files, each with a line end.")
  var raw = false

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on, not \(limit)") }
    if raw, json { throw ValidationError("--raw and --json exclude each other") }
  }

  func run() throws {
    var isWhole = true
    var shown = 0
    try RejectsFile.forEach(file) { line, problem in
      guard shown < limit ?? .max else { return false }
      guard let line else {
        isWhole = false
        Console.words(problem)
        return true
      }
      guard filter.matches(line) else { return true }
      shown += 1
      if raw {
        RejectsFile.writeRaw(line)
      } else {
        Console.data(json ? RejectsFile.json(line).text : RejectsFile.text(line))
      }
      return true
    }
    if !isWhole { throw ExitStatus.findings }
  }
}
