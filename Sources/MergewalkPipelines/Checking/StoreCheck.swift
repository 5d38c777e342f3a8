import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkRecordFormats

/// Finds paths of stores at which no store can be.
struct StoreCheck {
  let findings: Findings
  /// Whether a file that is not a database is reported, too.
  let looksInside: Bool

  /// Reports a folder, and perhaps a file that is not a database, where a pipeline has its store; what a database holds
  /// is found when it is opened.
  func run(_ path: String, at position: SourcePosition) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      findings.add(
        .unsuitableStore, at: position, "the store “\(path)” is a folder",
        hint: "a store is a file: for example “\(Paths.join(path, "shop.sqlite"))”")
    // An empty file is an empty database.
    case S_IFREG where looksInside && status.st_size > 0 && !isDatabase(path):
      findings.add(
        .unsuitableStore, at: position, "the store “\(path)” is not a SQLite database",
        hint: "name the file of a store, or another path for a new one")
    default: break
    }
  }

  /// Whether a file begins as databases do; a file that cannot be read is left to what opens it.
  private func isDatabase(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return true }
    defer { close(file) }
    let magic = SourceFormat.sqliteMagic
    var head = [UInt8](repeating: 0, count: magic.count)
    let count = head.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    return count < 0 || head[..<max(0, count)].elementsEqual(magic)
  }
}
