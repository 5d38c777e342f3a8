import MergewalkSystem

/// A piece of a file, read from its start to its end through a buffer.
///
/// Exclusivity of what each record touches is unchecked: an object is confined to one thread.
package final class FileBytes {
  private let path: String
  private let descriptor: Int32
  @exclusivity(unchecked) private var offset: Int
  private let end: Int
  /// The bytes read and not yet taken are `buffer[taken..<filled]`; the buffer is allocated with the first read.
  @exclusivity(unchecked) private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var taken = 0
  @exclusivity(unchecked) private var filled = 0
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

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// The bytes that come next: at least so many, or all that the piece has left; they are valid until more are asked for.
  @inline(__always)
  func ahead(_ count: Int) throws(ReadError) -> UnsafeRawBufferPointer {
    if filled - taken < count { try fill(count) }
    return UnsafeRawBufferPointer(rebasing: buffer[taken..<filled])
  }

  /// Moves past some of the bytes that ``ahead(_:)`` returned.
  @inline(__always)
  func skip(_ count: Int) { taken += count }

  /// The next bytes, exactly so many.
  ///
  /// - Throws: `fileChanged` when the piece has fewer.
  package func take(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(ReadError) {
    let bytes = try ahead(count)
    guard bytes.count >= count else { throw damage() }
    body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    skip(count)
  }

  private func fill(_ wanted: Int) throws(ReadError) {
    let rest = filled - taken
    // The number comes from a file, so it decides how much memory is taken only within what the piece has.
    let count = min(wanted, rest + max(end - offset, 0))
    if buffer.count < count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(Self.bufferBytes, count), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[taken..<filled]))
      buffer.deallocate()
      buffer = larger
    } else if taken > 0, rest > 0, let base = buffer.baseAddress {
      memmove(base, base + taken, rest)
    }
    (taken, filled) = (0, rest)
    while filled < count {
      let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if got == 0 { return }
      filled += got
    }
  }

  /// Reads on into a buffer, past what ``ahead(_:)`` has looked at; 0 at the end of the piece.
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
}

/// A piece of a file as an input, with what stands before it.
package struct SourcePiece: Sendable, Hashable {
  package var file: String
  package var range: Range<Int>
  /// The bytes before them, such as a header.
  package var prefix: [UInt8]

  package init(file: String, range: Range<Int>, prefix: [UInt8] = []) {
    self.file = file
    self.range = range
    self.prefix = prefix
  }
}

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
