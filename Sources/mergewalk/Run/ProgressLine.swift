import Importing

/// The one line on a terminal that says how far a run is; it is redrawn at most ten times a second.
final class ProgressLine {
  private var lastDrawn = -1.0
  private var isShown = false

  /// Shows the progress if the last line is old enough.
  func update(_ progress: ImportProgress) {
    guard progress.seconds - lastDrawn >= 0.1 else { return }
    lastDrawn = progress.seconds
    isShown = true
    // Carriage return, the text, erase to the end of the line (ECMA-48 EL).
    Console.rawWords("\r" + String(Self.text(progress).prefix(max(20, Console.width - 1))) + "\u{1B}[K")
  }

  /// Takes the line away.
  func clear() {
    guard isShown else { return }
    isShown = false
    Console.rawWords("\r\u{1B}[K")
  }

  static func text(_ progress: ImportProgress) -> String {
    var parts = [
      Figures.count(progress.records, "record"), Figures.bytes(progress.bytes),
    ]
    let seconds = max(progress.seconds, 0.001)
    if progress.totalBytes > 0 {
      let share = min(1, Double(progress.bytes) / Double(progress.totalBytes))
      parts.append("\(Figures.fixed(share * 100, digits: 0)) %")
    }
    parts.append("\(Figures.grouped(Int(Double(progress.records) / seconds)))/s")
    if progress.totalBytes > progress.bytes, progress.bytes > 0 {
      let left = seconds * Double(progress.totalBytes - progress.bytes) / Double(progress.bytes)
      parts.append("\(Figures.duration(left.rounded())) left")
    }
    if progress.rejects > 0 { parts.append(Figures.count(progress.rejects, "reject")) }
    return parts.joined(separator: "  ")
  }
}
