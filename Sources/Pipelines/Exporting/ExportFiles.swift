import Diagnostics
import Glibc
import RecordFormats

/// The files of an export: written under hidden names beside their final ones, and renamed when all are complete.
final class ExportFiles {
  private let folder: String
  private let names: [String]
  private let replaces: Bool
  private let madeFolder: Bool
  private var descriptors: [Int32] = []
  private var hidden: [String] = []

  /// Makes the folder if need be, and checks that nothing is in the way.
  ///
  /// - Throws: `fileExists` or `cannotWrite`.
  init(folder: String, names: [String], replaces: Bool) throws(DiagnosticList) {
    self.folder = folder
    self.names = names
    self.replaces = replaces
    madeFolder = mkdir(folder, 0o777) == 0
    if !madeFolder, errno != EEXIST {
      throw Self.failure(folder, "the folder cannot be made")
    }
    try checkFree()
  }

  /// The final path of a file.
  func path(_ name: String) -> String { folder + "/" + name }

  private func hiddenPath(_ name: String) -> String { "\(folder)/.\(name).mergewalk-\(getpid())" }

  private func checkFree() throws(DiagnosticList) {
    guard !replaces else { return }
    var status = stat()
    for name in names where lstat(path(name), &status) == 0 {
      throw StoreExport.failure(
        path(name), "fileExists", "there is a file already", hint: "name another folder with --out, or say --force")
    }
  }

  /// Starts a file.
  func open(_ name: String) throws(DiagnosticList) -> ByteSink {
    let descriptor = Glibc.open(hiddenPath(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path(name), "the file cannot be made") }
    hidden.append(name)
    descriptors.append(descriptor)
    return ByteSink(descriptor: descriptor)
  }

  /// Writes a file of text.
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
    for name in hidden {
      guard rename(hiddenPath(name), path(name)) == 0 else { throw Self.failure(path(name), "the file cannot be made") }
    }
    hidden = []
  }

  /// Closes and removes what was written.
  func discard() {
    for descriptor in descriptors { close(descriptor) }
    for name in hidden { unlink(hiddenPath(name)) }
    if madeFolder { rmdir(folder) }
    descriptors = []
    hidden = []
  }

  private static func failure(_ path: String, _ what: String) -> DiagnosticList {
    StoreExport.failure(path, "cannotWrite", "\(what): \(String(cString: strerror(errno)))")
  }
}
