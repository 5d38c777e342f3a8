package import MergewalkDiagnostics
package import MergewalkRecordFormats

/// One rejected record: where it stands and why it was rejected.
package struct Reject: Sendable {
  /// One thing that is wrong with the record.
  package struct Reason: Sendable {
    package var code: RejectCode
    /// The message: found, then expected.
    package var message: String
    /// The entity's name, when the reason is about one.
    package var entity: String?
    /// The attribute's or relationship's name, when the reason is about one.
    package var attribute: String?
    /// The name of the source's column, when the reason is about one.
    package var field: String?
    /// Where the reason stands in the file.
    package var position: SourcePosition

    package init(
      _ code: RejectCode, message: String, entity: String? = nil, attribute: String? = nil, field: String? = nil,
      position: SourcePosition
    ) {
      self.code = code
      self.message = message
      self.entity = entity
      self.attribute = attribute
      self.field = field
      self.position = position
    }
  }

  /// The input's path as the user gave it.
  package var file: String
  /// The path inside the input of the archive's member that the record is from; nil when the input is no archive.
  package var member: String?
  /// The record's number in its file or member, from 1; a header does not count.
  package var record: Int
  /// The first reason, under which the record is counted.
  package var reason: Reason
  package var also: [Reason]
  /// The import that rejected the record; nil when the run has only one.
  package var part: String?
  /// The names of the file's columns; nil where the line need not carry them.
  package var header: [String]?
  /// The number of spaces before the record's first line, where they are a part of its meaning.
  package var indent = 0
  /// The declarations of namespaces around the record in its XML document; nil when none are known.
  package var namespaces: String?
  /// Whether the raw record is only its beginning.
  package var isCut = false
  /// Whether fields are missing or surplus, where their number is the reason.
  package var width: RecordError.WidthFault?

  package init(file: String, member: String? = nil, record: Int, reason: Reason, also: [Reason] = []) {
    self.file = file
    self.member = member
    self.record = record
    self.reason = reason
    self.also = also
  }

  /// A record that a reader refused.
  ///
  /// - Parameter message: The error's, with its secrets hidden.
  package init(_ error: RecordError, file: String, member: String?, message: String) {
    self.init(
      file: file, member: member, record: error.recordIndex + 1,
      reason: Reason(RejectCode(error.code), message: message, position: error.position))
    isCut = error.code == .recordTooLong
    indent = error.indent
    width = error.width
  }
}
