import MergewalkDiagnostics
import MergewalkSystem
import MergewalkThreads

/// A file for bytes that do not fit the memory budget: without a name, so that the system removes it when the process
/// ends, however it ends; or with one, for another process to resume.
final class TemporaryFile {
  private let descriptor: Int32
  private let folder: String
  /// The bytes that were written, those of an earlier process included.
  private(set) var length = 0

  /// Makes an empty file in `folder`.
  init(folder: String) throws(ImportError) {
    self.folder = folder
    descriptor = NamelessFile.make(in: folder)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
  }

  /// Opens or makes a file with a name, and cuts it to what is known of it.
  ///
  /// - Throws: `temporaryFile`, also when it has become shorter.
  init(path: String, keeping length: Int) throws(ImportError) {
    folder = ResolvedPath.folder(of: path)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
    self.length = length
    guard lseek(descriptor, 0, SEEK_END) >= length, ftruncate(descriptor, length) == 0,
      lseek(descriptor, 0, SEEK_SET) == 0
    else { throw Self.failure("resume", folder) }
  }

  deinit { close(descriptor) }

  /// Waits until everything is on the disk.
  func sync() throws(ImportError) { guard fdatasync(descriptor) == 0 else { throw Self.failure("sync", folder) } }

  /// Goes to the byte that is read or written next.
  func seek(to place: Int) throws(ImportError) {
    guard lseek(descriptor, place, SEEK_SET) == place else { throw Self.failure("seek in", folder) }
  }

  /// Writes a number over eight bytes that are there.
  func overwrite(_ number: Int, at place: Int) throws(ImportError) {
    var number = number
    let written = withUnsafeBytes(of: &number) { pwrite(descriptor, $0.baseAddress, $0.count, place) }
    guard written == MemoryLayout<Int>.size else { throw Self.failure("write", folder) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    guard WholeBytes.write(bytes, to: descriptor).failure == 0 else { throw Self.failure("write", folder) }
    length += bytes.count
  }

  /// Reads until the buffer is full.
  func read(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) {
    let count = WholeBytes.read(descriptor, into: buffer).count
    guard count == buffer.count else { throw Self.failure("read", folder) }
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
