/// A record of which elements (`each`) were rejected: each of these has a line with the whole of it.
///
/// Read once for each line, every element that is still wrong would be rejected as often as there are lines.
struct RejectedWhole {
  private let file: RejectedFile
  private let raw: [UInt8]
  /// The number of the element that the first line is about, among those of all records of the file.
  private let first: Int
  /// Where in the file it is, in bytes.
  private let offset: Int
  /// How many elements the record has, once it was read.
  var count = 0

  /// The record of a line; nil where the line does not say what it is about.
  init?(_ line: RejectLine, _ raw: [UInt8]) {
    guard let offset = line.sourceOffset, !SpoolRow.isRow(raw) else { return nil }
    (file, self.raw, first, self.offset) = (RejectedFile(line), raw, line.record, offset)
  }

  /// Whether a further line is about an element of this record.
  ///
  /// Another record with the same bytes begins behind the end of this one, and its elements have other numbers. One alone
  /// does not tell: a correction that both have may have made them longer, or changed how many elements they have.
  func hasElement(of line: RejectLine, _ other: [UInt8]) -> Bool {
    guard let place = line.sourceOffset, raw == other, file == RejectedFile(line) else { return false }
    return place >= offset && place - offset < raw.count && line.record - first < count
  }
}
