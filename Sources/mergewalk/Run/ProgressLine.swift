import MergewalkSystem
import MergewalkImporting
import Synchronization

/// The one line on a terminal that says how far a run is; it is redrawn at most ten times a second.
///
/// From left to right: which import it is, a bar, the share, the records, the rate of the last seconds and of the whole
/// run, the time that is left, the rejects, and the rates of the stages. What does not fit the terminal's width is left
/// out from the right.
final class ProgressLine: Sendable {
  private let state = Mutex((lastDrawn: -1.0, isShown: false, stage: ImportProgress.Stage?.none))
  private let hasBlocks: Bool

  init() {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = names.compactMap { getenv($0).map { String(cString: $0) } }.first { !$0.isEmpty } ?? ""
    hasBlocks = locale.lowercased().contains("utf")
  }

  /// Shows the progress if the last line is old enough, or another stage has begun.
  ///
  /// - Parameter rate: records a second at this moment; 0 when it is not known yet.
  func update(_ progress: ImportProgress, rate: Double = 0) {
    state.withLock { state in
      guard progress.seconds - state.lastDrawn >= 0.1 || state.stage != progress.stage else { return }
      state = (progress.seconds, true, progress.stage)
      let text = Self.text(progress, rate: rate, width: max(20, Console.width - 1), hasBlocks: hasBlocks)
      Console.status(text)
    }
  }

  /// Takes the line away.
  func clear() {
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      Console.status("")
    }
  }

  /// The line, no wider than `width` columns.
  static func text(_ progress: ImportProgress, rate: Double, width: Int, hasBlocks: Bool) -> String {
    var line = ""
    // On a narrow terminal the numbers are worth more than the bar.
    for part in parts(progress, rate: rate, hasBlocks: width < 64 ? nil : hasBlocks) {
      let longer = line.isEmpty ? part : line + "  " + part
      // Every character here takes one column, except those of an import's name, which is the first part.
      if longer.count > width { break }
      line = longer
    }
    return line
  }

  /// The same as a line of its own, for what is no terminal.
  static func plain(_ progress: ImportProgress, rate: Double) -> String {
    parts(progress, rate: rate, hasBlocks: nil).joined(separator: ", ")
  }

  /// The parts of the line, the most important first.
  ///
  /// - Parameter hasBlocks: whether the bar is made of block characters; nil for no bar.
  private static func parts(_ progress: ImportProgress, rate: Double, hasBlocks: Bool?) -> [String] {
    var parts: [String] = []
    if progress.partCount > 1 {
      parts.append("\(progress.part + 1)/\(progress.partCount) \(progress.partName.prefix(24))")
    }
    switch progress.stage {
    case .prepare where progress.records == 0: return parts + ["opening the store"]
    case .finish:
      return parts + [
        Figures.count(progress.records, "record"), "finishing: indexes and disk",
        Figures.duration(progress.seconds.rounded(.down)),
      ]
    case .prepare, .records: break
    }
    let seconds = max(progress.seconds, 0.001)
    if progress.totalBytes > 0 {
      let share = min(1, Double(progress.bytes) / Double(progress.totalBytes))
      if let hasBlocks { parts.append(bar(share, hasBlocks: hasBlocks)) }
      let percent = Figures.fixed((share * 100).rounded(.down), digits: 0)
      parts.append(String(repeating: " ", count: max(0, 3 - percent.count)) + percent + " %")
    }
    parts.append(Figures.count(progress.records, "record"))
    let mean = Double(progress.records) / seconds
    parts.append("\(Figures.grouped(Int(rate > 0 ? rate : mean)))/s")
    if progress.totalBytes > progress.bytes, progress.bytes > 0 {
      let left = seconds * Double(progress.totalBytes - progress.bytes) / Double(progress.bytes)
      parts.append("\(Figures.clock(Int(min(left, 1e9).rounded(.up)))) left")
    } else if progress.totalBytes == 0 {
      parts.append(Figures.bytes(progress.bytes))
    }
    if progress.rejects > 0 { parts.append(Figures.count(progress.rejects, "reject")) }
    if rate > 0 { parts.append("mean \(Figures.grouped(Int(mean)))/s") }
    let stages = [
      ("read", progress.readSeconds), ("convert", progress.convertSeconds), ("find", progress.findSeconds),
      ("write", progress.writeSeconds),
    ]
    for (name, spent) in stages where spent > 0.01 && progress.records > 0 {
      parts.append("\(name) \(short(Double(progress.records) / spent))/s")
    }
    return parts
  }

  /// `1.2M`, `870k`, `95`.
  private static func short(_ value: Double) -> String {
    if value >= 1e6 { return Figures.fixed(min(value, 1e12) / 1e6, digits: value < 1e7 ? 1 : 0) + "M" }
    if value >= 1e3 { return Figures.fixed(value / 1e3, digits: 0) + "k" }
    return Figures.fixed(value, digits: 0)
  }

  /// A bar of 20 columns.
  private static func bar(_ share: Double, hasBlocks: Bool) -> String {
    let width = 20
    guard hasBlocks else {
      let full = Int(share * Double(width))
      return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "]"
    }
    let eighths = Int(share * Double(width * 8))
    let blocks = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let full = eighths / 8
    let part = full < width ? blocks[eighths % 8] : ""
    let rest = width - full - part.count
    return String(repeating: "█", count: full) + part + String(repeating: "░", count: rest)
  }
}
