import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkPipelines

/// `mergewalk export`: whole objects as files that `mergewalk run` reads back to an equal store.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write whole entities to files from which run rebuilds an equal store.",
    discussion: HelpText.flow(
      """
      Writes a file for each entity, model.yaml and pipeline.yaml into the folder. Objects keep their identities \
      and all relationships. The store is only read; the files appear under their names once all of them are \
      complete. Messages go to standard error; with --json, one object goes to standard output.

      EXIT CODES
        0   everything was written
        2   could not export; no file has changed
        6   another process holds the store; no file has changed
        7   everything was written, but the result could not be

      EXAMPLES
        mergewalk export shop.sqlite
        mergewalk export shop.sqlite --out backup --format csv
        mergewalk run shop-export/pipeline.yaml --store copy.sqlite
        mergewalk export shop.sqlite --entity Order --out orders --force
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp("The folder for the files; STORE-export by default.", valueName: "folder"),
    completion: .directory)
  var out: String?

  @Option(
    help: ArgumentHelp(
      "Export only this entity and those that inherit from it; may be repeated.", valueName: "name"))
  var entity: [String] = []

  @Option(help: "The format of the files.")
  var format = StoreExport.Format.ndjson

  @OptionGroup var storeModel: StoreModelOptions

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Print one JSON object with the counts to standard output.")
  var json = false

  @Flag(help: "Print only errors.")
  var quiet = false

  func validate() throws {
    try OptionPaths.check(written: ("--out", out), cure: "an export is a folder of files")
  }

  func run() throws {
    let start = ContinuousClock.now
    let folder = out ?? Self.folder(of: store)
    var export = StoreExport(storePath: store, folder: folder, model: try storeModel.find(store: store))
    export.format = format
    export.entities = entity
    export.replaces = force
    export.readFiles = [storeModel.model].compactMap { $0 }
    let summary = try FindingsOutput.orFail { () throws(DiagnosticList) in
      try Folders.createParents(of: folder)
      return try export.run()
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    Console.outcomeIsSettled()
    if json { Console.data(Self.json(summary, seconds: seconds)) }
    if !quiet { Console.words(lines: Self.words(summary, store: store, seconds: seconds)) }
  }

  /// `STORE-export` in the working directory, without the store's extension.
  private static func folder(of store: String) -> String {
    let name = String(store.split(separator: "/").last ?? "store")
    return name[..<ResolvedPath.ending(of: name).startIndex] + "-export"
  }

  private static func words(_ summary: StoreExport.Summary, store: String, seconds: Double) -> String {
    var table = TextTable("entity", "objects", "size")
    for file in summary.files { table.add(file.entity, Figures.grouped(file.objects), Figures.bytes(file.bytes)) }
    let objects = summary.files.reduce(0) { $0 + $1.objects }
    var lines = ["\(store): \(Figures.count(objects, "object")) in \(Figures.duration(seconds))"]
    if !summary.files.isEmpty { lines += table.lines }
    if !summary.missingEntities.isEmpty {
      lines.append(
        "  note     objects refer to others that were not exported (\(summary.missingEntities.joined(separator: ", ")));"
          + " the pipeline sets such references to nothing, or rejects the record where one is mandatory")
    }
    if let words = FieldCounts.dangling(
      summary.danglingReferences, of: "the store",
      outcome: "the pipeline sets them to nothing, or rejects the record where one is mandatory")
    {
      lines.append(words)
    }
    if !summary.invalidValues.isEmpty {
      lines.append(
        "  warning  values break rules of the model (\(FieldCounts.list(summary.invalidValues))); reading them back"
          + " rejects their records")
    }
    lines.append("  read it  mergewalk run \(ShellText.word(summary.pipelinePath)) --store NEW.sqlite")
    return lines.map { PrintableText.of($0) }.joined(separator: "\n")
  }

  private static func json(_ summary: StoreExport.Summary, seconds: Double) -> JSONText {
    [
      "pipeline": .string(summary.pipelinePath), "objects": .integer(summary.files.reduce(0) { $0 + $1.objects }),
      "seconds": .decimal(seconds, digits: 6),
      "files": .array(
        summary.files.map { file in
          [
            "entity": .string(file.entity), "path": .string(file.path), "objects": .integer(file.objects),
            "bytes": .integer(file.bytes),
          ]
        }),
      "missing_entities": .strings(summary.missingEntities),
      "dangling_references": FieldCounts.json(summary.danglingReferences),
      "invalid_values": FieldCounts.json(summary.invalidValues),
    ]
  }
}

/// The options of commands that need the model of a store.
struct StoreModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The model of the store, an .xcdatamodeld or a YAML model; by default, the copy in the store.",
      valueName: "model"), completion: .file())
  var model: String?

  @Option(
    name: .customLong("model-version"),
    help: ArgumentHelp("The version of an .xcdatamodeld; by default, the one that fits.", valueName: "name"))
  var version: String?

  func validate() throws {
    if version != nil, model == nil { throw ValidationError("--model-version needs --model") }
  }

  /// Finds the model; findings go to standard error and end the command.
  func find(store: String) throws -> StoreModel {
    try ModelLoading.model(ofStore: store, at: model, version: version)
  }
}
