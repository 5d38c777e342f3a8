import ArgumentParser
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkPipelines

/// `mergewalk guess`: a pipeline and a model from files.
struct GuessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Write a commented pipeline and a model for files, based on their first records.",
    discussion: HelpText.flow(
      """
      Each source becomes an entity with a pipeline of its own; files of the same name but for numbers, with the \
      same columns, are one source. All pipelines share a YAML model. The comment after each line gives the \
      reason for it. Anything ambiguous becomes text, with a question: leading zeros, dates that do not show \
      whether the day comes first, 1,234, 5 EUR, yes and no. Columns that hold keys of another source's records \
      become relationships.

      An existing file is not replaced without --force.

      EXIT CODES
        0   the files were written
        2   a source cannot be read, or a file cannot be written
        6   another process holds a database
        64  usage

      EXAMPLES
        mergewalk guess customers.csv orders.csv --out pipelines
        mergewalk guess 'exports/orders-*.csv.gz' --entity Order --out pipelines
        mergewalk guess data.json --option records=$.data.items
      """))

  @Argument(help: "Files, globs, folders, or - for standard input.", completion: .file())
  var sources: [String]

  @Option(
    name: .customLong("out"),
    help: ArgumentHelp("The folder for the files; it is created if necessary.", valueName: "folder"),
    completion: .directory)
  var folder = "."

  @Option(help: ArgumentHelp("The entity's name, for a single source.", valueName: "name"))
  var entity: String?

  @Option(help: ArgumentHelp("The maximum number of records to read from each source.", valueName: "count"))
  var records = 10_000

  @Option(
    name: .customLong("option"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An option for the sources, as in a pipeline; may be repeated.", valueName: "key=value"),
    transform: SourceOption.init)
  var options: [SourceOption] = []

  @Flag(help: "Replace existing files.")
  var force = false

  func validate() throws {
    if entity != nil, sources.count > 1 { throw ValidationError("--entity names the entity of a single source") }
    if let entity, !PipelineGuess.isEntityName(entity) {
      throw ValidationError(
        "--entity takes a name of letters, digits and underscores that begins with a capital, not “\(entity)”")
    }
    if records < 1 { throw ValidationError("--records takes a number from 1 on, not \(records)") }
    try OptionPaths.check(written: ("--out", folder), cure: "name a folder")
    for source in sources { try OptionPaths.check(("<sources>", source)) }
    if sources.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
  }

  func run() throws {
    try FindingsOutput.orFail(advised: SourceDefinition.advised) { () throws(DiagnosticList) in
      var request = PipelineGuess.Request(sources: sources)
      request.options = options.map { ($0.name, $0.value) }
      request.folder = folder
      request.entity = entity
      request.records = records
      let guess = try PipelineGuess.make(request)
      FindingsOutput.words(guess.warnings)
      try write(guess)
      report(guess)
    }
  }

  /// Writes all files, or none when one is there already.
  private func write(_ guess: PipelineGuess) throws(DiagnosticList) {
    if !force {
      let there = guess.files.filter { access($0.path, F_OK) == 0 }
      guard there.isEmpty else {
        throw DiagnosticList(
          there.map {
            Diagnostic(
              .error, code: "fileExists", path: $0.path, position: .file, message: "the file already exists",
              hint: "choose another folder with --out, or replace it with --force")
          })
      }
    }
    for file in guess.files {
      try Folders.createParents(of: file.path)
      if force {
        try TextFile.replace(file.path, file.text, as: .text)
      } else {
        try OutputFile.create(file.path, file.text)
      }
    }
  }

  /// Prints the guesses and the next steps.
  private func report(_ guess: PipelineGuess) {
    Console.outcomeIsSettled()
    for summary in guess.summaries {
      let found = summary.key.isEmpty ? "no key" : "found by \(summary.key.joined(separator: " and "))"
      let related =
        summary.relationships > 0 ? ", \(Figures.count(summary.relationships, "relationship"))" : ""
      let asked = summary.questions > 0 ? "; \(Figures.count(summary.questions, "question"))" : ""
      Console.data(
        "\(summary.pipeline): \(summary.entity) from \(summary.looked):"
          + " \(Figures.count(summary.attributes, "attribute"))\(related), \(found)\(asked)")
      if summary.rejects > 0 {
        Console.words(
          "\(summary.source): warning: \(Figures.count(summary.rejects, "record")) cannot be read [rejects]")
      }
    }
    Console.data(guess.files[0].path)
    Console.data("")
    let paths = guess.summaries.map(\.pipeline)
    Console.data("mergewalk lint \(paths.map(ShellText.word).joined(separator: " "))")
    for path in paths { Console.data("mergewalk run \(ShellText.word(path))") }
  }
}
