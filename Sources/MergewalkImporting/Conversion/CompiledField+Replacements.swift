import MergewalkObjectStore
import MergewalkRecordFormats

extension CompiledField {
  /// Why the value of a record was replaced, as conversion has counted it; `nil` when it was not.
  func replacement(_ record: Int, column: Int, of records: RecordBatch) -> FieldTally.Replacement? {
    guard constant == nil else { return nil }
    let reason: FieldTally.Replacement?
    switch records.state(record, column) {
    case .absent: reason = .absent
    case .null: reason = column < records.columnCount && records.hasNullTokens ? .nullSpelling : .null
    case .true, .false, .json:
      guard takesAnyJSON else { return nil }
      reason = records.withField(record, column) { textReplacement($0) }
    case .text, .quoted, .number: reason = records.withField(record, column) { textReplacement($0) }
    }
    // A policy that rejects puts nothing in the value's place.
    return reason.flatMap { isKept($0) || substitution($0).tag == CellTag.failed ? nil : $0 }
  }

  /// Whether what would be replaced stays what it is: null that is null, and empty text that is empty.
  private func isKept(_ reason: FieldTally.Replacement) -> Bool {
    switch reason {
    case .null: whenNull.tag == CellTag.null
    case .empty: (whenEmpty.tag == CellTag.text || whenEmpty.tag == CellTag.blob) && whenEmpty.bytes?.isEmpty ?? true
    case .absent, .nullSpelling, .trimmed, .missing, .defaultText, .nullIf: false
    }
  }

  private func textReplacement(_ raw: UnsafeRawBufferPointer) -> FieldTally.Replacement? {
    let field = raw.bindMemory(to: UInt8.self)
    let bytes = trims ? FieldBytes(rebasing: field[WhiteSpace.trimmed(field)]) : field
    if nullSpellings.contains(where: { $0.count == bytes.count && $0.elementsEqual(bytes) }) { return .nullSpelling }
    return bytes.isEmpty ? field.isEmpty ? .empty : .trimmed : nil
  }

  /// Whether objects, arrays, `true` and `false` are taken as the text that they are.
  private var takesAnyJSON: Bool {
    switch kind {
    case .text, .raw: true
    default: false
    }
  }

  /// The substitute for a value.
  private func substitution(_ reason: FieldTally.Replacement) -> Substitution {
    switch reason {
    case .absent: whenAbsent
    case .null, .nullSpelling: whenNull
    case .empty, .trimmed, .missing, .defaultText, .nullIf: whenEmpty
    }
  }

  /// Counts the values of a column that transforms have replaced, as far as conversion has no word for them.
  func count(
    _ replacements: ContiguousArray<UInt8>, column: Int, of records: RecordBatch,
    into counts: inout ValueCounts.Replacements
  ) {
    for (record, kept) in replacements.enumerated() where kept != 0 {
      if replacement(record, column: column, of: records) == nil { counts[Int(kept) - 1] += 1 }
    }
  }

  /// Settles the counts of a column: what is as the field says is no replacement, and no value may be gone that was not
  /// counted.
  ///
  /// - Returns: What was lost, or nothing.
  /// - Complexity: O(records), at the speed of memory.
  func settle(_ counts: inout ValueCounts.Replacements, _ cells: CellColumn) -> String? {
    guard constant == nil else { return nil }
    var gone = 0
    cells.tags.withUnsafeBufferPointer { tags in
      for tag in tags { gone &+= tag == CellTag.null || tag == CellTag.absent ? 1 : 0 }
    }
    var counted = 0
    for reason in FieldTally.Replacement.allCases where counts[reason.index] > 0 {
      let tag = substitution(reason).tag
      if tag == CellTag.null || tag == CellTag.absent { counted += Int(counts[reason.index]) }
      if isKept(reason) { counts[reason.index] = 0 }
    }
    return gone == counted
      ? nil : "of “\(attributeName)” \(gone) values of a batch are gone, and \(counted) are counted"
  }
}
