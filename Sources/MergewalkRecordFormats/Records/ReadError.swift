public import MergewalkDiagnostics

/// A failure after which nothing more can be read from an input.
public struct ReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no file at the path.
    case notFound
    /// This user may not read the file.
    case permissionDenied
    /// The path names a folder.
    case isDirectory
    /// A glob or a folder has no file that matches.
    case noMatchingFile
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
    /// The header is repeated below, with its columns in another order, or with more or fewer of them.
    case reorderedHeader
    /// The file has fewer tables than the requested one.
    case missingTable
    /// A requested column is not in the file.
    case missingColumn
    /// A requested path is malformed.
    case invalidPath
    /// The text is not one JSON document according to RFC 8259, or not text.
    case invalidDocument
    /// A JSON document has no array at the path of its records.
    case missingRecords
    /// Options of the reader contradict each other.
    case invalidOption
    /// A record is longer than the reader's limit; usually a quote that is never closed.
    case recordTooLong
    /// A compressed file or an archive is truncated.
    case truncated
    /// A compressed file or an archive is damaged, has data after its end, or is not such a file.
    case corrupt
    /// The unpacked bytes, or a file named by a manifest, do not match the checksum or size.
    case checksumMismatch
    /// The container, its compression method or its encryption is not supported.
    case unsupportedContainer
    /// An archive has no member with the requested name or pattern, or none at all.
    case missingMember
    /// An archive has several members and none was selected.
    case severalMembers
    /// A compressed file unpacks to more than the source's limit allows.
    case expansionLimit
    /// The file was changed while it was read.
    case fileChanged
    /// A line of a rejects file belongs to another pipeline than the one that replays it.
    case otherPipeline
    /// A database has no such table, or several and none was selected.
    case unknownTable
    /// A query or a predicate cannot be read, or does more than reading.
    case invalidQuery
    /// A recursive query takes longer than the source's limit allows.
    case recursionLimit
    /// A store has no such entity.
    case unknownEntity
    /// A database is not a Core Data store, or not one of the model.
    case unsuitableStore
    /// Another process has a database locked.
    case locked
    /// The C library knows no encoding of this name.
    case unknownEncoding
    /// The encoding could not be detected from the first bytes.
    case undetectedEncoding
  }

  /// The kind of failure.
  public var code: Code
  /// The input's path as given by the user; `-` is standard input; a member of an archive follows the archive's path
  /// and a slash.
  public var path: String
  /// The position; `SourcePosition.file` for the file as a whole.
  public var position: SourcePosition
  /// The message: expected, found, and the cure.
  public var message: String
  /// Whether the message has its own cure, so that ``diagnostic`` does not add the usual one.
  public var hasCure: Bool

  /// Creates an error.
  public init(
    _ code: Code, path: String, position: SourcePosition = .file, message: String, hasCure: Bool = false
  ) {
    self.code = code
    self.path = path
    self.position = position
    self.message = message
    self.hasCure = hasCure
  }

  /// A column that was asked for and does not exist: the nearest one, or those that do.
  init(missingColumn name: String, among columns: [String], path: String, position: SourcePosition = .file) {
    let near = NearestName.find(name, in: columns).map { "did you mean \"\($0)\"?" }
    let hint = near ?? NearestName.hint(for: name, among: columns)
    self.init(
      .missingColumn, path: path, position: position,
      message: "there is no column \"\(name)\"" + (hint.map { "; " + $0 } ?? ""), hasCure: true)
  }

  /// The error as a finding of severity error.
  public var diagnostic: Diagnostic {
    Diagnostic(
      .error, code: code.rawValue, path: path, position: position, message: message, hint: hasCure ? nil : cure)
  }

  /// Advice, as far as the kind of failure allows it.
  private var cure: String? {
    switch code {
    case .truncated, .corrupt, .checksumMismatch: "fetch or copy the file again"
    case .notFound: NearestFile.advice(for: path)
    case .duplicateHeader, .emptyHeader: "name the columns: “columns” with “skip_lines: 1”, or set “header: false”"
    case .invalidDocument: "repair the document at its origin, or set its “format” and “encoding”"
    default: nil
    }
  }

  /// `path:line:column: error: message [code]`.
  public var description: String { diagnostic.description }
}
