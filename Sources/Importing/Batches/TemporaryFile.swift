import Glibc

/// A file without a name for bytes that do not fit the memory budget; the system removes it when the process ends,
/// however it ends.
final class TemporaryFile {
  private let descriptor: Int32
  private let folder: String

  /// Makes an empty file in `folder`.
  init(folder: String) throws(ImportError) {
    self.folder = folder
    var template = Array("\(folder)/.mergewalk-temporary-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
    unlink(template)
  }

  deinit { close(descriptor) }

  /// Goes back to the start.
  func rewind() throws(ImportError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure("rewind", folder) }
  }

  /// Writes all bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let written = Glibc.write(descriptor, base + done, bytes.count - done)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.failure("write", folder) }
      done += written
    }
  }

  /// Reads until the buffer is full.
  func read(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) {
    guard let base = buffer.baseAddress else { return }
    var done = 0
    while done < buffer.count {
      let got = Glibc.read(descriptor, base + done, buffer.count - done)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw Self.failure("read", folder) }
      done += got
    }
  }

  /// Writes the first `count` elements of an array of plain memory.
  func write<Element: BitwiseCopyable>(_ array: ContiguousArray<Element>, count: Int) throws(ImportError) {
    precondition(count <= array.count, "the array has fewer elements than are to be written")
    try array.withUnsafeBufferPointer { elements throws(ImportError) in
      try write(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: elements[..<count])))
    }
  }

  /// Appends `count` elements to an array of plain memory.
  func read<Element: BitwiseCopyable>(
    into array: inout ContiguousArray<Element>, count: Int
  ) throws(ImportError) {
    guard count > 0 else { return }
    var failed: ImportError?
    let fresh = ContiguousArray<Element>(unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(ImportError) {
        try read(UnsafeMutableRawBufferPointer(buffer))
        initialized = count
      } catch {
        failed = error
      }
    }
    if let failed { throw failed }
    array.append(contentsOf: fresh)
  }

  private static func failure(_ action: String, _ folder: String) -> ImportError {
    ImportError(
      code: .temporaryFile,
      message: "cannot \(action) a temporary file in \(folder): \(String(cString: strerror(errno)))")
  }
}
