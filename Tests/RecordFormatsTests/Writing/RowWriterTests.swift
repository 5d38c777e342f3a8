import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Rows as text")
struct RowWriterTests {
  /// One row of every kind of value.
  static func everything(_ writer: RowWriter) throws {
    writer.null()
    writer.integer(.min)
    writer.double(0.1)
    writer.float(0.1)
    "12.50".withCString { writer.decimal(UnsafeRawBufferPointer(start: $0, count: 5)) }
    writer.boolean(true)
    writer.date(727_272_727.5)
    writer.binary(bytes: [0, 255, 16])
    writer.uuid(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
    writer.text("Zoë, \"x\"")
    try writer.endRow()
  }
  static let names = ["none", "i", "d", "f", "dec", "b", "date", "bin", "uuid", "t"]

  @Test("CSV")
  func csv() throws {
    #expect(
      try written(.csv(CSVRowOptions()), Self.names, Self.everything) == """
        none,i,d,f,dec,b,date,bin,uuid,t
        ,-9223372036854775808,0.1,0.1,12.50,true,2024-01-18T12:12:07.5Z,AP8Q,01234567-89AB-CDEF-FEDC-BA9876543210,"Zoë, ""x""\"

        """)
  }

  @Test("JSON lines and JSON")
  func json() throws {
    let object =
      #"{"none":null,"i":-9223372036854775808,"d":0.1,"f":0.1,"dec":12.50,"b":true,"date":"2024-01-18T12:12:07.5Z","#
      + #""bin":"AP8Q","uuid":"01234567-89AB-CDEF-FEDC-BA9876543210","t":"Zoë, \"x\""}"#
    #expect(try written(.ndjson, Self.names, Self.everything) == object + "\n")
    let two = try written(.json, Self.names) { writer in
      try Self.everything(writer)
      try Self.everything(writer)
    }
    #expect(two == "[\n\(object),\n\(object)\n]\n")
    #expect(try JSONSerialization.jsonObject(with: Data(two.utf8)) is [[String: Any]])
  }

  @Test("YAML")
  func yaml() throws {
    #expect(
      try written(.yaml, Self.names, Self.everything) == """
        - none: null
          i: -9223372036854775808
          d: 0.1
          f: 0.1
          dec: 12.50
          b: true
          date: 2024-01-18T12:12:07.5Z
          bin: !!binary "AP8Q"
          uuid: 01234567-89AB-CDEF-FEDC-BA9876543210
          t: "Zoë, \\"x\\""

        """)
  }

  @Test("XML")
  func xml() throws {
    #expect(
      try written(.xml(XMLRowOptions()), ["a", "b.c", "@count", "bin"]) { writer in
        writer.null()
        writer.text("<a> & b\r\n")
        writer.text("x\u{1B}")
        writer.binary(bytes: [1])
        try writer.endRow()
      } == """
        <?xml version="1.0" encoding="UTF-8"?>
        <rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
          <row>
            <a xsi:nil="true"/>
            <b.c>&lt;a&gt; &amp; b&#13;
        </b.c>
            <value name="@count" encoding="base64" of="text">eBs=</value>
            <bin encoding="base64">AQ==</bin>
          </row>
        </rows>

        """)
  }

  @Test("no rows are a header, nothing, an empty array, an empty sequence, an empty element, a header")
  func noRows() throws {
    func text(_ format: RowFormat) throws -> String { try written(format, ["a"]) { _ in } }
    #expect(try text(.csv(CSVRowOptions())) == "a\n")
    #expect(try text(.ndjson) == "")
    #expect(try text(.json) == "[]\n")
    #expect(try text(.yaml) == "[]\n")
    #expect(try text(.xml(XMLRowOptions())).hasSuffix("XMLSchema-instance\">\n</rows>\n"))
    #expect(try text(.table(TableOptions())) == "a\n─\n")
  }

  @Test("infinity and NaN")
  func infinities() throws {
    func text(_ format: RowFormat) throws -> String {
      try written(format, ["a", "b", "c"]) { writer in
        writer.double(.infinity)
        writer.float(-.infinity)
        writer.double(.nan)
        try writer.endRow()
      }
    }
    #expect(try text(.csv(CSVRowOptions())) == "a,b,c\nInfinity,-Infinity,\n")
    #expect(try text(.ndjson) == #"{"a":"Infinity","b":"-Infinity","c":null}"# + "\n")
    #expect(try text(.yaml) == "- a: .inf\n  b: -.inf\n  c: null\n")
    #expect(try text(.xml(XMLRowOptions())).contains("<a>INF</a>\n    <b>-INF</b>\n    <c xsi:nil"))
  }

  @Test("CSV tells no value, the empty text and the spelling of no value apart")
  func csvNulls() throws {
    var options = CSVRowOptions()
    func text() throws -> String {
      try written(.csv(options), ["a", "b", "c"]) { writer in
        writer.null()
        writer.text("")
        writer.text("NULL")
        try writer.endRow()
      }
    }
    #expect(try text() == "a,b,c\n,\"\",NULL\n")
    options.null = "NULL"
    options.empty = ""
    options.lineEnd = "\r\n"
    #expect(try text() == "a,b,c\r\nNULL,,\"NULL\"\r\n")
    options.hasHeader = false
    options.delimiter = ";"
    #expect(try text() == "NULL;;\"NULL\"\r\n")
    // A line of nothing is no record to many readers.
    let lone = try written(.csv(CSVRowOptions()), ["a"]) { writer in
      writer.null()
      try writer.endRow()
    }
    #expect(lone == "a\n\"\"\n")
  }

  @Test(
    "what is written with a long delimiter is read back",
    arguments: ["||", ", ", "§", "aa", "\\t", "x;y"] as [CSVDelimiter])
  func longDelimiters(_ delimiter: CSVDelimiter) throws {
    let texts = ["a|", "|", "||", " ,", ",", "x, y", "¢", "§", "a", "aaa", "\\", "t\\", "\"", "\n", "x;", "plain"]
    var format = CSVRowOptions()
    format.delimiter = delimiter
    let bytes = try writtenBytes(.csv(format), ["x", "y"]) { writer in
      for first in texts {
        for second in texts {
          writer.text(first)
          writer.text(second)
          try writer.endRow()
        }
      }
    }
    var options = CSVOptions()
    options.delimiter = delimiter
    var reader = try CSVReader(source: ByteSource(bytes: bytes), options: options)
    var batch = RecordBatch()
    var found: [[String?]] = []
    while try reader.read(into: &batch, limit: BatchLimit()) {
      #expect(batch.errors == [])
      for row in 0..<batch.recordCount { found.append([batch.text(row, 0), batch.text(row, 1)]) }
    }
    #expect(found == texts.flatMap { first in texts.map { [first, $0] } })
  }

  @Test("text that is not UTF-8 is kept, but for JSON, which says so")
  func notUTF8() throws {
    let bytes: [UInt8] = [0x61, 0xFF]
    func row(_ writer: RowWriter) throws {
      writer.text(bytes: bytes)
      try writer.endRow()
    }
    #expect(try writtenBytes(.csv(CSVRowOptions()), ["a"], row) == Array("a\n".utf8) + bytes + [10])
    #expect(try written(.yaml, ["a"], row) == "- a: !!binary \"Yf8=\"\n")
    #expect(try written(.xml(XMLRowOptions()), ["a"], row).contains("<a encoding=\"base64\" of=\"text\">Yf8=</a>"))
    var lost = 0
    let json = try written(.ndjson, ["a"]) { writer in
      try row(writer)
      lost = writer.replacedTexts
    }
    #expect(json == "{\"a\":\"a\u{FFFD}\"}\n")
    #expect(lost == 1)
  }

  @Test(
    "YAML quotes what some reader takes for something else",
    arguments: [
      ("no", #""no""#), ("NO", #""NO""#), ("y", #""y""#), ("Off", #""Off""#), ("null", #""null""#), ("~", #""~""#),
      ("", #""""#), ("1", #""1""#), ("2024-01-31", #""2024-01-31""#), ("0x1F", #""0x1F""#), ("1e3", #""1e3""#),
      (".inf", #"".inf""#), ("a: b", #""a: b""#), ("a #b", #""a #b""#), (" a", #"" a""#), ("a ", #""a ""#),
      ("- a", #""- a""#), ("[a]", #""[a]""#), ("{a}", #""{a}""#), ("*a", #""*a""#), ("&a", #""&a""#),
      ("!a", #""!a""#), ("|", #""|""#), (">", #"">""#), ("'a'", #""'a'""#), ("\"a\"", #""\"a\"""#), ("%a", #""%a""#),
      ("@a", #""@a""#), ("`a", #""`a""#), ("a\tb", #""a\tb""#), ("a\r\nb", #""a\r\nb""#), ("\u{7F}", #""\u007F""#),
      ("a\u{85}b", #""a\u0085b""#), ("\u{FEFF}a", #""\uFEFFa""#), ("a\u{2028}b", #""a\u2028b""#),
      ("Ada Lovelace", "Ada Lovelace"), ("Zoë", "Zoë"), ("日本", "日本"), ("norway", "norway"), ("it's", "it's"),
      ("a,b", "a,b"), ("x-coredata", "x-coredata"), ("a\nb", "|-\n    a\n    b"), ("a\nb\n", "|\n    a\n    b"),
      ("a\n\nb\n\n\n", "|+\n    a\n\n    b\n\n"), (" a\nb", #"" a\nb""#), ("a\n  \nb", #""a\n  \nb""#),
      ("a\n  b", "|-\n    a\n      b"), ("\n", #""\n""#),
    ])
  func yamlTexts(_ text: String, _ expected: String) throws {
    let first = try written(.yaml, ["k", "l"]) { try $0.row(text, "z") }
    #expect(first == "- k: \(expected)\n  l: z\n")
    let last = try written(.yaml, ["k"]) { try $0.row(text) }
    #expect(last == "- k: \(expected)\n")
  }

  @Test("YAML numbers with an exponent have a point, without which YAML 1.1 sees a text")
  func yamlExponent() throws {
    let text = try written(.yaml, ["a", "b", "c"]) { writer in
      writer.double(1e20)
      writer.double(1.5e-7)
      writer.float(1e20)
      try writer.endRow()
    }
    #expect(text == "- a: 1.0e+20\n  b: 1.5e-07\n  c: 1.0e+20\n")
  }

  @Test("Doubles and Floats come back as they were")
  func numbers() throws {
    var generator = SeededGenerator(seed: 7)
    var doubles = [
      0, -0.0, 1, -5, 1e15, 1e16, 123456789.125, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2,
      9007199254740992,
    ]
    var floats: [Float] = [0.1, 1, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    for _ in 0..<2000 {
      let double = Double(bitPattern: generator.next())
      if double.isFinite { doubles.append(double) }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      if float.isFinite { floats.append(float) }
    }
    var options = CSVRowOptions()
    options.hasHeader = false
    let lines = try written(.csv(options), ["a"]) { writer in
      for value in doubles {
        writer.double(value)
        try writer.endRow()
      }
      for value in floats {
        writer.float(value)
        try writer.endRow()
      }
    }.split(separator: "\n")
    #expect(lines.count == doubles.count + floats.count)
    for (line, value) in zip(lines, doubles) {
      #expect(Double(line)?.bitPattern == value.bitPattern && line == value.description, "\(value): \(line)")
    }
    for (line, value) in zip(lines.dropFirst(doubles.count), floats) {
      #expect(Float(line)?.bitPattern == value.bitPattern, "\(value): \(line)")
    }
  }

  @Test(
    "dates",
    arguments: [
      (0.0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"), (86_399.25, "2001-01-01T23:59:59.25Z"),
      (-0.25, "2000-12-31T23:59:59.75Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (727_272_727.123456, "2024-01-18T12:12:07.123456Z"), (-1e-30, "2001-01-01T00:00:00Z"),
      (1e-5, "2001-01-01T00:00:00.00001Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
      (-63_145_526_401, "-000001-12-31T23:59:59Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
      (252_423_993_600, "+010000-01-01T00:00:00Z"), (1e300, "1e+300"), (5_097_600, "2001-03-01T00:00:00Z"),
      (-26_524_800, "2000-02-29T00:00:00Z"), (0.1234567, "2001-01-01T00:00:00.1234567Z"),
    ])
  func dates(_ seconds: Double, _ expected: String) throws {
    var options = CSVRowOptions()
    options.hasHeader = false
    let text = try written(.csv(options), ["a"]) { writer in
      writer.date(seconds)
      try writer.endRow()
    }
    #expect(text == expected + "\n")
  }

  @Test("a reader that goes away is no error, a full device is one")
  func goneReader() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    let sink = ByteSink(descriptor: ends[1])
    let writer = RowWriter(.ndjson, columns: ["a"], to: sink)
    writer.text(String(repeating: "x", count: 100_000))
    #expect(try writer.endRow() == false)
    try writer.finish()
    #expect(sink.isReaderGone)
    #expect(sink.byteCount == 0)
    close(ends[1])

    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let other = RowWriter(.ndjson, columns: ["a"], to: ByteSink(descriptor: full))
    other.integer(1)
    try other.endRow()
    #expect(throws: OutputError(number: ENOSPC)) { try other.finish() }
  }

  @Test("a descriptor that does not block is waited for")
  func nonBlocking() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    // One page, by F_SETPIPE_SZ, which Swift's Glibc does not name: the writer is sure to find it full.
    try #require(fcntl(ends[1], 1031, 4096) >= 4096)
    let (reading, writing) = (ends[0], ends[1])
    let reader = Thread {
      var chunk = [UInt8](repeating: 0, count: 5000)
      while read(reading, &chunk, chunk.count) > 0 {}
    }
    reader.start()
    let sink = ByteSink(descriptor: writing)
    let bytes = [UInt8](repeating: 65, count: 1 << 20)
    try bytes.withUnsafeBytes { try sink.write($0) }
    #expect(sink.byteCount == 1 << 20)
    close(writing)
  }
}
