/// The dialect of a CSV file: RFC 4180 by default.
///
/// Lines end with LF, CRLF or CR, in any mixture. Leading blank lines, comments and skipped lines are not records.
public struct CSVOptions: Sendable, Hashable {
  /// The source of the column names.
  public enum Header: Sendable, Hashable {
    /// The first record that is neither blank nor a comment.
    case firstRecord
    /// There is none: the columns are named `1`, `2` and so on, as many as the first record has.
    case none
    /// There is none in the file: these are the names.
    case names([String])
  }

  /// The treatment of empty lines.
  public enum BlankLines: Sendable, Hashable {
    /// They are skipped. In a file with one column, an empty value must then be written as `""`.
    case skip
    /// They are records with one empty field.
    case record
  }

  /// The treatment of repeated headers, and of lines that draw a rule below or above the header.
  public enum RepeatedHeaders: Sendable, Hashable {
    /// They are skipped: files were concatenated with their headers, or a table was drawn with `|---|---|` below its
    /// header. In a file with one column they are records.
    case skip
    /// They are records.
    case record
  }

  /// The treatment of records with too many fields.
  public enum LongRecords: Sendable, Hashable {
    /// They are refused.
    case refuse
    /// They are accepted if the surplus fields are empty and unquoted, and refused otherwise.
    case dropEmpty
    /// They are accepted; surplus fields are dropped.
    case truncate
  }

  /// The delimiter between two fields.
  ///
  /// It must not contain the quote or the escape, and neither it nor the comment prefix may begin with the other.
  public var delimiter: CSVDelimiter = ","
  /// The byte around a quoted field, or `nil` if quotes are ordinary text.
  ///
  /// A doubled quote inside a quoted field means one quote.
  public var quote: UInt8? = UInt8(ascii: "\"")
  /// A byte, such as a backslash, that makes the next byte (or the next CRLF) ordinary text, or `nil` for none.
  ///
  /// It acts inside and outside quotes, and has no other meaning: `\n` is read as `n`.
  public var escape: UInt8?
  /// The source of the column names.
  public var header: Header = .firstRecord
  /// The number of records in the header; the names of a column are joined with a space, without empty ones.
  public var headerRows: Int = 1
  /// The number of columns of a file without a header; nil: as many as its first record has.
  public var columnCount: Int?
  /// The table to read from a file with several, counted from 1; nil: the whole file is one table.
  ///
  /// After the skipped lines, a table extends up to
  /// - a blank line, or a record without any value before one that could be a header;
  /// - a record that repeats the table's header;
  /// - a record of another width that could be a header, if the next record also has that width.
  ///
  /// A record could be a header if no field is empty, is a number, a date or the like, or equals another one. A record
  /// of one field before a wider one, or between blank lines, is a title and not a table. Everything outside the table
  /// is skipped.
  public var table: Int?
  /// The number of lines to skip at the start of the file, whatever they contain.
  public var skippedLines: Int = 0
  /// The treatment of repeated headers, and of lines that draw a rule below or above the header.
  ///
  /// If they are skipped, a header with its columns in another order ends reading (`reorderedHeader`), and so does one
  /// with more or fewer columns that would be padded or truncated.
  public var repeatedHeaders: RepeatedHeaders = .skip
  /// Lines that start with this text are skipped; `nil` for none.
  public var comment: String?
  /// Unquoted fields that equal one of these, as written in the file, are null.
  ///
  /// Add `""` to make empty fields null.
  public var nullTokens: [String] = []
  /// Words that were detected as null and hold only where they can be no value, which the reader does not know: whoever
  /// converts the fields does.
  package var nullWords: [String] = []
  /// Whether quoted fields are also compared with the null tokens.
  public var quotedNulls = false
  /// Whether to remove spaces and tabs around unquoted fields and around quotes.
  public var trim = false
  /// Whether to remove spaces and tabs at both ends of quoted fields, inside the quotes, except from fields with text
  /// after the closing quote.
  public var trimQuoted = false
  /// The treatment of empty lines.
  public var blankLines: BlankLines = .skip
  /// Whether to accept a record with too few fields, whose missing fields are then absent, instead of refusing it.
  public var padShortRecords = false
  /// The treatment of records with too many fields.
  public var longRecords: LongRecords = .refuse
  /// Whether to accept a quote inside an unquoted field, and text after a closing quote, as ordinary text instead of
  /// refusing it; only spaces and tabs there are dropped.
  ///
  /// Quotes are then unreliable: if one opens and is closed on another line with text after it, or not at all, only its
  /// own line is refused, and the next one is a record again.
  public var lenientQuotes = false
  /// The guard where some options were detected rather than given; nil when all were given.
  package var caution: CSVCaution?
  /// The file's encoding.
  public var encoding: TextEncoding = .automatic
  /// The maximum length of a record in bytes, at most 512 MiB.
  ///
  /// A longer record ends reading with `recordTooLong`, because its end is unreliable.
  public var maxRecordBytes = 16 << 20

  /// Creates the options of RFC 4180 with a header.
  public init() {}

  /// Tab-separated values with a header; quotes as in CSV.
  public static var tabSeparated: CSVOptions {
    var options = CSVOptions()
    options.delimiter = "\t"
    return options
  }

  /// The maximum number of columns of a table: each takes memory for its name and for its field in each record.
  public static let mostColumns = 1 << 16
  /// The maximum of ``headerRows``.
  public static let mostHeaderRows = 16

  /// Whether a line could begin both with the comment prefix and with an empty field.
  public var commentMeetsDelimiter: Bool {
    guard let comment else { return false }
    return zip(comment.utf8, delimiter.bytes).allSatisfy(==)
  }

  /// An error in the options, or `nil`.
  var fault: String? {
    var used: [(String, UInt8)] = []
    if let quote { used.append(("quote", quote)) }
    if let escape, escape != quote { used.append(("escape", escape)) }
    if let comment {
      guard let first = comment.utf8.first else { return "the comment prefix is empty" }
      used.append(("comment prefix", first))
    }
    for (i, (name, byte)) in used.enumerated() {
      if name == "comment prefix" ? commentMeetsDelimiter : delimiter.contains(byte) {
        return delimiter.count == 1
          ? "the delimiter and the \(name) must differ" : "the delimiter and the \(name) must have nothing in common"
      }
      if byte == 0 || byte == 10 || byte == 13 || (byte >= 0x80 && name != "comment prefix") {
        return "the \(name) must be an ASCII character other than NUL, CR and LF"
      }
      if let other = used[..<i].first(where: { $0.1 == byte }) {
        return "the \(other.0) and the \(name) must differ"
      }
    }
    if trim, used.contains(where: { $0.1 == UInt8(ascii: " ") && $0.0 == "quote" }) {
      return "a space cannot be the quote when fields are trimmed"
    }
    if headerRows < 1 || headerRows > Self.mostHeaderRows {
      return "the number of header rows is not between 1 and \(Self.mostHeaderRows)"
    }
    if let table, table < 1 { return "tables are counted from 1" }
    if let columnCount, columnCount < 1 || columnCount > Self.mostColumns {
      return "the number of columns is not possible"
    }
    if skippedLines < 0 { return "the number of skipped lines is negative" }
    if comment?.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) == true {
      return "the comment prefix contains a line end or a NUL"
    }
    return nil
  }
}
