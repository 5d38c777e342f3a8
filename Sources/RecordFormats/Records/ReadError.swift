public import Diagnostics

/// A failure after which nothing more can be read from an input.
public struct ReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no file at the path.
    case notFound
    /// The file may not be read by this user.
    case permissionDenied
    /// The path names a folder.
    case isDirectory
    /// The operating system could not read.
    case inputFailed
    /// The file has no header line.
    case missingHeader
    /// The header line is malformed or not text.
    case invalidHeader
    /// Two columns of the header have names that are equal, or differ only in case.
    case duplicateHeader
    /// A column of the header has no name.
    case emptyHeader
    /// A requested column is not in the file.
    case missingColumn
    /// A requested path is malformed.
    case invalidPath
    /// The text is not one JSON document as RFC 8259 defines it, or not text.
    case invalidDocument
    /// A JSON document has no array at the path of its records.
    case missingRecords
    /// Options of the reader contradict each other.
    case invalidOption
    /// A record is longer than the reader's limit; usually a quote that is never closed.
    case recordTooLong
  }

  /// What failed.
  public var code: Code
  /// The input's path as the user gave it; `-` is standard input.
  public var path: String
  /// Where; `SourcePosition.file` when it is the file as a whole.
  public var position: SourcePosition
  /// What was expected, what was found and what to do.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, path: String, position: SourcePosition = .file, message: String) {
    self.code = code
    self.path = path
    self.position = position
    self.message = message
  }

  /// The same as a finding of severity error.
  public var diagnostic: Diagnostic {
    Diagnostic(.error, code: code.rawValue, path: path, position: position, message: message)
  }

  /// `path:line:column: error: message [code]`.
  public var description: String { diagnostic.description }
}
