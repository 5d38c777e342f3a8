import Diagnostics
import Glibc
import Synchronization

/// Writes data to standard output and words to standard error.
///
/// A reader that has gone away (`mergewalk ... | head`) is no failure: the process then ends with success.
enum Console {
  /// The secrets of the configurations that were read so far, which nothing that is written may show.
  private static let secrets = Mutex(Redaction())

  /// The text without secrets.
  static func redacted(_ text: String) -> String { secrets.withLock { $0(text) } }

  /// Keeps the secrets of a configuration out of everything that is written from now on.
  static func hide(_ redaction: Redaction) { secrets.withLock { $0.add(redaction) } }

  /// Writes data, with a line break behind it.
  static func data(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Writes data as it is.
  static func rawData(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes words, with a line break behind them.
  static func words(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Writes words as they are.
  static func rawWords(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Whether a person sees standard error at once.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// How many columns the terminal has; 80 when it does not say.
  static var width: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// How many columns lines on standard output may have: the terminal's, or what `COLUMNS` says; `nil` when neither is known.
  static var outputWidth: Int? {
    var size = winsize()
    let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    if isTerminal, size.ws_col > 0 { return Int(size.ws_col) }
    if let text = getenv("COLUMNS"), let columns = Int(String(cString: text)), columns > 0 { return columns }
    return isTerminal ? 80 : nil
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = redacted(text)
    let isBroken = text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return errno == EPIPE && descriptor == STDOUT_FILENO }
        done += count
      }
      return false
    }
    if isBroken { exit(0) }
  }
}
