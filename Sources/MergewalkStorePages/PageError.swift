/// Why a file of pages cannot be written.
///
/// Nothing that fails leaves a usable file: the pages that were written are not linked until the end.
package struct PageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: Sendable, Hashable {
    /// The system refused to read or write.
    case inputOutput
    /// The file is none of the kind that is written here.
    case unsupportedFile
    /// A root page is not that of an empty tree of the kind that is to be filled.
    case rootNotEmpty
    /// Rows do not come in ascending order.
    case outOfOrder
    /// A row or a key is longer than SQLite allows, or there are more pages.
    case tooLarge
  }

  /// The kind of error.
  package let code: Code
  /// The value that was found and the one expected.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
