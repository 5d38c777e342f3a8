/// A curve over time as SVG, with round numbers at its axes.
struct LineChart {
  /// A description for readers who do not see the chart.
  let title: String
  /// The points: seconds and values, in order of time.
  let points: [(seconds: Double, value: Double)]
  /// How a value at the axis is written.
  let label: (Double) -> String

  private static let width = 980.0
  private static let height = 190.0
  private static let left = 76.0
  private static let right = 12.0
  private static let top = 10.0
  private static let bottom = 26.0

  var svg: String {
    let end = max(points.last?.seconds ?? 0, 0.001)
    let most = max(points.map(\.value).max() ?? 0, 1e-9)
    let step = Self.roundStep(most / 4)
    let top = (most / step).rounded(.up) * step
    func x(_ seconds: Double) -> String {
      HTMLText.coordinate(Self.left + seconds / end * (Self.width - Self.left - Self.right))
    }
    func y(_ value: Double) -> String {
      HTMLText.coordinate(Self.top + (1 - value / top) * (Self.height - Self.top - Self.bottom))
    }
    var parts = [
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(HTMLText.escaped(title))\">"
    ]
    var tick = 0.0
    while tick <= top + step / 2 {
      parts.append(
        "<line class=\"grid\" x1=\"\(x(0))\" x2=\"\(x(end))\" y1=\"\(y(tick))\" y2=\"\(y(tick))\"/>"
          + "<text class=\"soft\" x=\"\(HTMLText.coordinate(Self.left - 8))\" y=\"\(y(tick))\" dy=\"4\""
          + " text-anchor=\"end\">\(HTMLText.escaped(label(tick)))</text>")
      tick += step
    }
    let timeStep = Self.roundStep(end / 8, factors: [1, 2, 5])
    var time = 0.0
    while time <= end * 1.0001 {
      let digits = timeStep < 0.1 ? 2 : timeStep < 1 ? 1 : 0
      parts.append(
        "<text class=\"soft\" x=\"\(x(time))\" y=\"\(Int(Self.height) - 6)\" text-anchor=\"\(time > end * 0.98 ? "end" : "middle")\">"
          + "\(Figures.fixed(time, digits: digits)) s</text>")
      time += timeStep
    }
    let line = points.enumerated().map {
      "\($0.offset == 0 ? "M" : "L")\(x($0.element.seconds)) \(y($0.element.value))"
    }
    .joined()
    if let first = points.first, let last = points.last, points.count > 1 {
      parts.append("<path class=\"under\" d=\"\(line)L\(x(last.seconds)) \(y(0))L\(x(first.seconds)) \(y(0))Z\"/>")
    }
    parts.append("<path class=\"curve\" d=\"\(line)\"/></svg>")
    return parts.joined()
  }

  /// The least of the factors times a power of ten that is not less than `value`.
  static func roundStep(_ value: Double, factors: [Double] = [1, 2, 2.5, 5]) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    while power > value { power /= 10 }
    for factor in factors where power * factor >= value { return power * factor }
    return power * 10
  }
}
