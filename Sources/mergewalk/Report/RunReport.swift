import MergewalkImporting
import MergewalkRecordFormats

struct RunReport {
  let summary: ImportSummary
  private let samples: [RunSample]
  let definition: ImportDefinition
  /// The last runs of the pipeline up to this one, the oldest first; none when they are not noted.
  private let earlier: [RunRecord]
  private let rejects: [(code: String, count: Int, samples: [RejectLine])]

  /// How many rejects of each code are shown.
  private static let samplesPerCode = 3
  /// The longest part of a rejected record that is shown, in bytes.
  private static let longestRecord = 2000
  /// Of the rejects file no more than this is searched for samples, in bytes.
  private static let mostSearched = 64 << 20
  /// Longer lists are cut.
  static let mostRows = 200

  init(_ summary: ImportSummary, _ samples: [RunSample], _ definition: ImportDefinition) {
    self.summary = summary
    self.samples = samples
    self.definition = definition
    let history = RunHistory(storePath: definition.storePath)
    let last =
      (try? history.recent(pipeline: definition.reporting.listedName ?? summary.pipeline, limit: RunTrend.most))
    earlier = summary.runNumber == nil ? [] : (last ?? []).reversed()
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

  var html: String {
    HTMLPage(title: "\(summary.pipeline): \(summary.status.rawValue)", sections: sections).html
  }

  private var sections: [String] {
    var sections = [head, notes, tiles]
    if earlier.count > 1 {
      let trend = RunTrend(runs: earlier)
      sections.append("<h2>Earlier runs</h2>\(trend.charts)\(trend.table)")
    }
    if samples.count > 2 { sections.append(plots) }
    sections.append(stages)
    if summary.parts.count > 1 { sections.append(parts) }
    if !rejects.isEmpty { sections.append(rejectSection) }
    sections.append(values)
    if let objects = ObjectDiagram(summary.entities, model: definition.model).html { sections.append(objects) }
    sections += [inputs, policies]
    return sections.filter { !$0.isEmpty }
  }

  // MARK: Head

  private var head: String {
    var facts = [
      ("Run", summary.runID), ("Began", RunIdentity.timestamp(summary.started)),
      ("Took", Figures.duration(summary.seconds)), ("Store", SummaryOutput.store(summary)),
    ]
    if let number = summary.runNumber { facts[0].1 += " (number \(number))" }
    if let resumed = summary.resumedFrom { facts.append(("Continued", resumed)) }
    var list = facts.map { "<dt>\($0.0)</dt><dd>\(HTMLText.escaped($0.1))</dd>" }.joined()
    if let path = summary.rejectsPath {
      list += "<dt>Rejects</dt><dd>\(HTMLPage.link(toFile: path, fromPageAt: definition.reporting.reportPath))</dd>"
    }
    return "<header><div class=\"head\"><h1>\(HTMLText.escaped(summary.pipeline))</h1>"
      + "\(HTMLPage.badge(summary.status.rawValue))</div><dl>\(list)</dl></header>"
  }

  private var notes: String {
    let rest = summary.warnings.filter { $0.code != .neverMatched }
    let texts = summary.anomalies.map { "Unusual: \($0.message)" } + rest.map(\.description)
    return texts.map { "<div class=\"note\">\(HTMLText.escaped($0))</div>" }.joined(separator: "\n")
  }

  private var tiles: String {
    let rate = summary.seconds > 0 ? Double(summary.read) / summary.seconds : 0
    var tiles = summary.counts.named.map { name, count in
      let isBad = name == "rejected" && count > 0
      return "<div class=\"tile\(isBad ? " bad" : "")\"><b>\(Figures.grouped(count))</b><span>\(name)</span></div>"
    }
    tiles += [
      (Figures.grouped(Int(rate)), "records per second"), (Figures.bytes(summary.peakResidentBytes), "peak memory"),
      (Figures.bytes(summary.bytesRead), "of input"),
    ].map { "<div class=\"tile\"><b>\($0.0)</b><span>\($0.1)</span></div>" }
    let sum = summary.counts.numbers.dropFirst().reduce(0, +)
    let account =
      summary.counts.isBalanced
      ? "Every record is accounted for: \(Figures.grouped(summary.read)) read = inserted + updated + unchanged + skipped + rejected."
      : "The run ended before every record was settled: \(Figures.grouped(summary.read)) read, \(Figures.grouped(sum)) settled."
    return "<h2>Records</h2><div class=\"tiles\">\(tiles.joined())</div><p class=\"soft\">\(account)</p>"
  }

  // MARK: Plots

  private var plots: String {
    let rates = Self.rates(samples)
    let throughput = LineChart(title: "Records per second over time", points: rates) { Self.short($0) }
    let memory = LineChart(
      title: "Resident memory over time, in MiB", points: samples.map { ($0.seconds, Double($0.resident) / 0x100000) }
    ) { "\(Figures.fixed($0, digits: $0 < 10 && $0 > 0 ? 1 : 0)) MiB" }
    return "<h2>Over time</h2><div class=\"card\"><h3>Records per second</h3>\(throughput.svg)</div>"
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
}
