package import MergewalkObjectStore
package import MergewalkRecordFormats

extension CompiledField {
  /// Converts one column of a batch into cells, one for each record.
  ///
  /// Text stays where it is: its cells are ranges of the batch's bytes. Decoded bytes and default texts are appended
  /// to the batch's bytes. A field that does not convert gets `CellTag.failed` and an entry in `failures`, in the
  /// order of the records.
  ///
  /// - Parameters:
  ///   - column: the column in the batch, from 0.
  ///   - cells: is made to hold one cell for each record; its memory is reused.
  /// - Complexity: O(bytes of the column); allocates only while arrays grow.
  package func convert(
    _ records: inout RecordBatch, column: Int, into cells: inout CellColumn, failures: inout [FieldFailure]
  ) {
    var replaced = ValueCounts.Replacements.zero
    convert(&records, column: column, into: &cells, failures: &failures, replaced: &replaced)
  }

  /// The same, and counts the values that policies put others in the place of.
  func convert(
    _ records: inout RecordBatch, column: Int, into cells: inout CellColumn, failures: inout [FieldFailure],
    replaced: inout ValueCounts.Replacements
  ) {
    precondition(column >= 0 && column < max(1, records.allColumnCount), "the batch has no column \(column)")
    // Every cell is written below, so a column of the right length need not be cleared.
    let isReady = cells.tags.count == records.recordCount && cells.payloads.count == records.recordCount
    if !isReady { cells.reset(count: records.recordCount) }
    guard records.recordCount > 0 else { return }
    if let constant {
      fill(&cells, with: constant, &records)
      if isStoredExternally { tagAsInline(&records, &cells) }
      return
    }
    switch kind {
    case .integer(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .groupedInteger(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .double(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .groupedDouble(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .float(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .groupedFloat(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .decimal(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .groupedDecimal(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .boolean(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .isoDate(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .patternDate(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .epochDate(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .text(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .uri(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .raw(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .hex(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .base64(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .uuid(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .storedDouble(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .storedDecimal(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    case .storedDate(let conversion): fill(conversion, &records, column, &cells, &failures, &replaced)
    }
    if isStoredExternally { tagAsInline(&records, &cells) }
  }

  /// Puts the tag before each value that says that its bytes are in the row.
  ///
  /// Columns of attributes that may be stored in files beside the store begin with such a tag. Source:
  /// `docs/coredata-layout.md`, "Values".
  private func tagAsInline(_ records: inout RecordBatch, _ cells: inout CellColumn) {
    for row in cells.tags.indices where cells.tags[row] == CellTag.blob {
      let range = ByteRange(payload: cells.payloads[row])
      var start = 0
      records.appendBytes(atMost: range.length + 1) { base, used in
        start = used
        base[used] = 1
        (base + used + 1).update(from: base + range.offset, count: range.length)
        return range.length + 1
      }
      cells.payloads[row] = ByteRange(offset: start, length: range.length + 1).payload
    }
  }

  /// The row loop, specialised for each conversion.
  private func fill(
    _ conversion: some FieldConversion, _ records: inout RecordBatch, _ column: Int, _ cells: inout CellColumn,
    _ failures: inout [FieldFailure], _ replaced: inout ValueCounts.Replacements
  ) {
    var counts = ValueCounts.Replacements.zero
    defer { replaced = counts }
    // These share storage with the batch; only its bytes change below.
    let isRead = column < records.columnCount || records.derived.isEmpty
    let made = isRead ? DerivedColumn() : records.derived[column - records.columnCount]
    let spellsNull = isRead && records.hasNullTokens
    let starts = isRead ? records.starts : made.starts
    let lengths = isRead ? records.lengths : made.lengths
    let states = isRead ? records.states : made.states
    let fields = FieldColumn(
      column: isRead ? column : 0, stride: isRead ? records.columnCount : 1, count: records.recordCount)
    starts.withUnsafeBufferPointer { starts in
      lengths.withUnsafeBufferPointer { lengths in
        states.withUnsafeBufferPointer { states in
          var room = defaultRoom
          if conversion.decodes {
            for slot in fields where states[slot] >= FieldState.text.rawValue {
              room += conversion.room(for: Int(lengths[slot]))
            }
          }
          records.appendBytes(atMost: room) { base, used in
            var output = ArenaOutput(base: base, count: used)
            cells.tags.withUnsafeMutableBufferPointer { tags in
              cells.payloads.withUnsafeMutableBufferPointer { payloads in
                var substitutes = Substitutes(null: spellsNull ? .nullSpelling : .null)
                var record = 0
                for slot in fields {
                  let start = Int(starts[slot])
                  let bytes = FieldBytes(start: base + start, count: Int(lengths[slot]))
                  do throws(ConversionFailureCode) {
                    let cell = try cell(
                      conversion, FieldState(rawValue: states[slot]) ?? .absent, bytes, start, &output, &substitutes)
                    tags[record] = cell.tag
                    payloads[record] = cell.payload
                  } catch {
                    tags[record] = CellTag.failed
                    failures.append(
                      FieldFailure(
                        record: Int32(truncatingIfNeeded: record), column: Int32(truncatingIfNeeded: column),
                        field: identifier, code: RejectCode(error)))
                    payloads[record] = 0
                  }
                  record += 1
                }
                counts = substitutes.counts
              }
            }
            return output.count - used
          }
        }
      }
    }
  }

  @inline(__always)
  private func cell(
    _ conversion: some FieldConversion, _ state: FieldState, _ field: FieldBytes, _ fieldStart: Int,
    _ output: inout ArenaOutput, _ substitutes: inout Substitutes
  ) throws(ConversionFailureCode) -> ConvertedCell {
    switch state {
    case .text, .quoted, .number: break
    case .absent: return try substitutes.take(.absent, whenAbsent, &output)
    case .null: return try substitutes.take(substitutes.null, whenNull, &output)
    case .true, .false:
      if let cell = conversion.cell(of: state == .true) { return cell }
      fallthrough
    case .json:
      guard conversion.takesAnyJSON else { throw .type }
    }
    var bytes = field
    var start = fieldStart
    if trims {
      let range = WhiteSpace.trimmed(bytes)
      bytes = FieldBytes(rebasing: bytes[range])
      start += range.lowerBound
    }
    if !nullSpellings.isEmpty, isNullSpelling(bytes) { return try substitutes.take(.nullSpelling, whenNull, &output) }
    if bytes.isEmpty { return try substitutes.take(field.isEmpty ? .empty : .trimmed, whenEmpty, &output) }
    if refusesCodes, NumberText.isCode(bytes) { throw .code }
    if state == .number, conversion.takesNumbers, let number = try PrefixedNumber(bytes) {
      return try number.convert(conversion, output: &output)
    }
    return try conversion.convert(bytes, offset: start, output: &output)
  }

  @inline(never)
  private func isNullSpelling(_ bytes: FieldBytes) -> Bool {
    nullSpellings.contains { $0.count == bytes.count && $0.elementsEqual(bytes) }
  }

  /// How many bytes the defaults of all policies take.
  private var defaultRoom: Int {
    (whenAbsent.bytes?.count ?? 0) + (whenNull.bytes?.count ?? 0) + (whenEmpty.bytes?.count ?? 0)
  }
}

/// The slots of one column in a batch's record-major arrays.
private struct FieldColumn: Sequence, IteratorProtocol {
  private var slot: Int
  private let stride: Int
  private let end: Int

  @inline(__always) init(column: Int, stride: Int, count: Int) {
    slot = column
    self.stride = stride
    end = stride * count
  }

  @inline(__always) mutating func next() -> Int? {
    guard slot < end else { return nil }
    defer { slot += stride }
    return slot
  }
}

/// The cells of the policies, once their bytes are in the arena, and how often each was taken.
private struct Substitutes {
  /// The replacement for a field that the reader reports as null.
  let null: FieldTally.Replacement
  private(set) var counts = ValueCounts.Replacements.zero
  private var absentCell: ConvertedCell?
  private var nullCell: ConvertedCell?
  private var emptyCell: ConvertedCell?

  init(null: FieldTally.Replacement) { self.null = null }

  @inline(never)
  mutating func take(
    _ reason: FieldTally.Replacement, _ substitution: Substitution, _ output: inout ArenaOutput
  ) throws(ConversionFailureCode) -> ConvertedCell {
    guard substitution.tag != CellTag.failed else { throw substitution.failure }
    counts[reason.index] &+= 1
    switch reason {
    case .absent: return Self.make(&absentCell, substitution, &output)
    case .null, .nullSpelling: return Self.make(&nullCell, substitution, &output)
    case .empty, .trimmed, .missing, .defaultText, .nullIf: return Self.make(&emptyCell, substitution, &output)
    }
  }

  private static func make(
    _ cell: inout ConvertedCell?, _ substitution: Substitution, _ output: inout ArenaOutput
  ) -> ConvertedCell {
    if let cell { return cell }
    var made = ConvertedCell(tag: substitution.tag, payload: substitution.payload)
    if let bytes = substitution.bytes {
      for (index, byte) in bytes.enumerated() { output.cursor[index] = byte }
      made = output.append(bytes.count, tag: substitution.tag)
    }
    cell = made
    return made
  }
}
