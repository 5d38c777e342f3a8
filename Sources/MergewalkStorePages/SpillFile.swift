import MergewalkSystem
import MergewalkThreads

/// A file without a name for sorted keys that do not fit the memory; the system removes it when the process ends.
final class SpillFile {
  private let folder: String
  private var descriptor: Int32 = -1
  /// The bytes that were written.
  private(set) var size = 0

  /// - Parameter folder: Where the file is made when the first byte is written.
  init(folder: String) { self.folder = folder }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func append(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(PageError) {
    if descriptor < 0 { try open() }
    try PageFile.write(descriptor, bytes, count, at: size)
    size += count
  }

  /// Reads bytes that were written; several threads may, also while one appends others.
  func read(_ bytes: Bytes, _ count: Int, at offset: Int) throws(PageError) {
    try PageFile.read(descriptor, bytes, count, at: offset)
  }

  private func open() throws(PageError) {
    descriptor = NamelessFile.make(in: folder)
    guard descriptor >= 0 else { throw PageFile.failure("create a temporary file in \(folder):") }
  }
}
