/// Names that count on from column to column, as years and hours do: digits that are no values.
struct NameSeries {
  /// The columns that have such names.
  private(set) var columns: Set<Int> = []
  /// Whether a record of values could hardly look so.
  private(set) var isCertain = true

  private static let years = 1800...2200

  /// - Parameters:
  ///   - below: the texts of each column below the names.
  ///   - records: the texts of records below.
  init(_ names: [String], above below: [Set<String>], _ records: some Sequence<[String]>) {
    let numbers = names.map(Self.number)
    let years = names.indices.filter { Self.isYear(numbers[$0]) }
    // Consecutive years above columns that hold something else; those that are still empty have a year as well.
    let evident = years.count { $0 < below.count && Self.areNoYears(below[$0]) }
    if evident >= 2, let (step, count) = Self.steps(years.map { numbers[$0] }), abs(step) == 1 || count > 2 {
      columns = Set(years)
      return
    }
    // Other numbers meet in a record, too: there are to be more, beside a name that is none, and no record below is so.
    let counted = names.indices.filter { numbers[$0] != nil }
    guard counted.count < names.count, let (_, count) = Self.steps(counted.map { numbers[$0] }), count > 3,
      !records.contains(where: { record in
        (Self.steps(counted.map { $0 < record.count ? Self.number(record[$0]) : nil })?.count ?? 0) > 3
      })
    else { return }
    columns = Set(counted)
    isCertain = false
  }

  /// The whole number that a text of at most nine digits is, blanks around it aside.
  private static func number(_ text: String) -> Int? {
    let digits = text.utf8.drop { $0 == 32 }.prefix { $0 != 32 }
    guard (1...9).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      text.utf8.count(where: { $0 != 32 }) == digits.count
    else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1 - 48) }
  }

  private static func isYear(_ number: Int?) -> Bool { number.map { years.contains($0) } ?? false }

  /// Whether most texts that stand for something are no years.
  private static func areNoYears(_ texts: Set<String>) -> Bool {
    let values = texts.filter { !$0.isEmpty && !CellKind.missingWords.contains(Array($0.lowercased().utf8)) }
    return values.count { !isYear(number($0)) } * 2 > values.count
  }

  /// How much more each number is than the one before, the same for all but repetitions, and how many numbers there are.
  private static func steps(_ numbers: [Int?]) -> (step: Int, count: Int)? {
    var distinct: [Int] = []
    var met: Set<Int> = []
    for number in numbers {
      guard let number else { return nil }
      if met.insert(number).inserted { distinct.append(number) }
    }
    guard distinct.count > 1 else { return nil }
    let step = distinct[1] - distinct[0]
    guard zip(distinct, distinct.dropFirst()).allSatisfy({ $1 - $0 == step }) else { return nil }
    return (step, distinct.count)
  }
}
