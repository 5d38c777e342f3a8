/// A guard against losing text by options that were detected: text that could be records is refused, not skipped.
package struct CSVCaution: Sendable, Hashable {
  /// Whether a line that begins with the comment prefix is refused if it has as many fields as a record.
  package var doubtsComments = false
  /// Whether a record is refused in which an escape stands before anything but a quote, a delimiter, an escape or a line
  /// end: in `C:\temp` the backslash is text.
  package var doubtsEscapes = false
  /// Whether `\N` as a whole field is meant in spite of that, because it stands for nothing.
  package var allowsEscapedNull = false
  /// Whether the records of other tables than the one that is read are refused, instead of skipped.
  package var refusesOtherTables = false
  /// The header as it stands in the file that was looked at; empty: unknown.
  ///
  /// It is none of the lines to skip, unless there is a `width`.
  package var header: [UInt8] = []
  /// The number of fields of a record where no header is read, which no line to skip has but `header`; 0: unknown.
  package var width = 0
  /// Which columns hold numbers, dates or the like: no quoted field takes in lines which are such records.
  package var typedColumns: [Bool] = []

  /// Nothing is doubted.
  package init() {}

  /// The same doubts about escapes, and no others.
  var onlyEscapes: CSVCaution {
    var result = CSVCaution()
    (result.doubtsEscapes, result.allowsEscapedNull) = (doubtsEscapes, allowsEscapedNull)
    return result
  }
}
