import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore
import MergewalkRecordFormats

/// The new file that `--output` names; it gets its name when all rows are in it.
struct RowFile {
  let path: String
  let descriptor: Int32
  private let unfinished: UnfinishedFile

  /// - Parameter access: who may use it at most.
  init(_ path: String, access: FileAccess) throws(FetchFailure) {
    self.path = path
    if FileSystem.exists(path) { throw FetchFailure(words: OutputFile.refusal(path, EEXIST).description) }
    unfinished = UnfinishedFile(for: path)
    descriptor = open(unfinished.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FetchFailure(words: OutputFile.refusal(path, errno).description) }
    access.apply(to: descriptor)
  }

  /// Closes the file and gives it its name; a network file system may report a full disk only now.
  func close() throws(FetchFailure) {
    guard Glibc.close(descriptor) == 0 else { throw FetchFailure(OutputError(number: errno)) }
    do throws(StoreError) { try unfinished.publish() } catch {
      throw FetchFailure(words: OutputFile.refusal(path, error.code == .alreadyExists ? EEXIST : EIO).description)
    }
  }

  func remove() { unfinished.remove() }
}

extension FetchFailure {
  /// An error while rows were written.
  init(_ error: OutputError) { self.init(words: "mergewalk: error: \(error) [cannotWrite]") }
}
