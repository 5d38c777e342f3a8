/// The cells and marks of ``TreeRecordBuilder``: memory that is written at every value.
final class TreeMemory {
  let cells: UnsafeMutablePointer<TreeCell>
  let seen: UnsafeMutablePointer<Int>

  init(columns: Int, nodes: Int) {
    cells = .allocate(capacity: max(1, columns))
    cells.initialize(repeating: TreeCell(), count: columns)
    seen = .allocate(capacity: max(1, nodes))
    seen.initialize(repeating: -1, count: nodes)
  }

  deinit {
    cells.deallocate()
    seen.deallocate()
  }
}

/// The value of one column of a record that is open.
struct TreeCell {
  enum Place { case text, copies, json }

  var place = Place.text
  var state = FieldState.absent
  /// The first byte: an offset of the parser's text, or an index of the place.
  var start = 0
  var count = 0
  /// The offset of the value, for its position.
  var at = 0
}
