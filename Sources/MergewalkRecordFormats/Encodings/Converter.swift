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
  /// The characters that stand for bytes of ASCII, see ``readASCII()``.
  private var signs: [(character: [UInt8], byte: UInt8)] = []

  /// Opens a conversion; nil when one of the names is unknown.
  init?(from: String, to: String) {
    guard let handle = iconv_open(to, from), handle != iconv_t(bitPattern: -1) else { return nil }
    self.handle = handle
  }

  deinit { iconv_close(handle) }

  /// From here on bytes of ASCII are ASCII: to iconv, a backslash in Shift JIS is a yen sign, a tilde an overline, and a
  /// backslash in Johab a won sign, so that texts such as JSON would have no escapes.
  ///
  /// No other bytes of these encodings stand for these characters.
  /// Source: WHATWG, Encoding Standard, <https://encoding.spec.whatwg.org/#shift_jis-decoder>.
  func readASCII() {
    for byte in [UInt8(ascii: "\\"), UInt8(ascii: "~")] {
      var output = [UInt8](repeating: 0, count: 16)
      let step = withUnsafeBytes(of: byte) { input in output.withUnsafeMutableBytes { self.step(input, into: $0) } }
      reset()
      let character = Array(output[..<step.written])
      if ["¥", "‾", "₩"].contains(where: { character.elementsEqual($0.utf8) }) { signs.append((character, byte)) }
    }
  }

  /// Puts ASCII in place of the signs in a text and returns its length then.
  private func replaceSigns(_ text: UnsafeMutableRawBufferPointer, _ count: Int) -> Int {
    var (read, written) = (0, 0)
    while read < count {
      text[written] = text[read]
      var length = 1
      // The first bytes of the signs.
      if text[read] == 0xC2 || text[read] == 0xE2 {
        for sign in signs where text[read..<count].starts(with: sign.character) {
          text[written] = sign.byte
          length = sign.character.count
        }
      }
      read += length
      written += 1
    }
    return written
  }

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
    let written = output.count - outputLeft
    return (input.count - inputLeft, signs.isEmpty ? written : replaceSigns(output, written), end)
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
