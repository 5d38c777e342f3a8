import MergewalkSystem

/// A piece of a file, read from its start to its end through a buffer.
package final class FileBytes {
  private let path: String
  private let descriptor: Int32
  private var offset: Int
  private let end: Int
  private var buffer: [UInt8] = []
  private var taken = 0
  private static let bufferBytes = 1 << 16

  /// Opens the file.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `inputFailed`.
  package init(path: String, range: Range<Int>) throws(ReadError) {
    self.path = path
    offset = range.lowerBound
    end = range.upperBound
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw ReadError(errno: errno, path: path, doing: "open") }
  }

  deinit { close(descriptor) }

  /// The next byte; nil at the end of the piece.
  @inline(__always)
  package func next() throws(ReadError) -> UInt8? {
    if taken == buffer.count {
      buffer = try read(atMost: Self.bufferBytes)
      taken = 0
      if buffer.isEmpty { return nil }
    }
    taken += 1
    return buffer[taken - 1]
  }

  /// The next bytes, exactly so many.
  ///
  /// - Throws: `fileChanged` when the piece has fewer.
  package func take(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(ReadError) {
    if buffer.count - taken < count {
      var rest = Array(buffer[taken...])
      while rest.count < count {
        let more = try read(atMost: max(Self.bufferBytes, count - rest.count))
        if more.isEmpty { throw damage() }
        rest += more
      }
      buffer = rest
      taken = 0
    }
    buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count])) }
    taken += count
  }

  /// Reads on into a buffer, past what ``next()`` has looked at; 0 at the end of the piece.
  package func read(into target: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let wanted = min(target.count, end - offset)
    guard wanted > 0 else { return 0 }
    var got = 0
    repeat { got = pread(descriptor, target.baseAddress, wanted, off_t(offset)) } while got < 0 && errno == EINTR
    if got < 0 { throw ReadError(errno: errno, path: path, doing: "read") }
    if got == 0 { throw damage() }
    offset += got
    return got
  }

  /// The error of a file that is not as it was written.
  package func damage() -> ReadError {
    ReadError(.fileChanged, path: path, message: "the file is not as it was written: plan the family again")
  }

  private func read(atMost count: Int) throws(ReadError) -> [UInt8] {
    let wanted = min(count, end - offset)
    var bytes = [UInt8](repeating: 0, count: wanted)
    var got = 0
    var failure: ReadError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(ReadError) { got = try read(into: buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    bytes.removeLast(wanted - got)
    return bytes
  }
}

/// A piece of a file as an input, with what stands before it.
package struct SourcePiece: Sendable, Hashable {
  /// The file that has the bytes.
  package var file: String
  /// Which of its bytes.
  package var range: Range<Int>
  /// The bytes before them, such as a header.
  package var prefix: [UInt8]

  package init(file: String, range: Range<Int>, prefix: [UInt8] = []) {
    self.file = file
    self.range = range
    self.prefix = prefix
  }
}

/// The bytes of a ``SourcePiece``.
final class PieceStream: ByteStream {
  let path: String
  private let piece: SourcePiece
  private let file: FileBytes
  private(set) var bytesRead = 0

  init(_ piece: SourcePiece, path: String) throws(ReadError) {
    self.path = path
    self.piece = piece
    file = try FileBytes(path: piece.file, range: piece.range)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let before = piece.prefix.count
    guard bytesRead < before else {
      let count = try file.read(into: buffer)
      bytesRead += count
      return count
    }
    let count = min(buffer.count, before - bytesRead)
    piece.prefix.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[bytesRead..<bytesRead + count]))
    }
    bytesRead += count
    return count
  }
}
