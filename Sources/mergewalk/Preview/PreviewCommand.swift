import ArgumentParser
import MergewalkDiagnostics
import MergewalkPipelines
import MergewalkRecordFormats

/// `mergewalk preview`: what a source yields.
struct PreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show the records of files as an import would read them.",
    discussion: HelpText.flow(
      """
      The source is a file, a glob, a folder or - for standard input, compressed or not. Its name, or else its \
      content, determines the format; the dialect of a CSV file is detected. Options are those of a pipeline's \
      source, each with a value in YAML: see `mergewalk reference`.

      The table shows where each record begins, the columns, the apparent types of their values, and the first \
      10 records. CSV contains the cells of all records unchanged, NDJSON an object for each record. Rejected \
      records and everything else that is not a record go to standard error.

      EXIT CODES
        0   all records that were read are good, even if the reader of a pipe closed it
        1   some records were rejected
        2   the source was refused: it cannot be opened or read, or an option is wrong
        6   another process holds the database
        64  usage

      EXAMPLES
        mergewalk preview orders.csv.gz
        mergewalk preview orders.json --option records=$.data.items --records 3
        mergewalk preview export.txt --option delimiter=semicolon --option 'null=[NULL, ""]' --option encoding=latin1
        curl -s https://example.com/orders.ndjson | mergewalk preview - --records all --format csv
      """))

  @Argument(help: "A file, a glob, a folder, or - for standard input.", completion: .file())
  var source: String

  @Option(
    help: ArgumentHelp("The maximum number of records; by default, 10 for a table, else all.", valueName: "count|all"))
  var records: RecordCount?

  @Option(help: "The format: table, csv or ndjson; by default, a table.")
  var format: PreviewFormat = .table

  @Option(
    name: .customLong("option"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An option of a pipeline's source; may be repeated.", valueName: "key=value"),
    transform: SourceOption.init)
  var options: [SourceOption] = []

  @Flag(help: "Show the evidence for the detected options.")
  var verbose = false

  func validate() throws { try OptionPaths.check(("<source>", source)) }

  func run() throws {
    let definition = try FindingsOutput.orFail(advised: SourceDefinition.advised) { () throws(DiagnosticList) in
      try SourceDefinition.read(
        paths: [source], options: options.map { ($0.name, $0.value) }, defaults: Self.defaults,
        detectsNulls: false)
    }
    FindingsOutput.words(definition.warnings)
    if !definition.detected.isEmpty, definition.sources.contains(where: { $0.fileSize != 0 }) {
      let doubt = definition.isCertain ? "" : "; something else fits about as well"
      Console.words("\(source): detected \(definition.detected.joined(separator: ", "))\(doubt)")
    }
    if verbose { for line in definition.evidence { Console.words("\(source): \(line)") } }
    let limit = (records ?? (format == .table ? .first(10) : .all)).limit
    var preview = Preview(definition, format: format, limit: limit)
    do throws(OutputError) {
      try preview.run()
    } catch {
      Console.words("mergewalk: error: \(error) [cannotWrite]")
      throw ExitStatus.failure
    }
    if let status = preview.report() { throw status }
  }

  /// The options that a preview sets by default and pipelines do not: it detects the dialect of CSV, and shows every
  /// valid JSON text.
  static let defaults = [("dialect", "detect"), ("scalars", "value"), ("duplicate_members", "last")]
}
