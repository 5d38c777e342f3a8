import CMergewalkZlib

/// Unpacks gzip, or the bare deflate data of a zip member, with zlib.
///
/// zlib checks a gzip member's header, its CRC-32 and its length. Source: RFC 1951 and RFC 1952.
final class DeflateDecompressor: Decompressor {
  let format: ContainerFormat
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter format: `gzip`, or `zip` for data without a header and a checksum.
  init(_ format: ContainerFormat) {
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the largest window; 16 more is gzip; below zero is bare data.
    let status = inflateInit2_(
      stream, format == .gzip ? 15 + 16 : -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib has no memory, or differs from the version used in the build")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func restart() { inflateReset(stream) }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(DecompressorFault) -> DecompressorStep {
    // zlib takes its input by a pointer to mutable bytes and does not change them.
    let inputCount = min(input.count, 1 << 30)
    let outputCount = min(output.count, 1 << 30)
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = uInt(inputCount)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(outputCount)
    let status = inflate(stream, Z_NO_FLUSH)
    let used = inputCount - Int(stream.pointee.avail_in)
    let written = outputCount - Int(stream.pointee.avail_out)
    stream.pointee.next_in = nil
    stream.pointee.next_out = nil
    switch status {
    case Z_OK, Z_BUF_ERROR: return DecompressorStep(used: used, written: written, isEnd: false)
    case Z_STREAM_END: return DecompressorStep(used: used, written: written, isEnd: true)
    // What came before the fault is handed out first; zlib meets the fault again.
    case Z_DATA_ERROR where written > 0: return DecompressorStep(used: used, written: written, isEnd: false)
    default:
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
      let isChecksum = reason == "incorrect data check" || reason == "incorrect length check"
      throw DecompressorFault(
        code: isChecksum ? .checksumMismatch : .corrupt,
        message: isChecksum ? "does not match its checksum: \(reason)" : "is damaged: \(reason)", used: used)
    }
  }
}
