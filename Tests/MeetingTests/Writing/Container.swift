import CMergewalkBZip2
import CMergewalkLZMA
import CMergewalkZlib
import CMergewalkZstd

/// How a file is packed.
enum Container: String, Sendable {
  case plain, gzip, zstd, bzip2, xz, tar, zip
  case tarGzip = "tar.gz"

  /// A file that is packed.
  struct Member {
    var name: [UInt8]
    var bytes: [UInt8]
  }

  /// Whether it may hold several files.
  var isArchive: Bool { [.tar, .tarGzip, .zip].contains(self) }

  /// Packs files: several for an archive, one for everything else.
  func pack(_ members: [Member]) -> [UInt8] {
    precondition(isArchive || members.count == 1)
    let bytes = members[0].bytes
    switch self {
    case .plain: return bytes
    case .gzip: return Self.deflate(bytes, windowBits: 31)
    case .zstd: return Self.zstd(bytes)
    case .bzip2: return Self.bzip2(bytes)
    case .xz: return Self.xz(bytes)
    case .tar: return Self.tar(members)
    case .tarGzip: return Self.deflate(Self.tar(members), windowBits: 31)
    case .zip: return Self.zip(members)
    }
  }

  /// What stands behind the name of a file; the content tells the same.
  var suffix: String { self == .plain ? "" : "." + rawValue.replacing("gzip", with: "gz") }

  /// gzip with 31 window bits, bare deflate with -15.
  private static func deflate(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(
      &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
    var input = bytes
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        precondition(CMergewalkZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END)
        return output.count - Int(stream.avail_out)
      }
    }
    deflateEnd(&stream)
    return Array(output[..<count])
  }

  private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
    precondition(ZSTD_isError(count) == 0)
    return Array(output[..<count])
  }

  private static func bzip2(_ bytes: [UInt8]) -> [UInt8] {
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: bytes.count + bytes.count / 50 + 700)
    var count = UInt32(output.count)
    precondition(BZ2_bzBuffToBuffCompress(&output, &count, &input, UInt32(input.count), 1, 0, 0) == BZ_OK)
    return output[..<Int(count)].map { UInt8(bitPattern: $0) }
  }

  private static func xz(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: lzma_stream_buffer_bound(bytes.count))
    var count = 0
    let status = lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nil, bytes, bytes.count, &output, &count, output.count)
    precondition(status == LZMA_OK)
    return Array(output[..<count])
  }

  private static func tar(_ members: [Member]) -> [UInt8] {
    var archive: [UInt8] = []
    for member in members { archive += tarEntry(member) }
    return archive + [UInt8](repeating: 0, count: 1024)
  }

  private static func tarEntry(_ member: Member) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, _ place: Int) { for (i, byte) in text.utf8.enumerated() { block[place + i] = byte } }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    for (i, byte) in member.name.enumerated() { block[i] = byte }
    put("0000644\0", 100)
    put("0000000\0", 108)
    put("0000000\0", 116)
    put(octal(member.bytes.count, 11) + " ", 124)
    put("00000000000 ", 136)
    put("        0", 148)
    put("ustar\0" + "00", 257)
    put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\0 ", 148)
    return block + member.bytes + [UInt8](repeating: 0, count: (512 - member.bytes.count % 512) % 512)
  }

  private static func zip(_ members: [Member]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var files: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let (bytes, name) = (member.bytes, member.name)
      let packed = deflate(bytes, windowBits: -15)
      // The flag says that the name is UTF-8.
      let flags = name.contains { $0 >= 0x80 } ? 0 : 0x800
      let common =
        little(20, 2) + little(flags, 2) + little(8, 2) + little(0, 4)
        + little(Int(crc32(0, bytes, uInt(bytes.count))), 4) + little(packed.count, 4) + little(bytes.count, 4)
        + little(name.count, 2)
      let entry =
        little(0x0201_4B50, 4) + [20, 3] + common + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2)
        + little(0, 4) + little(files.count, 4) + name
      directory += entry
      let file = little(0x0403_4B50, 4) + common + little(0, 2) + name + packed
      files += file
    }
    return files + directory + little(0x0605_4B50, 4) + little(0, 4) + little(members.count, 2)
      + little(members.count, 2) + little(directory.count, 4) + little(files.count, 4) + little(0, 2)
  }
}
