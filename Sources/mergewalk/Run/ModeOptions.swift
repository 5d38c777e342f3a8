import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting

/// The options of a run that say how much of its input it reads and what it shows of its changes.
struct ModeOptions: ParsableArguments {
  @Flag(help: "Do everything, then discard it; only files named by options are written.")
  var dryRun = false

  @Option(help: ArgumentHelp("Show this many changed objects, with their values before and after.", valueName: "count"))
  var diff: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Start an incremental import at this value instead of the one recorded in the store.", valueName: "value"))
  var since: String?

  @Flag(help: "Discard the cursor of an incremental import, and read everything again.")
  var resetCursor = false

  func validate() throws {
    if let diff, diff < 1 || diff > 100_000 {
      throw ValidationError("--diff takes a number of changes from 1 to 100000, not \(diff)")
    }
    if since != nil, resetCursor { throw ValidationError("--since and --reset-cursor exclude each other") }
  }

  /// Puts what the command line says in place of what the pipeline says.
  func apply(to definition: inout ImportDefinition) throws(DiagnosticList) {
    definition.isDryRun = dryRun
    definition.sampledChanges = diff ?? 0
    guard since != nil || resetCursor else { return }
    let incremental = definition.parts.indices.filter { definition.parts[$0].since != nil }
    let option = since == nil ? "--reset-cursor" : "--since"
    if incremental.isEmpty {
      throw refusal(
        definition,
        "\(option) needs an import with “since”, and there is none; add “since: { column: … }” to the pipeline")
    }
    if since != nil, incremental.count > 1 {
      throw refusal(definition, "--since cannot be meant for \(incremental.count) imports; use --reset-cursor")
    }
    for index in incremental {
      definition.parts[index].since?.isReset = resetCursor
      guard let since, let policy = definition.parts[index].since else { continue }
      guard let value = CursorValue(since, kind: policy.kind) else {
        throw refusal(
          definition,
          "--since cannot be “\(since)”: the column \(policy.column) is of type \(policy.kind.rawValue), for example"
            + " \(policy.kind == .date ? "2024-12-31 or 2024-12-31T12:00:00Z" : policy.kind == .integer ? "1200" : "a text")"
        )
      }
      definition.parts[index].since?.override = value
    }
  }

  private func refusal(_ definition: ImportDefinition, _ message: String) -> DiagnosticList {
    DiagnosticList(error: "invalidOption", path: definition.path ?? definition.name, message: message)
  }
}
