import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting

/// Runs as people and programs read them.
enum RunListing {
  /// Writes one line a run; a terminal that is too narrow gets fewer columns, and hears which.
  static func write(_ runs: [RunRecord]) {
    var table = table(runs)
    let spare = ["slow stage", "inputs", "skipped", "seconds", "unchanged", "updated", "inserted"]
    let gone = Console.outputWidth.map { table.fit($0, leavingOut: spare) } ?? []
    Console.data(lines: table.text)
    if gone.isEmpty { return }
    Console.words("The terminal is too narrow for: \(gone.joined(separator: ", ")). --json shows everything.")
  }

  /// The runs as a table, with their stores when those are several.
  private static func table(_ runs: [RunRecord]) -> TextTable {
    let hasStores = Set(runs.map(\.store)).count > 1
    let place = hasStores ? ["store"] : []
    let shift = place.count
    var table = TextTable(
      ["run"] + place + [
        "pipeline", "started (UTC)", "seconds", "read", "inserted", "updated", "unchanged", "skipped", "rejected",
        "status", "slow stage", "inputs",
      ], words: Set(1...(2 + shift)).union([10 + shift, 11 + shift, 12 + shift]))
    for run in runs {
      var cells = [String(run.number)]
      if hasStores { cells.append(ResolvedPath.name(of: run.store)) }
      let kind = run.kind == .replay ? " (replay)" : ""
      cells += [run.pipeline + kind, moment(run.started), Figures.fixed(run.seconds, digits: 2)]
      cells += run.counts.numbers.map { Figures.grouped($0) }
      cells += [run.status.rawValue, run.slowStage, inputs(run)]
      table.add(cells)
    }
    return table
  }

  private static func inputs(_ run: RunRecord) -> String {
    guard let first = run.inputs.first else { return "" }
    return ResolvedPath.name(of: first.path) + (run.inputCount > 1 ? " and \(run.inputCount - 1) more" : "")
  }

  /// A moment to the second, as a table has it.
  private static func moment(_ seconds: Double) -> String {
    String(RunIdentity.timestamp(seconds).prefix(19).replacing("T", with: " "))
  }

  /// One run, whole.
  static func text(_ run: RunRecord) -> String {
    var facts: [(String, String)] = [
      ("run", "\(run.number)  \(run.id)"), ("pipeline", run.pipeline + (run.kind == .replay ? " (replay)" : "")),
      ("started", RunIdentity.timestamp(run.started)), ("took", Figures.duration(run.seconds)),
      ("status", "\(run.status.rawValue) (exit code \(run.status.exitCode))"), ("store", run.store),
    ]
    if let resumed = run.resumedFrom { facts.append(("continued", resumed)) }
    if let code = run.errorCode { facts.append(("error", "\(run.errorMessage ?? "") [\(code)]")) }
    facts += [
      ("records", records(run.counts)),
      ("read", "\(Figures.bytes(run.bytesRead)) from \(Figures.count(run.inputCount, "input"))"),
      ("memory", Figures.bytes(run.peakResidentBytes)),
    ]
    if !run.phases.isEmpty {
      facts.append(
        (
          "phases",
          run.phases.map { "\($0.name) \(Figures.fixed($0.seconds, digits: 2)) s" }.joined(separator: ", ")
            + (run.slowStage.isEmpty ? "" : "; slow: \(run.slowStage)")
        ))
    }
    facts.append(("made by", "mergewalk \(run.version) on \(run.host)"))
    if let path = run.rejectsPath { facts.append(("rejects", path)) }
    var sections = [TextTable.facts(facts)]
    if !run.inputs.isEmpty { sections.append(inputTable(run)) }
    if run.parts.count > 1 { sections.append(partTable(run)) }
    if !run.entities.isEmpty { sections.append(entityTable(run)) }
    if !run.rejectCodes.isEmpty {
      var table = TextTable("reject", "records")
      for (code, count) in run.rejectCodes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        table.add(code, Figures.grouped(count))
      }
      sections.append(table.text)
    }
    if !run.warnings.isEmpty {
      sections.append(run.warnings.map { PrintableText.of("warning: \($0)") }.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n")
  }

  private static func records(_ counts: RecordCounts) -> String {
    "\(Figures.grouped(counts.read)) read = \(Figures.grouped(counts.inserted)) inserted"
      + " + \(Figures.grouped(counts.updated)) updated + \(Figures.grouped(counts.unchanged)) unchanged"
      + " + \(Figures.grouped(counts.skipped)) skipped + \(Figures.grouped(counts.rejected)) rejected"
      + (counts.isBalanced ? "" : " and the rest, at which the run ended")
  }

  private static func inputTable(_ run: RunRecord) -> String {
    var table = TextTable(["input", "bytes", "fingerprint"], words: [2])
    for input in run.inputs {
      table.add(input.path, input.bytes.map { Figures.grouped($0) } ?? "", input.fingerprint ?? "")
    }
    let left = run.inputCount - run.inputs.count
    return table.text + (left > 0 ? "\n  and \(Figures.grouped(left)) more" : "")
  }

  private static func partTable(_ run: RunRecord) -> String {
    var table = TextTable(["import", "seconds"] + RecordCounts.names)
    for part in run.parts {
      table.add([part.name, Figures.fixed(part.seconds, digits: 2)] + part.counts.numbers.map { Figures.grouped($0) })
    }
    return table.text
  }

  private static func entityTable(_ run: RunRecord) -> String {
    var table = TextTable("entity", "inserted", "updated", "unchanged")
    for (name, counts) in run.entities.sorted(by: { $0.key < $1.key }) {
      table.add(
        name, Figures.grouped(counts.inserted), Figures.grouped(counts.updated), Figures.grouped(counts.unchanged))
    }
    return table.text
  }

  /// A run as an object; members keep this order.
  static func json(_ run: RunRecord) -> JSONText {
    [
      "number": .integer(run.number), "run": .string(run.id), "pipeline": .string(run.pipeline),
      "kind": .string(run.kind.rawValue), "started": .string(RunIdentity.timestamp(run.started)),
      "seconds": .decimal(run.seconds, digits: 6), "status": .string(run.status.rawValue),
      "exit_code": .integer(run.status.exitCode), "store": .string(run.store), "resumed_from": .text(run.resumedFrom),
      "error": error(run), "input_count": .integer(run.inputCount), "inputs": .array(run.inputs.map(json)),
      "counts": json(run.counts), "balanced": .boolean(run.counts.isBalanced),
      "imports": .array(
        run.parts.map {
          [
            "name": .string($0.name), "entity": .string($0.entity), "seconds": .decimal($0.seconds, digits: 3),
            "counts": json($0.counts),
          ]
        }),
      "entities": .named(run.entities) { counts in
        [
          "inserted": .integer(counts.inserted), "updated": .integer(counts.updated),
          "unchanged": .integer(counts.unchanged),
        ]
      },
      "reject_codes": .named(run.rejectCodes) { .integer($0) }, "rejects": .text(run.rejectsPath),
      "phases": .object(run.phases.map { ($0.name, .decimal($0.seconds, digits: 3)) }),
      "slow_stage": .text(run.slowStage.isEmpty ? nil : run.slowStage),
      "peak_rss_bytes": .integer(run.peakResidentBytes), "bytes_read": .integer(run.bytesRead),
      "version": .string(run.version), "host": .string(run.host), "warnings": .strings(run.warnings),
    ]
  }

  private static func error(_ run: RunRecord) -> JSONText {
    guard let code = run.errorCode else { return .null }
    return ["code": .string(code), "message": .text(run.errorMessage)]
  }

  private static func json(_ input: RunRecord.Input) -> JSONText {
    ["path": .string(input.path), "bytes": .count(input.bytes), "fingerprint": .text(input.fingerprint)]
  }

  private static func json(_ counts: RecordCounts) -> JSONText {
    .object(counts.named.map { (name: $0.0, value: JSONText.integer($0.1)) })
  }
}
