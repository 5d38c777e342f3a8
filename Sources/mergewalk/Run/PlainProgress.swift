import MergewalkImporting
import Synchronization

/// Says every ten seconds how far a run is, in lines that stay: for what is no terminal.
final class PlainProgress: Sendable {
  private let last = Mutex(0.0)
  private static let interval = 10.0

  /// Writes a line if the last one is old enough.
  func update(_ progress: ImportProgress, rate: Double) {
    let isDue = last.withLock { last in
      guard progress.seconds - last >= Self.interval else { return false }
      last = progress.seconds
      return true
    }
    if isDue { Console.words(ProgressLine.plain(progress, rate: rate)) }
  }
}
