import MergewalkDiagnostics
import MergewalkRecordFormats

/// Reads an edited sheet.
struct RejectSheetFile {
  private let path: String
  /// The edits by line of the rejects file.
  private var edits: [Int: RejectSheet.Edit] = [:]
  private var findings: [Diagnostic] = []

  /// The edits by line of the rejects file.
  ///
  /// - Throws: every finding about the sheet.
  static func read(_ path: String, _ form: RejectSheet.Form) throws(DiagnosticList) -> [Int: RejectSheet.Edit] {
    let bytes = try SourceFile.read(path, limit: 1 << 30)
    var file = RejectSheetFile(path: path)
    do throws(ReadError) {
      if form == .ndjson { file.readObjects(bytes) } else { try file.readCells(bytes) }
    } catch {
      file.findings.append(error.diagnostic)
    }
    if !file.findings.isEmpty { throw DiagnosticList(file.findings) }
    return file.edits
  }

  private init(path: String) { self.path = path }

  static func finding(_ path: String, _ place: SourcePosition, _ message: String, _ hint: String?) -> Diagnostic {
    Diagnostic(.error, code: "invalidEdit", path: path, position: place, message: message, hint: hint)
  }

  private mutating func refuse(_ place: SourcePosition, _ message: String, _ hint: String? = nil) {
    findings.append(Self.finding(path, place, message, hint))
  }

  private mutating func add(_ edit: RejectSheet.Edit, _ number: String?) {
    guard let line = number.flatMap({ Int($0) }), line > 0 else {
      return refuse(
        edit.place, "“\(RejectSheet.lineName)” is not a line number", "leave that column as it was")
    }
    if edits.updateValue(edit, forKey: line) != nil {
      refuse(edit.place, "line \(line) of the rejects file is here twice", "keep one of the two")
    }
  }

  private mutating func readObjects(_ bytes: [UInt8]) {
    var offset = 0
    for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      defer { offset += line.count + 1 }
      if line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { continue }
      var edit = RejectSheet.Edit(place: SourcePosition(line: index + 1, column: 1, byteOffset: offset))
      guard var object = JSONObjectText(Array(line)) else {
        refuse(edit.place, "the line is not a JSON object", "each line has one record")
        continue
      }
      let number = object[RejectSheet.lineName].map { String(decoding: $0.value, as: UTF8.self) }
      object.members.removeAll { $0.name == RejectSheet.lineName || $0.name == RejectSheet.reasonName }
      edit.object = object
      add(edit, number)
    }
  }

  private mutating func readCells(_ bytes: [UInt8]) throws(ReadError) {
    var options = CSVOptions()
    // Spreadsheets write what their language does, in UTF-16 too, with a mark or without one.
    let name = Array(RejectSheet.lineName.utf8)
    if bytes.count > 1, (bytes[0] == 0) != (bytes[1] == 0) {
      options.encoding = bytes[1] == 0 ? .utf16LittleEndian : .utf16BigEndian
    }
    let head = bytes.prefix(128).filter { $0 != 0 }
    if let at = head.indices.first(where: { head[$0...].starts(with: name) }) {
      let behind = head[at...].dropFirst(name.count).first { $0 != UInt8(ascii: "\"") }
      if behind == UInt8(ascii: ";") { options.delimiter = ";" }
      if behind == 9 { options.delimiter = "\t" }
    }
    var reader = try CSVReader(source: ByteSource(bytes: bytes, path: path), options: options)
    let names = reader.columns
    guard let line = names.firstIndex(of: RejectSheet.lineName) else {
      return refuse(
        SourcePosition(line: 1, column: 1, byteOffset: 0), "there is no column “\(RejectSheet.lineName)”",
        "name a file that “mergewalk rejects edit” has written")
    }
    var batch = RecordBatch()
    while try reader.read(into: &batch, limit: BatchLimit()) {
      for error in batch.errors {
        refuse(error.position, error.message, error.code == .invalidText ? "save the sheet as UTF-8" : nil)
      }
      for record in 0..<batch.recordCount {
        let facts = batch.records[record]
        var edit = RejectSheet.Edit(
          place: SourcePosition(line: facts.line, column: 1, byteOffset: facts.byteOffset))
        for (column, name) in names.enumerated() where column != line && name != RejectSheet.reasonName {
          edit.cells[name] = batch.text(record, column) ?? ""
        }
        add(edit, batch.text(record, line))
      }
    }
  }
}
