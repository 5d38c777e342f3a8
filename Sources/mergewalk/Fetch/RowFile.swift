import MergewalkDiagnostics
import Glibc
import MergewalkRecordFormats

/// The new file that `--output` names; it is removed when its rows do not get there.
struct RowFile {
  let path: String
  let descriptor: Int32

  /// - Parameter access: who may use it at most.
  init(_ path: String, access: FileAccess) throws(FetchFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw FetchFailure(words: OutputFile.refusal(path).description)
    }
    access.apply(to: descriptor)
  }

  /// Closes the file; a network file system may report a full disk only now.
  func close() throws(FetchFailure) {
    guard Glibc.close(descriptor) == 0 else { throw FetchFailure(OutputError(number: errno)) }
  }

  /// Removes what was written.
  func remove() { unlink(path) }
}

extension FetchFailure {
  /// What went wrong while rows were written.
  init(_ error: OutputError) { self.init(words: "mergewalk: error: \(error) [cannotWrite]") }
}
