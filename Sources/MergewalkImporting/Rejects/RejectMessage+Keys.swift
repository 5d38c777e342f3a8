import MergewalkObjectStore
import MergewalkRecordFormats

extension ImportPlan {
  /// The parts of a key or a uniqueness constraint behind its first one, of which a reject speaks: `, Row.b = "1"`; empty
  /// for other rejects.
  ///
  /// - Parameters:
  ///   - field: The field that it names.
  ///   - others: The further fields of a constraint.
  func otherParts(
    _ code: RejectCode, _ field: Int, _ others: [Int], _ record: Int, _ batch: ImportBatch
  ) -> String {
    var others = others
    if code == .duplicateKey || code == .missingTarget,
      let node = nodes.first(where: { $0.keyFields.count > 1 && $0.keyFields[0] == field })
    {
      others = Array(node.keyFields.dropFirst())
    }
    return others.map { other in
      let name = fieldNames[other]
      return ", \(name.entity).\(name.attribute) = \(shown(other, record, batch))"
    }.joined()
  }

  /// The value of a field as messages show it: as it was read, or of a record that was put off, its cell.
  private func shown(_ field: Int, _ record: Int, _ batch: ImportBatch) -> String {
    let records = batch.records
    let column = fieldColumns[field]
    if records.columnCount > 0 {
      guard column >= 0, ![.absent, .null].contains(records.state(record, column)) else { return "null" }
      return records.withField(record, column) { RejectMessage.shown($0) }
    }
    return batch.withCellText(field, record) { RejectMessage.shown($0) } ?? "null"
  }
}

extension ImportBatch {
  /// Calls `body` with the text of a cell that holds a text or a whole number; `nil` for others.
  func withCellText<Result>(_ field: Int, _ record: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    let cells = columns[field]
    guard record < cells.tags.count else { return nil }
    switch cells.tags[record] {
    case CellTag.text:
      let range = ByteRange(payload: cells.payloads[record])
      return records.bytes.withUnsafeBytes {
        body(UnsafeRawBufferPointer(rebasing: $0[range.offset..<range.offset + range.length]))
      }
    case CellTag.integer:
      return Array("\(Int64(bitPattern: cells.payloads[record]))".utf8).withUnsafeBytes { body($0) }
    default: return nil
    }
  }
}
