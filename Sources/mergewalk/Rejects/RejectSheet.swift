import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Rejected records as a plain file that people edit.
///
/// It is CSV with a column for each column of the source, or NDJSON with the members of each object. `_reject` says which line of the rejects file a record is, `_reason` why it was rejected.
///
/// What cannot be cut into cells or members stands as it is under `_raw`.
struct RejectSheet {
  enum Form: String { case csv, ndjson }

  static let lineName = "_reject"
  static let reasonName = "_reason"
  static let rawName = "_raw"

  /// The import that a line belongs to knows how its record is written.
  private let definition: ImportDefinition
  let form: Form
  private var headers: [String: [String]] = [:]
  /// The columns of all records, in the order in which they come.
  private(set) var columns: [String] = []
  private(set) var hasRaw = false

  init(_ definition: ImportDefinition) {
    self.definition = definition
    form = definition.parts.allSatisfy { Self.isJSON($0.format) } ? .ndjson : .csv
  }

  private static func isJSON(_ format: RecordFormat) -> Bool {
    switch format {
    case .ndjson, .json, .jsonSequence, .custom: true
    case .csv, .fixedWidth, .xml, .yaml, .propertyList: false
    }
  }

  /// Why a line cannot be edited: it has no record of its own.
  static func isEditable(_ line: RejectLine) -> Bool { line.raw != nil && line.object == nil }

  // MARK: Out

  private static func key(_ line: RejectLine) -> String { "\(line.file)\u{0}\(line.member ?? "")" }

  /// Takes the header of a line: it is told once a file, in whichever line comes first.
  mutating func note(_ line: RejectLine) { if let names = line.header { headers[Self.key(line)] = names } }

  /// Whether a source's column is called as one of the sheet's own, which would be taken for it.
  private static func isOwn(_ name: String) -> Bool { [lineName, reasonName, rawName].contains(name.lowercased()) }

  /// A record as cells; `nil` where it stands as it is.
  private func cells(_ line: RejectLine) -> RecordCells? {
    let format = (definition.parts.first { $0.name == line.part } ?? definition.parts[0]).format
    guard RecordCells.has(format), let raw = line.raw, !line.isCut,
      let cells = RecordCells(raw, of: format, header: headers[Self.key(line)] ?? []),
      !cells.names.contains(where: Self.isOwn)
    else { return nil }
    return cells
  }

  /// Takes the columns of a record before the first one is written.
  mutating func look(_ line: RejectLine) {
    guard let cells = cells(line) else {
      hasRaw = true
      return
    }
    for name in cells.names where !columns.contains(name) { columns.append(name) }
  }

  var head: [UInt8] { Self.csv([Self.lineName, Self.reasonName] + columns + (hasRaw ? [Self.rawName] : [])) }

  /// A record as a line of the sheet.
  func row(_ line: RejectLine) -> [UInt8] {
    let reason = "\(line.message) [\(line.code)]" + (line.also == nil ? "" : ", and more")
    let raw = line.raw ?? []
    if form == .ndjson {
      var object = JSONObjectText()
      object.members = [
        .init(Self.lineName, value: Array(String(line.line).utf8)), .init(Self.reasonName, value: Self.json(reason)),
      ]
      if !line.isCut, let known = JSONObjectText(raw),
        [Self.lineName, Self.reasonName, Self.rawName].allSatisfy({ known[$0] == nil })
      {
        object.members += known.members
      } else {
        object.members.append(.init(Self.rawName, value: Self.json(String(decoding: raw, as: UTF8.self))))
      }
      return object.bytes + [10]
    }
    guard let cells = cells(line) else {
      let empty = Array(repeating: "", count: columns.count)
      return Self.csv([String(line.line), reason] + empty + [String(decoding: raw, as: UTF8.self)])
    }
    let texts = Dictionary(uniqueKeysWithValues: zip(cells.names, cells.cells.map(\.text)))
    return Self.csv([String(line.line), reason] + columns.map { texts[$0] ?? "" } + (hasRaw ? [""] : []))
  }

  static func json(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(json: text, .lines)
    return bytes
  }

  private static func csv(_ cells: [String]) -> [UInt8] {
    Array(cells.map { $0.isEmpty ? "" : HeaderText.text([$0]) }.joined(separator: ",").utf8) + [10]
  }

  // MARK: Back

  struct Edit {
    /// Where it stands in the edited file.
    var place: SourcePosition
    /// The cells by column, or nothing where the record is an object.
    var cells: [String: String] = [:]
    var object: JSONObjectText?

    /// Whether nothing is left of it, by which people give a record up.
    var isGivenUp: Bool { object.map(\.members.isEmpty) ?? cells.values.allSatisfy(\.isEmpty) }
  }

  /// The record that an edit makes of a line; `nil` when it stays as it is.
  ///
  /// - Throws: a finding's message, with the column where there is one.
  func record(_ edit: Edit, of line: RejectLine) throws(RecordCells.EditError) -> [UInt8]? {
    let cells = cells(line)
    // A column that is gone says nothing about its cells, not that they are empty.
    let columns = edit.object == nil ? cells?.names ?? [Self.rawName] : []
    if let lost = columns.first(where: { edit.cells[$0] == nil }) {
      throw RecordCells.EditError(
        column: lost, message: "the sheet has no such column; put it back, so that its cells are not lost")
    }
    if edit.isGivenUp { return [] }
    let raw = line.raw ?? []
    if let object = edit.object {
      if let text = object.text(Self.rawName) { return try Self.whole(text, of: raw) }
      let bytes = object.bytes
      return bytes == JSONObjectText(raw)?.bytes ? nil : bytes
    }
    if let text = edit.cells[Self.rawName], !text.isEmpty { return try Self.whole(text, of: raw) }
    guard let cells else {
      throw RecordCells.EditError(
        column: Self.rawName, message: "the record has no columns; correct it in “\(Self.rawName)”")
    }
    let record = try cells.record(cells.names.map { edit.cells[$0] ?? "" })
    return record == raw ? nil : record
  }

  /// A record that was edited as a whole; `nil` when it stays as it is.
  ///
  /// - Throws: a finding where the mark for bytes that are no text is still in it: it would be imported in their place.
  private static func whole(_ text: String, of raw: [UInt8]) throws(RecordCells.EditError) -> [UInt8]? {
    if text == String(decoding: raw, as: UTF8.self) { return nil }
    if text.unicodeScalars.contains("\u{FFFD}"), String(validating: raw, as: UTF8.self) == nil {
      throw RecordCells.EditError(
        column: rawName,
        message: "“\u{FFFD}” replaces bytes that are not text; write the intended text, or set “encoding”"
          + " of the source and import it again")
    }
    return Array(text.utf8)
  }
}
