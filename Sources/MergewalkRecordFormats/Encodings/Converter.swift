import MergewalkSystem

/// A conversion between two encodings by the C library's iconv.
///
/// Source: POSIX, <https://pubs.opengroup.org/onlinepubs/9799919799/functions/iconv.html>.
final class Converter {
  /// Why a step ended.
  enum End {
    /// All input was used.
    case input
    /// There is no room for the next character.
    case output
    /// The input's next bytes are no character.
    case invalid
    /// The input ends inside a character.
    case incomplete
  }

  private let handle: iconv_t

  /// Opens a conversion; nil when one of the names is unknown.
  init?(from: String, to: String) {
    guard let handle = iconv_open(to, from), handle != iconv_t(bitPattern: -1) else { return nil }
    self.handle = handle
  }

  deinit { iconv_close(handle) }

  /// Converts what fits.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int, end: End) {
    // iconv takes its input by a pointer to mutable bytes and does not change them.
    var from = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
    var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    var inputLeft = input.count
    var outputLeft = output.count
    var end = End.input
    if iconv(handle, &from, &inputLeft, &to, &outputLeft) == -1 {
      switch errno {
      case E2BIG: end = .output
      case EINVAL: end = .incomplete
      default: end = .invalid
      }
    }
    return (input.count - inputLeft, output.count - outputLeft, end)
  }

  /// Writes what the conversion holds back at the end of the text and returns to the initial state.
  func finish(into output: UnsafeMutableRawBufferPointer) -> Int {
    var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    var outputLeft = output.count
    _ = iconv(handle, nil, nil, &to, &outputLeft)
    return output.count - outputLeft
  }

  /// Returns to the initial state.
  func reset() { _ = iconv(handle, nil, nil, nil, nil) }
}
