import MergewalkImporting

/// Runs of one pipeline beside each other: small charts and a table.
struct RunTrend {
  /// The runs, the oldest first.
  let runs: [RunRecord]

  /// More runs do not make a chart.
  static let most = 30
  private static let rows = 10
  private static let width = 300.0
  private static let height = 64.0

  /// The charts of records, rejects and time.
  var charts: String {
    let measures: [(String, (RunRecord) -> Double, (Double) -> String)] = [
      ("Records read", { Double($0.counts.read) }, { Figures.grouped(Int($0)) }),
      ("Rejected", { Double($0.counts.rejected) }, { Figures.grouped(Int($0)) }),
      ("Time", { $0.seconds }, { Figures.duration($0) }),
    ]
    return "<div class=\"trends\">"
      + measures.map { title, value, label in
        let last = runs.last.map { label(value($0)) } ?? ""
        let usual =
          Self.median(runs.dropLast().filter(\.status.isFinished).map(value)).map { "usually \(label($0))" } ?? ""
        return "<div class=\"card\"><h3>\(title)</h3>\(bars(title, value))<p class=\"soft\">\(HTMLText.escaped(last))"
          + (usual.isEmpty ? "" : ", \(HTMLText.escaped(usual))") + "</p></div>"
      }.joined() + "</div>"
  }

  /// One bar a run, coloured by how it ended.
  func bars(_ title: String, _ value: (RunRecord) -> Double, width: Double = width, height: Double = height) -> String {
    let most = max(runs.map(value).max() ?? 0, 1e-9)
    let step = width / Double(max(runs.count, 8))
    let shapes = runs.enumerated().map { index, run in
      let tall = max(value(run) / most * (height - 2), 1)
      let style = run.status == .completed ? "good" : run.status.isFinished ? "fair" : "bad"
      let isLast = index == runs.count - 1 ? " last" : ""
      return "<rect class=\"run \(style)\(isLast)\" x=\"\(HTMLText.coordinate(Double(index) * step))\""
        + " y=\"\(HTMLText.coordinate(height - tall))\" width=\"\(HTMLText.coordinate(max(step - 2, 1)))\""
        + " height=\"\(HTMLText.coordinate(tall))\"/>"
    }
    return
      "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" aria-label=\"\(HTMLText.escaped(title)) by run\">"
      + shapes.joined() + "</svg>"
  }

  /// The last runs, the latest first.
  var table: String {
    let heads = ["run", "began (UTC)", "status", "read", "inserted", "updated", "unchanged", "rejected", "time"]
    let lines = runs.suffix(Self.rows).reversed().map { run in
      let counts = [
        run.counts.read, run.counts.inserted, run.counts.updated, run.counts.unchanged, run.counts.rejected,
      ].map { "<td>\(Figures.grouped($0))</td>" }
      let kind = run.kind == .replay ? " (replay)" : ""
      return
        "<tr><td class=\"name\">\(run.number)\(kind)</td><td>\(RunIdentity.timestamp(run.started).prefix(19).replacing("T", with: " "))</td>"
        + "<td class=\"left\">\(HTMLText.escaped(run.status.rawValue.replacing("_", with: " ")))</td>\(counts.joined())"
        + "<td>\(HTMLText.escaped(Figures.duration(run.seconds)))</td></tr>"
    }
    return
      "<div class=\"card\"><table><tr>\(heads.map { "<th\($0 == "status" ? " class=\"left\"" : "")>\($0)</th>" }.joined())</tr>\(lines.joined())</table></div>"
  }

  private static func median(_ values: [Double]) -> Double? {
    let sorted = values.sorted()
    return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
