import CMergewalkZlib

/// The members of a zip archive, in the order of its directory.
///
/// The directory at the file's end is authoritative; each member's own header must agree with it. Members may not
/// overlap: they do so only in zip bombs. Source: PKWARE's APPNOTE.TXT,
/// <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>.
final class ZipArchive {
  private let file: any RandomAccessStream
  private let entries: [ZipEntry]
  private let options: ContainerOptions
  private var index = 0

  init(_ file: any ByteStream, isFile: Bool, _ options: ContainerOptions) throws(ReadError) {
    guard isFile, let file = file as? any RandomAccessStream, (file as? FileStream)?.isSeekable != false else {
      throw ReadError(
        .unsupportedContainer, path: file.path,
        message: "a zip archive is read from its end, so it must be a file, not a pipe or something compressed;"
          + " unpack it first, for example with funzip or unzip -p")
    }
    self.file = file
    self.options = options
    entries = try ZipDirectory(file).entries()
  }

  /// Moves on to the next file; nil at the end.
  func next() -> ZipEntry? {
    while index < entries.count {
      index += 1
      if entries[index - 1].isFile { return entries[index - 1] }
    }
    return nil
  }

  /// Opens a member.
  ///
  /// - Throws: `unsupportedContainer` for encryption and unknown methods; `corrupt` when its header and the directory
  ///   disagree.
  func open(_ entry: ZipEntry) throws(ReadError) -> any ByteStream {
    let path = file.path + "/" + entry.name
    if entry.isEncrypted {
      throw ReadError(
        .unsupportedContainer, path: path, message: "the member is encrypted, which is not read; decrypt it first")
    }
    let start = try ZipDirectory(file).dataStart(of: entry)
    let range = FileRange(file, path: path, start..<start + entry.packedSize)
    let decompressor: (any Decompressor)? =
      switch entry.method {
      case 0: nil
      case 8: DeflateDecompressor(.zip)
      case 12: Bzip2Decompressor()
      case 93: ZstdDecompressor()
      case 95: XZDecompressor()
      default:
        throw ReadError(
          .unsupportedContainer, path: path,
          message: "the member is packed by \(Self.name(ofMethod: entry.method)), which is not read;"
            + " stored, deflate, bzip2, zstd and xz are")
      }
    var stream: any ByteStream = range
    if let decompressor {
      stream = DecompressedStream(
        InputBuffer(range), decompressor, maximumExpansion: options.maximumExpansion, allowsMembers: false)
    }
    return ZipMember(stream, entry)
  }

  /// The end of the archive: it must be as it was.
  func close() throws(ReadError) { try file.verifyUnchanged() }

  private static func name(ofMethod method: Int) -> String {
    let names = [
      1: "shrinking", 2: "reducing", 3: "reducing", 4: "reducing", 5: "reducing", 6: "imploding", 9: "deflate64",
      14: "LZMA", 98: "PPMd", 99: "AES encryption",
    ]
    return "method \(method)" + (names[method].map { " (\($0))" } ?? "")
  }
}

/// A part of a file as a stream.
final class FileRange: ByteStream {
  let path: String
  private let file: any RandomAccessStream
  private var range: Range<Int>
  private let start: Int

  init(_ file: any RandomAccessStream, path: String, _ range: Range<Int>) {
    self.file = file
    self.path = path
    self.range = range
    start = range.lowerBound
  }

  /// Of this member alone, so that the limit of expansion holds for each.
  var bytesRead: Int { range.lowerBound - start }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let count = min(buffer.count, range.count)
    if count == 0 { return 0 }
    try file.read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    range = range.lowerBound + count..<range.upperBound
    return count
  }
}

/// An unpacked member, checked against the size and the CRC-32 of the directory.
private final class ZipMember: ByteStream {
  private let stream: any ByteStream
  private let entry: ZipEntry
  private var produced = 0
  private var checksum: uLong = 0

  init(_ stream: any ByteStream, _ entry: ZipEntry) {
    self.stream = stream
    self.entry = entry
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let count = try stream.read(into: buffer)
    produced += count
    if produced > entry.size || (count == 0 && produced < entry.size) {
      throw ReadError(
        .checksumMismatch, path: path,
        message:
          "the archive says that the member has \(entry.size) bytes, but it has \(count == 0 ? "" : "more, ")\(produced)"
      )
    }
    checksum = crc32_z(checksum, buffer.baseAddress?.assumingMemoryBound(to: Bytef.self), count)
    if count == 0, UInt32(truncatingIfNeeded: checksum) != entry.checksum {
      throw ReadError(.checksumMismatch, path: path, message: "the member's bytes do not match its CRC-32")
    }
    return count
  }
}
