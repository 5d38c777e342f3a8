import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats

/// The files of an export: written in a hidden folder, and given their names when all are complete.
///
/// A new folder appears with all of them in one step. In an existing folder, a process that is killed in between
/// leaves some of them, which the next export into the folder removes; those that replaced others stay.
final class ExportFiles {
  private let folder: String
  private let names: [String]
  private let replaces: Bool
  private let isNewFolder: Bool
  private let access: FileAccess
  private let staging: StagingFolder
  private var descriptors: [Int32] = []
  private var hidden: [String] = []

  /// Makes the folder if need be, and checks that nothing is in the way.
  ///
  /// - Parameters:
  ///   - read: The files that are read meanwhile, which stay.
  ///   - access: Who may use the files at most.
  /// - Throws: `fileExists`, `unsafeOutput` or `cannotWrite`.
  init(
    folder: String, names: [String], replaces: Bool, read: OutputCheck, access: FileAccess
  ) throws(DiagnosticList) {
    var check = read
    for name in names {
      if let refusal = check.refusal(of: folder + "/" + name, .text, as: "the export") {
        throw StoreExport.failure(
          folder + "/" + name, FindingCode.unsafeOutput.rawValue, refusal.message, hint: refusal.hint)
      }
    }
    self.access = access
    self.folder = folder
    self.names = names
    self.replaces = replaces
    StagingFolder.sweep(folder, takesBack: true)
    if FileKind(folder) == .file {
      throw StoreExport.failure(
        folder, "cannotWrite", "there is a file where a folder is needed", hint: "name another folder, or remove it")
    }
    isNewFolder = stat(path: folder) == nil && errno == ENOENT
    do throws(StoreError) {
      staging = try StagingFolder(forStore: isNewFolder ? folder : folder + "/export")
    } catch {
      throw StoreExport.failure(folder, "cannotWrite", error.message)
    }
    guard mkdir(staging.file("files"), 0o777) == 0 else { throw Self.failure(folder, "the folder cannot be made") }
    try checkFree()
  }

  /// The final path of a file.
  func path(_ name: String) -> String { folder + "/" + name }

  private func hiddenPath(_ name: String) -> String { staging.file("files/" + name) }

  private func checkFree() throws(DiagnosticList) {
    guard !replaces else { return }
    for name in names where FileSystem.exists(path(name)) {
      throw StoreExport.failure(
        path(name), "fileExists", "there is a file already", hint: "name another folder with --out, or use --force")
    }
  }

  /// Starts a file.
  func open(_ name: String) throws(DiagnosticList) -> ByteSink {
    let descriptor = Glibc.open(hiddenPath(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path(name), "the file cannot be made") }
    access.apply(to: descriptor)
    hidden.append(name)
    descriptors.append(descriptor)
    return ByteSink(descriptor: descriptor)
  }

  func write(_ name: String, _ text: String) throws(DiagnosticList) {
    let sink = try open(name)
    var text = text
    var failure: OutputError?
    text.withUTF8 { bytes in
      do throws(OutputError) { try sink.write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw StoreExport.failure(path(name), "cannotWrite", failure.description) }
  }

  /// Closes all files and gives them their names.
  func publish() throws(DiagnosticList) {
    try checkFree()
    for (name, descriptor) in zip(hidden, descriptors) {
      guard fsync(descriptor) == 0 || errno == EINVAL else {
        throw Self.failure(path(name), "the file cannot be written")
      }
    }
    for (name, descriptor) in zip(hidden, descriptors) {
      guard close(descriptor) == 0 else { throw Self.failure(path(name), "the file cannot be written") }
    }
    descriptors = []
    let files = staging.file("files")
    let moves = isNewFolder ? [(from: files, to: folder)] : hidden.map { (from: hiddenPath($0), to: path($0)) }
    do throws(StoreError) {
      try staging.note(published: moves)
      for (from, to) in moves { try FileSystem.rename(from, to: to) }
      try FileSystem.sync(folder)
      if isNewFolder { try FileSystem.sync(FileSystem.folder(of: folder)) }
    } catch {
      // What was there before and was replaced cannot come back.
      if !replaces { staging.takeBackPublished() }
      let named = moves.first { $0.to == error.path }?.to ?? folder
      throw StoreExport.failure(named, "cannotWrite", error.message)
    }
    hidden = []
  }

  /// Closes what was written; it goes with the hidden folder.
  func discard() {
    for descriptor in descriptors { close(descriptor) }
    descriptors = []
    hidden = []
  }

  private static func failure(_ path: String, _ what: String) -> DiagnosticList {
    StoreExport.failure(path, "cannotWrite", "\(what): \(String(cString: strerror(errno)))")
  }
}
