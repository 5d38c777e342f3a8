import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectModel
@testable import MergewalkImporting
@testable import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Random columns through compiled steps, against what Swift's own strings and numbers say.
@Suite("Steps against naive ones") struct TransformPropertyTests {
  /// Runs steps over a column of texts; `nil` is null, failures are their names.
  private func run(_ steps: [TransformStep.Action], _ texts: [String?]) throws -> [String?] {
    var lines = ""
    for text in texts { lines += "{\"x\":\(text.map(Self.json) ?? "null")}\n" }
    var compiler = TransformCompiler(path: "", model: nil, definitions: [], now: 0)
    let start = compiler.column("x", at: .file)
    let last = start.flatMap { compiler.apply(steps.map { TransformStep($0) }, to: $0, owner: nil) }
    let made = try #require(last)
    #expect(compiler.findings.isEmpty)
    compiler.plan.outputs = [TransformPlan.Output(register: made.register, derived: 0)]
    let plan = compiler.finished()
    let machine = RegisterMachine(plan, tables: [], now: 0)
    var reader = try NDJSONReader(source: ByteSource(bytes: Array(lines.utf8)), columns: .named(["x"]))
    var batch = RecordBatch()
    var results: [String?] = []
    // Small batches, so that registers are used again.
    while try reader.read(into: &batch, limit: BatchLimit(records: 7, bytes: 1 << 20)) {
      batch.reserveDerived(1)
      machine.run(0..<plan.instructions.count, &batch)
      machine.store(plan.outputs[0], &batch)
      for record in 0..<batch.recordCount {
        let register = machine.registers[made.register]
        if register.tags[record] == Register.failed {
          results.append("!\(TransformFailure.Cell(payload: register.payloads[record]).failure)")
        } else {
          results.append(batch.text(record, 1))
        }
      }
    }
    return results
  }

  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 32:
        result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func texts(_ random: inout SeededGenerator, _ alphabet: [String]) -> [String?] {
    (0..<60).map { _ in
      if Int.random(in: 0..<8, using: &random) == 0 { return nil }
      return (0..<Int.random(in: 0..<12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
        .joined()
    }
  }

  private static let alphabet = ["a", "B", "c", "-", "-", " ", "é", "É", "ß", "𝄞", "1", "\u{301}", "\t", "x"]

  @Test("texts", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func textSteps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let texts = Self.texts(&random, Self.alphabet)
    func expect(_ action: TransformStep.Action, _ naive: (String) -> String?) throws {
      let results = try run([action], texts)
      for (text, result) in zip(texts, results) {
        let expected = text.flatMap(naive)
        #expect(
          result.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
          "seed \(seed), \(action) of \(text ?? "nil")")
      }
    }
    func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
    func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      return text
    }
    func parts(_ text: String, _ separator: String) -> [String] {
      var parts: [[UInt8]] = [[]]
      let (bytes, wanted) = (Array(text.utf8), Array(separator.utf8))
      var index = 0
      while index < bytes.count {
        if bytes[index...].starts(with: wanted) {
          parts.append([])
          index += wanted.count
        } else {
          parts[parts.count - 1].append(bytes[index])
          index += 1
        }
      }
      return parts.map { String(decoding: $0, as: UTF8.self) }
    }
    try expect(.upper) { $0.uppercased() }
    try expect(.lower) { $0.lowercased() }
    try expect(.trim) {
      string(
        scalars($0).drop { $0.properties.isWhitespace }.reversed().drop { $0.properties.isWhitespace }.reversed())
    }
    try expect(.strip("-é")) {
      string(
        scalars($0).drop { "-é".unicodeScalars.contains($0) }.reversed().drop { "-é".unicodeScalars.contains($0) }
          .reversed())
    }
    try expect(.collapse) {
      string(scalars($0).split { $0.properties.isWhitespace }.joined(separator: [" "]))
    }
    try expect(.replace("--", with: "é")) { parts($0, "--").joined(separator: "é") }
    for take in [1, 2, 3, -1, -2] {
      try expect(.split(at: "-", take: take)) {
        let all = parts($0, "-")
        let index = take > 0 ? take - 1 : all.count + take
        return all.indices.contains(index) ? all[index] : nil
      }
    }
    for (from, length) in [(1, nil), (2, 3), (-3, nil), (-3, 1), (5, 0)] as [(Int, Int?)] {
      try expect(.substring(from: from, length: length)) { text in
        let all = scalars(text)
        let start = min(all.count, from > 0 ? from - 1 : max(0, all.count + from))
        return string(all[start...].prefix(length ?? all.count))
      }
    }
    try expect(.pad(to: 6, with: "01", atStart: true)) { text in
      let missing = max(0, 6 - scalars(text).count)
      return String(String(repeating: "01", count: 6).prefix(missing)) + text
    }
    try expect(.length) { "\(scalars($0).count)" }
    try expect(.replacePattern("-+", with: "<$0>")) { text in
      var result = ""
      var run = ""
      for scalar in scalars(text) {
        if scalar == "-" {
          run += "-"
        } else {
          if !run.isEmpty { result += "<\(run)>" }
          run = ""
          result.unicodeScalars.append(scalar)
        }
      }
      return result + (run.isEmpty ? "" : "<\(run)>")
    }
  }

  @Test("whole numbers", arguments: [11, 12, 13] as [UInt64])
  func integers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let numbers = (0..<60).map { index -> Int64 in
      switch index % 3 {
      case 0: Int64.random(in: -20...20, using: &random)
      case 1: Int64.random(in: .min ... .max, using: &random)
      default: [.min, .max, 0, -1, 1].randomElement(using: &random) ?? 0
      }
    }
    let operand = [Int64(7), -1, 3, .max, -7].randomElement(using: &random) ?? 1
    let texts = numbers.map { "\($0)" as String? }
    func expect(_ operation: TransformStep.Arithmetic, _ naive: (Int64) -> (partialValue: Int64, overflow: Bool)) throws
    {
      let results = try run(
        [.convert(.integer), .arithmetic(operation, .number("\(operand)"), places: nil)], texts)
      for (number, result) in zip(numbers, results) {
        let expected = naive(number)
        #expect(
          result == (expected.overflow ? "!overflow" : "\(expected.partialValue)"),
          "seed \(seed): \(number) \(operation) \(operand)")
      }
    }
    try expect(.add) { $0.addingReportingOverflow(operand) }
    try expect(.subtract) { $0.subtractingReportingOverflow(operand) }
    try expect(.multiply) { $0.multipliedReportingOverflow(by: operand) }
    try expect(.modulo) { (operand == -1 ? 0 : $0 % operand, false) }
  }

  @Test("decimals are exact", arguments: [21, 22, 23] as [UInt64])
  func decimals(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let (a, b) = (
        Int64.random(in: -99_999...99_999, using: &random), Int64.random(in: -99_999...99_999, using: &random)
      )
      let (i, j) = (Int.random(in: 0...4, using: &random), Int.random(in: 0...4, using: &random))
      let left = DecimalNumber(significand: Int128(a), exponent: -i)
      let right = DecimalNumber(significand: Int128(b), exponent: -j)
      func result(_ operation: TransformStep.Arithmetic, places: Int? = nil) throws -> DecimalNumber? {
        let text = try run(
          [.convert(.decimal), .arithmetic(operation, .number(right.description), places: places)], [left.description])
        return text.first?.flatMap { DecimalNumber($0) }
      }
      // In units of 10^-8 everything is whole.
      func units(_ number: DecimalNumber) -> Int128 {
        var value = number.significand
        for _ in 0..<(8 + number.exponent) { value *= 10 }
        return value
      }
      #expect(try result(.add).map(units) == units(left) + units(right), "seed \(seed)")
      #expect(try result(.subtract).map(units) == units(left) - units(right), "seed \(seed)")
      #expect(
        try result(.multiply) == DecimalNumber(significand: Int128(a) * Int128(b), exponent: -i - j), "seed \(seed)")
      if b != 0 {
        #expect(try result(.modulo).map(units) == units(left) % units(right), "seed \(seed)")
        let quotient = try #require(try result(.divide, places: 6))
        // The quotient times the divisor is within half a unit of the last place times the divisor.
        let error = (units(left) * 1_000_000 * 2 - 2 * units(right) * units(quotient) / 100).magnitude
        #expect(error <= units(right).magnitude, "seed \(seed): \(left) / \(right) = \(quotient)")
      }
      #expect(
        ExactDecimal.compare(.init(Int128(a), -i), .init(Int128(b), -j)) == (units(left) - units(right)).signum(),
        "seed \(seed)")
    }
  }

  @Test("dates and their texts come back", arguments: [31, 32] as [UInt64])
  func dates(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let whole = Int64.random(in: -63_145_526_400...252_423_993_599, using: &random)
      let time = CivilTime(secondsSince2001: whole)
      #expect(try time.secondsSince2001() == Double(whole))
      let seconds = Double(whole) + Double(Int.random(in: 0..<1_000, using: &random)) / 1_000
      var sink = TextBuffer()
      #expect(ValueText.append(date: seconds, to: &sink))
      let back = try Self.seconds(sink.withBytes { Array($0) })
      #expect(back == seconds, "seed \(seed): \(seconds)")
    }
  }

  private static func seconds(_ text: [UInt8]) throws -> Double {
    try text.withUnsafeBufferPointer { bytes in
      if bytes.count >= 10, bytes[4] == UInt8(ascii: "-") { return try ISODateText.parse(bytes, defaultOffset: 0) }
      return try DoubleText.parse(bytes, decimalMark: UInt8(ascii: "."))
    }
  }
}
