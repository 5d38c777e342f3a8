import MergewalkSystem
import MergewalkDiagnostics
import MergewalkThreads

/// An input that can be read only once, kept so that any place of it can be read: in memory while it is small, then in a
/// file without a name, which the system removes when the process ends, however it ends.
final class SpooledStream: RandomAccessStream {
  let path: String
  let bytesRead: Int
  private(set) var size = 0
  private var memory: [UInt8] = []
  private var descriptor: Int32 = -1
  private var position = 0

  /// The largest stream that stays in memory; longer ones go to a file.
  static let mostInMemory = 1 << 20

  /// Any place of a stream: the file itself where it is one, else a copy of what is left of it.
  ///
  /// - Throws: what reading the stream throws; `inputFailed` when the copy cannot be written.
  static func randomAccess(_ stream: any ByteStream) throws(ReadError) -> any RandomAccessStream {
    var inner = stream
    while let buffer = inner as? InputBuffer { inner = buffer.upstream }
    if let file = inner as? FileStream, file.isSeekable { return file }
    if let memory = inner as? MemoryStream { return memory }
    return try SpooledStream(stream)
  }

  private init(_ stream: any ByteStream) throws(ReadError) {
    path = stream.path
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var file: Int32 = -1
    var kept: [UInt8] = []
    var total = 0
    do throws(ReadError) {
      while true {
        let count = try stream.read(into: buffer)
        if count == 0 { break }
        let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if file < 0, total + count > Self.mostInMemory {
          file = try Self.makeFile(path: path)
          try Self.write(kept, to: file, path: path)
          kept = []
        }
        if file >= 0 { try Self.write(piece, to: file, path: path) } else { kept.append(contentsOf: piece) }
        total += count
      }
    } catch {
      if file >= 0 { close(file) }
      throw error
    }
    bytesRead = stream.bytesRead
    size = total
    memory = kept
    descriptor = file
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let count = min(buffer.count, size - position)
    if count > 0 { try read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])) }
    position += count
    return count
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) {
    guard offset >= 0, offset <= size, buffer.count <= size - offset else {
      throw ReadError(container: .truncated, path, at: size, "the file ends here")
    }
    if descriptor < 0 {
      memory.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + buffer.count]))
      }
      return
    }
    let (count, failure) = WholeBytes.read(descriptor, at: offset, into: buffer)
    guard count == buffer.count else {
      throw ReadError(errno: failure == 0 ? EIO : failure, path: path, doing: "read a copy of")
    }
  }

  func verifyUnchanged() throws(ReadError) {}

  private static func makeFile(path: String) throws(ReadError) -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let file = NamelessFile.make(in: folder)
    if file < 0 { throw ReadError(errno: errno, path: path, doing: "make a temporary file in \(folder) for") }
    return file
  }

  private static func write(_ bytes: [UInt8], to file: Int32, path: String) throws(ReadError) {
    var failure: ReadError?
    bytes.withUnsafeBytes { all in
      do throws(ReadError) { try write(all, to: file, path: path) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, path: String) throws(ReadError) {
    let failure = WholeBytes.write(bytes, to: file).failure
    if failure != 0 { throw ReadError(errno: failure, path: path, doing: "write a temporary copy of") }
  }
}
