package import MergewalkDiagnostics
package import MergewalkRecordFormats

/// Findings about the inputs of a part that only their reading can make: columns that nothing uses, columns to ignore that
/// no record has, and members of archives that have nothing in them.
///
/// The check of the headers before a run makes the first of them, and hands on what it has seen. Standard input, pipes,
/// and members of tar archives behind the first one are seen only when they are read.
package struct InputFindings: Sendable {
  /// The columns that something uses or that are to be ignored; nil if others do not matter.
  private let used: Set<String>?
  /// The file that defines the part.
  private let file: String?
  /// Where it names each input, by the input's path.
  private let places: [String: SourcePosition]
  /// The columns to ignore, where the check before the run could not see all headers; none where it could.
  package var ignored: [ColumnUse] = []
  /// The columns of the headers so far.
  private var known: Set<String> = []
  /// The files with headers that were looked at.
  private var seen: Set<String> = []

  /// The advice about columns that nothing uses, one or several.
  package static let advice = "list under “ignore” what is not needed"

  /// Finds nothing about columns.
  package init() { self.init(used: nil, file: nil, places: [:]) }

  /// Finds the columns that are not used.
  package init(used: Set<String>?, file: String?, places: [String: SourcePosition]) {
    self.used = used
    self.file = file
    self.places = places
  }

  /// What to say of the columns of a header that nothing uses; nil if all are used, or were in a header before.
  package mutating func unused(in header: [String], of path: String) -> String? {
    guard let used, !header.isEmpty, seen.insert(path).inserted else { return nil }
    let new = header.filter { !used.contains($0) && !known.contains($0) }
    let others = known.isEmpty ? "" : "the earlier files do not have, and "
    known.formUnion(header)
    if new.isEmpty { return nil }
    return "“\(path)” has \(new.count == 1 ? "a column" : "columns") that \(others)nothing uses: "
      + new.joined(separator: ", ")
  }

  /// The warnings that a batch gives rise to.
  ///
  /// - Parameter header: the names of all columns of its file.
  package mutating func warnings(
    _ batch: RecordBatch, header: [String], of source: ByteSource
  ) -> [RunWarning] {
    var warnings = batch.emptyMembers.map { warning(.emptyFile, ByteSource.emptyNote("\(source.path)/\($0)"), source) }
    let hasRecords = batch.recordCount > 0 || !batch.errors.isEmpty
    if hasRecords, used != nil, let message = unused(in: header, of: ContractCheck.file(source.path, batch)) {
      warnings.append(warning(.unusedColumn, "\(message); \(Self.advice)", source))
    }
    return warnings
  }

  /// The warnings about columns to ignore, once all was read.
  ///
  /// Inputs without a header prove nothing.
  package var neverMatched: [RunWarning] {
    if known.isEmpty { return [] }
    return ignored.filter { !known.contains($0.name) }.map { column in
      let near = NearestName.find(column.name, in: known.sorted()).map { "; did you mean “\($0)”?" } ?? ""
      return RunWarning(
        .neverMatched, "no record has a column “\(column.name)” to ignore\(near)", file: file, position: column.position
      )
    }
  }

  private func warning(_ code: RunWarning.Code, _ message: String, _ source: ByteSource) -> RunWarning {
    let place = places[source.path]
    return RunWarning(code, message, file: place == nil ? source.path : file, position: place)
  }
}
