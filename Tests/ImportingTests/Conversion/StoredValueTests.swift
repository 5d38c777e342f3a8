import MergewalkObjectModel
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// What SQLite's column affinities make of converted values.
@Suite struct StoredValueTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [UInt64(71), 72])
  func decimalsAndDatesSurviveTheirColumns(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let connection = try Connection(path: folder.file("values.sqlite"), mode: .create)
    try connection.execute(
      "CREATE TABLE ZROW (Z_PK INTEGER PRIMARY KEY, ZDECIMAL DECIMAL, ZDATE TIMESTAMP, ZDOUBLE FLOAT)")
    var numbers: [DecimalNumber] = []
    for _ in 0..<500 {
      let digits = Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &generator)
      numbers.append(DecimalNumber(significand: Int128(digits), exponent: Int.random(in: -18...3, using: &generator)))
    }
    for whole in [Int64.max, .min, 1 << 53 + 1, -(1 << 53) - 1] {
      numbers.append(DecimalNumber(significand: Int128(whole), exponent: 0))
    }
    let insert = try connection.prepare("INSERT INTO ZROW (ZDECIMAL, ZDATE, ZDOUBLE) VALUES (?, ?, ?)")
    let decimals = try convert(numbers.map { MadeField($0.description) }, .decimal)
    let doubles = try convert(numbers.map { MadeField($0.description) }, .double)
    for (decimal, double) in zip(decimals, doubles) {
      switch decimal {
      case .integer(let value): insert.bind(1, value)
      case .real(let value): insert.bind(1, value)
      default: Issue.record("seed \(seed): \(decimal)")
      }
      guard case .real(let value) = double else {
        Issue.record("seed \(seed): \(double)")
        continue
      }
      insert.bind(2, value)
      insert.bind(3, value)
      try insert.run()
    }
    let select = try connection.prepare(
      "SELECT printf('%!.15g', ZDECIMAL), typeof(ZDECIMAL), ZDECIMAL, ZDATE, ZDOUBLE FROM ZROW ORDER BY Z_PK")
    var row = 0
    while try select.step() {
      // Whole numbers are kept as integers and read as such; others need no more than 15 digits.
      let number =
        select.text(1) == "integer"
        ? DecimalNumber(significand: Int128(select.integer(2)), exponent: 0) : DecimalNumber(select.text(0))
      #expect(number == numbers[row], "seed \(seed): \(numbers[row])")
      #expect(.real(select.double(3)) == doubles[row], "seed \(seed): \(numbers[row])")
      #expect(.real(select.double(4)) == doubles[row], "seed \(seed): \(numbers[row])")
      row += 1
    }
    #expect(row == numbers.count)
  }
}
