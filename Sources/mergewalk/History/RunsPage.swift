import MergewalkImporting

/// All pipelines of a folder with their last runs, as one page.
struct RunsPage {
  let pipelines: [RunsFolder.PipelineRuns]
  /// The folder or the store.
  let title: String
  let path: String

  var html: String {
    HTMLPage(title: "Runs in \(title)", sections: [head, overview] + pipelines.enumerated().map(details)).html
  }

  private var head: String {
    let failing = pipelines.count { $0.runs.first?.status.isFinished != true }
    let words =
      failing == 0
      ? "the last run of each finished" : "the last run of \(Figures.grouped(failing)) did not finish"
    return
      "<header><h1>\(HTMLText.escaped(title))</h1><p class=\"soft\">\(Figures.count(pipelines.count, "pipeline")); \(words).</p></header>"
  }

  private var overview: String {
    let heads = ["pipeline", "last run", "began (UTC)", "time", "read", "rejected", "records of the last runs"]
    let rows = pipelines.enumerated().map { number, pipeline in
      guard let last = pipeline.runs.first else { return "" }
      let trend = RunTrend(runs: pipeline.runs.prefix(20).reversed())
      return
        "<tr><td class=\"where\"><a href=\"#pipeline-\(number)\">\(HTMLText.escaped(pipeline.name))</a><br><span class=\"soft\">\(HTMLText.escaped(pipeline.store))</span></td>"
        + "<td class=\"left\">\(HTMLPage.badge(last.status.rawValue))</td>"
        + "<td>\(HTMLText.escaped(RunIdentity.timestamp(last.started).prefix(16).replacing("T", with: " ")))</td>"
        + "<td>\(HTMLText.escaped(Figures.duration(last.seconds)))</td><td>\(Figures.grouped(last.counts.read))</td>"
        + "<td>\(Figures.grouped(last.counts.rejected))</td>"
        + "<td class=\"left track\">\(trend.bars("Records read", { Double($0.counts.read) }, width: 200, height: 28))</td></tr>"
    }
    return
      "<div class=\"card\"><table><tr>\(heads.map { "<th\(["last run", "records of the last runs"].contains($0) ? " class=\"left\"" : "")>\($0)</th>" }.joined())</tr>\(rows.joined())</table></div>"
  }

  private func details(_ number: Int, _ pipeline: RunsFolder.PipelineRuns) -> String {
    let trend = RunTrend(runs: pipeline.runs.reversed())
    var notes = ""
    if let last = pipeline.runs.first {
      if let error = last.errorMessage { notes += "<div class=\"note\">\(HTMLText.escaped(error))</div>" }
      notes += last.warnings.prefix(10).map { "<div class=\"note\">\(HTMLText.escaped($0))</div>" }.joined()
      if last.counts.rejected > 0, let file = last.rejectsPath {
        notes += "<p>Rejects: \(HTMLPage.link(toFile: file, fromPageAt: path))</p>"
      }
    }
    return
      "<h2 id=\"pipeline-\(number)\">\(HTMLText.escaped(pipeline.name))</h2><p class=\"soft\">\(HTMLText.escaped(pipeline.store))</p>"
      + notes + trend.charts + trend.table
  }
}
