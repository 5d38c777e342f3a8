import MergewalkObjectStore

/// The reason why the table of runs cannot be read or written; an import continues without it.
public struct RunHistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The file is another program's database, or not a database.
    case foreignFile
    /// The file was made by a newer Mergewalk.
    case newerVersion
    /// SQLite cannot read or write it.
    case database
  }
  /// The kind of failure.
  public let code: Code
  /// The message: the finding, with the file's path.
  public let description: String

  init(_ code: Code, _ path: String, _ words: String) {
    self.code = code
    description = "the table of runs \(path) \(words)"
  }

  init(_ error: StoreError, _ path: String) {
    let words = error.cause?.message ?? error.message
    switch error.cause?.kind {
    case .damaged, .notADatabase: self.init(.foreignFile, path, "is not a database, or damaged: \(words)")
    default: self.init(.database, path, "cannot be used: \(words)")
    }
  }
}
