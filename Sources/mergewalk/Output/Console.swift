import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem
import Synchronization

/// Writes data to standard output and words to standard error.
///
/// A reader that has gone away (`mergewalk ... | head`) is no failure: what it does not want is not written, and the
/// command ends with the exit code of what it has found.
enum Console {
  /// The secrets of the configurations that were read so far, which nothing that is written may show.
  private static let secrets = Mutex(Redaction())

  static func redacted(_ text: String) -> String { secrets.withLock { $0(text) } }

  /// Keeps the secrets of a configuration out of everything that is written from now on.
  static func hide(_ redaction: Redaction) { secrets.withLock { $0.add(redaction) } }

  private static let readerGone = Atomic(false)

  /// Whether the reader of standard output has gone away: the rest is not written.
  static var isReaderGone: Bool { readerGone.load(ordering: .relaxed) }

  private static let isSettled = Atomic(false)

  /// What tells of the outcome and could not be written: the result, the metrics, the report.
  private struct Losses {
    var hasAny = false
    var untold: [String] = []
  }

  private static let losses = Mutex(Losses())

  /// Says that the command's work is done, or has failed, and that only what tells of it is still to be written.
  ///
  /// Standard output that takes no more then ends nothing: it is a loss, and the exit code is that of the work, or, in
  /// place of 0, ``ExitStatus/outputLost``.
  static func outcomeIsSettled() { isSettled.store(true, ordering: .relaxed) }

  /// Notes that something that tells of the outcome could not be written.
  static func lose(_ message: String) {
    losses.withLock { losses in
      losses.hasAny = true
      if !losses.untold.contains(message) { losses.untold.append(message) }
    }
  }

  static var hasLosses: Bool { losses.withLock { $0.hasAny } }

  /// Says what was lost, each once: in words, or as whoever has standard error for a log says it.
  static func tellLosses(_ tell: (String) -> Void = { words("mergewalk: error: \($0)") }) {
    let untold = losses.withLock { losses in
      defer { losses.untold = [] }
      return losses.untold
    }
    for message in untold { tell(message) }
  }

  /// Writes a line of data.
  ///
  /// Names of files, columns and pipelines may have characters that begin another line or make a terminal do something; they
  /// are spelt out, here and in words.
  static func data(_ line: String) { write(PrintableText.of(line, keeping: .tabs) + "\n", to: STDOUT_FILENO) }
  static func data(_ value: JSONText) { data(value.text) }

  /// Writes data of several lines, in which whoever made them has spelt out the line breaks of names.
  static func data(lines: String) { write(PrintableText.of(lines, keeping: .lines) + "\n", to: STDOUT_FILENO) }

  static func rawData(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes bytes as they are.
  static func rawData(_ bytes: [UInt8]) {
    end(bytes.withUnsafeBytes { WholeBytes.write($0, to: STDOUT_FILENO).failure })
  }

  /// Writes a line of words.
  static func words(_ line: String) { write(PrintableText.of(line, keeping: .tabs) + "\n", to: STDERR_FILENO) }

  /// Writes words of several lines, as ``data(lines:)``.
  static func words(lines: String) { write(PrintableText.of(lines, keeping: .lines) + "\n", to: STDERR_FILENO) }

  /// Shows a line on the terminal in place of the last such one; an empty one takes it away.
  static func status(_ text: String) {
    // Carriage return, the text, erase to the end of the line (ECMA-48 EL).
    write("\r" + PrintableText.of(text) + "\u{1B}[K", to: STDERR_FILENO)
  }

  /// Whether a line on standard error can be drawn over the last one: on a terminal that knows how to erase.
  static var canRedraw: Bool { isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb" }

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

  /// Writes, and ends the process when standard output takes no more although it has a reader, so that what is lost does
  /// not look like success; work that is done is not called a failure.
  private static func write(_ text: String, to descriptor: Int32) {
    let failure = attempt(text, to: descriptor)
    if descriptor == STDOUT_FILENO { end(failure) }
  }

  private static func end(_ failure: Int32) {
    if failure == 0 { return }
    if failure == EPIPE { return readerGone.store(true, ordering: .relaxed) }
    let message = "cannot write to standard output: \(String(cString: strerror(failure)))"
    if isSettled.load(ordering: .relaxed) { return lose(message) }
    _ = attempt("mergewalk: error: \(message)\n", to: STDERR_FILENO)
    exit(ExitStatus.failure.rawValue)
  }

  /// Writes, and returns the number of the error that kept it from being whole, or 0.
  private static func attempt(_ text: String, to descriptor: Int32) -> Int32 {
    var text = redacted(text)
    return text.withUTF8 { WholeBytes.write(UnsafeRawBufferPointer($0), to: descriptor).failure }
  }
}
