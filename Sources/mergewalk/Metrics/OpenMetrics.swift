/// Metrics as OpenMetrics text: families of gauges, each with a type, a unit, a help line and its samples.
///
/// All are gauges and none has a timestamp, so that the text is at once in Prometheus's older format, which
/// node_exporter's textfile collector reads.
///
/// Source: OpenMetrics 1.0, https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md.
struct OpenMetrics {
  typealias Label = (name: String, value: String)

  private var lines: [String] = []

  /// Begins a family; where there is a unit, the name must end with it.
  mutating func family(_ name: String, unit: String? = nil, _ help: String) {
    lines.append("# TYPE \(name) gauge")
    if let unit {
      precondition(name.hasSuffix("_" + unit), "OpenMetrics requires the unit at the end of the name")
      lines.append("# UNIT \(name) \(unit)")
    }
    lines.append("# HELP \(name) \(Self.escaped(help))")
  }

  /// Adds a sample of the family that was begun last.
  mutating func sample(_ name: String, _ labels: [Label], _ value: Double) {
    let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
    lines.append("\(name){\(pairs.joined(separator: ","))} \(Self.number(value))")
  }

  /// Adds a family with one sample.
  mutating func gauge(_ name: String, unit: String? = nil, _ help: String, _ labels: [Label], _ value: Double) {
    family(name, unit: unit, help)
    sample(name, labels, value)
  }

  var text: String { (lines + ["# EOF"]).joined(separator: "\n") + "\n" }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if value == value.rounded(), value.magnitude < 1e15 { return String(Int(value)) }
    return String(value)
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in Console.redacted(text).unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
