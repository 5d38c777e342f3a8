import CMergewalkLZMA

/// Unpacks .xz streams with liblzma, which checks blocks, the index and the padding between streams.
///
/// Dictionaries of more than 128 MiB are refused (`xz -9` takes 65 MiB).
/// Source: https://tukaani.org/xz/xz-file-format.txt.
final class XZDecompressor: Decompressor {
  let format = ContainerFormat.xz
  private let stream: UnsafeMutablePointer<lzma_stream>

  private static let memoryLimit: UInt64 = 129 << 20

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: lzma_stream())
    let status = lzma_stream_decoder(
      stream, Self.memoryLimit, lzma_flag_concatenated | lzma_flag_tell_unsupported_check)
    precondition(status == LZMA_OK, "liblzma has no memory")
  }

  deinit {
    lzma_end(stream)
    stream.deallocate()
  }

  /// liblzma reads all streams of a file itself, so none is ever behind another here.
  func restart() {}

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(DecompressorFault) -> DecompressorStep {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = input.count
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = output.count
    let status = lzma_code(stream, isLast ? LZMA_FINISH : LZMA_RUN)
    let used = input.count - stream.pointee.avail_in
    let written = output.count - stream.pointee.avail_out
    switch status {
    case LZMA_OK, LZMA_BUF_ERROR: return DecompressorStep(used: used, written: written, isEnd: false)
    case LZMA_STREAM_END: return DecompressorStep(used: used, written: written, isEnd: true)
    case LZMA_MEM_ERROR: throw DecompressorFault(code: .inputFailed, message: "needs more memory than there is")
    case LZMA_MEMLIMIT_ERROR:
      throw DecompressorFault(
        code: .unsupportedContainer, message: "needs a dictionary of more than 128 MiB", used: used)
    case LZMA_UNSUPPORTED_CHECK, LZMA_OPTIONS_ERROR:
      throw DecompressorFault(
        code: .unsupportedContainer, message: "uses a check or filter that liblzma does not know", used: used)
    default:
      // liblzma does not tell a wrong check from data that cannot be.
      throw DecompressorFault(code: .corrupt, message: "is damaged, or does not match its checksum", used: used)
    }
  }
}
