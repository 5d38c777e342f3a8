import MergewalkDiagnostics

/// Numbers as people read them.
enum Figures {
  /// A whole number in groups of three: `1,234,567`.
  static func grouped(_ number: Int) -> String { PrintableText.grouped(number) }

  /// A number with this many digits behind the point, rounded; magnitudes from 2^53 on lose their fraction.
  static func fixed(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 9e15 else { return String(value) }
    let number = UInt64(scaled)
    let whole = number / UInt64(scale)
    var fraction = String(number % UInt64(scale))
    fraction = String(repeating: "0", count: digits - min(digits, fraction.count)) + fraction
    let sign = value < 0 && number > 0 ? "-" : ""
    return digits == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(fraction)"
  }

  /// A number of bytes: `12.3 MiB`.
  static func bytes(_ count: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(count)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return unit == 0 ? Figures.count(count, "byte") : "\(fixed(value, digits: 1)) \(units[unit])"
  }

  /// A time: `0.42 s`, `1:05`, `2:03:04`.
  static func duration(_ seconds: Double) -> String {
    guard seconds >= 60, seconds < 1e9 else { return "\(fixed(max(0, min(seconds, 1e9)), digits: 2)) s" }
    return clock(Int(seconds.rounded()))
  }

  /// Minutes and seconds, or hours, minutes and seconds.
  static func clock(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, two(seconds % 60))
    return hours > 0 ? "\(hours):\(two(minutes)):\(rest)" : "\(minutes):\(rest)"
  }

  /// A share as pipelines spell it: `1%`, `0.05%`.
  static func share(_ ratio: Double) -> String {
    var text = fixed(ratio * 100, digits: 6)
    while text.contains("."), text.last == "0" || text.last == "." {
      if text.removeLast() == "." { break }
    }
    return text + "%"
  }

  /// `1 record`, `2 records`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    PrintableText.count(number, one, many)
  }
}
