import CMergewalkBZip2
import CMergewalkLZMA
import CMergewalkZlib
import CMergewalkZstd
import MergewalkDiagnostics
import Foundation

@testable import MergewalkRecordFormats

/// Packs bytes with the libraries' own compressors.
enum Packing {
  static func pack(_ bytes: [UInt8], _ format: ContainerFormat) -> [UInt8] {
    switch format {
    case .gzip: deflate(bytes, windowBits: 31)
    case .zstd: zstd(bytes)
    case .bzip2: bzip2(bytes)
    case .xz: xz(bytes)
    case .tar: Tar.archive([Tar.file("member.csv", bytes)])
    case .zip: Zip.archive([Zip.Member("member.csv", bytes)])
    }
  }

  /// gzip with 31 window bits, bare deflate with -15.
  static func deflate(_ bytes: [UInt8], windowBits: Int32, header: ((UnsafeMutablePointer<z_stream>) -> Void)? = nil)
    -> [UInt8]
  {
    var stream = z_stream()
    deflateInit2_(
      &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    header?(&stream)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 512)
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

  static func zstd(_ bytes: [UInt8], checksum: Bool = true) -> [UInt8] {
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0)
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = ZSTD_compress2(context, &output, output.count, bytes, bytes.count)
    precondition(ZSTD_isError(count) == 0)
    return Array(output[..<count])
  }

  static func bzip2(_ bytes: [UInt8]) -> [UInt8] {
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: bytes.count + bytes.count / 50 + 700)
    var count = UInt32(output.count)
    let status = BZ2_bzBuffToBuffCompress(&output, &count, &input, UInt32(input.count), 1, 0, 0)
    precondition(status == BZ_OK)
    return output[..<Int(count)].map { UInt8(bitPattern: $0) }
  }

  static func xz(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: lzma_stream_buffer_bound(bytes.count))
    var count = 0
    let status = lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nil, bytes, bytes.count, &output, &count, output.count)
    precondition(status == LZMA_OK)
    return Array(output[..<count])
  }
}

/// Writes tar archives.
enum Tar {
  static func archive(_ members: [[UInt8]], endBlocks: Int = 2) -> [UInt8] {
    members.flatMap { $0 } + [UInt8](repeating: 0, count: 512 * endBlocks)
  }

  static func file(_ name: String, _ bytes: [UInt8]) -> [UInt8] { member(name, bytes, type: "0") }

  static func member(_ name: String, _ bytes: [UInt8], type: Character, size: Int? = nil, gnu: Bool = false) -> [UInt8]
  {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, _ at: Int) { for (i, byte) in text.utf8.enumerated() { block[at + i] = byte } }
    put(String(name.utf8.prefix(100).map { Character(Unicode.Scalar($0)) }), 0)
    put("0000644\0", 100)
    put("0000000\0", 108)
    put("0000000\0", 116)
    put(octal(size ?? bytes.count, 11) + " ", 124)
    put("00000000000 ", 136)
    put("        ", 148)
    put(String(type), 156)
    put(gnu ? "ustar  \0" : "ustar\0" + "00", 257)
    put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\0 ", 148)
    return block + bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
  }

  static func pax(_ records: [(String, String)], type: Character = "x") -> [UInt8] {
    let bytes = records.flatMap { key, value -> [UInt8] in
      let rest = " \(key)=\(value)\n"
      var length = rest.utf8.count + 1
      while "\(length)".utf8.count + rest.utf8.count != length { length += 1 }
      return Array("\(length)\(rest)".utf8)
    }
    return member("PaxHeaders/x", bytes, type: type)
  }

  private static func octal(_ value: Int, _ digits: Int) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: digits - text.count) + text
  }
}

/// Writes zip archives.
enum Zip {
  struct Member {
    var name: [UInt8]
    var bytes: [UInt8]
    var method = 8
    var flags = 0x800
    var attributes = 0
    /// Writes sizes and places as zip64.
    var isZip64 = false
    /// Where the header is said to be, when not where it is.
    var offset: Int?

    init(_ name: String, _ bytes: [UInt8], method: Int = 8) {
      self.name = Array(name.utf8)
      self.bytes = bytes
      self.method = method
    }
  }

  static func archive(_ members: [Member], comment: String = "", zip64End: Bool = false) -> [UInt8] {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let packed =
        switch member.method {
        case 8: Packing.deflate(member.bytes, windowBits: -15)
        case 12: Packing.bzip2(member.bytes)
        case 93: Packing.zstd(member.bytes)
        case 95: Packing.xz(member.bytes)
        default: member.bytes
        }
      let checksum = Int(crc32(0, member.bytes, uInt(member.bytes.count)))
      let offset = member.offset ?? out.count
      let full = 0xFFFF_FFFF
      let sizes = member.isZip64 ? le(full, 4) + le(full, 4) : le(packed.count, 4) + le(member.bytes.count, 4)
      let extra =
        member.isZip64 ? le(1, 2) + le(24, 2) + le(member.bytes.count, 8) + le(packed.count, 8) + le(offset, 8) : []
      let common =
        le(20, 2) + le(member.flags, 2) + le(member.method, 2) + le(0, 4) + le(checksum, 4) + sizes
        + le(member.name.count, 2)
      directory +=
        le(0x0201_4B50, 4) + [20, 3] + common + le(extra.count, 2) + le(0, 2) + le(0, 2) + le(0, 2)
        + le(member.attributes, 4) + le(member.isZip64 ? full : offset, 4) + member.name + extra
      out += le(0x0403_4B50, 4) + common + le(extra.count, 2) + member.name + extra + packed
    }
    let start = out.count
    out += directory
    if zip64End {
      let end = out.count
      out +=
        le(0x0606_4B50, 4) + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 4) + le(0, 4) + le(members.count, 8)
        + le(members.count, 8) + le(directory.count, 8) + le(start, 8)
      out += le(0x0706_4B50, 4) + le(0, 4) + le(end, 8) + le(1, 4)
    }
    let count = zip64End ? 0xFFFF : members.count
    out +=
      le(0x0605_4B50, 4) + le(0, 4) + le(count, 2) + le(count, 2) + le(directory.count, 4)
      + le(zip64End ? 0xFFFF_FFFF : start, 4) + le(comment.utf8.count, 2) + Array(comment.utf8)
    return out
  }

  private static func le(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

extension ByteSource {
  /// Bytes that are unpacked as a file of this name would be.
  init(packed bytes: [UInt8], chunkSize: Int = .max, path: String = "memory", _ options: ContainerOptions = .init()) {
    self.init(bytes: bytes, chunkSize: chunkSize, path: path)
    container = options
  }
}

extension ContainerOptions {
  static func packed(_ formats: ContainerFormat..., members: [String] = []) -> ContainerOptions {
    var options = ContainerOptions()
    options.formats = formats
    options.members = members
    return options
  }

  static func members(_ members: String...) -> ContainerOptions {
    var options = ContainerOptions()
    options.members = members
    return options
  }
}

/// Reads a source to its end in pieces.
func unpack(_ source: ByteSource, pieces: Int = 4096) throws(ReadError) -> [UInt8] {
  let stream = try source.open()
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: pieces)
  while true {
    let count = try buffer.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
      try stream.read(into: UnsafeMutableRawBufferPointer(all))
    }
    if count == 0 { return result }
    result += buffer[..<count]
  }
}

/// Where and why a source cannot be unpacked; empty when it can.
func place(_ source: ByteSource) -> String {
  do {
    _ = try unpack(source)
    return ""
  } catch {
    return "\(error.code) at \(error.position.byteOffset)"
  }
}

/// The code of the error that reading a source to its end throws; nil when it ends well.
func fault(_ source: ByteSource) -> ReadError.Code? {
  do {
    _ = try unpack(source)
    return nil
  } catch {
    return error.code
  }
}

/// What the system's tool writes for these bytes; nil when there is no such tool.
func tool(_ words: [String], _ bytes: [UInt8] = [], in folder: String? = nil) throws -> [UInt8]? {
  guard ["/bin/", "/usr/bin/"].contains(where: { FileManager.default.isExecutableFile(atPath: $0 + words[0]) }) else {
    return nil
  }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  let (input, output) = (Pipe(), Pipe())
  process.standardInput = input
  process.standardOutput = output
  try process.run()
  let writer = Thread {
    try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try? input.fileHandleForWriting.close()
  }
  writer.start()
  let result = Array(try output.fileHandleForReading.readToEnd() ?? Data())
  process.waitUntilExit()
  return process.terminationStatus == 0 ? result : nil
}
