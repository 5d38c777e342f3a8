import MergewalkDiagnostics
package import MergewalkImporting
package import MergewalkRecordFormats

/// The cures of rejects, by code: one short sentence, in the words of pipeline files.
package enum RejectCure {
  /// The sentence for a code; what a sample of the values tells is in ``ValueProposal``.
  ///
  /// - Parameter width: the fault of all records that were refused for the number of their fields, if it is the same.
  package static func text(_ code: RejectCode, width: RecordError.WidthFault? = nil) -> String {
    switch code {
    case .readInvalidText: "set the file’s encoding: “encoding: windows-1252”, or “detect”"
    case .readNulByte: "the file may be binary or UTF-16: set “encoding”, or repair it at its source"
    case .readFieldCount where width == .missing:
      "add the missing fields, quote fields that contain line ends, or set “short_records: pad”"
    case .readFieldCount where width == .surplus:
      "quote fields that contain delimiters, or set “long_records: truncate”"
    case .readFieldCount:
      "for missing fields, set “short_records: pad”; for surplus ones, quote fields that contain delimiters, or set"
        + " “long_records: truncate”"
    case .readStrayQuote: "quote the whole field and double the quotes inside, or set “lenient_quotes: true”"
    case .readTextAfterQuote: "double the quotes inside quoted fields, or set “lenient_quotes: true”"
    case .readUnterminatedQuote:
      "close the quote in the file, or set “quote: none” if quotes are ordinary characters there"
    case .readDanglingEscape: "remove the last character, or set “escape: none”"
    case .readDoubtfulEscape: "set “escape” to the character that should be dropped, or to “none”"
    case .readDoubtfulComment: "set “comment” to the text that begins comments, or do without “dialect: detect”"
    case .readOtherTable: "select the table with “table”"
    case .readInvalidJSON: "repair the JSON, or set “format: json” if it is one document on several lines"
    case .readNotAnObject: "set “records” to the path of the objects, or make objects of lists with a tool such as jq"
    case .readDuplicateMember: "keep one of the members at the source"
    case .readInvalidScalar, .readLoneSurrogate, .readMixedContent, .readUnresolvedEntity, .readInvalidAlias,
      .readInvalidDocument:
      "repair the record at its source, or in the rejects file, and replay it"
    case .readTooDeep: "flatten the record at its source, or read the inner objects with “records” or “each”"
    case .readMissingFile: "copy the store together with its folder of external data"
    case .readRecordTooLong: "raise “max_record” of the source"
    case .readExpansionLimit: "write the record without aliases"
    case .valueAbsent: "set what a missing field means: “absent: null”, “default” or “absent_value”"
    case .valueNull: "set what a null means: “null: default” or “null_value”"
    case .valueEmpty: "set what an empty field means: “empty: null”, “default” or “empty_value”"
    case .valueType: "select a member inside it with a dotted “from”, or convert it to text with “do”"
    case .valueInteger:
      "set “group_mark” for 1,234, “do: [{ round: 0 }]” for 1.5, or “null_tokens” for words such as n/a"
    case .valueNumber: "set “decimal_mark” and “group_mark”, or “null_tokens” for words such as n/a"
    case .valueRange: "choose a wider type in the model; for dates in milliseconds set “date: unix_ms”"
    case .valuePrecision: "round the number, or make the attribute a String"
    case .valueBoolean: "list the spellings: “{ true: [yes], false: [no] }”"
    case .valueDate: "set how dates are written: “date: dd.MM.yyyy” or another pattern, “unix” or “unix_ms”"
    case .valueCalendar: "check whether the pattern has day and month the wrong way round; if not, correct the record"
    case .valueUUID, .valueURI: "correct the value, or make the attribute a String"
    case .valueBase64, .valueHex: "set “encoding: hex”, “base64” or “raw”"
    case .valueCode: "make the attribute a String, or leave out “plain_numbers”"
    case .valueLength: "correct the value: no number has that many digits"
    case .valueIdentities: "write “[1, 2]”: a list of identities, as an export does"
    case .validateMissing: "map a column to it, or give it a default: “absent: default”, “absent_value”"
    case .validateType: "give the attribute the type of its values in the model"
    case .validateTooLarge, .validateTooSmall, .validateTooLate, .validateTooSoon:
      "correct the value, or change the limit in the model"
    case .validateDate: "correct the value: it is not a point in time"
    case .validateTooLong: "shorten it with a step under “do”, or raise the limit in the model"
    case .validateTooShort: "turn empty text into null with “empty: null”, or lower the limit in the model"
    case .validatePattern: "correct the value, normalise it with “do”, or change the expression in the model"
    case .contractNewColumn, .contractMissingColumn, .contractType:
      "ask whoever produces the file; if the change is permanent, adapt “contract”"
    case .transformValue: "add a step before it that corrects the text, or set “null_tokens”"
    case .transformOverflow, .transformDivision, .transformExpression:
      "guard the expression with a condition, or skip such records with “where”"
    case .transformUnmapped: "add the value to “map”, or set its “default”"
    case .transformLookup:
      "import those objects first, with “after”, and find them by an attribute that no two of them"
        + " share"
    case .transformPattern: "write the expression without nested repetitions"
    case .transformTooLong: "shorten the text before the step"
    case .processRejected: "the program gives the reason; correct the record or the program"
    case .hookRejected: "the hook gives the reason; correct the record or the hook"
    case .nullKey, .emptyKey: "give each record a key, or skip those without one with “where”"
    case .duplicateKey: "set “duplicates: first” or “last”, or “mode: upsert” for existing objects"
    case .missingTarget:
      "import the targets first or with these records, or set “missing: null”; where “find_by” finds them, “missing:"
        + " create” makes them"
    case .inverse: "export both ends, correct the reference, or set “missing: null”"
    case .deleteDenied:
      "delete or move what refers to it first, choose another delete rule in the model, or look for a trigger that was"
        + " added to the store"
    case .storeBadName:
      "correct the value, shorten it under “columns”, or set “missing: skip” or “missing: { value:"
        + " other }”"
    case .unique: "merge the two records, or add the attribute to “find_by”"
    case .database: "look for a trigger or a check constraint that was added to the store"
    }
  }

  /// The sentence for the rejects of one code: what their values propose, else what is always true.
  package static func text(code: String, samples: [RejectedValue], width: RecordError.WidthFault? = nil) -> String? {
    guard let code = RejectCode(rawValue: code) else { return nil }
    return ValueProposal.text(code, samples) ?? text(code, width: width)
  }

  /// The sentence for a record that a reader has refused.
  package static func text(_ error: RecordError) -> String {
    text(RejectCode(error.code), width: error.width)
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
