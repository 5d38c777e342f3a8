public import MergewalkDiagnostics

/// A record that the reader refused: a value, not a failure, because the records around it are good.
public struct RecordError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why a record was refused.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes are not text in the file's encoding.
    case invalidText
    /// The record contains a NUL byte.
    case nulByte
    /// A CSV record has more or fewer fields than the header.
    case fieldCount
    /// A quote stands inside an unquoted CSV field.
    case strayQuote
    /// Something other than a delimiter or a line end follows a closing quote.
    case textAfterQuote
    /// The file ends inside a quoted CSV field, or the field takes in whole records.
    case unterminatedQuote
    /// A line begins as a comment does and has as many fields as a record; that it is a comment was detected only.
    case doubtfulComment
    /// The record is of another table of the file; that there are several was detected only.
    case otherTable
    /// An escape stands before something that it need not make ordinary; that it is one was detected only.
    case doubtfulEscape
    /// The file ends after an escape character.
    case danglingEscape
    /// The line is not one JSON value as RFC 8259 defines it.
    case invalidJSON
    /// The line is JSON, but not an object.
    case notAnObject
    /// A requested member stands twice in one object.
    case duplicateMember
    /// A number, a date or the like is not what its type says.
    case invalidScalar
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
    /// JSON arrays and objects nest deeper than 512.
    case tooDeep
    /// A value is in a file of its own, which cannot be read.
    case missingFile
    /// The record is longer than the reader's limit.
    case recordTooLong
    /// Text stands beside the elements of an element of XML.
    case mixedContent
    /// An XML document refers to an entity that is not declared in it.
    case unresolvedEntity
    /// A YAML alias or merge key leads to nothing that can stand in its place.
    case invalidAlias
    /// A YAML record is more than the limits allow once its aliases are replaced by what they stand for.
    case expansionLimit
    /// A record that was rejected once is not one of its format, as it was put right.
    case invalidDocument
  }

  /// Why.
  public var code: Code
  /// The place of the fault: line and column from 1 (column in UTF-8 bytes), byte offset in the (unpacked)
  /// file from 0.
  public var position: SourcePosition
  /// The record's number in its file, from 0.
  public var recordIndex: Int
  /// The message: expected, then found.
  public var message: String
  /// The whole raw record without its line end; for `recordTooLong` its first 64 KiB.
  public var raw: [UInt8]
  /// The number of spaces before the record's first line, where they are a part of its meaning; 0 elsewhere.
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
