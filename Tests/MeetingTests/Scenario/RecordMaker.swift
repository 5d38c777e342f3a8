import MergewalkTestSupport

/// Draws the records of a scenario.
struct RecordMaker {
  private let scenario: Scenario
  private var random: SeededGenerator
  /// Texts that the format and the encoding can hold.
  private let texts: [String]
  private let night: Int
  /// The keys that only one record has.
  private var single: Set<String> = []
  /// The keys of the records before, by the names of their columns.
  private var earlier: [[String: Cell]] = []
  /// How many keys of their own records have got.
  private var ownKeys: Int
  /// Records of the night before, when they come again.
  private var before: [Cell] = []

  init(_ scenario: Scenario, night: Int) {
    self.scenario = scenario
    self.night = night
    random = scenario.random("night \(night)")
    let pool = scenario.isTame ? Self.words : scenario.encoding.texts + Self.texts
    texts = pool.filter { scenario.format.holds($0) && scenario.encoding.holds($0) }
    // Half of a night's items have been there the night before.
    ownKeys = max(night, 0) * 10
    guard scenario.keyRepeats == .back, scenario.nights.indices.contains(night - 1) else { return }
    var maker = RecordMaker(scenario, night: night - 1)
    before = maker.items(scenario.nights[night - 1]).compactMap { if case .record(let cell) = $0 { cell } else { nil } }
  }

  /// The items of one file.
  mutating func items(_ count: Int) -> [Item] {
    let items = (0..<count).map { number in
      let again = before.isEmpty || Bool.random(using: &random) ? nil : before.randomElement(using: &random)
      let record = again ?? (scenario.hasElements ? whole(number) : record(number, scenario.columns))
      // Detection may see one record only, when the next one is longer than what it looks at.
      let isBroken =
        scenario.hasBrokenRecords && Int.random(in: 0..<8, using: &random) == 0
        && (number > 0 || scenario.source["dialect"] != "detect")
      return isBroken ? Item.broken(record) : .record(record)
    }
    return items + (scenario.delimited.hasNearHeader ? [.record(nearHeader)] : [])
  }

  /// A record of the names of the columns, in another case.
  private var nearHeader: Cell {
    var record = Cell.object([])
    for column in scenario.columns {
      record.set(scenario.path(column.name)[...], .text(scenario.columnName(column.name).uppercased()))
    }
    return record
  }

  private mutating func whole(_ number: Int) -> Cell {
    var whole = record(number, scenario.columns.filter { !scenario.isInElement($0.name) })
    let inner = scenario.columns.filter { scenario.isInElement($0.name) }
    let count = Int.random(in: 0...4, using: &random)
    // A list without elements is not there in XML.
    if count == 0, scenario.format == .xml { return whole }
    whole.set(scenario.elementPath[...], .list((0..<count).map { record(number * 5 + $0, inner) }))
    return whole
  }

  private mutating func record(_ number: Int, _ columns: [ColumnSpec]) -> Cell {
    var record = Cell.object([])
    var key: [String: Cell] = [:]
    let parent = parentKey()
    // In one pass it depends on the batch whether a good record stands in for a bad one before it with its key.
    let hasOnePass = scenario.parent?.passes == "one"
    for column in columns {
      var cell = Cell.absent
      if case .parent(let name) = column.kind {
        cell = parent[name] ?? .absent
      } else {
        cell = self.cell(column, number)
      }
      if scenario.keyNames.contains(column.name) { key[column.name] = cell }
      if hasOnePass, column.name == "code", let text = cell.spelling, !single.insert(plain(text)).inserted {
        cell = .null
      }
      record.set(scenario.path(column.name)[...], fit(cell, column))
    }
    earlier.append(key)
    if scenario.delimited.shortColumns > 0 {
      for column in scenario.columns.suffix(Int.random(in: 0...scenario.delimited.shortColumns, using: &random)) {
        record.remove(scenario.path(column.name)[...])
      }
    }
    return record
  }

  /// A text that is the same for all spellings of a key.
  private func plain(_ text: String) -> String {
    switch scenario.keyType {
    case .string, .uuid: text
    case .integer64, .integer16: Int(text).map { "\($0)" } ?? text
    case .date: String(text.prefix(10))
    case .boolean: ["true", "yes"].contains(text) ? "true" : "false"
    }
  }

  /// The key of another item, of one that there never is, or of none.
  private mutating func parentKey() -> [String: Cell] {
    guard let parent = scenario.parent else { return [:] }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return [:]
    case 1: return Dictionary(uniqueKeysWithValues: scenario.keyNames.map { ($0, .null) })
    case 2:
      // Beyond the keys that records have.
      let keys = Self.keys(scenario.keyType, texts)
      guard keys.count > scenario.keyRange, let last = keys.last else { return [:] }
      let code = scenario.keyRepeats == .never ? Self.ownKey(scenario.keyType, 89, texts) : last
      return ["code": typed(code, .key), "number": .text("99")]
    default:
      if parent.passes == "one" { return earlier.randomElement(using: &random) ?? [:] }
      let code = pick(Self.keys(scenario.keyType, texts), scenario.keyRange)
      return ["code": typed(code, .key), "number": typed(pick(Self.integers, 3), .integer)]
    }
  }

  // MARK: Cells

  private mutating func cell(_ column: ColumnSpec, _ number: Int) -> Cell {
    if case .made(let make) = column.kind {
      return make(RecordPlace(night: night, number: number, texts: texts), &random)
    }
    let isKey = column.isKey || column.name == "code" || scenario.keyNames.contains(column.name)
    switch Int.random(in: 0..<(isKey ? 40 : 16), using: &random) {
    case 0: return .text("")
    case 1: return .null
    case 2: return .absent
    default: break
    }
    if scenario.hasBadValues, Int.random(in: 0..<40, using: &random) == 0, let bad = Self.bad(column.kind) {
      return typed(bad.randomElement(using: &random) ?? "x", column.kind)
    }
    switch column.kind {
    case .key where scenario.keyRepeats == .never:
      ownKeys += 1
      return typed(Self.ownKey(scenario.keyType, ownKeys - 1, texts), column.kind)
    case .key: return typed(pick(Self.keys(scenario.keyType, texts), scenario.keyRange), column.kind)
    case .text: return .text(pick(texts, column.range))
    case .integer: return typed(pick(Self.integers, column.range), column.kind)
    case .decimal: return typed(pick(Self.decimals, column.range), column.kind)
    case .real: return typed(pick(Self.reals, column.range), column.kind)
    case .date: return .text(pick(Self.dates, column.range))
    case .boolean: return typed(pick(Self.booleans, column.range), column.kind)
    case .list: return listCell()
    case .name: return .text(pick(Self.names, 6))
    case .made, .parent: return .absent
    }
  }

  /// The elements of a list.
  private mutating func listCell() -> Cell {
    let names = Self.names
    let count = Int.random(in: 0...3, using: &random)
    var elements: [Cell] = []
    for _ in 0..<count {
      let isEmpty = Int.random(in: 0..<20, using: &random) == 0
      let name = isEmpty ? "" : pick(names, 6)
      let text = Cell.text(pick(texts.filter { scenario.format.isTree || !$0.contains("\n") }, 3))
      let number = pick(scenario.hasBadValues ? ["1", "2", "3", "x"] : ["1", "2", "3"], 4)
      switch scenario.list {
      case .split, .scalars, .ordered, .none: elements.append(.text(name))
      case .objects: elements.append(object(["name": .text(pick(names, 6)), "rank": .number(pick(Self.integers, 2))]))
      case .lines: elements.append(object(["number": typed(number, .integer), "text": text]))
      case .notes: elements.append(object(["code": .text(pick(names, 6)), "text": text]))
      case .nested:
        let figures = (0..<Int.random(in: 0...2, using: &random)).map { _ in Cell.text(pick(names, 6)) }
        let list = Int.random(in: 0..<8, using: &random) == 0 ? Cell.null : .list(figures)
        elements.append(object(["number": typed(number, .integer), "text": text, "figures": list]))
      }
    }
    guard scenario.list == .split else { return .list(elements) }
    return .text(elements.map { $0.spelling ?? "" }.joined(separator: Bool.random(using: &random) ? ";" : "; "))
  }

  private func object(_ members: KeyValuePairs<String, Cell>) -> Cell {
    .object(members.map { Cell.Member(name: $0.key, value: $0.value) })
  }

  private mutating func pick(_ pool: [String], _ range: Int) -> String {
    pool[Int.random(in: 0..<min(range, pool.count), using: &random)]
  }

  /// A value as formats with types write it.
  private func typed(_ text: String, _ kind: ColumnSpec.Kind) -> Cell {
    switch kind {
    case .integer, .decimal, .real: Self.isNumber(text) ? .number(text) : .text(text)
    case .boolean: ["true", "false"].contains(text) ? .boolean(text) : .text(text)
    case .key:
      switch scenario.keyType {
      case .integer64, .integer16: Self.isNumber(text) ? .number(text) : .text(text)
      case .boolean: ["true", "false"].contains(text) ? .boolean(text) : .text(text)
      case .string, .date, .uuid: .text(text)
      }
    default: .text(text)
    }
  }

  /// Whether JSON has the number so, and nothing is lost by any of the formats.
  static func isNumber(_ text: String) -> Bool { ReferencePattern.json.match(text) != nil }

  /// A cell as the format can hold it.
  private func fit(_ cell: Cell, _ column: ColumnSpec) -> Cell {
    let fitted = formed(cell, column)
    guard let word = scenario.delimited.detectedNull, fitted == .null else { return fitted }
    switch column.kind {
    case .integer, .decimal, .real, .date, .boolean: return .text(word)
    case .key, .text, .parent, .list, .name, .made: return .text("")
    }
  }

  /// A cell as the format has it.
  private func formed(_ cell: Cell, _ column: ColumnSpec) -> Cell {
    let format = scenario.format
    let isAttribute = scenario.path(column.name).last?.first == "@"
    switch cell {
    case .absent: return format.hasAbsent ? .absent : .null
    case .null: return !format.hasNull || isAttribute ? .absent : .null
    case .number(let text), .boolean(let text): return format.hasTypes ? cell : .text(text)
    case .list(let elements) where format == .xml:
      // A list is so many elements: none is no column, and one that is empty an empty text.
      let full = elements.filter { $0 != .text("") }.map { formed($0, column) }
      return full.isEmpty ? .absent : .list(full)
    case .list(let elements) where !format.hasNull && format.isTree: return .list(elements.map { formed($0, column) })
    case .object(let members):
      return .object(
        members.map { Cell.Member(name: $0.name, value: formed($0.value, column)) }.filter { $0.value != .absent })
    default: return cell
    }
  }

  // MARK: Values

  /// What elements of lists are called.
  static let names = ["red", "green", "blue", "x y", "7", "ulm"]

  /// Plain words.
  static let words = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu",
  ]

  /// Texts that some comparison or other takes for equal, or that some format or other has to protect.
  static let texts = [
    "\u{E9}", "e\u{301}", "10", "007", "7", "Z", "z", "a b", "a,b;c", "say \"a\"", "two\nlines", "'", "%", "NULL",
    " a ", "\u{1F642}", "stra\u{DF}e", "tab\there", "\\", "\\N.", "<b>&amp;", "- x: y", "#7", "{\"a\": 1}", "[1]",
    "\u{1}ctl", "true", "1e1", "$x", "ÜBER", "ü", "~",
  ]

  static let integers = ["1", "7", "-3", "0", "007", "100", "+7", "12"]
  static let decimals = ["1.5", "0.10", "-0.25", "10", "0", "12345678.125", "3", "0.1"]
  static let reals = ["2.5", "0.1", "-1e3", "0", "3.14159", "1e-3", "7", "-0.5"]
  static let dates = [
    "2024-01-31", "2024-02-29T12:30:00Z", "2024-05-01T10:00:00+02:00", "1999-12-31T23:59:59.5Z", "2001-01-01",
    "2024-01-31T00:00:00Z", "1970-01-01", "2024-12-31 23:59",
  ]
  static let booleans = ["true", "false", "yes", "0", "T", "off"]

  private static func bad(_ kind: ColumnSpec.Kind) -> [String]? {
    switch kind {
    case .key, .text, .made, .parent, .list, .name: nil
    case .integer: ["x", "1.5", "99999999999999999999", "5000"]
    case .decimal: ["abc", "1,5", "1234567890.1234567"]
    case .real: ["nan", "x", "1e999"]
    case .date: ["2024-02-30", "yesterday"]
    case .boolean: ["maybe", "2"]
    }
  }

  /// A key that no other number gives.
  private static func ownKey(_ type: KeyType, _ number: Int, _ texts: [String]) -> String {
    switch type {
    case .string: number < texts.count ? texts[number] : "k\(number)"
    case .integer64, .integer16: "\(number + 1)"
    case .date: "\(2024 + number / 19)-03-\(10 + number % 19)"
    case .uuid: "123E4567-E89B-12D3-A456-4266141740\(10 + number)"
    case .boolean: preconditionFailure("two truth values are no keys of many items")
    }
  }

  /// The keys of items; those side by side may be one value.
  static func keys(_ type: KeyType, _ texts: [String]) -> [String] {
    switch type {
    case .string: texts
    case .integer64, .integer16: (1...20).flatMap { $0 % 4 == 0 ? ["\($0)", "0\($0)"] : ["\($0)"] }
    case .date: (10...28).flatMap { ["2024-03-\($0)", "2024-03-\($0)T00:00:00Z"] }
    case .uuid: (10...30).map { "123E4567-E89B-12D3-A456-4266141740\($0)" }
    case .boolean: ["true", "false", "yes", "0"]
    }
  }
}

extension Cell {
  /// Takes the value at a path out.
  mutating func remove(_ path: ArraySlice<String>) {
    guard case .object(var members) = self, let name = path.first,
      let place = members.firstIndex(where: { $0.name == name })
    else { return }
    if path.count == 1 { members.remove(at: place) } else { members[place].value.remove(path.dropFirst()) }
    self = .object(members)
  }
}
