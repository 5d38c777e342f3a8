import MergewalkDiagnostics
import Glibc
import MergewalkImporting

/// Finds paths of stores at which no store can be.
struct StoreCheck {
  let findings: Findings

  /// Reports a folder where a pipeline has its store; what a file holds is found when it is opened.
  func run(_ path: String, at position: SourcePosition) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    findings.add(
      .unsuitableStore, at: position, "the store “\(path)” is a folder",
      hint: "a store is a file: for example “\(Paths.join(path, "shop.sqlite"))”")
  }
}
