import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Texts that break programs come through every format as they are, byte for byte, into a store, out of it and back.
@Suite("Texts that break programs")
struct NaughtyStringTests {
  let folder = TemporaryFolder()

  /// Our own texts, and the big list of naughty strings where it is there.
  static let texts: [String] = {
    var paths = [Locations.fixtures + "/naughty.json"]
    if Locations.shared != nil { paths.append(Locations.shared("suites/encoding/blns.json")) }
    var all: [String] = []
    for path in paths {
      let data = FileManager.default.contents(atPath: path) ?? Data()
      all += (try? JSONSerialization.jsonObject(with: data)) as? [String] ?? []
    }
    return all
  }()

  /// The formats of sources, and how a test writes them.
  enum Source: String, CaseIterable {
    case csv, tsv, ndjson, json, sequence, xml, yaml, plistXML, plistBinary, plistText, sqlite

    /// What the file is called.
    var fileName: String {
      switch self {
      case .sequence: "notes.json-seq"
      case .plistXML, .plistBinary, .plistText: "notes.plist"
      default: "notes." + rawValue
      }
    }

    /// Whether the format has a way to write the text: XML 1.0 has no controls, only some others have NUL.
    func holds(_ text: String) -> Bool {
      switch self {
      case .xml, .plistXML: isXML(text)
      case .csv, .tsv, .sqlite, .plistText: !text.unicodeScalars.contains("\0")
      case .ndjson, .json, .sequence, .yaml, .plistBinary: true
      }
    }
  }

  /// Source: XML 1.0, production 2.
  private static func isXML(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\t" || scalar == "\n" || scalar == "\r"
        || scalar >= " " && scalar != "\u{FFFE}" && scalar != "\u{FFFF}"
    }
  }

  // MARK: Writing

  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\0"..<" ": result += "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A text between double quotes of YAML; what is not printable there is escaped.
  private static func yaml(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\0"..<" ", "\u{7F}"..."\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
        result += "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Replaces characters by code point: `"\r\n"` is one `Character`.
  private static func escape(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let replacement = replacements[scalar] { result += replacement } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  private static func xml(_ text: String) -> String {
    escape(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"])
  }

  private static func csv(_ text: String) -> String { "\"" + escape(text, ["\"": "\"\""]) + "\"" }

  private static func openStep(_ text: String) -> String { "\"" + escape(text, ["\\": "\\\\", "\"": "\\\""]) + "\"" }

  private func write(_ notes: [(id: Int, text: String)], as source: Source) throws {
    func text(_ parts: [String], _ separator: String, _ start: String = "", _ end: String = "") -> Data {
      Data((start + parts.joined(separator: separator) + end).utf8)
    }
    let objects = notes.map { "{\"id\":\($0.id),\"text\":\(Self.json($0.text))}" }
    let data: Data
    switch source {
    case .csv: data = text(notes.map { "\($0.id),\(Self.csv($0.text))" }, "\n", "id,text\n", "\n")
    case .tsv: data = text(notes.map { "\($0.id)\t\(Self.csv($0.text))" }, "\n", "id\ttext\n", "\n")
    case .ndjson: data = text(objects, "\n", "", "\n")
    case .json: data = text(objects, ",\n", "[", "]")
    case .sequence: data = text(objects.map { "\u{1E}" + $0 + "\n" }, "")
    case .xml:
      data = text(
        notes.map { "<n><id>\($0.id)</id><text>\(Self.xml($0.text))</text></n>" }, "\n", "<notes>", "</notes>")
    case .yaml: data = text(notes.map { "- id: \($0.id)\n  text: \(Self.yaml($0.text))" }, "\n", "", "\n")
    case .plistXML:
      let records = notes.map {
        "<dict><key>id</key><integer>\($0.id)</integer><key>text</key><string>\(Self.xml($0.text))</string></dict>"
      }
      data = text(records, "\n", "<plist version=\"1.0\"><array>", "</array></plist>")
    case .plistBinary:
      let records: [[String: Any]] = notes.map { ["id": $0.id, "text": $0.text] }
      data = try PropertyListSerialization.data(fromPropertyList: records, format: .binary, options: 0)
    case .plistText: data = text(notes.map { "{ id = \($0.id); text = \(Self.openStep($0.text)); }" }, ",\n", "(", ")")
    case .sqlite:
      let connection = try Connection(path: folder.file(source.fileName), mode: .create)
      try connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
      for note in notes {
        let hex = note.text.utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        try connection.execute("INSERT INTO notes VALUES (\(note.id), CAST(x'\(hex)' AS TEXT))")
      }
      return
    }
    try data.write(to: URL(fileURLWithPath: folder.file(source.fileName)))
  }

  // MARK: Stores

  private func importNotes(_ source: Source) throws {
    try folder.write(
      """
      model: Notes
      entities:
        Note:
          attributes: { id: integer64!, text: string }
          unique: [id]
      """, to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: store.sqlite
      source: { files: \(source.fileName) }
      import: { entity: Note, find_by: [id], attributes: { id: id, text: text } }
      """, to: "pipeline.yaml")
    let run = try Command(["run", "pipeline.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
  }

  private func stored(_ store: String) throws -> [Int: [UInt8]] {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    let rows = try connection.prepare("SELECT ZID, ZTEXT FROM ZNOTE")
    var result: [Int: [UInt8]] = [:]
    while try rows.step() { result[Int(rows.integer(0))] = Array(rows.bytes(1)) }
    return result
  }

  private func compare(_ store: String, _ notes: [(id: Int, text: String)]) throws {
    let found = try stored(store)
    #expect(found.count == notes.count)
    for note in notes where found[note.id] != Array(note.text.utf8) {
      Issue.record("\(Self.json(note.text)) is \(found[note.id].map { "\($0)" } ?? "missing")")
    }
  }

  private static func notes(_ source: Source) -> [(id: Int, text: String)] {
    texts.enumerated().map { (id: $0 + 1, text: $1) }.filter { source.holds($0.text) }
  }

  @Test("come through every format of sources", arguments: Source.allCases)
  func sources(_ source: Source) throws {
    let notes = Self.notes(source)
    #expect(notes.count > 120)
    try write(notes, as: source)
    try importNotes(source)
    try compare("store.sqlite", notes)
  }

  @Test(
    "come out of a store and back by every format of exports",
    arguments: [
      ("ndjson", Source.ndjson), ("json", .ndjson), ("yaml", .ndjson), ("csv", .csv), ("tsv", .csv), ("xml", .ndjson),
    ])
  func exports(_ format: String, _ source: Source) throws {
    // What the format of the export cannot hold is not in the store.
    let notes = Self.notes(source)
    try write(notes, as: source)
    try importNotes(source)
    let export = try Command(
      ["export", "store.sqlite", "--out", "out", "--format", format, "--quiet"], in: folder.path)
    #expect(export.status == 0, "\(export.words)")
    let run = try Command(["run", "out/pipeline.yaml", "--store", "back.sqlite", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    try compare("back.sqlite", notes)
  }

  @Test("that a format cannot hold end an export, which says which object has them", arguments: ["csv", "tsv"])
  func refused(_ format: String) throws {
    try write([(1, "a"), (2, "a\0b")], as: .ndjson)
    try importNotes(.ndjson)
    let export = try Command(["export", "store.sqlite", "--out", "out", "--format", format], in: folder.path)
    #expect(export.status == 2)
    #expect(
      export.words.contains("Note 2: “text” has a control character or is not UTF-8, which \(format) cannot hold"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
  }
}
