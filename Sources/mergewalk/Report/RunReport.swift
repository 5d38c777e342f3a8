import Importing
import ObjectModel
import RecordFormats

/// A run as one page of HTML that needs nothing else: no script, no network, no file beside it.
struct RunReport {
  private let summary: ImportSummary
  private let samples: [RunSample]
  private let definition: ImportDefinition
  private let rejects: [(code: String, count: Int, samples: [RejectLine])]

  /// How many rejects of each code are shown.
  private static let samplesPerCode = 3
  /// The longest part of a rejected record that is shown, in bytes.
  private static let longestRecord = 2000
  /// Of the rejects file no more than this is searched for samples, in bytes.
  private static let mostSearched = 64 << 20
  /// Longer lists are cut.
  private static let mostRows = 200

  init(_ summary: ImportSummary, _ samples: [RunSample], _ definition: ImportDefinition) {
    self.summary = summary
    self.samples = samples
    self.definition = definition
    let found = Self.findSamples(summary)
    rejects = summary.rejectCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { ($0.key, $0.value, found[$0.key] ?? []) }
  }

  private static func findSamples(_ summary: ImportSummary) -> [String: [RejectLine]] {
    guard let path = summary.rejectsPath, var lines = try? RejectLines(ByteSource(path: path)) else { return [:] }
    var found: [String: [RejectLine]] = [:]
    let wanted = summary.rejectCounts.mapValues { min($0, samplesPerCode) }
    var missing = wanted.values.reduce(0, +)
    while missing > 0, lines.bytesRead < mostSearched, let next = try? lines.next() {
      guard case .success(let line) = next, found[line.code, default: []].count < wanted[line.code] ?? 0 else {
        continue
      }
      found[line.code, default: []].append(line)
      missing -= 1
    }
    return found
  }

  /// The page.
  var html: String {
    let title = HTMLText.escaped("\(summary.pipeline): \(summary.status.rawValue)")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="generator" content="mergewalk">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(ReportStyle.sheet)
      </style>
      </head>
      <body>
      <main>
      \(sections.joined(separator: "\n"))
      <footer>mergewalk \(ImportSession.version)</footer>
      </main>
      </body>
      </html>

      """
  }

  private var sections: [String] {
    var sections = [head, notes, tiles]
    if samples.count > 2 { sections.append(plots) }
    sections.append(stages)
    if summary.parts.count > 1 { sections.append(parts) }
    if !rejects.isEmpty { sections.append(rejectSection) }
    sections.append(values)
    if let objects { sections.append(objects) }
    sections.append(inputs)
    return sections.filter { !$0.isEmpty }
  }

  // MARK: Head

  private var head: String {
    let badge: (style: String, text: String) =
      switch summary.status.rawValue {
      case "completed": ("good", "completed")
      case "completed_with_rejects": ("fair", "completed with rejects")
      case "limit_breached": ("bad", "too many rejects: rolled back")
      case "dry_run": ("", "dry run: nothing kept")
      default: ("bad", summary.status.rawValue.replacing("_", with: " "))
      }
    var facts = [
      ("Run", summary.runID), ("Began", RunIdentity.timestamp(summary.started)),
      ("Took", Figures.duration(summary.seconds)), ("Store", summary.storePath),
    ]
    if let number = summary.runNumber { facts[0].1 += " (number \(number))" }
    if let resumed = summary.resumedFrom { facts.append(("Continued", resumed)) }
    if let path = summary.rejectsPath { facts.append(("Rejects", path)) }
    let list = facts.map { "<dt>\($0.0)</dt><dd>\(HTMLText.escaped($0.1))</dd>" }.joined()
    return "<header><div class=\"head\"><h1>\(HTMLText.escaped(summary.pipeline))</h1>"
      + "<span class=\"badge \(badge.style)\">\(HTMLText.escaped(badge.text))</span></div><dl>\(list)</dl></header>"
  }

  private var notes: String {
    let texts = summary.anomalies.map { "Unusual: \($0.message)" } + summary.warnings.map(\.description)
    return texts.map { "<div class=\"note\">\(HTMLText.escaped($0))</div>" }.joined(separator: "\n")
  }

  private var tiles: String {
    let rate = summary.seconds > 0 ? Double(summary.read) / summary.seconds : 0
    var tiles = [
      ("read", summary.read), ("inserted", summary.inserted), ("updated", summary.updated),
      ("unchanged", summary.unchanged), ("skipped", summary.skipped), ("rejected", summary.rejected),
    ].map { name, count in
      let isBad = name == "rejected" && count > 0
      return "<div class=\"tile\(isBad ? " bad" : "")\"><b>\(Figures.grouped(count))</b><span>\(name)</span></div>"
    }
    tiles += [
      (Figures.grouped(Int(rate)), "records a second"), (Figures.bytes(summary.peakResidentBytes), "most memory"),
      (Figures.bytes(summary.bytesRead), "of input"),
    ].map { "<div class=\"tile\"><b>\($0.0)</b><span>\($0.1)</span></div>" }
    let sum = summary.inserted + summary.updated + summary.unchanged + summary.skipped + summary.rejected
    let isBalanced = sum == summary.read
    let account =
      isBalanced
      ? "Every record is accounted for: \(Figures.grouped(summary.read)) read = inserted + updated + unchanged + skipped + rejected."
      : "The run ended before every record was settled: \(Figures.grouped(summary.read)) read, \(Figures.grouped(sum)) settled."
    return "<h2>Records</h2><div class=\"tiles\">\(tiles.joined())</div><p class=\"soft\">\(account)</p>"
  }

  // MARK: Plots

  private var plots: String {
    let rates = Self.rates(samples)
    let throughput = LineChart(title: "Records a second over time", points: rates) { Self.short($0) }
    let memory = LineChart(
      title: "Resident memory over time, in MiB", points: samples.map { ($0.seconds, Double($0.resident) / 0x100000) }
    ) { "\(Figures.fixed($0, digits: $0 < 10 && $0 > 0 ? 1 : 0)) MiB" }
    return "<h2>Over time</h2><div class=\"card\"><h3>Records a second</h3>\(throughput.svg)</div>"
      + "<div class=\"card\"><h3>Memory (resident set)</h3>\(memory.svg)</div>"
  }

  /// The rate in stretches of time of about a hundredth of the run, each at its middle.
  ///
  /// A stretch ends where the number of records changes: batches arrive at once, and what is between two of them is no
  /// standstill.
  private static func rates(_ samples: [RunSample]) -> [(seconds: Double, value: Double)] {
    guard let first = samples.first, let last = samples.last else { return [] }
    let least = (last.seconds - first.seconds) / 100
    var points: [(seconds: Double, value: Double)] = []
    var start = first
    for sample in samples.dropFirst() {
      guard sample.records > start.records, sample.seconds - start.seconds >= least else {
        // The time before the first record is not a part of any rate.
        if sample.records == 0 { start = sample }
        continue
      }
      let rate = Double(sample.records - start.records) / (sample.seconds - start.seconds)
      points.append(((start.seconds + sample.seconds) / 2, rate))
      start = sample
    }
    if let end = points.last, last.seconds - start.seconds > 2 * least {
      points += [(start.seconds, end.value), (start.seconds + least, 0), (last.seconds, 0)]
    }
    if let begin = points.first, begin.seconds > 0 { points.insert((begin.seconds * 0.999, 0), at: 0) }
    return points
  }

  private static func short(_ value: Double) -> String {
    if value >= 1e6 { return Figures.fixed(value / 1e6, digits: 1) + " M" }
    if value >= 1e4 { return Figures.fixed(value / 1e3, digits: 0) + " k" }
    return Figures.grouped(Int(value))
  }

  // MARK: Tables

  private var stages: String {
    let meanings = [
      "prepare": "opening the store, reading what is stored", "wait": "the writer waited for the reader",
      "find": "finding objects and filling rows", "write": "writing rows", "finish": "indexes, log and disk",
      "check": "checking references", "read": "reading and cutting records, on the reader's thread",
      "convert": "values, keys and hashes, on the reader's thread",
    ]
    let all = summary.phases.map { ($0, "writer") } + summary.readerPhases.map { ($0, "reader") }
    let most = max(all.map(\.0.seconds).max() ?? 0, 1e-9)
    let rows = all.map { phase, thread in
      let isSlow = phase.name == summary.slowStage
      let isFirst = phase.name == summary.readerPhases.first?.name && thread == "reader"
      return
        "<tr\(isFirst ? " class=\"group\"" : "")><td class=\"name\">\(HTMLText.escaped(phase.name))\(isSlow ? " <b>(slow)</b>" : "")</td><td class=\"left soft\">"
        + "\(HTMLText.escaped(meanings[phase.name] ?? thread))</td><td class=\"left track\"><span class=\"bar\(isSlow ? " slow" : "")\""
        + " style=\"width:\(HTMLText.coordinate(100 * phase.seconds / most))%\"></span></td>"
        + "<td>\(Figures.fixed(phase.seconds, digits: 3)) s</td></tr>"
    }
    guard !rows.isEmpty else { return "" }
    return "<h2>Stages</h2><div class=\"card\"><table>\(rows.joined())</table></div>"
  }

  /// What was replaced, named again and passed over.
  private var values: String {
    let duplicates = summary.entities.sorted { $0.key < $1.key }.filter { $0.value.duplicates > 0 }
      .map { "\($0.key): \(Figures.count($0.value.duplicates, "record")) whose object an earlier one has named" }
    let lists = summary.lists.filter { $0.skipped + $0.rejected > 0 }.map {
      "\($0.entity).\($0.relationship): \(Figures.count($0.read, "element")) = \(Figures.grouped($0.linked)) linked"
        + " + \(Figures.grouped($0.alreadyLinked)) already linked + \(Figures.grouped($0.skipped)) skipped"
        + " + \(Figures.grouped($0.rejected)) rejected"
    }
    let sections = [
      ("Values that were replaced", SummaryOutput.replaced(summary)), ("Duplicates", duplicates), ("Lists", lists),
      ("Text that was passed over", SummaryOutput.passedOver(summary.text)),
    ]
    return sections.filter { !$0.1.isEmpty }.map { title, texts in
      let left = texts.count - Self.mostRows
      let rows = (texts.prefix(Self.mostRows) + (left > 0 ? ["and \(Figures.grouped(left)) more"] : []))
        .map { "<tr><td class=\"left\">\(HTMLText.escaped($0))</td></tr>" }
      return "<h2>\(title)</h2><div class=\"card\"><table>\(rows.joined())</table></div>"
    }.joined(separator: "\n")
  }

  private var parts: String {
    let rows = summary.parts.map { part in
      let cells = [part.read, part.inserted, part.updated, part.unchanged, part.skipped, part.rejected]
        .map { "<td>\(Figures.grouped($0))</td>" }.joined()
      return
        "<tr><td>\(HTMLText.escaped(part.name))</td>\(cells)<td>\(Figures.fixed(part.seconds, digits: 2)) s</td></tr>"
    }
    return
      "<h2>Imports</h2><div class=\"card\"><table><tr><th>import</th><th>read</th><th>inserted</th><th>updated</th>"
      + "<th>unchanged</th><th>skipped</th><th>rejected</th><th>time</th></tr>\(rows.joined())</table></div>"
  }

  private var inputs: String {
    let sources = definition.allSources
    guard !sources.isEmpty else { return "" }
    let rows = sources.prefix(Self.mostRows).map { source in
      "<tr><td>\(HTMLText.escaped(source.path))</td><td>\(source.fileSize.map { Figures.bytes($0) } ?? "")</td></tr>"
    }
    let left = sources.count - rows.count
    return "<h2>Inputs</h2><div class=\"card\"><table><tr><th>file</th><th>size</th></tr>\(rows.joined())</table>"
      + (left > 0 ? "<p class=\"soft\">and \(Figures.grouped(left)) more</p>" : "") + "</div>"
  }

  // MARK: Rejects

  private var rejectSection: String {
    let most = max(rejects.map(\.count).max() ?? 1, 1)
    let rows = rejects.map { code, count, _ in
      "<tr><td>\(HTMLText.escaped(code))</td><td class=\"left track\"><span class=\"bar bad\" style=\"width:"
        + "\(HTMLText.coordinate(100 * Double(count) / Double(most)))%\"></span></td><td>\(Figures.grouped(count))</td></tr>"
    }
    var text = "<h2>Rejects</h2><div class=\"card\"><table>\(rows.joined())</table></div>"
    let shown = rejects.filter { !$0.samples.isEmpty }
    if shown.isEmpty {
      return text + "<p class=\"soft\">The records were not kept; “rejects: file” in the pipeline keeps them.</p>"
    }
    for (code, count, samples) in shown {
      text += "<div class=\"card\"><h3>\(HTMLText.escaped(code))</h3><p class=\"soft\">"
      text += "\(Figures.grouped(samples.count)) of \(Figures.count(count, "record"))</p>"
      text += samples.map(Self.sample).joined() + "</div>"
    }
    return text
  }

  private static func sample(_ line: RejectLine) -> String {
    let raw = line.raw ?? []
    var record = HTMLText.escaped(String(decoding: raw.prefix(longestRecord), as: UTF8.self))
    if raw.count > longestRecord { record += "… (\(Figures.bytes(raw.count)))" }
    return "<p>\(HTMLText.escaped(RejectsFile.place(line))): \(HTMLText.escaped(line.message))</p><pre>\(record)</pre>"
  }

  // MARK: Objects

  private var objects: String? {
    let diagram = ObjectDiagram(summary.entities, model: definition.model)
    guard let svg = diagram.svg else { return nil }
    let left = diagram.hiddenCount
    return "<h2>Objects</h2><div class=\"card\">\(svg)"
      + (left > 0 ? "<p class=\"soft\">and \(Figures.grouped(left)) more entities</p>" : "") + "</div>"
  }
}
