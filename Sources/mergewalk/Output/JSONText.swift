import MergewalkBytes

/// A JSON value whose objects keep the order of their members.
indirect enum JSONText {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number written with at most this many digits behind the point.
  case decimal(Double, digits: Int)
  case string(String)
  case array([JSONText])
  case object([(name: String, value: JSONText)])

  /// The value on one line.
  var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .decimal(let value, let digits): output += value.isFinite ? Figures.fixed(value, digits: digits) : "null"
    // Quoting could hide a secret from the search for it.
    case .string(let value): output += Console.redacted(value).json(.lines)
    case .array(let items):
      output += "["
      for (index, item) in items.enumerated() {
        if index > 0 { output += ", " }
        item.write(to: &output)
      }
      output += "]"
    case .object(let members):
      output += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { output += ", " }
        output += member.name.json(.lines)
        output += ": "
        member.value.write(to: &output)
      }
      output += "}"
    }
  }
}
