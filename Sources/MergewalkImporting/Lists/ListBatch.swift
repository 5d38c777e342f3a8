import MergewalkBytes
import MergewalkObjectStore
import MergewalkRecordFormats

/// The elements of one relationship's lists in a batch: a batch of its own, and whose elements they are.
struct ListBatch: Sendable {
  /// The elements as records; their cells refer to memory of their own.
  var batch: ImportBatch
  /// For each record of the owners' batch its first element, and at the end the number of elements.
  var starts = ContiguousArray<Int32>()
  /// Whether each record of the owners' batch has a list; the others keep what is there.
  var hasList = ContiguousArray<Bool>()

  /// For each record of the owners' batch how many elements are no records, because they are empty or not asked for
  /// them; without zeros.
  var dropped: [Int32: Int32] = [:]

  // Work memory of preparing.
  var elements: ListElements
  var isJSON = ContiguousArray<Bool>()

  init?(_ list: ImportList) {
    guard let elements = ListElements(columns: list.plan.columnNames) else { return nil }
    self.elements = elements
    batch = ImportBatch(plan: list.plan)
  }

  /// Makes records of the elements that were collected.
  ///
  /// - Parameter isSplit: whether the elements that are no JSON are pieces of texts.
  mutating func makeRecords(isSplit: Bool, _ faults: inout [ListElements.Fault]) {
    elements.finish(&batch.records, isJSON: isJSON, isSplit: isSplit, faults: &faults)
  }

  /// Takes the elements of a record out again, and counts them.
  mutating func drop(from first: Int, _ record: Int) {
    let count = elements.count - first
    guard count > 0 else { return }
    elements.removeLast(count)
    isJSON.removeLast(max(isJSON.count - first, 0))
    dropped[Int32(truncatingIfNeeded: record), default: 0] += Int32(truncatingIfNeeded: count)
  }

  /// How many elements a record's list has, those that are no records included.
  func elementCount(_ record: Int) -> Int { range(record).count + droppedCount(record) }

  /// How many elements of a record's list are no records.
  func droppedCount(_ record: Int) -> Int { dropped.isEmpty ? 0 : Int(dropped[Int32(truncatingIfNeeded: record)] ?? 0) }

  var elementCount: Int { elements.count + dropped.values.reduce(0) { $0 + Int($1) } }

  func range(_ record: Int) -> Range<Int> { Int(starts[record])..<Int(starts[record + 1]) }

  /// The elements of some records.
  func range(_ records: Range<Int>) -> Range<Int> {
    Int(starts[records.lowerBound])..<Int(starts[records.upperBound])
  }

  /// The record that an element belongs to.
  func owner(_ element: Int) -> Int {
    (1..<starts.count - 1).first(fromWhich: { Int(starts[$0]) > element }) - 1
  }
}

extension ImportBatch {
  func listState(_ record: Int, _ index: Int, _ list: ImportList) -> FieldState {
    if records.columnCount > 0 { return records.state(record, list.column) }
    return FieldState(rawValue: listTexts[index].tags[record]) ?? .absent
  }

  /// Calls `body` with the text of a list.
  func withList<Result>(
    _ record: Int, _ index: Int, _ list: ImportList, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if records.columnCount > 0 { return records.withField(record, list.column, body) }
    let range = ByteRange(payload: listTexts[index].payloads[record])
    return records.bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[range.offset..<range.offset + range.length]))
    }
  }
}

/// Where in a list the reason for a reject is.
struct RejectedElement: Sendable {
  /// The number of the list in the plan of the record.
  var list: Int
  /// The place, such as `lines[3].sku`; elements count from 1.
  var path: String
  /// The entity and its attribute or relationship.
  var entity: String
  var attribute: String?
  /// The text that was found, and the one expected.
  var message: String
  /// Where the element starts in the list's text, in bytes.
  var offset: Int
}
