import CMergewalkBZip2

/// Unpacks bzip2 streams with libbz2, which checks the CRC of each block and stream.
final class Bzip2Decompressor: Decompressor {
  let format = ContainerFormat.bzip2
  private let stream: UnsafeMutablePointer<bz_stream>

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: bz_stream())
    start()
  }

  deinit {
    BZ2_bzDecompressEnd(stream)
    stream.deallocate()
  }

  func restart() {
    BZ2_bzDecompressEnd(stream)
    start()
  }

  private func start() {
    stream.pointee = bz_stream()
    let status = BZ2_bzDecompressInit(stream, 0, 0)
    precondition(status == BZ_OK, "libbz2 has no memory")
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(DecompressorFault) -> DecompressorStep {
    let inputCount = min(input.count, 1 << 30)
    let outputCount = min(output.count, 1 << 30)
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_in = UInt32(inputCount)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_out = UInt32(outputCount)
    let status = BZ2_bzDecompress(stream)
    let used = inputCount - Int(stream.pointee.avail_in)
    let written = outputCount - Int(stream.pointee.avail_out)
    switch status {
    case BZ_OK: return DecompressorStep(used: used, written: written, isEnd: false)
    case BZ_STREAM_END: return DecompressorStep(used: used, written: written, isEnd: true)
    case BZ_MEM_ERROR: throw DecompressorFault(code: .inputFailed, message: "needs more memory than there is")
    case BZ_DATA_ERROR:
      // libbz2 does not tell a wrong CRC from data that cannot be.
      throw DecompressorFault(code: .corrupt, message: "is damaged, or does not match its checksum", used: used)
    default: throw DecompressorFault(code: .corrupt, message: "is damaged", used: used)
    }
  }
}
