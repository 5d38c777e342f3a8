import MergewalkSQLite

/// Settings of SQLite that options name, checked: what is not known never reaches SQL.
struct PragmaList {
  let pragmas: Pragmas

  private enum Value {
    case words([String])
    case integer(ClosedRange<Int64>)
  }

  /// The settings that options may change; the layout of the file is not among them.
  private static let known: [String: Value] = [
    "analysis_limit": .integer(0...1_000_000), "automatic_index": .words(flags),
    "busy_timeout": .integer(0...3_600_000), "cache_size": .integer(-1_073_741_824...1_073_741_824),
    "cache_spill": .words(flags), "cell_size_check": .words(flags), "checkpoint_fullfsync": .words(flags),
    "fullfsync": .words(flags), "journal_mode": .words(["WAL", "DELETE", "TRUNCATE", "PERSIST"]),
    "journal_size_limit": .integer(-1...Int64.max), "mmap_size": .integer(0...Int64.max),
    "query_only": .words(flags), "secure_delete": .words(flags + ["FAST"]),
    "synchronous": .words(["OFF", "NORMAL", "FULL", "EXTRA", "0", "1", "2", "3"]),
    "temp_store": .words(["DEFAULT", "FILE", "MEMORY", "0", "1", "2"]), "threads": .integer(0...8),
    "wal_autocheckpoint": .integer(0...1_000_000),
  ]
  private static let flags = ["ON", "OFF", "TRUE", "FALSE", "YES", "NO", "0", "1"]

  /// Checks names and values and keeps the order.
  ///
  /// - Throws: ``StoreError`` with `invalidOption`.
  init(_ list: [PersistentStoreOptions.Pragma], path: String) throws(StoreError) {
    var statements: [String] = []
    for pragma in list {
      let name = pragma.name.lowercased()
      guard let value = Self.known[name] else {
        throw StoreError(
          .invalidOption, path: path,
          message:
            "the pragma “\(pragma.name)” cannot be set; these can: \(Self.known.keys.sorted().joined(separator: ", "))")
      }
      switch value {
      case .words(let words):
        let word = pragma.value.uppercased()
        guard words.contains(word) else {
          throw StoreError(
            .invalidOption, path: path,
            message: "the pragma \(name) takes one of \(words.joined(separator: ", ")), but here is “\(pragma.value)”")
        }
        statements.append("PRAGMA \(name)=\(word)")
      case .integer(let range):
        guard let number = Int64(pragma.value), range.contains(number) else {
          throw StoreError(
            .invalidOption, path: path,
            message: "the pragma \(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
              + "but here is “\(pragma.value)”")
        }
        statements.append("PRAGMA \(name)=\(number)")
      }
    }
    pragmas = Pragmas(statements: statements)
  }
}
