import MergewalkImporting
import MergewalkRecordFormats

/// The tables of a report.
extension RunReport {
  var stages: String {
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

  /// The values that were replaced, named again and skipped.
  var values: String {
    let duplicates = summary.entities.sorted { $0.key < $1.key }.filter { $0.value.duplicates > 0 }
      .map { "\($0.key): \(Figures.count($0.value.duplicates, "record")) with the key of an earlier record" }
    let lists = summary.lists.filter { $0.skipped + $0.rejected > 0 }.map {
      "\($0.entity).\($0.relationship): \(Figures.count($0.read, "element")) = \(Figures.grouped($0.linked)) linked"
        + " + \(Figures.grouped($0.alreadyLinked)) already linked + \(Figures.grouped($0.skipped)) skipped"
        + " + \(Figures.grouped($0.rejected)) rejected"
    }
    let unmatched = summary.warnings.filter { $0.code == .neverMatched }.map(\.description)
    let sections = [
      ("Never matched", unmatched), ("Values that were replaced", SummaryOutput.replaced(summary.fields)),
      ("Duplicates", duplicates), ("Lists", lists),
      ("Text that was skipped", SummaryOutput.passedOver(summary.text)),
    ]
    return sections.filter { !$0.1.isEmpty }.map { title, texts in
      let left = texts.count - Self.mostRows
      let rows = (texts.prefix(Self.mostRows) + (left > 0 ? ["and \(Figures.grouped(left)) more"] : []))
        .map { "<tr><td class=\"left\">\(HTMLText.escaped($0))</td></tr>" }
      return "<h2>\(title)</h2><div class=\"card\"><table>\(rows.joined())</table></div>"
    }.joined(separator: "\n")
  }

  var parts: String {
    let rows = summary.parts.map { part in
      let cells = part.counts.numbers.map { "<td>\(Figures.grouped($0))</td>" }.joined()
      return
        "<tr><td>\(HTMLText.escaped(part.name))</td>\(cells)<td>\(Figures.fixed(part.seconds, digits: 2)) s</td></tr>"
    }
    return
      "<h2>Imports</h2><div class=\"card\"><table><tr><th>import</th><th>read</th><th>inserted</th><th>updated</th>"
      + "<th>unchanged</th><th>skipped</th><th>rejected</th><th>time</th></tr>\(rows.joined())</table></div>"
  }

  var inputs: String {
    let sources = definition.allSources
    guard !sources.isEmpty else { return "" }
    let rows = sources.prefix(Self.mostRows).map { source in
      "<tr><td>\(HTMLText.escaped(source.path))</td><td>\(source.fileSize.map { Figures.bytes($0) } ?? "")</td></tr>"
    }
    let left = sources.count - rows.count
    return "<h2>Inputs</h2><div class=\"card\"><table><tr><th>file</th><th>size</th></tr>\(rows.joined())</table>"
      + (left > 0 ? "<p class=\"soft\">and \(Figures.grouped(left)) more</p>" : "") + "</div>"
  }
}
