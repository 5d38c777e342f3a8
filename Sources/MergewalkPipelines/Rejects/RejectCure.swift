package import MergewalkImporting

/// The cures of rejects, by code: one short sentence, in the words of pipeline files.
package enum RejectCure {
  /// The sentence for a code; what a sample of the values tells is in ``ValueProposal``.
  package static func text(_ code: RejectCode) -> String {
    switch code {
    case .readInvalidText: "say the file’s encoding: “encoding: windows-1252”, or “detect”"
    case .readNulByte: "the file may be binary or UTF-16: say “encoding”, or repair it at its source"
    case .readFieldCount:
      "in CSV quote fields with delimiters in them, or say “short_records: pad”, “long_records: truncate”"
    case .readStrayQuote, .readTextAfterQuote: "double the quotes inside quoted fields, or say “lenient_quotes: true”"
    case .readUnterminatedQuote: "close the quote in the file, or say “quote: none” if quotes are letters there"
    case .readDanglingEscape: "take out the last character, or say “escape: none”"
    case .readDoubtfulEscape: "say “escape”: a character that is dropped there, or “none”"
    case .readDoubtfulComment: "say “comment” with the text that begins comments, or “dialect” other than “detect”"
    case .readOtherTable: "choose the table with “table”"
    case .readInvalidJSON: "repair the JSON, or say “format: json” if it is one document over several lines"
    case .readNotAnObject: "say with “records” where the objects are"
    case .readDuplicateMember: "keep one of the members at the source"
    case .readInvalidScalar, .readLoneSurrogate, .readMixedContent, .readUnresolvedEntity, .readInvalidAlias,
      .readInvalidDocument:
      "repair the record at its source, or in the rejects file, and replay it"
    case .readTooDeep: "flatten the record at its source, or read the inner objects with “records” or “each”"
    case .readMissingFile: "copy the store together with its folder of external data"
    case .readRecordTooLong: "raise “max_record” of the source"
    case .readExpansionLimit: "write the record without aliases"
    case .valueAbsent: "say what a record without the field means: “absent: null”, “default” or “absent_value”"
    case .valueNull: "say what a null means: “null: default” or “null_value”"
    case .valueEmpty: "say what an empty field means: “empty: null”, “default” or “empty_value”"
    case .valueType: "choose the member inside with a dotted “from”, or make a text of it with “do”"
    case .valueInteger: "say “group_mark” for 1,234, “do: [round]” for 1.5, or “null_tokens” for words such as n/a"
    case .valueNumber: "say “decimal_mark” and “group_mark”, or “null_tokens” for words such as n/a"
    case .valueRange: "choose a wider type in the model; for dates that count milliseconds say “date: unix_ms”"
    case .valuePrecision: "round the number, or make the attribute a String"
    case .valueBoolean: "say the spellings: “{ true: [yes], false: [no] }”"
    case .valueDate: "say how dates are written: “date: dd.MM.yyyy” or another pattern, “unix”, “unix_ms”"
    case .valueCalendar: "look whether day and month are the other way round in the pattern; else mend the record"
    case .valueUUID, .valueURI: "mend the value, or make the attribute a String"
    case .valueBase64, .valueHex: "say “encoding: hex”, “base64” or “raw”"
    case .valueCode: "make the attribute a String, or leave out “plain_numbers”"
    case .valueLength: "mend the value: no number has that many digits"
    case .valueIdentities: "write “[1, 2]”: a list of identities, as an export does"
    case .validateMissing: "map a column to it, or give it a default: “absent: default”, “absent_value”"
    case .validateType: "choose the attribute’s type in the model that the values have"
    case .validateTooLarge, .validateTooSmall, .validateTooLate, .validateTooSoon:
      "mend the value, or change the limit in the model"
    case .validateDate: "mend the value: the instant is none"
    case .validateTooLong: "shorten it with a step of “do”, or raise the limit in the model"
    case .validateTooShort: "turn empty texts into nulls with “empty: null”, or lower the limit in the model"
    case .validatePattern: "mend the value, normalise it with “do”, or change the expression in the model"
    case .contractNewColumn, .contractMissingColumn, .contractType:
      "ask whoever makes the file; if it stays so, change “contract”"
    case .transformValue: "put a step before it that mends the text, or say “null_tokens”"
    case .transformOverflow, .transformDivision, .transformExpression:
      "guard the expression with a condition, or skip such records with “where”"
    case .transformUnmapped: "add the value to “map”, or say its “default”"
    case .transformLookup: "import those objects before, with “after”; find them by what no two of them share"
    case .transformPattern: "write the expression without nested repetitions"
    case .transformTooLong: "cut the text before the step"
    case .processRejected: "the program says why; mend the record or the program"
    case .hookRejected: "the hook says why; mend the record or the hook"
    case .nullKey, .emptyKey: "give each record a key, or skip those without one with “where”"
    case .duplicateKey: "say “duplicates: first” or “last”, or “mode: upsert” for objects that are there"
    case .missingTarget: "import the targets before, or say “missing: create” or “missing: null”"
    case .inverse: "export both ends, or put the reference right"
    case .deleteDenied: "delete what refers to it first, or choose another delete rule in the model"
    case .storeBadName:
      "mend the value, shorten it under “columns”, or say “missing: skip” or “missing: { value: other }”"
    case .unique: "merge the two records, or add the attribute to “find_by”"
    case .database: "look for a trigger or a check that was added to the store"
    }
  }

  /// The sentence for the rejects of one code: what their values propose, else what is always true.
  package static func text(code: String, samples: [RejectedValue]) -> String? {
    guard let code = RejectCode(rawValue: code) else { return nil }
    return ValueProposal.text(code, samples) ?? text(code)
  }
}

/// Where a rejected value begins, as far as a line of a rejects file tells it.
package struct RejectedValue: Sendable {
  let bytes: [UInt8]

  /// - Parameters:
  ///   - raw: the record.
  ///   - column: the column of the fault in the record's first line, from 1.
  package init?(raw: [UInt8], column: Int) {
    guard column > 0, column <= raw.count, !raw[..<(column - 1)].contains(10) else { return nil }
    bytes = Array(raw[(column - 1)...].prefix(200))
  }

  /// The texts that the value may be: to the closing quote, or to each of the marks that may end it, the longest first.
  var candidates: [ArraySlice<UInt8>] {
    if let quote = bytes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let rest = bytes.dropFirst()
      return [rest[..<(rest.firstIndex(of: quote) ?? rest.endIndex)]]
    }
    var found: [ArraySlice<UInt8>] = []
    for mark in ",;\t|\n\r<}\"".utf8 {
      let end = bytes.firstIndex(of: mark) ?? bytes.endIndex
      if end > bytes.startIndex, !found.contains(where: { $0.endIndex == end }) { found.append(bytes[..<end]) }
    }
    return found.sorted { $0.count > $1.count }
  }
}
