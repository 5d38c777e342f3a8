import MergewalkImporting

extension SummaryOutput {
  /// The outcomes of objects that no record names, by entity; nil when there were none.
  static func removed(_ summary: ImportSummary) -> String? {
    var parts: [String] = []
    for (name, counts) in summary.entities.sorted(by: { $0.key < $1.key }) {
      if counts.deleted > 0 { parts.append("\(Figures.grouped(counts.deleted)) \(name) deleted") }
      if counts.marked > 0 { parts.append("\(Figures.grouped(counts.marked)) \(name) marked as gone") }
    }
    if summary.denied > 0 { parts.append("\(Figures.grouped(summary.denied)) protected from deletion") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
