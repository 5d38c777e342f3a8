import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Records that are written as they were read")
struct RecordWriterTests {
  /// What the writer makes of all records.
  private func written(
    _ format: RecordFormat, _ text: String, _ form: RecordWriter.Form, limit: BatchLimit = BatchLimit()
  ) throws -> String {
    let folder = TemporaryFolder()
    let path = try folder.write("", to: "output")
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    var reader = try format.reader(source: ByteSource(bytes: text.utf8), columns: .all, index: 0)
    let writer = RecordWriter(form, columns: reader.columns, to: ByteSink(descriptor: handle.fileDescriptor))
    var batch = RecordBatch()
    while try reader.read(into: &batch, limit: limit) { try writer.write(batch, records: 0..<batch.recordCount) }
    try writer.flush()
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("CSV comes back cell by cell, in batches of any size", arguments: Soak.seeds(20))
  func csv(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["a", "é", ",", "\"\"", "\n", "\r\n", "\r", " ", ";", "日本", "\t", "'"]
    let width = Int.random(in: 1...5, using: &generator)
    var lines: [String] = []
    for _ in 0..<Int.random(in: 1...300, using: &generator) {
      let cells = (0..<width).map { _ -> String in
        let cell = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
          pieces.randomElement(using: &generator) ?? ""
        }
        .joined()
        let isSpecial = cell.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        // A lone empty cell needs its quotes, others have them or not.
        if isSpecial || (cell.isEmpty && (width == 1 || Bool.random(using: &generator))) { return "\"\(cell)\"" }
        return cell
      }
      lines.append(cells.joined(separator: ","))
    }
    let text = lines.joined(separator: "\n") + "\n"
    var options = CSVOptions()
    options.header = .none
    for limit in [BatchLimit(), BatchLimit(records: 7)] {
      #expect(try written(.csv(options), text, .csv(hasHeader: false), limit: limit) == text, "seed \(seed)")
    }
  }

  @Test("objects have the members that are there, numbers as spelt, texts escaped")
  func objects() throws {
    let text = """
      {"a": 1.0e5, "b": "q\\"\\u0001\\né", "c": [1, {"x": " y "}], "d": null}
      { "a" : 12345678901234567890 , "d" : true }
      {}
      """
    let format = RecordFormat.ndjson(NDJSONOptions())
    #expect(
      try written(format, text, .ndjson(usesRaw: false)) == """
        {"a":1.0e5,"b":"q\\"\\u0001\\né","c":[1,{"x":" y "}],"d":null}
        {"a":12345678901234567890,"d":true}
        {}

        """)
    #expect(
      try written(format, text, .ndjson(usesRaw: true)) == """
        {"a":1.0e5,"b":"q\\"\\u0001\\né","c":[1,{"x":" y "}],"d":null}
        {"a":12345678901234567890,"d":true}
        {}

        """)
  }
}
