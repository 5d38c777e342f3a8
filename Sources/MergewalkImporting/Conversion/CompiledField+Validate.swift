import MergewalkObjectContext
package import MergewalkObjectStore
package import MergewalkRecordFormats

extension CompiledField {
  /// Checks a converted column against what the model demands of the attribute.
  ///
  /// A cell that fails becomes `CellTag.failed` and gets an entry in `failures`, in the order of the records. Absent
  /// and failed cells pass. Nothing is read when the attribute is optional and has no bounds.
  ///
  /// - Parameters:
  ///   - column: the column in the batch, from 0.
  ///   - cells: what `convert` made of that column.
  ///   - exempt: one entry for each record, or `nil`; records whose entry is not 0 are skipped. A record that does
  ///     not name the object of a relationship says nothing about that object's attributes either.
  /// - Complexity: O(records); with a regular expression O(bytes of the column).
  package func validate(
    _ records: RecordBatch, column: Int, cells: inout CellColumn, exempt: ContiguousArray<UInt8>? = nil,
    failures: inout [FieldFailure]
  ) {
    guard validator.canFail else { return }
    var found: [CellFailure] = []
    records.bytes.withUnsafeBytes { validator.check(cells, arena: $0.baseAddress, failures: &found) }
    for failure in found where exempt.map({ $0[Int(failure.row)] == 0 }) ?? true {
      cells.tags[Int(failure.row)] = CellTag.failed
      failures.append(
        FieldFailure(
          record: failure.row, column: Int32(truncatingIfNeeded: column), field: identifier,
          code: RejectCode(failure.code)))
    }
  }
}
