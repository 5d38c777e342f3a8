package import MergewalkObjectStore

extension AttributeValidator {
  /// Checks all cells of a column and appends what is wrong to `failures`, in the order of the rows.
  ///
  /// The cells come from a conversion to the attribute's type, so nothing is asked of their tags. When the attribute
  /// is optional and has no bounds, nothing is read at all.
  ///
  /// - Parameter arena: the first byte of the arena that ranges in the column refer to; needed for text.
  /// - Complexity: O(rows); for text with a pattern O(bytes).
  package func check(_ column: CellColumn, arena: UnsafeRawPointer?, failures: inout [CellFailure]) {
    guard canFail else { return }
    let before = failures.count
    column.tags.withUnsafeBufferPointer { tags in
      if !isOptional {
        for row in tags.indices where tags[row] == CellTag.null {
          failures.append(CellFailure(row: Int32(truncatingIfNeeded: row), code: .missing))
        }
      }
      column.payloads.withUnsafeBufferPointer { payloads in
        switch rule {
        case .integer(let minimum, let maximum, let range):
          guard minimum > range.lowerBound || maximum < range.upperBound else { return }
          Self.scan(tags, payloads, CellTag.integer, &failures) {
            Self.check(Int64(bitPattern: $0), minimum, maximum, range)
          }
        case .real(let minimum, let maximum):
          Self.scan(tags, payloads, CellTag.real, &failures) {
            Self.check(Double(bitPattern: $0), minimum, maximum)
          }
        case .decimal(let bounds):
          Self.scan(tags, payloads, CellTag.real, &failures) { Self.check(CellTag.real, $0, bounds) }
          Self.scan(tags, payloads, CellTag.integer, &failures) { Self.check(CellTag.integer, $0, bounds) }
        case .date(let minimum, let maximum):
          Self.scan(tags, payloads, CellTag.real, &failures) {
            Self.checkDate(Double(bitPattern: $0), minimum, maximum)
          }
        case .text(let rule):
          guard !rule.isEmpty else { return }
          Self.scan(tags, payloads, CellTag.text, &failures) { rule.check(ByteRange(payload: $0), arena) }
        case .blob, .none: return
        }
      }
    }
    // What several passes found has to be merged; a cell fails in one pass at most.
    if failures.count > before + 1 { failures[before...].sort { $0.row < $1.row } }
  }

  @inline(__always)
  private static func scan(
    _ tags: UnsafeBufferPointer<UInt8>, _ payloads: UnsafeBufferPointer<UInt64>, _ tag: UInt8,
    _ failures: inout [CellFailure], _ check: (UInt64) -> ValidationFailureCode?
  ) {
    for row in tags.indices where tags[row] == tag {
      if let code = check(payloads[row]) {
        failures.append(CellFailure(row: Int32(truncatingIfNeeded: row), code: code))
      }
    }
  }
}
