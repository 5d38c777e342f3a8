import Glibc
import RecordFormats

/// What tells the content of a file from another's without reading all of it: its size and a hash of its first and last
/// 64 KiB.
///
/// It is for people and for warnings, not for proofs: a change in the middle of a large file that keeps its size does
/// not show.
enum InputFingerprint {
  private static let sampleBytes = 64 << 10

  /// The fingerprint of a regular file, such as `4096-9f86d081884c7d65`; nil for everything else and for what cannot be read.
  static func of(_ source: ByteSource) -> String? {
    guard let size = source.fileSize else { return nil }
    let descriptor = open(source.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let head = sample(descriptor, at: 0, count: min(size, sampleBytes))
    let tail = sample(descriptor, at: max(0, size - sampleBytes), count: min(size, sampleBytes))
    guard let head, let tail else { return nil }
    for byte in head { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in tail { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return "\(size)-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func sample(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
      }
      if got < 0, errno == EINTR { continue }
      // A file that was cut meanwhile: the run itself will say so.
      if got <= 0 { return nil }
      filled += got
    }
    return bytes
  }
}
