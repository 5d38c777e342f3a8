import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Records of random texts, written in random ways that all mean the same.
private struct XMLWriterOfChance {
  var random: SeededGenerator
  var text = ""
  /// What a reader should say of each record.
  var expected: [String] = []

  static let columns = ["@k", "a", "b", "p.q", "p.@x", "c"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    text = Bool.random(using: &random) ? "<?xml version=\"1.0\"?>\n" : ""
    text += "<!DOCTYPE r [<!ENTITY e \"E &amp; <!-- c -->é\"><!ENTITY n \"\">]>\n<r>"
    for _ in 0..<Int.random(in: 0...8, using: &random) { record() }
    space()
    text += "</r>\n"
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func space() {
    if chance(2) { text += [" ", "\n", "\r\n", "\t", "\n    "].randomElement(using: &random)! }
    if chance(6) { text += ["<!-- <a>no</a> -->", "<?pi <b> ?>", "<!---->"].randomElement(using: &random)! }
  }

  /// Writes a random text and returns what it means.
  private mutating func value() -> String {
    var meaning = ""
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: add("&amp;", "&", &meaning)
      case 1: add("&#x1F600;", "😀", &meaning)
      case 2: add("<![CDATA[<a>&amp;]]]>", "<a>&amp;]", &meaning)
      case 3: add("<!-- x -->", "", &meaning)
      case 4: add("&e;", "E & é", &meaning)
      case 5: add("\r\n", "\n", &meaning)
      case 6: add("&n;", "", &meaning)
      case 7:
        let long = String(repeating: "xyé ", count: Int.random(in: 1...200, using: &random))
        add(long, long, &meaning)
      default:
        let plain = ["1", "abc", "é", " ", "日本", ">", "\"'", "]"].randomElement(using: &random)!
        add(plain, plain, &meaning)
      }
    }
    return meaning
  }

  private mutating func add(_ written: String, _ means: String, _ meaning: inout String) {
    // The end of a CDATA section is none of a text.
    if (meaning + written).hasSuffix("]]>") || meaning.hasSuffix("]") && written.hasPrefix(">") { return }
    text += written
    meaning += means
  }

  private mutating func attribute(_ name: String) -> String {
    let quote = chance(2) ? "\"" : "'"
    text += chance(2) ? " \(name)=\(quote)" : "\n\(name) = \(quote)"
    var meaning = ""
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let (written, means) =
        [("a", "a"), ("&lt;", "<"), ("é", "é"), ("\t", " "), ("&#9;", "\t"), (">", ">"), ("&quot;", "\"")]
        .randomElement(
          using: &random)!
      text += written
      meaning += means
    }
    text += quote
    return meaning
  }

  private mutating func record() {
    space()
    var cells = Array(repeating: "·", count: Self.columns.count)
    text += "<i"
    if chance(2) { cells[0] = attribute("k") }
    if chance(3) { _ = attribute("other") }
    text += ">"
    var parts = ["a", "b", "p", "c", "other"]
    parts.shuffle(using: &random)
    for part in parts where !chance(4) {
      space()
      if chance(5), part != "p" {
        text += "<\(part)/>"
        if let column = Self.columns.firstIndex(of: part) { cells[column] = "" }
        continue
      }
      text += "<\(part)"
      if part == "p" {
        if chance(2) { cells[4] = attribute("x") }
        text += ">"
        space()
        text += "<q>"
        cells[3] = value()
        text += "</q>"
        space()
        text += "<z><q>no</q></z>"
      } else {
        text += ">"
        let meaning = value()
        if let column = Self.columns.firstIndex(of: part) { cells[column] = meaning }
      }
      text += "</\(part)>"
    }
    space()
    text += "</i>"
    expected.append(
      cells.map { String($0.unicodeScalars.map { $0 == "\n" ? "⏎" : $0 == "\r" ? "␍" : Character($0) }) }.joined(
        separator: "|"))
  }
}

@Suite struct XMLPropertyTests {
  @Test("records are read as they were meant, however they are written, arrive and are cut", arguments: Soak.seeds(60))
  func random(_ seed: UInt64) {
    let document = XMLWriterOfChance(seed: seed)
    let sample = XMLSample(document.text)
    let expected = Reading(lines: document.expected)
    let columns = XMLWriterOfChance.columns
    #expect(sample.reading(columns) == expected, "seed \(seed): \(document.text)")
    for size in [1, 7] {
      #expect(sample.reading(columns, arrivals: [size]) == expected, "seed \(seed), arrivals \(size)")
    }
    for size in [1, 2, 3, 16, 100] {
      #expect(sample.reading(columns, pieceSize: size) == expected, "seed \(seed), pieces of \(size)")
    }
    for limit in [1, 2, 3] {
      #expect(
        sample.reading(columns, limit: BatchLimit(records: limit)) == expected, "seed \(seed), batches of \(limit)")
    }
  }

  @Test("a document that is cut or damaged anywhere gives the same, however it is cut into pieces")
  func damaged() {
    let text = Array(
      "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'x'>]><r><i k='a>b'><a>é&e;&lt;</a></i><i><![CDATA[q]]></i></r>"
        .utf8)
    for length in 0..<text.count {
      let sample = XMLSample(bytes: Array(text[..<length]))
      let whole = sample.reading(["a", "@k", "#text"])
      #expect(whole.failure != nil, "cut at \(length)")
      #expect(sample.reading(["a", "@k", "#text"], pieceSize: 1).lines == whole.lines, "cut at \(length)")
    }
    for index in text.indices {
      var bytes = text
      bytes[index] = [0, 0xFF, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: ">")][index % 5]
      let sample = XMLSample(bytes: bytes)
      let whole = sample.reading(["a", "@k", "#text"])
      for size in [1, 5] {
        let pieces = sample.reading(["a", "@k", "#text"], pieceSize: size)
        #expect(pieces.lines == whole.lines && (pieces.failure == nil) == (whole.failure == nil), "byte \(index)")
      }
    }
  }

  @Test("every place at which pieces may be cut gives the same")
  func cuts() {
    let text =
      "<?xml version='1.0'?><r xmlns:n='u'><n:i k='a>b&amp;'><a>é&#65;&lt;x\r\ny</a><!-- > --><b><![CDATA[<]]\r\n]]></b>"
      + "<c><d>1</d><d>2</d></c></n:i ><n:i/></r>"
    let sample = XMLSample(text)
    let whole = sample.reading(["a", "@k", "b", "c"])
    #expect(whole.lines == [#"éA<x⏎y|a>b&|<]]⏎|${"d":["1","2"]}"#, "·|·|·|·"])
    for size in 1..<text.utf8.count { #expect(sample.reading(["a", "@k", "b", "c"], pieceSize: size) == whole) }
  }

  @Test("a document longer than many pieces keeps its places")
  func long() throws {
    var text = "<r>\n"
    for index in 0..<3000 {
      text += "  <i k=\"\(index)\"><a>é \(index) &amp; \(String(repeating: "y", count: index % 90))</a></i>\n"
    }
    text += "</r>"
    var reader = try XMLReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["@k", "a"]))
    var batch = RecordBatch()
    var count = 0
    while try reader.read(into: &batch, limit: BatchLimit(records: 100)) {
      for record in 0..<batch.recordCount {
        #expect(batch.text(record, 0) == "\(count)")
        #expect(batch.text(record, 1) == "é \(count) & \(String(repeating: "y", count: count % 90))")
        #expect(batch.records[record].line == count + 2 && batch.records[record].column == 3)
        let raw = batch.raw(record)
        let offset = batch.records[record].byteOffset
        #expect(Array(Array(text.utf8)[offset..<offset + raw.count]) == raw)
        count += 1
      }
    }
    #expect(count == 3000)
  }

  @Test("a record with many child records stays one text, in every batch")
  func manyChildren() throws {
    let filler = String(repeating: "x", count: 100_000)
    let lines = (0..<3000).map { "<l n='\($0)'><s>&lt;\($0)</s></l>" }.joined()
    let text = "<r><o><note>&amp;\(filler)</note>\(lines)</o><o><l n='x'/></o></r>"
    var options = XMLOptions()
    options.each = "l"
    var reader = try XMLReader(
      source: ByteSource(bytes: Array(text.utf8)), options: options, columns: .named(["l.@n", "l.s", "note"]))
    var batch = RecordBatch()
    var count = 0
    while try reader.read(into: &batch, limit: BatchLimit(records: 100)) {
      for record in 0..<batch.recordCount where count + record < 3000 {
        #expect(batch.text(record, 0) == "\(count + record)" && batch.text(record, 1) == "<\(count + record)")
        #expect(batch.withField(record, 2) { $0.count } == 100_001)
      }
      count += batch.recordCount
      #expect(batch.byteCount < 1_000_000)
    }
    #expect(count == 3001)
  }
}
