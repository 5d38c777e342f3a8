import MergewalkObjectStore

extension AttributeValidator {
  /// Checks the cells of some rows of a column and reports what is wrong, in the order of the rows.
  ///
  /// The rule is selected once, not for each cell.
  ///
  /// - Complexity: O(rows); for text with a pattern O(bytes).
  func check(
    rows: UnsafeBufferPointer<Int32>, tags: UnsafePointer<UInt8>, payloads: UnsafePointer<UInt64>,
    arena: UnsafeRawPointer, report: (Int32, ValidationFailureCode) -> Void
  ) {
    guard canFail else { return }
    if !isOptional {
      for row in rows where tags[Int(row)] == CellTag.null { report(row, .missing) }
    }
    func scan(_ check: (UInt8, UInt64) -> ValidationFailureCode?) {
      for row in rows {
        let tag = tags[Int(row)]
        guard tag != CellTag.null, let code = check(tag, payloads[Int(row)]) else { continue }
        report(row, code)
      }
    }
    switch rule {
    case .integer(let minimum, let maximum, let range):
      scan { tag, payload in
        guard tag == CellTag.integer else { return .type }
        return Self.check(Int64(bitPattern: payload), minimum, maximum, range)
      }
    case .real(let minimum, let maximum):
      scan { tag, payload in
        guard tag == CellTag.real else { return .type }
        return Self.check(Double(bitPattern: payload), minimum, maximum)
      }
    case .decimal(let bounds): scan { tag, payload in Self.check(tag, payload, bounds) }
    case .date(let minimum, let maximum):
      scan { tag, payload in
        guard tag == CellTag.real else { return .type }
        return Self.checkDate(Double(bitPattern: payload), minimum, maximum)
      }
    case .text(let rule):
      scan { tag, payload in
        guard tag == CellTag.text else { return .type }
        return rule.isEmpty ? nil : rule.check(ByteRange(payload: payload), arena)
      }
    case .blob(let length):
      scan { tag, payload in
        guard tag == CellTag.blob else { return .type }
        return length.map { $0 == ByteRange(payload: payload).length } ?? true ? nil : .type
      }
    case .none: return
    }
  }
}
