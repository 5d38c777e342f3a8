import Foundation
import FoundationXML
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Rows that are read back")
struct RoundTripTests {
  /// Pieces of texts that formats have to take care of.
  private static let pieces = [
    "a", "Zoë", "\"", "'", ",", ";", "\n", "\r", "\r\n", "\t", " ", "  ", "\\", "null", "no", "~", "- ", ": ", " #",
    "{", "[",
    "&", "<", ">", "]]>", "%", "@", "1", "1e3", "0x1F", "2024-01-31", "日本", "e\u{301}", "👩‍👩‍👧", "\u{7F}", "\u{85}",
    "\u{2028}",
    "\u{FEFF}", "\u{A0}", "|", "!", "*", "=", "\u{1B}[0m", "\0", "\u{FFFE}", "\u{10FFFF}",
  ]

  static func text(_ generator: inout SeededGenerator) -> String? {
    let count = Int.random(in: -1...6, using: &generator)
    if count < 0 { return nil }
    return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
  }

  static func rows(_ seed: UInt64) -> [[String?]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<200).map { _ in [text(&generator), text(&generator), text(&generator)] }
  }

  static func write(_ rows: [[String?]], _ format: RowFormat) throws -> [UInt8] {
    try writtenBytes(format, ["a", "b", "c"]) { writer in
      for row in rows {
        for cell in row { if let cell { writer.text(cell) } else { writer.null() } }
        try writer.endRow()
      }
    }
  }

  /// The texts of a reader's records, with null and the empty text told apart.
  private func read(_ open: () throws -> some RecordReader) throws -> [[String?]] {
    var reader = try open()
    var batch = RecordBatch()
    var rows: [[String?]] = []
    while try reader.read(into: &batch, limit: BatchLimit()) {
      #expect(batch.errors.isEmpty)
      for record in 0..<batch.recordCount {
        rows.append(
          (0..<batch.columnCount).map { batch.state(record, $0) == .null ? nil : batch.text(record, $0) ?? "" })
      }
    }
    return rows
  }

  @Test("CSV by our own reader", arguments: Soak.seeds(20))
  func csv(_ seed: UInt64) throws {
    // CSV has no way to spell NUL, which our reader refuses.
    let rows = Self.rows(seed).map { $0.map { $0?.replacingOccurrences(of: "\0", with: "") } }
    let bytes = try Self.write(rows, .csv(CSVRowOptions()))
    var options = CSVOptions()
    options.nullTokens = [""]
    #expect(try read { try CSVReader(source: ByteSource(bytes: bytes), options: options) } == rows, "seed \(seed)")
  }

  @Test("JSON lines and JSON by our own readers and by Foundation", arguments: Soak.seeds(20))
  func json(_ seed: UInt64) throws {
    let rows = Self.rows(seed)
    let lines = try Self.write(rows, .ndjson)
    let back = try read { try NDJSONReader(source: ByteSource(bytes: lines), columns: .named(["a", "b", "c"])) }
    #expect(back == rows, "seed \(seed)")
    let document = try Self.write(rows, .json)
    let objects = try #require(try JSONSerialization.jsonObject(with: Data(document)) as? [[String: Any]])
    #expect(objects.map { object in ["a", "b", "c"].map { object[$0] as? String } } == rows, "seed \(seed)")
  }

  @Test("XML by libxml2", arguments: Soak.seeds(20))
  func xml(_ seed: UInt64) throws {
    let rows = Self.rows(seed)
    let parser = XMLParser(data: Data(try Self.write(rows, .xml(XMLRowOptions()))))
    let cells = XMLCells()
    parser.delegate = cells
    #expect(parser.parse(), "seed \(seed): \(String(describing: parser.parserError))")
    let written = rows.flatMap { $0 }
    #expect(cells.cells.count == written.count, "seed \(seed)")
    let difference = zip(cells.cells, written).first { $0 != $1 }
    #expect(difference == nil, "seed \(seed)")
  }

  /// Collects the texts of rows.
  private final class XMLCells: NSObject, XMLParserDelegate {
    var cells: [String?] = []
    private var text = ""
    private var attributes: [String: String] = [:]

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      text = ""
      self.attributes = attributes
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      if name == "row" || name == "rows" { return }
      if attributes["xsi:nil"] == "true" {
        cells.append(nil)
      } else if attributes["encoding"] == "base64" {
        cells.append(Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) })
      } else {
        cells.append(text)
      }
    }
  }
}
