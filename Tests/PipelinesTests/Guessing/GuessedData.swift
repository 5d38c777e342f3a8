import MergewalkTestSupport

/// Random CSV files whose columns have all sorts of values.
struct GuessedData {
  private var generator: SeededGenerator
  let text: String
  let records: Int

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...12, using: &generator)
    records = Int.random(in: 1...60, using: &generator)
    let kinds = (0..<columns).map { _ in Int.random(in: 0..<18, using: &generator) }
    let missing = (0..<columns).map { _ in Int.random(in: 0...2, using: &generator) * 10 }
    let nulls = ["", "NULL", "N/A", "\\N", " ", "-"]
    let null = (0..<columns).map { _ in nulls[Int.random(in: 0..<nulls.count, using: &generator)] }
    let names = [
      "id", "order_id", "Name", "unit price", "zip", "ÖRT", "class", "2nd", "a.b", "true", "x\"y", "créé", "$${x}",
      "phone no", "Value", "#",
    ]
    var lines = [(0..<columns).map { "\(names[($0 * 5 + Int(seed % 7)) % names.count]) \($0)" }]
    for record in 0..<records {
      lines.append(
        (0..<columns).map { column in
          if Int.random(in: 0..<100, using: &generator) < missing[column] { return null[column] }
          return Self.value(kinds[column], record, &generator)
        })
    }
    text = lines.map { $0.map(Self.quote).joined(separator: ",") }.joined(separator: "\n") + "\n"
    self.generator = generator
  }

  private static func quote(_ cell: String) -> String {
    guard cell.contains(where: { ",\"\n\r".contains($0) }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private static func value(_ kind: Int, _ record: Int, _ generator: inout SeededGenerator) -> String {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    switch kind {
    case 0: return "\(record + 1)"
    case 1: return "\(number(-1_000_000...1_000_000))"
    case 2: return "\(number(0...99)).\(number(0...999))"
    case 3: return "\(number(1...999)).\(number(100...999)),\(two(number(0...99)))"
    case 4: return "\(number(0...999)),\(number(0...99))"
    case 5: return "\(number(1...999)),\(number(100...999))"
    case 6: return two(number(0...30)) + String(number(0...9))
    case 7: return number(0...1) == 0 ? "true" : "FALSE"
    case 8: return "\(number(1900...2100))-\(two(number(1...12)))-\(two(number(1...28)))"
    case 9:
      return
        "\(number(1900...2100))-\(two(number(1...12)))-\(two(number(1...28)))T\(two(number(0...23))):00:\(two(number(0...59)))Z"
    case 10: return "\(two(number(1...28))).\(two(number(1...12))).\(number(1000...2100))"
    case 11:
      return "\(number(1...12))/\(number(1...28))/\(number(1000...2100)) \(number(0...23)):\(two(number(0...59)))"
    case 12: return ["1", "x", "2.5", "true", "2024-01-01", "1e3"][number(0...5)]
    case 13: return "\(number(1...9)).\(number(0...9))e\(number(-9...9))"
    case 14: return ["Ada", "O'Brien, Pat", "two\nlines", "\"quoted\"", "Ünï", "a: b", "# x", "[1]"][number(0...7)]
    case 15: return " \(number(0...99)) "
    case 16: return String((0..<number(15...25)).map { _ in Character("\(number(1...9))") })
    default: return "0.\((0..<number(10...20)).map { _ in "\(number(1...9))" }.joined())"
    }
  }
}
