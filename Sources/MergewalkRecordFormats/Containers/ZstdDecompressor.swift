import CMergewalkZstd

/// Unpacks zstd frames with libzstd, which verifies a frame's checksum if there is one and ignores skippable frames.
///
/// Windows of more than 128 MiB (`zstd --long=28` and more) are refused, as by zstd itself. Source: RFC 8878.
///
/// libzstd gets no more at a time than it requests: a whole frame at once takes another path through it, on which a
/// damaged one is refused for another reason. A fault has the place of the requested piece: its place within the piece
/// depends on how the input arrives.
final class ZstdDecompressor: Decompressor {
  let format = ContainerFormat.zstd
  private let stream: OpaquePointer
  /// How many bytes libzstd asks for.
  private var wanted: Int
  /// How many bytes of the piece that it asked for it has got.
  private var taken = 0
  /// The number of bytes that it requests at the start of a frame.
  private let wantedFirst: Int

  init() {
    guard let stream = ZSTD_createDStream() else { preconditionFailure("libzstd has no memory") }
    self.stream = stream
    wantedFirst = ZSTD_initDStream(stream)
    wanted = wantedFirst
  }

  deinit { ZSTD_freeDStream(stream) }

  func restart() {}

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(DecompressorFault) -> DecompressorStep {
    var from = ZSTD_inBuffer(src: input.baseAddress, size: min(input.count, wanted), pos: 0)
    var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = ZSTD_decompressStream(stream, &to, &from)
    if ZSTD_isError(result) != 0 {
      let reason = String(cString: ZSTD_getErrorName(result))
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_checksum_wrong:
        throw DecompressorFault(code: .checksumMismatch, message: "does not match its checksum", used: -taken)
      case ZSTD_error_frameParameter_windowTooLarge:
        throw DecompressorFault(
          code: .unsupportedContainer, message: "needs a window of more than 128 MiB", used: -taken)
      default: throw DecompressorFault(code: .corrupt, message: "is damaged: \(reason)", used: -taken)
      }
    }
    taken = from.pos < wanted ? taken + from.pos : 0
    wanted = result == 0 ? wantedFirst : result
    return DecompressorStep(used: from.pos, written: to.pos, isEnd: result == 0 && from.pos > 0)
  }
}
