import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats

/// `mergewalk rejects replay`: import the records of a rejects file, corrected, by the pipeline that rejected them.
struct RejectsReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Import the corrected records of a rejects file.",
    discussion: HelpText.flow(
      """
      Edit the member “raw” of each line, or empty it to drop the record;
      then replay the file. Records that are rejected again go to another
      rejects file, which can be replayed in turn; its positions are lines
      of the file that was replayed.

      EXAMPLES
        mergewalk rejects replay orders.rejects.ndjson --pipeline pipelines/orders.yaml
        mergewalk rejects replay r.ndjson --pipeline orders.yaml --store shop.sqlite --rejects again.ndjson
        mergewalk rejects replay r.ndjson --pipeline orders.yaml --dry-run
      """))

  @Argument(help: "The rejects file.", completion: .file())
  var file: String

  @Option(help: "The pipeline that rejected the records.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Option(help: ArgumentHelp("Use this store in place of the pipeline's.", valueName: "path"), completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The file for records that are rejected again.",
      discussion: "By default, the file's name with “.again” before its extension.",
      valueName: "path"), completion: .file())
  var rejects: String?

  @OptionGroup var variables: VariableOptions

  @OptionGroup var output: RunOutputOptions

  @Flag(help: "Do everything, then discard it; the store does not change.")
  var dryRun = false

  func validate() throws {
    try OptionPaths.check(written: ("--store", store), ("--rejects", rejects))
    // There is no name to make the other one from.
    if file == "-", rejects == nil, !dryRun {
      throw ValidationError("rejects from standard input need --rejects, the file for records that are rejected again")
    }
  }

  func run() throws {
    var settings = PipelineSettings()
    settings.variables = variables.variables
    settings.storePath = store
    let execution = RunExecution(
      options: output, path: pipeline, notifications: { dryRun ? nil : settings.notifications(pipeline) })
    try execution.run { () throws(DiagnosticList) in
      var settings = settings
      // The files may be gone; the header of each is in the rejects file.
      settings.checksHeaders = false
      settings.needsFiles = false
      let pipeline = try PipelineFile.read(self.pipeline, settings)
      var definition = pipeline.definition
      guard definition.objects.isEmpty else {
        throw finding(
          "unsuitablePipeline", self.pipeline, "whole objects go into a new store only, so no others can follow")
      }
      if RejectsFile.isAnother(file) {
        throw finding(RejectsFile.notRejects, file, "this is not a rejects file; name one that a run wrote")
      }
      let path = rejects ?? Self.again(file)
      if EarlierRejects.isSame(path, file) {
        throw finding(
          "invalidOption", path,
          "the rejects file that is read cannot take the new rejects; name another one by --rejects")
      }
      definition = definition.replaying(ByteSource(path: file), rejectsPath: path)
      definition.isDryRun = dryRun
      definition.rejects.dryRunPath = rejects
      return definition
    }
  }

  private func finding(_ code: String, _ path: String, _ message: String) -> DiagnosticList {
    DiagnosticList(error: code, path: path, message: message)
  }

  /// `orders.rejects.again.ndjson` for `orders.rejects.ndjson`, compressed or not.
  private static func again(_ path: String) -> String {
    let path = ContainerFormat.unpackedName(path)
    let ending = ResolvedPath.ending(of: path)
    return path[..<ending.startIndex] + ".again" + ending
  }
}
