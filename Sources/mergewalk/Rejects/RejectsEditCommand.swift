import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats

/// `mergewalk rejects edit`: rejected records as a plain table, and the way back.
struct RejectsEditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Write rejected records as plain CSV or NDJSON, and apply the edited file.",
    discussion: HelpText.flow(
      """
      The first call writes a file with the columns of the source, a column
      _reason, and a column _reject with the record's line in the rejects
      file. Edit it with a spreadsheet or an editor. The second call, with
      --apply, puts the records back into the rejects file, which “rejects
      replay” then imports.

      If you empty all cells of a row, its record is dropped; if you delete
      a row, its record stays rejected. A record that cannot be split into
      columns is in the column _raw as a whole.

      EXAMPLES
        mergewalk rejects edit r.ndjson --pipeline orders.yaml --out fix.csv
        mergewalk rejects edit r.ndjson --pipeline orders.yaml --apply fix.csv
        mergewalk rejects replay r.ndjson --pipeline orders.yaml
      """))

  @Argument(help: "The rejects file.", completion: .file())
  var file: String

  @Option(help: "The pipeline that rejected the records.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Option(
    help: ArgumentHelp(
      "The file for the records, which must not exist; by default, the rejects file's name with .edit.csv"
        + " or .edit.ndjson.",
      valueName: "path"), completion: .file())
  var out: String?

  @Option(
    help: ArgumentHelp("Put the records of this edited file back into the rejects file.", valueName: "path"),
    completion: .file())
  var apply: String?

  @OptionGroup var filter: RejectFilter

  @OptionGroup var variables: VariableOptions

  func validate() throws {
    try OptionPaths.check(output: "--out", out)
    try OptionPaths.check(("--apply", apply))
    if out != nil, apply != nil { throw ValidationError("--out and --apply exclude each other") }
  }

  func run() throws {
    do {
      var settings = PipelineSettings()
      settings.variables = variables.variables
      settings.checksHeaders = false
      settings.needsFiles = false
      let pipeline = try PipelineFile.read(self.pipeline, settings)
      guard !pipeline.definition.parts.isEmpty else {
        throw DiagnosticList([
          RejectSheetFile.finding(
            self.pipeline, .file, "whole objects go into a new store only; their rejects cannot be replayed", nil)
        ])
      }
      let sheet = RejectSheet(pipeline.definition)
      if let apply { try putBack(apply, sheet) } else { try write(sheet) }
    } catch let error as DiagnosticList {
      FindingsOutput.words(error.diagnostics)
      throw ExitStatus.of(error)
    }
  }

  // MARK: Out

  private func write(_ empty: RejectSheet) throws {
    var sheet = empty
    try forEach { line in
      sheet.note(line)
      if RejectSheet.isEditable(line), filter.matches(line) { sheet.look(line) }
    }
    var bytes = sheet.form == .csv ? sheet.head : []
    var count = 0
    var names = RejectNames()
    try forEach { line in
      if count == 0, !filter.isOpen { names.add(line) }
      guard RejectSheet.isEditable(line), filter.matches(line) else { return }
      bytes += sheet.row(line)
      count += 1
    }
    if count == 0 { names.explain(filter, of: file) }
    let path = out ?? Self.name(file, sheet.form)
    try OutputFile.create(
      path, bytes: bytes, access: .derived(from: file),
      cure: "if it is edited, put it back with --apply; else remove it, or name another file with --out")
    Console.words("\(path): \(Figures.count(count, "record")); edit \(count == 1 ? "it" : "them"), then:")
    Console.words("  mergewalk rejects edit \(again) --apply \(ShellText.word(path))")
  }

  /// The arguments that the next command has, too.
  private var again: String { "\(ShellText.word(file)) --pipeline \(ShellText.word(pipeline))" }

  private static func name(_ path: String, _ form: RejectSheet.Form) -> String {
    (path.hasSuffix(".ndjson") ? String(path.dropLast(7)) : path) + ".edit." + form.rawValue
  }

  // MARK: Back

  private func putBack(_ edited: String, _ empty: RejectSheet) throws {
    var sheet = empty
    var edits = try RejectSheetFile.read(edited, sheet.form)
    var findings: [Diagnostic] = []
    var (changed, givenUp, kept, absent) = (0, 0, 0, 0)
    var lines = try SourceFile.read(file, limit: 4 << 30).split(separator: 10, omittingEmptySubsequences: false)
      .map { Array($0) }
    try forEach { line in
      sheet.note(line)
      guard RejectSheet.isEditable(line) else { return }
      guard let edit = edits.removeValue(forKey: line.line) else {
        absent += 1
        return
      }
      do throws(RecordCells.EditError) {
        guard let record = try sheet.record(edit, of: line) else {
          kept += 1
          return
        }
        guard lines.indices.contains(line.line - 1), var object = JSONObjectText(lines[line.line - 1]) else {
          findings.append(
            RejectSheetFile.finding(file, .file, "the rejects file is compressed", "decompress it first"))
          return
        }
        let raw = JSONObjectText.Member("raw", value: RejectSheet.json(String(decoding: record, as: UTF8.self)))
        let place = object.members.firstIndex { $0.name == "raw" || $0.name == "raw_base64" } ?? object.members.count
        object.members.removeAll { ["raw", "raw_base64", "cut"].contains($0.name) }
        object.members.insert(raw, at: min(place, object.members.count))
        lines[line.line - 1] = object.bytes
        if record.isEmpty { givenUp += 1 } else { changed += 1 }
      } catch {
        findings.append(RejectSheetFile.finding(edited, edit.place, "“\(error.column)”: \(error.message)", nil))
      }
    }
    for (line, edit) in edits {
      findings.append(
        RejectSheetFile.finding(
          edited, edit.place, "the rejects file has no record in line \(line)", "leave “_reject” as it was"))
    }
    if !findings.isEmpty { throw DiagnosticList(findings) }
    if changed + givenUp > 0 {
      try TextFile.replace(
        file, String(decoding: Array(lines.joined(separator: [10])), as: UTF8.self), as: .rejects,
        access: .derived(from: file))
    }
    Console.words(
      "\(file): \(Figures.count(changed, "record")) changed, \(Figures.grouped(givenUp)) given up,"
        + " \(Figures.grouped(kept)) as before"
        + (absent > 0 ? ", \(Figures.grouped(absent)) not in the sheet" : "") + "; import them:")
    Console.words("  mergewalk rejects replay \(again)")
  }

  /// Calls `body` with each line of the rejects file.
  private func forEach(_ body: (RejectLine) -> Void) throws {
    let isWhole = try RejectsFile.forEach(file) { line in
      body(line)
      return true
    }
    if !isWhole { throw ExitStatus.failure }
  }
}
