import MergewalkBytes
import MergewalkDiagnostics

/// A file that was given as an SQLite store and is none, judged by its first bytes.
package struct ForeignStoreFile: Sendable {
  /// How many bytes of a file are looked at.
  package static let headSize = 512

  /// The end of a sentence about the file, such as “is not a SQLite database”.
  package let words: String
  /// ``StoreError/Code/otherStoreType`` or ``StoreError/Code/notADatabase``.
  package let code: StoreError.Code

  /// Judges the first bytes of a file; `nil` for those of a database.
  package init?(head: [UInt8]) {
    guard DatabaseHeader(bytes: head) == nil else { return nil }
    switch PersistentStoreType(head: head) {
    case .xml where head.firstRange(of: Array("<database".utf8)) != nil || head.firstRange(of: Self.type) != nil:
      words = "is an XML store of Core Data, not a SQLite one"
      code = .otherStoreType
    case .binary:
      words = "is a binary property list, as Core Data's binary stores are, not a SQLite database"
      code = .otherStoreType
    case .sqlite:
      words = "ends within the header of a SQLite database"
      code = .notADatabase
    default:
      words = head.isEmpty ? "is empty, not a SQLite database" : "is not a SQLite database"
      code = .notADatabase
    }
  }

  /// Judges a file that is not open; `nil` for a database, and for what cannot be read or is empty.
  package init?(at path: String) {
    guard FileKind(path) == .file, let head = FileSystem.head(path, count: Self.headSize), !head.isEmpty else {
      return nil
    }
    self.init(head: head)
  }

  /// The error about a file that was to be opened.
  package func error(_ path: String) -> StoreError { StoreError(code, path: path, message: "the file " + words) }

  private static let type = Array("<!DOCTYPE database".utf8)
}

extension PersistentStoreType {
  /// The built-in type of stores whose files begin in this way; `nil` if none does.
  ///
  /// Every XML document counts as an XML store here: its reader says what is wrong with it.
  init?(head: [UInt8]) {
    if head.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
    } else if head.starts(with: "bplist".utf8) {
      self = .binary
    } else {
      let text = (head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]).drop { $0.isSpace }
      guard text.first == UInt8(ascii: "<") else { return nil }
      self = .xml
    }
  }
}
