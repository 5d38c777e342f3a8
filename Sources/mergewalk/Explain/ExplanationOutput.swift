import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting

/// The output of `mergewalk explain`.
enum ExplanationOutput {
  // MARK: Words

  /// The explanation as a person reads it.
  static func words(_ explanation: ImportExplanation, showsSQL: Bool) -> String {
    var lines = ["\(explanation.pipeline)"]
    lines.append("  store    " + store(explanation.store))
    lines.append("  load     \(words(explanation.load)), because \(explanation.load.sentence)")
    lines.append(
      "  batches  of \(Figures.count(explanation.batchRecords, "record")) or \(Figures.bytes(explanation.batchBytes)),"
        + " whichever comes first")
    lines.append(
      "  memory   "
        + explanation.memory.map {
          "\($0.name.split(separator: "_").joined(separator: " ")) \(Figures.bytes($0.bytes))"
        }.joined(separator: ", "))
    lines.append("  rejects  " + rejects(explanation))
    for warning in explanation.warnings { lines.append("  warning  \(warning)") }
    for (number, part) in explanation.parts.enumerated() {
      lines.append("")
      let name = part.name.isEmpty || part.name == part.entity ? part.entity : "\(part.name): \(part.entity)"
      let place = explanation.parts.count > 1 ? "\(number + 1). " : ""
      lines.append(
        "\(place)\(name), mode \(part.mode.rawValue), duplicates \(part.duplicates.rawValue)")
      lines += part.sources.map {
        "  source   \($0.path)\($0.bytes.map { " (\(Figures.bytes($0)))" } ?? ""), \(part.format)"
      }
      if part.sources.isEmpty { lines.append("  source   none") }
      lines.append("  columns  " + part.columns.joined(separator: ", "))
      if !part.derived.isEmpty { lines.append("  made     " + part.derived.joined(separator: ", ")) }
      if let process = part.process { lines.append("  process  " + process.joined(separator: " ")) }
      if let filter = part.filter { lines.append("  where    " + filter) }
      if let cursor = part.cursor { lines.append("  since    " + words(cursor)) }
      for node in part.nodes { lines += words(node, showsSQL: showsSQL) }
      if let removal = part.removal { lines += words(removal, part, showsSQL: showsSQL) }
    }
    return lines.map { PrintableText.of($0) }.joined(separator: "\n")
  }

  private static func words(_ load: LoadWay) -> String {
    load.isDirect ? "direct, past SQLite" : load.isSorted ? "sorted, at the end" : "through SQLite"
  }

  private static func store(_ store: ImportExplanation.Store) -> String {
    var facts = [store.exists ? Figures.bytes(store.bytes) : "new"]
    if store.logBytes > 0 { facts.append("a log of \(Figures.bytes(store.logBytes)) beside it") }
    if store.tracksHistory { facts.append("keeps history") }
    if store.hasUnfinishedRun { facts.append("an interrupted run resumes") }
    return "\(store.path) (\(facts.joined(separator: ", ")))"
  }

  private static func rejects(_ explanation: ImportExplanation) -> String {
    var parts = [explanation.rejectsPath ?? "counted"]
    if let limit = explanation.rejectLimit { parts.append("at most \(Figures.grouped(limit))") }
    if let ratio = explanation.rejectRatio { parts.append("at most \(Figures.share(ratio)) of the records") }
    return parts.joined(separator: ", ")
  }

  private static func words(_ cursor: ImportExplanation.Cursor) -> String {
    var text = "\(cursor.column) (\(cursor.kind.rawValue)): "
    guard let start = cursor.start else { return text + "all records, no threshold yet" }
    text += "records \(cursor.ties == .read ? "from" : "after") \(start) on"
    if let stored = cursor.stored, stored != start { text += "; the store has \(stored)" }
    return text
  }

  private static func words(_ node: ImportExplanation.Node, showsSQL: Bool) -> [String] {
    let place = node.path.isEmpty ? node.entity : "\(node.path): \(node.entity)"
    let key = node.findBy.isEmpty ? "" : " by \(node.findBy.joined(separator: ", "))"
    var lines = ["  find     \(place)\(key): \(node.strategy), because \(node.reason)"]
    guard showsSQL else { return lines }
    for statement in node.statements { lines += words(statement) }
    return lines
  }

  private static func words(_ statement: ImportExplanation.Statement) -> [String] {
    ["           \(statement.when): \(statement.sql)"] + statement.plan.map { "             \($0)" }
  }

  private static func words(
    _ removal: ImportExplanation.Removal, _ part: ImportExplanation.Part, showsSQL: Bool
  ) -> [String] {
    var text = "objects of \(part.entity) that no record names are \(removal.deletion == .mark ? "marked" : "deleted")"
    if let count = removal.inScope { text += "; \(Figures.grouped(count)) are in scope now" }
    if let limit = removal.limit { text += "; at most \(Figures.grouped(limit))" }
    if let ratio = removal.ratio { text += "; at most \(Figures.share(ratio)) of them" }
    if let name = removal.softDelete { text += "; \(name) marks them as gone" }
    return ["  others   " + text] + (showsSQL ? words(removal.query) : [])
  }

  // MARK: JSON

  /// The explanation as one object; members keep this order.
  static func json(_ explanation: ImportExplanation) -> JSONText {
    let store = explanation.store
    return [
      "pipeline": .string(explanation.pipeline),
      "store": [
        "path": .string(store.path), "exists": .boolean(store.exists), "bytes": .integer(store.bytes),
        "log_bytes": .integer(store.logBytes), "unfinished_run": .boolean(store.hasUnfinishedRun),
        "history": .boolean(store.tracksHistory),
      ],
      "load": ["way": .string(explanation.load.name), "reason": .string(explanation.load.reason.rawValue)],
      "batch": ["records": .integer(explanation.batchRecords), "bytes": .integer(explanation.batchBytes)],
      "memory": .object(explanation.memory.map { ($0.name, .integer($0.bytes)) }),
      "rejects": [
        "file": .text(explanation.rejectsPath), "limit": .count(explanation.rejectLimit),
        "ratio": .nullable(explanation.rejectRatio.map { .decimal($0, digits: 6) }),
      ],
      "warnings": .array(explanation.warnings.map(SummaryOutput.warning)),
      "imports": .array(explanation.parts.map(json)),
    ]
  }

  private static func json(_ part: ImportExplanation.Part) -> JSONText {
    [
      "name": .string(part.name), "entity": .string(part.entity), "mode": .string(part.mode.rawValue),
      "duplicates": .string(part.duplicates.rawValue), "format": .string(part.format),
      "sources": .array(part.sources.map { ["path": .string($0.path), "bytes": .count($0.bytes)] }),
      "columns": .strings(part.columns), "derived": .strings(part.derived), "where": .text(part.filter),
      "process": .nullable(part.process.map { .strings($0) }), "find": .array(part.nodes.map(json)),
      "since": .nullable(part.cursor.map(json)), "others": .nullable(part.removal.map(json)),
    ]
  }

  private static func json(_ node: ImportExplanation.Node) -> JSONText {
    [
      "entity": .string(node.entity), "path": .string(node.path), "mode": .string(node.mode.rawValue),
      "find_by": .strings(node.findBy), "fills": .strings(node.fills), "strategy": .string(node.strategy),
      "reason": .string(node.reason), "rows": .count(node.rows), "expected_records": .count(node.expected),
      "indexed": .nullable(node.hasIndex.map { .boolean($0) }), "statements": .array(node.statements.map(json)),
    ]
  }

  private static func json(_ statement: ImportExplanation.Statement) -> JSONText {
    ["when": .string(statement.when), "sql": .string(statement.sql), "plan": .strings(statement.plan)]
  }

  private static func json(_ cursor: ImportExplanation.Cursor) -> JSONText {
    [
      "column": .string(cursor.column), "type": .string(cursor.kind.rawValue),
      "stored": .text(cursor.stored?.description), "start": .text(cursor.start?.description),
      "ties": .string(cursor.ties.rawValue),
    ]
  }

  private static func json(_ removal: ImportExplanation.Removal) -> JSONText {
    [
      "delete": .string(removal.deletion.rawValue), "in_scope": .count(removal.inScope), "limit": .count(removal.limit),
      "ratio": .nullable(removal.ratio.map { .decimal($0, digits: 6) }), "soft_delete": .text(removal.softDelete),
      "query": json(removal.query),
    ]
  }
}
