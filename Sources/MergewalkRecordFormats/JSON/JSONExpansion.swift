/// How far the elements of a record have become rows, see ``JSONEach``.
struct JSONExpansion {
  /// The number of bytes from the cursor to behind the record.
  let length: Int
  /// Whether the part is an array; else it is its only element.
  private let isArray: Bool
  /// The place of the next element, or what is before it, from the record's start; nil behind the only one.
  private var next: Int?
  /// The first row and what was there before it, to be rolled back if an element has a fault.
  private let firstRow: Int
  private let firstEscape: Int
  /// The place of the first element that is no row yet but was looked at.
  private var checkedFrom: Int?
  /// Whether all elements are known to have no fault.
  private var isChecked = false
  /// The number of rows so far, in all batches.
  private(set) var rows = 0
  /// Where the record started when the template was made.
  private let templateStart: Int
  /// The row of this batch that has the record's own escaped fields unescaped, or -1.
  private var unescapedRow = -1

  /// Why elements stopped becoming rows.
  enum Step {
    /// All are rows.
    case done
    /// The batch is full.
    case full
    /// The batch has no room for another row.
    case needsSpace
    /// An element has a fault, and its record no row.
    case refused(RecordError.Code, at: Int)
  }

  /// Begins with the record in the template; nil if it has no elements.
  init?(_ template: JSONObjectParser, _ rows: ObjectRows, _ each: ObjectRows.Each, start: Int, length: Int) {
    let column = each.columnCount
    let state = FieldState(rawValue: template.states[column]) ?? .absent
    if state == .absent || state == .null { return nil }
    let place = Int(template.starts[column]) - start - (state == .quoted ? 1 : 0)
    isArray = state == .json && rows.base[start + place] == UInt8(ascii: "[")
    next = isArray ? place + 1 : place
    self.length = length
    templateStart = start
    firstRow = rows.count
    firstEscape = each.object.escapes.count
    // An array without elements is as good as none.
    if element(rows.base, start) == nil { return nil }
  }

  /// Goes on in a batch that has no rows yet.
  mutating func goOn() { unescapedRow = -1 }

  /// Appends rows for the next elements.
  ///
  /// - Parameter place: where the record is; its index is that of its first row.
  mutating func run(
    _ template: JSONObjectParser, _ rows: inout ObjectRows, _ each: inout ObjectRows.Each, place: RecordPosition,
    limit: BatchLimit
  ) -> Step {
    let start = Int(place.rawStart)
    // Rows take memory even without a text of their own.
    let most = min(limit.records - rows.errors.count, max(1, limit.bytes / (16 + 2 * each.columnCount)))
    while let at = element(rows.base, start) {
      if rows.count >= rows.capacity { return .needsSpace }
      let isFull = rows.count >= most
      if isFull, isChecked { return .full }
      let escapesBefore = each.object.escapes.count
      each.object.scanner = JSONScanner(
        rows.base, from: start + at, end: start + length, readable: rows.readable)
      if !each.object.parseValue(row: rows.count * each.columnCount, columnCount: each.columnCount) {
        rows.count = firstRow
        each.object.escapes.removeLast(each.object.escapes.count - firstEscape)
        return .refused(each.object.scanner.fault, at: each.object.scanner.faultAt)
      }
      next = isArray ? each.object.scanner.i - start : nil
      if isFull {
        // The elements that are left are only looked at.
        each.object.escapes.removeLast(each.object.escapes.count - escapesBefore)
        if checkedFrom == nil { checkedFrom = at }
        continue
      }
      finishRow(template, &rows, &each, start, escapesBefore)
      rows.records[unchecked: rows.count] = place
      rows.records[unchecked: rows.count].index += self.rows
      rows.count += 1
      self.rows += 1
    }
    guard let left = checkedFrom else { return .done }
    next = left
    checkedFrom = nil
    isChecked = true
    return .full
  }

  /// The place of the next element, or nil behind the last; the array's syntax was checked before.
  private func element(_ base: UnsafePointer<UInt8>, _ start: Int) -> Int? {
    guard let next else { return nil }
    var scanner = JSONScanner(base, from: start + next, end: start + length)
    scanner.skipSpace()
    guard isArray else { return scanner.i - start }
    if scanner.i < scanner.end, base[scanner.i] == UInt8(ascii: ",") {
      scanner.i += 1
      scanner.skipSpace()
    }
    guard scanner.i < scanner.end, base[scanner.i] != UInt8(ascii: "]") else { return nil }
    return scanner.i - start
  }

  /// Completes the row of an element by the fields of the record.
  private mutating func finishRow(
    _ template: JSONObjectParser, _ rows: inout ObjectRows, _ each: inout ObjectRows.Each, _ start: Int,
    _ escapesBefore: Int
  ) {
    for (copy, original) in each.repeats { each.object.repeatField(original, copy, escapesBefore) }
    let row = rows.count * each.columnCount
    let shift = UInt32(truncatingIfNeeded: start - templateStart)
    for column in each.ownColumns {
      // A null has a place, too, unless it is only on the way to the column.
      let hasPlace = template.starts[column] > 0
      each.object.starts[row + column] = hasPlace ? template.starts[column] &+ shift : 0
      each.object.lengths[row + column] = template.lengths[column]
      each.object.states[row + column] = template.states[column]
    }
    for field in template.escapes where Int(field.slot) < each.columnCount {
      var copy = field
      copy.start &+= shift
      copy.end &+= shift
      copy.slot += UInt32(truncatingIfNeeded: row)
      if unescapedRow >= 0 {
        // Unescaped once for all rows of the batch.
        copy.end = field.slot + UInt32(truncatingIfNeeded: unescapedRow * each.columnCount)
        copy.kind = .shared
      }
      each.object.escapes.append(copy)
    }
    if unescapedRow < 0 { unescapedRow = rows.count }
  }
}
