import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Inputs that once stopped the program, took too long or gave something wrong: found by reading the code.
@Suite("Hostile input of documents")
struct HostileInputTests {
  private func read(
    _ text: String, _ format: RecordFormat, _ columns: ColumnRequest = .all, chunkSize: Int = .max
  ) throws -> (rows: Int, errors: [RecordError], surplus: RecordPosition?, texts: [String?]) {
    var reader = try format.reader(
      source: ByteSource(bytes: Array(text.utf8), chunkSize: chunkSize), columns: columns, index: 0)
    var batch = RecordBatch()
    var result: (rows: Int, errors: [RecordError], surplus: RecordPosition?, texts: [String?]) = (0, [], nil, [])
    while try reader.read(into: &batch, limit: BatchLimit()) {
      result.rows += batch.recordCount
      result.errors += batch.errors
      result.surplus = result.surplus ?? batch.surplus
      if batch.columnCount > 0 { result.texts += (0..<batch.recordCount).map { batch.text($0, 0) } }
    }
    return result
  }

  @Test("merge keys inside merge keys over many anchors end with rejects")
  func nestedMerges() throws {
    var lines = ["- &a0 {x: 1}"]
    for number in 1...60 {
      let inner = "{<<: *a\(number - 1)}"
      lines.append("- &a\(number) " + (0..<100).reduce(inner) { text, _ in "{<<: {k: \(text)}}" })
    }
    let found = try read(lines.joined(separator: "\n") + "\n", .yaml(YAMLOptions()))
    #expect(found.rows + found.errors.count == 61)
    #expect(!found.errors.isEmpty)
  }

  @Test("a mapping that merges and does not fit into the memory of anchors keeps what it merges")
  func fullLog() throws {
    let list = Array(repeating: "1", count: 300_000).joined(separator: ",")
    let found = try read("- &a {<<: {x: 7}, l: [\(list)]}\n- {x: 2}\n", .yaml(YAMLOptions()), .named(["x"]))
    #expect(found.texts == ["7", "2"])
    #expect(found.errors == [])
  }

  @Test("an alias that is the records' sequence is read while anchors are given up")
  func aliasOfRecords() throws {
    let list = Array(repeating: "1", count: 200_000).joined(separator: ",")
    var options = YAMLOptions()
    options.records = "r"
    let text = "junk: &j [\(list)]\nj2: &j x\nlist: &l [{v: 1}, {v: 2}]\nr: *l\n"
    #expect(try read(text, .yaml(options), .named(["v"])).texts == ["1", "2"])
  }

  @Test("an XML record that is too long is refused where it begins", arguments: [1 << 12, Int.max])
  func longElement(_ chunkSize: Int) throws {
    var options = XMLOptions()
    options.maxRecordBytes = 1000
    let text = "<r>\n<i>\n" + String(repeating: "<a>1</a>\n", count: 20_000) + "</i>\n<i><a>2</a></i></r>"
    let found = try read(text, .xml(options), .named(["a"]), chunkSize: chunkSize)
    #expect(found.texts == ["2"])
    #expect(found.errors.map(\.code) == [.recordTooLong])
    #expect(found.errors.first?.position.line == 2)
    #expect(found.errors.first?.position.column == 1)
  }

  @Test("an element that stands 100,000 times in one record is a list soon")
  func repeatedElement() throws {
    let text = "<r><i>" + String(repeating: #"<a b=""/>"#, count: 100_000) + "</i></r>"
    let start = ProcessorTime.now
    let found = try read(text, .xml(XMLOptions()), .named(["a"]))
    #expect(ProcessorTime.now - start < .seconds(30))
    #expect(found.texts.first??.utf8.count == 3 * 100_000 + 1)
  }

  @Test("a long line that ends with CR does not take the next one with it", arguments: [1, 7, Int.max])
  func carriageReturns(_ chunkSize: Int) throws {
    var options = FixedWidthOptions(columns: [.init(name: "v", start: 1, width: 2)])
    options.maxRecordBytes = 11
    let text = "ab\r" + String(repeating: "x", count: 40) + "\rcd\ref\r\n"
    let found = try read(text, .fixedWidth(options), .named(["v"]), chunkSize: chunkSize)
    #expect(found.rows + found.errors.count == 4)
    #expect(found.errors.contains { $0.code == .recordTooLong })
  }

  @Test(
    "marks of files do not count for the length of a record, and half of one is no record, however they arrive",
    arguments: ["ndjson", "fixed-width", "csv", "csv of one column"])
  func marksOfShortRecords(_ name: String) {
    let format: RecordFormat
    var (record, shown) = ("1", "1")
    switch name {
    case "ndjson":
      var options = NDJSONOptions()
      options.scalars = .value
      options.maxRecordBytes = 1
      format = .ndjson(options)
      shown = "#1"
    case "fixed-width":
      var options = FixedWidthOptions(columns: [.init(name: "value", start: 1, width: 1)])
      options.maxRecordBytes = 1
      format = .fixedWidth(options)
    default:
      var options = CSVOptions()
      options.header = .names(name == "csv" ? ["value", "other"] : ["value"])
      options.maxRecordBytes = 1
      format = .csv(options)
      if name == "csv" { (record, shown) = (",", "|") }
    }
    let marks = "\(record)\n\u{FEFF}\(record)\n\u{FEFF}\u{FEFF}\(record)\n"
    let bytes = Array(marks.utf8) + [0xEF, 0xBB, 0x0A]
    let isTable = name.hasPrefix("csv")
    let expected = Reading(
      lines: [shown, shown, shown] + (isTable ? [] : ["recordTooLong@4:1"]),
      failure: isTable ? "recordTooLong@4:1" : nil)
    for sizes in arrivals(bytes) {
      var found = Reading()
      do throws(ReadError) {
        var reader = try format.reader(
          source: ByteSource(bytes: bytes, chunkSizes: sizes), columns: isTable ? .all : .named(["value"]), index: 0)
        var batch = RecordBatch()
        while try reader.read(into: &batch, limit: BatchLimit()) { found.append(batch) }
      } catch {
        found.failure = "\(error.code.rawValue)@\(error.position.line):\(error.position.column)"
      }
      #expect(found == expected, "\(sizes)")
    }
  }

  @Test(
    "a part of a record that the first records do not have is noted when all columns are asked for",
    arguments: ["yaml", "xml", "plist"])
  func lateMembers(_ name: String) throws {
    let count = 6000
    let text: String
    let format: RecordFormat
    switch name {
    case "yaml":
      text = String(repeating: "- {a: some text that is long}\n", count: count) + "- {a: 1, extra: 2}\n"
      format = .yaml(YAMLOptions())
    case "xml":
      text =
        "<r>" + String(repeating: "<i><a>some text that is long</a></i>\n", count: count)
        + "<i><a>1</a><extra>2</extra></i></r>"
      format = .xml(XMLOptions())
    default:
      text =
        "<plist><array>"
        + String(repeating: "<dict><key>a</key><string>some text that is long</string></dict>\n", count: count)
        + "<dict><key>a</key><string>1</string><key>extra</key><string>2</string></dict></array></plist>"
      format = .propertyList(PropertyListOptions())
    }
    let all = try read(text, format)
    #expect(all.surplus?.index == count)
    #expect(try read(text, format, .named(["a"])).surplus == nil)
  }
}
