public import MergewalkDiagnostics

/// A record that the reader refused: a value, not a failure, because the records around it are good.
public struct RecordError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason why a record was refused.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes are not text in the file's encoding.
    case invalidText
    /// The record contains a NUL byte.
    case nulByte
    /// A CSV record has more or fewer fields than the header.
    case fieldCount
    /// There is a quote inside an unquoted CSV field.
    case strayQuote
    /// Something other than a delimiter or a line end follows a closing quote.
    case textAfterQuote
    /// The file ends inside a quoted CSV field, or the field spans whole records.
    case unterminatedQuote
    /// A line begins like a comment and has as many fields as a record; that it is a comment was only detected.
    case doubtfulComment
    /// The record belongs to another table of the file; that there are several was only detected.
    case otherTable
    /// An escape precedes a character that needs none; that it is an escape was only detected.
    case doubtfulEscape
    /// The file ends after an escape character.
    case danglingEscape
    /// The line is not one JSON value according to RFC 8259.
    case invalidJSON
    /// The line is JSON, but not an object.
    case notAnObject
    /// A requested member occurs twice in one object.
    case duplicateMember
    /// A number, a date or the like is not valid for its type.
    case invalidScalar
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
    /// JSON arrays and objects nest deeper than 512.
    case tooDeep
    /// A value is in a file of its own, which cannot be read.
    case missingFile
    /// The record is longer than the reader's limit.
    case recordTooLong
    /// Text occurs beside the child elements of an XML element.
    case mixedContent
    /// An XML document refers to an entity that is not declared in it.
    case unresolvedEntity
    /// A YAML alias or merge key refers to nothing that could replace it.
    case invalidAlias
    /// A YAML record exceeds the limits once its aliases are replaced.
    case expansionLimit
    /// A corrected reject is not a valid record of its format.
    case invalidDocument
  }

  /// The fault in the number of a record's fields.
  public enum WidthFault: String, Sendable, Hashable {
    /// There are too few.
    case missing
    /// There are too many, or text after the last column.
    case surplus
  }

  /// The reason.
  public var code: Code
  /// For `fieldCount`, whether fields are missing or surplus; otherwise nil.
  public var width: WidthFault?
  /// The position of the fault: line and column from 1 (column in UTF-8 bytes), byte offset in the (unpacked) file from
  /// 0.
  public var position: SourcePosition
  /// The record's number in its file, from 0.
  public var recordIndex: Int
  /// The message: expected, then found.
  public var message: String
  /// The whole raw record without its line end; for `recordTooLong` its first 64 KiB.
  public var raw: [UInt8]
  /// The number of spaces before the record's first line, if they are significant; otherwise 0.
  public var indent = 0

  /// Creates an error.
  public init(code: Code, position: SourcePosition, recordIndex: Int, message: String, raw: [UInt8]) {
    self.code = code
    self.position = position
    self.recordIndex = recordIndex
    self.message = message
    self.raw = raw
  }

  /// `line:column: message [code]`.
  public var description: String { "\(position.line):\(position.column): \(message) [\(code.rawValue)]" }
}

extension RecordError {
  /// The message that something is longer than it may be, with the name of the limit.
  static func tooLong(_ what: String, _ bytes: Int) -> String {
    "\(what) is longer than \(bytes) bytes, which “max_record” allows"
  }
}
