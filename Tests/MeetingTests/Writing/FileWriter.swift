/// A file as it is written, before it is packed, and the records that a reader should find in it.
struct WrittenFile: Sendable {
  var bytes: [UInt8]
  var records: [ReadRecord]
}

/// Writes records in a scenario's format.
struct FileWriter {
  let scenario: Scenario

  /// Writes items; a database is written to the path at once.
  func write(_ items: [Item], to path: String) throws -> WrittenFile {
    if scenario.format == .sqlite { return try SQLiteForm.write(items, scenario, to: path) }
    let text =
      switch scenario.format {
      case .csv, .tsv: DelimitedWriter(scenario).write(items)
      case .fixedWidth: FixedWidthForm.write(items, scenario)
      case .ndjson, .json, .jsonSequence: JSONForm.write(items, scenario)
      case .xml: XMLForm.write(items, scenario)
      case .yaml: YAMLForm.write(items, scenario)
      case .plist: PropertyListForm.write(items, scenario)
      case .sqlite: preconditionFailure("a database is no text")
      }
    return WrittenFile(bytes: scenario.encoding.bytes(text), records: records(items))
  }

  /// The text of one record by itself, as a rejects file has it.
  func text(_ cell: Cell) -> String {
    switch scenario.format {
    case .csv, .tsv: return DelimitedWriter(scenario).line(cell)
    case .fixedWidth: return FixedWidthForm.line(cell, scenario)
    case .ndjson, .json, .jsonSequence, .plist: return JSONForm.text(cell)
    case .xml: return XMLForm.element("item", cell)
    case .yaml:
      guard case .object(let members) = cell else { return "{}" }
      return YAMLForm.block(members, indent: "    ")
    case .sqlite:
      return JSONForm.text(
        .object(
          scenario.columns.map {
            let value = cell.get(scenario.path($0.name)[...])
            return Cell.Member(
              name: scenario.columnName($0.name), value: value.isStructure ? .text(JSONForm.text(value)) : value)
          }))
    }
  }

  /// The code of the reader's reason against what is broken.
  var fault: String {
    switch scenario.format {
    case .csv, .tsv, .fixedWidth: "read.fieldCount"
    case .ndjson: "read.invalidJSON"
    case .xml: "read.mixedContent"
    case .json, .jsonSequence, .yaml, .plist, .sqlite: "read.notAnObject"
    }
  }

  /// The values that can be read of something that is refused: delimited text has them all, and one more.
  private func brokenCells(_ whole: Cell) -> [String: Cell] {
    guard [.csv, .tsv].contains(scenario.format) else { return [:] }
    let cells = scenario.columns.map { column in
      let cell = whole.get(scenario.path(column.name)[...])
      return (scenario.columnName(column.name), cell == .absent ? .text("") : cell)
    }
    return Dictionary(uniqueKeysWithValues: cells)
  }

  /// The records that a reader should give of items; those that are broken are one reject each.
  func records(_ items: [Item]) -> [ReadRecord] {
    var records: [ReadRecord] = []
    var index = 0
    func add(_ cells: [String: Cell], _ fault: String? = nil, names: [String] = []) {
      records.append(ReadRecord(number: records.count + 1, cells: cells, item: index, fault: fault, names: names))
    }
    for (number, item) in items.enumerated() {
      index = number
      switch item {
      case .broken(let whole): add(brokenCells(whole), fault)
      case .record(let whole):
        let inner: [Cell]
        if scenario.hasElements {
          guard case .list(let elements) = whole.get(scenario.elementPath[...]) else { continue }
          inner = elements
        } else {
          inner = [whole]
        }
        for element in inner {
          var cells: [String: Cell] = [:]
          for column in scenario.columns {
            let from = scenario.isInElement(column.name) ? element : whole
            var cell = from.get(scenario.path(column.name)[...])
            // One element is no list in XML.
            if scenario.format == .xml, case .list(let elements) = cell, elements.count == 1 { cell = elements[0] }
            cells[scenario.columnName(column.name)] = cell
          }
          var names = scenario.columnNames
          if scenario.format.isTree, case .object(let members) = whole { names = members.map(\.name) }
          add(cells, names: names)
        }
      }
    }
    return records
  }
}

/// Writes delimited text.
struct DelimitedWriter {
  private let scenario: Scenario
  private let form: DelimitedForm

  init(_ scenario: Scenario) {
    self.scenario = scenario
    var form = scenario.delimited
    if scenario.format == .tsv { form.delimiter = "\t" }
    self.form = form
  }

  /// The text of a file.
  func write(_ items: [Item]) -> String {
    var lines = form.preamble
    let names = scenario.columnNames
    let header = names.map { quoted($0, false) }.joined(separator: form.delimiter)
    // Tables that were put one behind the other are often drawn ones.
    let rule = form.repeatsHeader ? [names.map { _ in "----" }.joined(separator: form.delimiter)] : []
    switch form.header {
    case .none: break
    case .names: lines += [header] + rule
    case .twoRows:
      lines.append(names.map { _ in "the" }.joined(separator: form.delimiter))
      lines.append(names.map { quoted(String($0.dropFirst(4)), false) }.joined(separator: form.delimiter))
    }
    for (number, item) in items.enumerated() {
      if form.hasComments, number % 5 == 2 { lines.append("# a remark, \(number)") }
      if form.hasBlankLines, number % 7 == 3 { lines.append("") }
      if form.repeatsHeader, number % 4 == 2 { lines += [header] + rule }
      switch item {
      case .record(let cell):
        lines.append(line(cell))
      case .broken(let cell):
        let fields = scenario.columns.map { field(cell.get(scenario.path($0.name)[...])) ?? "" }
        lines.append((fields + ["surplus"]).joined(separator: form.delimiter))
      }
    }
    return lines.map { $0 + form.lineEnd }.joined()
  }

  /// The line of a record.
  func line(_ cell: Cell) -> String {
    var fields = scenario.columns.map { field(cell.get(scenario.path($0.name)[...])) }
    while fields.last == .some(nil) { fields.removeLast() }
    return fields.map { $0 ?? "" }.joined(separator: form.delimiter)
  }

  /// A field; nil for one that is not there.
  private func field(_ cell: Cell) -> String? {
    switch cell {
    case .absent: nil
    case .null: form.null
    case .list: quoted(JSONForm.text(cell), form.quotesAll)
    default: quoted(cell.spelling ?? "", form.quotesAll)
    }
  }

  private func quoted(_ text: String, _ always: Bool) -> String {
    let special = text.utf8.contains { $0 == 0x22 || $0 == 0x27 || $0 == 0x0D || $0 == 0x0A || $0 == 0x23 }
    guard always || special || text.contains(form.delimiter) || text == form.null else { return text }
    return form.quote + text.replacing(form.quote, with: form.quote + form.quote) + form.quote
  }
}

/// Writes text whose columns stand at fixed places.
enum FixedWidthForm {
  /// Places for each column.
  static let width = 48

  static func write(_ items: [Item], _ scenario: Scenario) -> String {
    var text = ""
    for item in items {
      switch item {
      case .record(let cell): text += line(cell, scenario) + "\n"
      case .broken(let cell): text += line(cell, scenario) + "surplus\n"
      }
    }
    return text
  }

  static func line(_ cell: Cell, _ scenario: Scenario) -> String {
    var scalars = String.UnicodeScalarView()
    for column in scenario.columns {
      let value = cell.get(scenario.path(column.name)[...])
      let text = value == .null ? "\\N" : value.spelling ?? ""
      precondition(text.unicodeScalars.count <= width, "\(text) is too long for its column")
      scalars.append(contentsOf: text.unicodeScalars)
      for _ in text.unicodeScalars.count..<width { scalars.append(" ") }
    }
    return String(scalars)
  }
}
