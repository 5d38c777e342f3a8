import MergewalkBytes
import MergewalkDiagnostics

/// Decides whether a table begins with names.
struct HeaderJudge {
  /// The number of records that are names; 0 for none.
  var rows: Int
  var reason: String
  /// Whether the decision could go the other way.
  var isCertain: Bool
  /// Names for the columns where those of the header cannot be all of them: some are empty, or the same.
  var names: [String]?

  /// A column's cells below the first rows.
  private struct Column {
    var typed = 0
    var booleans = 0
    /// Dates and times.
    var dates = 0
    var filled = 0
    /// Whether most cells are numbers, dates and so on.
    var isTyped: Bool { filled > 0 && typed * 10 >= filled * 8 }
  }

  private static let mostRecords = 400
  private static let mostHeaderRows = 3

  /// Looks at the records at the start of a table.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText) {
    guard let first = shape.records.first(where: { table.rows[$0].width > 0 }) else {
      self.init(rows: 0, reason: "there is no record", isCertain: false)
      return
    }
    // What stands again below values is a header again.
    let header = texts.names(table, first)
    let records = shape.records.enumerated().filter { place, index in
      table.rows[index].width > 0 && (place < Self.mostHeaderRows || !texts.areNames(table, index, as: header))
    }.map(\.element)
    let width = shape.width
    func kinds(_ record: Int) -> [CellKind] {
      table.cells(of: table.rows[record]).prefix(width).map { CellKind(bytes, $0.start, $0.end) }
    }
    if let fault = Self.textFault(bytes, table, first) {
      self.init(rows: 0, reason: "the first record cannot be names: \(fault)", isCertain: false)
      return
    }
    // Whatever the width of the records is: those of another one are refused.
    if first + 1 < table.rows.count, table.rows[first + 1].kind == .rule {
      let names = texts.names(table, first)
      let fault = Self.fault(names)
      self.init(
        rows: 1,
        reason: "a rule is drawn below the first record"
          + (fault.map { ", but \($0): the columns have names of their own" } ?? ""), isCertain: true)
      if fault != nil { self.names = Self.unique(names) }
      return
    }
    // A delimiter behind the last name makes none.
    let isWide = table.rows[first].width > width
    guard table.rows[first].width == width || (isWide && table.hasNothing(table.rows[first], behind: width)) else {
      self.init(
        rows: 0, reason: "the first record has \(table.rows[first].width) fields, most have \(width)", isCertain: false)
      return
    }
    func names(_ record: Int) -> [String] { Array(texts.names(table, record).prefix(width)) }
    if records.count == 1 {
      let isNames = Self.fault(names(first)) == nil && kinds(first).allSatisfy { !$0.isTyped }
      self.init(
        rows: isNames ? 1 : 0,
        reason: isNames ? "the only record has no value but names" : "the only record holds values", isCertain: false)
      return
    }
    var best: HeaderJudge?
    for count in stride(from: isWide ? 1 : min(Self.mostHeaderRows, records.count - 1), through: 1, by: -1) {
      let heads = records.prefix(count).filter {
        (table.rows[$0].width == width || isWide) && Self.textFault(bytes, table, $0) == nil
      }
      if heads.count < count { continue }
      let joined = Self.joined(heads.map(names))
      if count > 1, Self.fault(joined) != nil { continue }
      let columns = Self.columns(records.dropFirst(count).prefix(Self.mostRecords), width, kinds)
      var headKinds = heads.map { Self.meant(kinds($0), above: columns) }
      if count > 1 {
        guard Self.isStacked(headKinds, columns, repeats: Self.areEqual(heads.map(names))) else {
          continue
        }
        let below = texts.below(table, records.dropFirst(count).prefix(Self.mostRecords))
        let doubt = zip(heads, headKinds).lazy.compactMap {
          HeaderDoubt.clause(names($0), $1, columns.map(\.isTyped), below, isUnit: true)
        }.first
        best = HeaderJudge(
          rows: count, reason: "\(count) records of names are above columns of values", isCertain: true)
        if !Self.areEqual(heads.map(names)) { best?.note(doubt) }
        break
      }
      let rest = records.dropFirst().prefix(Self.mostRecords)
      let below = texts.below(table, rest)
      let series = NameSeries(joined, above: below, rest.lazy.map(names))
      for column in series.columns { headKinds[0][column] = .word }
      best =
        Self.fault(joined).map { Self.judgeFaulty(joined, $0, headKinds[0], columns, below) }
        ?? Self.judge(joined, headKinds[0], columns, below, series)
      if best?.rows == 1, !series.isCertain { best?.isCertain = false }
      if best?.rows == 1, best?.isCertain == true {
        best?.note(HeaderDoubt.clause(joined, headKinds[0], columns.map(\.isTyped), below))
      }
      if isWide, best?.rows == 1, best?.names == nil { best?.names = joined }
    }
    self = best ?? HeaderJudge(rows: 0, reason: "the first record cannot be names", isCertain: false)
  }

  private init(rows: Int, reason: String, isCertain: Bool) {
    self.rows = rows
    self.reason = reason
    self.isCertain = isCertain
  }

  /// Takes what speaks against the decision into it.
  private mutating func note(_ doubt: String?) {
    guard let doubt else { return }
    reason += ", \(doubt)"
    isCertain = false
  }

  /// Why a reader would refuse a record as a header; nil when it would not.
  private static func textFault(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ row: Int
  ) -> String? {
    let record = bytes[table.rows[row].start..<table.rows[row].end]
    if record.contains(0) || String(validating: record, as: UTF8.self) == nil { return "it is not text" }
    // Stray quotes are read leniently; a quote that is never closed is not.
    if let last = table.cells(of: table.rows[row]).last, last.isQuoted, last.isFaulty { return "a quote is not closed" }
    return nil
  }

  /// Why these cannot be the names of columns; nil when they can.
  static func fault(_ names: [String]) -> String? {
    var seen: [String: Int] = [:]
    for (i, name) in names.enumerated() {
      if name.isEmpty { return "its field \(i + 1) is empty" }
      if let other = seen.updateValue(i, forKey: name.lowercased()) {
        return "its fields \(other + 1) and \(i + 1) are the same"
      }
    }
    return nil
  }

  /// Names that are all different: the numbers of columns that have none, and numbers behind those that are taken.
  static func unique(_ names: [String]) -> [String] {
    var taken = Set(names.map { $0.lowercased() })
    var seen: Set<String> = []
    return names.enumerated().map { index, name in
      if !name.isEmpty, seen.insert(name.lowercased()).inserted { return name }
      let stem = name.isEmpty ? "" : name + " "
      var number = name.isEmpty ? index + 1 : 2
      while !taken.insert(stem.lowercased() + String(number)).inserted { number += 1 }
      return stem + String(number)
    }
  }

  private static func joined(_ rows: [[String]]) -> [String] {
    guard let first = rows.first else { return [] }
    return first.indices.map { column in
      rows.map { $0[column] }.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private static func areEqual(_ rows: [[String]]) -> Bool { rows.dropFirst().allSatisfy { $0 == rows.first } }

  private static func columns(
    _ records: ArraySlice<Int>, _ width: Int, _ kinds: (Int) -> [CellKind]
  ) -> [Column] {
    var columns = [Column](repeating: Column(), count: width)
    for record in records {
      for (i, kind) in kinds(record).enumerated() where kind != .empty && kind != .missing {
        columns[i].filled += 1
        if kind.isTyped { columns[i].typed += 1 }
        if kind == .boolean { columns[i].booleans += 1 }
        if kind == .date || kind == .time { columns[i].dates += 1 }
      }
    }
    return columns
  }

  /// What the cells of a first record are above these columns: where none is true or false, “No” is a word, such as
  /// the name of a column of numbers or of an oxide; and so are days and hours where none is a date or a time.
  private static func meant(_ kinds: [CellKind], above columns: [Column]) -> [CellKind] {
    func isDate(_ kind: CellKind, _ column: Column) -> Bool {
      (kind == .date || kind == .time) && column.filled > 0 && column.dates == 0
    }
    let areDates = zip(kinds, columns).count(where: isDate) > 1
    return zip(kinds, columns).map { kind, column in
      let isWord = kind == .boolean && column.filled > 0 && column.booleans == 0
      return isWord || (areDates && isDate(kind, column)) ? .word : kind
    }
  }

  /// Whether several first records are names: text, all of them, above two columns of values at least.
  private static func isStacked(_ heads: [[CellKind]], _ columns: [Column], repeats: Bool) -> Bool {
    let typed = columns.indices.filter { columns[$0].isTyped }
    if repeats { return heads[0].allSatisfy { !$0.isTyped } }
    guard typed.count >= 2 else { return false }
    for head in heads {
      if head.contains(where: \.isTyped) { return false }
      // The last one must name what it stands above; those before it may span several columns.
      if head.count(where: { $0 == .empty }) * 2 > head.count { return false }
    }
    guard let last = heads.last else { return false }
    // A unit may be a dash; a column that has its name in the first record, as an index does, none.
    let named = typed.count { last[$0] != .empty && last[$0] != .missing }
    return named >= 2 && typed.allSatisfy { column in heads.contains { $0[column] != .empty } }
  }

  /// Whether a first record in which names are empty or the same stands above columns of values as names do.
  private static func judgeFaulty(
    _ names: [String], _ fault: String, _ kinds: [CellKind], _ columns: [Column], _ below: [Set<String>]
  ) -> HeaderJudge {
    let typed = zip(kinds, columns).count { $1.isTyped && $0 != .empty && $0 != .missing }
    let filled = names.count { !$0.isEmpty }
    // A word that may stand for a missing value says nothing for or against names: “Na” is sodium, too.
    guard typed > 0, filled * 2 >= names.count, !kinds.contains(where: \.isTyped) else {
      let isCertain = kinds.contains(where: \.isTyped)
      return HeaderJudge(rows: 0, reason: "the first record cannot be names: \(fault)", isCertain: isCertain)
    }
    let isNew = zip(names, below).allSatisfy { $0.isEmpty || !$1.contains($0) }
    var judge = HeaderJudge(
      rows: 1,
      reason: "the first record has text above \(PrintableText.count(typed, "column")) of numbers, dates or the"
        + " like, but \(fault): the columns have names of their own", isCertain: isNew)
    judge.names = unique(names)
    return judge
  }

  /// Whether one first record is names.
  private static func judge(
    _ names: [String], _ kinds: [CellKind], _ columns: [Column], _ below: [Set<String>], _ series: NameSeries
  ) -> HeaderJudge {
    if let i = names.indices.first(where: { $0 < below.count && repeatsWord(names[$0], below[$0]) }) {
      return HeaderJudge(
        rows: 0, reason: "field \(i + 1) of the first record and others below it begin with one word, as directives do",
        isCertain: false)
    }
    // Codes of one length are no names of that length.
    var lengthVotes = 0
    for (name, values) in zip(names, below) where !isIdentity(name) {
      let lengths = Set(values.subtracting(["", "\\N", "NULL"]).map(\.utf8.count))
      guard values.count >= 8, lengths.count == 1, let length = lengths.first else { continue }
      lengthVotes += name.utf8.count == length ? -1 : 1
    }
    var different = 0
    var alike = 0
    for (kind, column) in zip(kinds, columns) where column.isTyped && kind != .missing {
      if kind.isTyped { alike += 1 } else { different += 1 }
    }
    if let first = series.columns.min(), !kinds.contains(where: \.isTyped) {
      return HeaderJudge(
        rows: 1, reason: "the first record counts on from “\(names[first])” above columns of other values",
        isCertain: true)
    }
    if different > 0, alike == 0 || (series.isCertain && !series.columns.isEmpty) {
      let count = PrintableText.count(different, "column")
      return HeaderJudge(
        rows: 1, reason: "the first record has text above \(count) of numbers, dates or the like", isCertain: true)
    }
    if alike > 0 {
      return HeaderJudge(
        rows: different > alike ? 1 : 0,
        reason: "the first record has values of the same kind as those below in"
          + " \(PrintableText.count(alike, "column"))", isCertain: different == 0)
    }
    let lengths = lengthVotes
    if lengths < 0 {
      return HeaderJudge(
        rows: 0, reason: "the fields of the first record have the length that all those below them have",
        isCertain: false)
    }
    if let i = kinds.firstIndex(where: \.isTyped) {
      return HeaderJudge(rows: 0, reason: "field \(i + 1) of the first record is a value", isCertain: false)
    }
    if let i = numbered(names, below) {
      return HeaderJudge(
        rows: 0, reason: "field \(i + 1) of the first record begins with a digit, as those below do", isCertain: false)
    }
    if let i = names.indices.first(where: {
      $0 < below.count && below[$0].contains(names[$0]) && !isIdentity(names[$0])
    }) {
      return HeaderJudge(
        rows: 0, reason: "“\(names[i])” occurs again in column \(i + 1), so it is not a name", isCertain: false)
    }
    return HeaderJudge(
      rows: 1, reason: "all fields are text; those of the first record differ and do not occur below", isCertain: false)
  }

  /// Whether this is the name of a column of identities, and as well a code that may stand below it: Indonesia, Idaho.
  private static func isIdentity(_ name: String) -> Bool { name.lowercased() == "id" }

  /// Whether a text begins with a word such as `@version` that another one of its column begins with, too.
  private static func repeatsWord(_ name: String, _ below: Set<String>) -> Bool {
    guard let sign = name.utf8.first, "@$!%&*+".utf8.contains(sign), let end = name.firstIndex(of: " "),
      name.utf8.dropFirst().first?.isLetter == true
    else { return false }
    let word = name[...end]
    return below.contains { $0.hasPrefix(word) }
  }

  /// The first column of text whose fields begin with a digit, nearly all of them, that of the first record too.
  private static func numbered(_ names: [String], _ below: [Set<String>]) -> Int? {
    zip(names, below).enumerated().first { _, column in
      let (name, values) = column
      let filled = values.filter { !$0.isEmpty }
      return name.utf8.first?.isDigit == true && filled.count >= 3
        && filled.count { $0.utf8.first { $0 != 32 }?.isDigit == true } * 4 >= filled.count * 3
    }?.offset
  }
}

/// The texts of cells as the reader would give them.
struct CellText {
  let bytes: UnsafeBufferPointer<UInt8>
  let quote: UInt8?
  let escape: UInt8?
  let trims: Bool

  /// A cell's text, unescaped.
  func text(_ cell: SampleTable.Cell) -> String {
    var start = cell.start
    var end = cell.end
    if trims, !cell.isQuoted {
      while start < end, bytes[start].isBlank { start += 1 }
      while end > start, bytes[end - 1].isBlank { end -= 1 }
    }
    var result: [UInt8] = []
    var i = start
    while i < end {
      if cell.isQuoted, bytes[i] == quote, i + 1 < end, bytes[i + 1] == quote {
        i += 1
      } else if bytes[i] == escape, i + 1 < end {
        i += 1
      }
      result.append(bytes[i])
      i += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether a row is a header again, perhaps with other columns among those that it had (`CSVParser.isNearlyHeader`).
  func areNames(_ table: SampleTable, _ row: Int, as header: [String]) -> Bool {
    let cells = table.cells(of: table.rows[row])
    guard cells.count == header.count else { return false }
    var isSame = true
    var met = 0
    var others: [SampleTable.Cell] = []
    for (cell, name) in zip(cells, header) {
      // Nearly all are told by their lengths.
      let mayBe = cell.isQuoted || trims || escape != nil || cell.end - cell.start == name.utf8.count
      let text = mayBe ? text(cell) : ""
      isSame = isSame && mayBe && text == name
      if mayBe, !name.isEmpty, text.lowercased() == name.lowercased() { met += 1 } else { others.append(cell) }
    }
    return isSame
      || CSVParser.isMet(met, of: header.count)
        && others.allSatisfy { CellKind(bytes, $0.start, $0.end).couldBeName }
  }

  func names(_ table: SampleTable, _ row: Int) -> [String] { table.cells(of: table.rows[row]).map(text) }

  /// The texts of each column of some rows.
  func below(_ table: SampleTable, _ rows: ArraySlice<Int>) -> [Set<String>] {
    var result: [Set<String>] = []
    for row in rows {
      for (i, cell) in table.cells(of: table.rows[row]).enumerated() {
        if i == result.count { result.append([]) }
        result[i].insert(text(cell))
      }
    }
    return result
  }
}
