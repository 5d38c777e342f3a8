/// Reads times as people write them.
package enum Durations {
  private static let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

  /// The seconds of `10s`, `1.5 m`, `500ms` or `1h`; `nil` when it is nothing of the kind or more than a day.
  package static func seconds(_ text: String) -> Double? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
    var number = text.dropLast(unit.name.count)
    while number.last == " " { number.removeLast() }
    guard !number.isEmpty, number.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || ($0 >= 48 && $0 <= 57) }),
      let value = Double(number)
    else { return nil }
    let seconds = value * unit.seconds
    return seconds <= 86_400 ? seconds : nil
  }
}
