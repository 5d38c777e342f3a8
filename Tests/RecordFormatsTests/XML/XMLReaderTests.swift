import MergewalkDiagnostics
import Testing

@testable import MergewalkRecordFormats

@Suite struct XMLReaderTests {
  private let orders = """
    <?xml version="1.0"?>
    <orders>
      <order id="1"><name>Ann</name><customer vip="yes"><email>a@b</email></customer><note/></order>
      <!-- two -->
      <order id="2"><name>Bob</name></order>
    </orders>
    """

  @Test("elements, attributes and elements of elements are columns")
  func columns() {
    #expect(
      XMLSample(orders).lines(["name", "@id", "customer.email", "customer.@vip", "note", "nothing"]) == [
        "Ann|1|a@b|yes||·", "Bob|2|·|·|·|·",
      ])
  }

  @Test("all columns are those of the first records")
  func allColumns() throws {
    #expect(try XMLSample(orders).columns() == ["@id", "name", "customer", "customer.@vip", "note"])
    #expect(XMLSample(orders).lines()[0] == #"1|Ann|${"@vip":"yes","email":"a@b"}|yes|"#)
  }

  @Test("records are found by path, from the root or anywhere")
  func paths() {
    let text = "<r><a><x>1</x></a><b><a><x>2</x></a></b></r>"
    func lines(_ path: String) -> Reading { XMLSample(text) { $0.records = path }.reading(["x"]) }
    #expect(lines("/r/a").lines == ["1"])
    #expect(lines("r/a").lines == ["1"])
    #expect(lines("/*/b/*").lines == ["2"])
    #expect(lines("//a").lines == ["1", "2"])
    #expect(lines("//b/a").lines == ["2"])
    #expect(lines("/r").lines == ["·"])
    #expect(lines("/q/a").failure == "missingRecords@1:45")
    for path in ["", "/", "a//b", "@x", "/a[1]", "/a b"] { #expect(lines(path).failure == "invalidOption") }
  }

  @Test("a document that is cut says which element does not end")
  func cut() {
    for text in ["<r><i><a>1", "<r><i><a>1<", "<r><i><a>"] {
      let error = #expect(throws: ReadError.self) {
        var reader = try XMLReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["a"]))
        var batch = RecordBatch()
        while try reader.read(into: &batch, limit: BatchLimit()) {}
      }
      #expect(
        error?.message.hasSuffix("it ends before the element “a” does") == true, "\(String(describing: error))")
    }
  }

  @Test("records do not nest")
  func nested() {
    #expect(XMLSample("<r><a><a><x>1</x></a><x>2</x></a></r>") { $0.records = "//a" }.lines(["x"]) == ["2"])
  }

  @Test("text is all there: references, entities, CDATA, what is beyond ASCII, kept white space")
  func texts() {
    let text = """
      <!DOCTYPE r [<!ENTITY co "A &amp; B"><!ENTITY part "x<b>y</b>z">]>
      <r><i><a>a&amp;b&lt;&#x1F600;é</a></i><i><a><![CDATA[<x>]]]]><![CDATA[>&amp;]]></a></i><i><a>&co;, &co;</a></i>\
      <i><a> x\n y </a></i><i><a></a></i><i><a q="&co;"/></i><i><a>1<!-- c -->2<?p i?>3</a></i></r>
      """
    #expect(
      XMLSample(text).lines(["a", "a.@q"]) == [
        "a&b<😀é|·", "<x>]]>&amp;|·", "A & B, A & B|·", " x⏎ y |·", "|·", "|A & B", "123|·",
      ])
  }

  @Test("line ends are line feeds, also in CDATA")
  func lineEnds() {
    #expect(
      XMLSample("<r><i><a>1\r\n2\r3\n</a><b><![CDATA[1\r\n2\r3\r]]><![CDATA[\n]]></b></i></r>").lines(["a", "b"]) == [
        "1⏎2⏎3⏎|1⏎2⏎3⏎⏎"
      ])
  }

  @Test("an element that stands several times is a JSON array, nothing is lost")
  func repeats() {
    let text =
      "<r \(Self.schemaInstance)><i><a>1</a><b x='p'>2</b><a>\"3\"</a><b x='q'><c>4</c></b><a xsi:nil='true'/></i></r>"
    #expect(
      XMLSample(text).lines(["a", "b", "b.@x", "b.c"]) == [
        #"$["1","\"3\"",null]|$["2",{"@x":"q","c":"4"}]|$["p","q"]|4"#
      ])
  }

  @Test("an element with elements is a JSON object, its repeated elements are arrays")
  func objects() {
    let text = """
      <r \(Self.schemaInstance)><i><o k="&quot;"><a>1</a><b/><a n="x">2</a><a n="y"/><c xsi:nil="1"/><d><e>é</e></d>
      </o></i></r>
      """
    #expect(
      XMLSample(text).lines(["o", "o.d.e", "o.b"]) == [
        ##"${"@k":"\"","a":["1",{"@n":"x","#text":"2"},{"@n":"y"}],"b":"","c":null,"d":{"e":"é"}}|é|"##
      ])
  }

  private static let schemaInstance = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"

  @Test("xsi:nil is null, whatever its prefix; an empty element is an empty text")
  func nulls() {
    let namespace = Self.schemaInstance.replacing("xsi", with: "p")
    #expect(
      XMLSample("<r \(namespace)><i><a p:nil='true'/><b p:nil='1'/><c nil='true'/><d p:nil='false'/></i></r>")
        .lines(["a", "b", "c", "d"]) == ["∅|∅||"])
  }

  @Test(
    "what breaks the rules of namespaces is an error with the place of the tag",
    arguments: [
      ("<r>\n<i><a>1</a></i><i><p:a>2</p:a></i></r>", "invalidDocument@2:19"),
      ("<r>\n<i><a>1</a></i><i p:k='1'/></r>", "invalidDocument@2:16"),
      ("<r xmlns:p='u' xmlns:q='u'>\n<i><a>1</a></i><i p:k='1' q:k='2'/></r>", "invalidDocument@2:16"),
      ("<r>\n<i><a>1</a></i><i xmlns:p=''/></r>", "invalidDocument@2:16"),
      ("<r>\n<i><a>1</a></i><i xmlns:xml='u'/></r>", "invalidDocument@2:16"),
      ("<r>\n<i><a>1</a></i><i xmlns:xmlns='u'/></r>", "invalidDocument@2:16"),
      ("<r>\n<i><a>1</a></i><i xmlns:x='http://www.w3.org/2000/xmlns/'/></r>", "invalidDocument@2:16"),
      ("<r>\n<i><a>1</a></i><i><a:b:c/></i></r>", "invalidDocument@2:19"),
      ("<r>\n<i><a>1</a></i><i><:a/></i></r>", "invalidDocument@2:19"),
    ])
  func brokenNamespaces(text: String, failure: String) {
    #expect(XMLSample(text).reading(["a"]) == Reading(lines: ["1"], failure: failure))
  }

  @Test("a namespace's name may be any text, and prefixes may be declared anew")
  func oddNamespaces() {
    #expect(XMLSample("<r xmlns:p='not a URI'><i xmlns:p='b'><p:a>1</p:a></i></r>").lines(["p:a"]) == ["1"])
    #expect(
      XMLSample("<r xmlns='u'><i xmlns=''><a>1</a></i></r>") { $0.namespaces = ["": "u", "n": "u"] }
        .lines(["a"]) == ["·"])
  }

  @Test(
    "declarations of the document type are held against their grammar",
    arguments: ["<!NOTATION n >", "<!NOTATION n PUBLIC>", "<!NOTATION n:m SYSTEM 'x'>", "<!ENTITY a:b 'x'>"])
  func badDeclarations(declaration: String) {
    #expect(
      XMLSample("<!DOCTYPE r [\(declaration)]><r><i/></r>").reading(["a"]).failure?.prefix(15) == "invalidDocument")
    #expect(XMLSample("<!DOCTYPE r [<!NOTATION n SYSTEM 'x'>]><r><i/></r>").lines(["a"]) == ["·"])
  }

  @Test("mixed content is refused, or all its text, or its markup")
  func mixed() {
    let text = "<r><i><a>x <b>y</b> z &amp;</a><c>1</c></i><i><a>plain</a></i><i><c><d>2</d></c></i></r>"
    #expect(XMLSample(text).lines(["a", "c"]) == ["mixedContent@1:10", "plain|·", #"·|${"d":"2"}"#])
    #expect(XMLSample(text).lines(["c"]) == ["1", "·", #"${"d":"2"}"#])
    #expect(XMLSample(text) { $0.mixed = .text }.lines(["a", "c", "a.b"]) == ["x y z &|1|y", "plain|·|·", "·|2|·"])
    #expect(
      XMLSample(text) { $0.mixed = .markup }.lines(["a", "c"]) == ["x <b>y</b> z &amp;|1", "plain|·", "·|<d>2</d>"])
    #expect(XMLSample(text).lines(["a.#text", "a.b"]) == ["x  z &|y", "plain|·", "·|·"])
  }

  @Test("a record's own text is #text")
  func ownText() throws {
    let sample = XMLSample("<r><i k='1'>one</i><i k='2'/><i>3<b/></i></r>")
    #expect(try sample.columns() == ["@k", "#text", "b"])
    #expect(sample.lines(["#text", "@k"]) == ["one|1", "|2", "3|·"])
    #expect(sample.lines(["@k"]) == ["1", "2", "mixedContent@1:33"])
  }

  @Test("an element with its attributes is #element, whatever is in it")
  func wholeElements() {
    let text = "<r><i><t k='1'/><t k='2'>x</t><t>y</t><t/><o><t k='3'><u/></t></o></i><i/></r>"
    #expect(
      XMLSample(text).lines(["t.#element", "t", "o.t.#element", "o.#element"]) == [
        ##"$[{"@k":"1"},{"@k":"2","#text":"x"},"y",""]|$["","x","y",""]|${"@k":"3","u":""}|${"t":{"@k":"3","u":""}}"##,
        "·|·|·|·",
      ])
    let mixed = "<r><i><t k='1'>x<u>y</u>z</t></i></r>"
    #expect(XMLSample(mixed).lines(["t.#element"]) == ["mixedContent@1:16"])
    for kind in [XMLOptions.MixedContent.text, .markup] {
      #expect(
        XMLSample(mixed) { $0.mixed = kind }.lines(["t.#element"]) == [##"${"@k":"1","u":"y","#text":"xz"}"##])
    }
    #expect(XMLSample(text).reading(["t.#element.x"]).failure == "invalidPath")
  }

  @Test("names are compared as written, or by namespaces")
  func namespaces() throws {
    let text = """
      <r xmlns="urn:d" xmlns:p="urn:p"><i p:k="1"><p:a>x</p:a><a>y</a><q:a xmlns:q="urn:p">z</q:a></i></r>
      """
    #expect(XMLSample(text).lines(["p:a", "a", "q:a", "@p:k"]) == ["x|y|z|1"])
    let sample = XMLSample(text) {
      $0.namespaces = ["n": "urn:p", "d": "urn:d"]
      $0.records = "/d:r/d:i"
    }
    #expect(sample.lines(["n:a", "d:a", "a", "@n:k"]) == [#"$["x","z"]|y|·|1"#])
    #expect(try sample.columns() == ["@n:k", "n:a", "d:a"])
    #expect(sample.reading(["m:a"]).failure == "invalidPath")
    #expect(XMLSample(text) { $0.namespaces = ["": "urn:d"] }.lines(["a"]) == ["y"])
    #expect(XMLSample("<r><i xml:lang='de'/></r>") { $0.namespaces = ["x": "u"] }.lines(["@xml:lang"]) == ["de"])
  }

  @Test("each makes a record of each element; what is around it is the same in all")
  func each() {
    let text = """
      <r><o id="1"><l><s>A</s><n>1</n></l><x>q</x><l><s>B</s><s>C</s></l></o><o id="2"/><o id="3"><l>t</l></o></r>
      """
    let sample = XMLSample(text) { $0.each = "l" }
    #expect(
      sample.lines(["@id", "l.s", "l.n", "x", "l"]) == [
        #"1|A|1|q|${"s":"A","n":"1"}"#, #"1|$["B","C"]|·|q|${"s":["B","C"]}"#, "3|·|·|·|t",
      ])
    #expect(XMLSample(text) { $0.each = "@id" }.reading(["x"]).failure == "invalidOption")
    let deep = XMLSample("<r><o><ls><l a='1'/><l a='2'/></ls><ls><l a='3'/></ls></o></r>") { $0.each = "ls.l" }
    #expect(deep.lines(["ls.l.@a"]) == ["1", "2", "3"])
  }

  @Test("a column may be asked for twice")
  func twice() {
    #expect(XMLSample("<r><i><a>1</a></i></r>").lines(["a", "a"]) == ["1|1"])
    #expect(XMLSample("<r><i><a>1</a></i></r>") { $0.each = "a" }.lines(["a", "a"]) == ["1|1"])
  }

  @Test("positions are those of the elements and of the values")
  func positions() throws {
    let batch = try XMLSample("<r>\n <i k=\"v\"><a>x</a>\n  <b>&amp;é</b><c><![CDATA[q]]></c></i></r>").batch([
      "@k", "a", "b", "c",
    ])
    #expect(batch.records[0].line == 2 && batch.records[0].column == 2 && batch.records[0].byteOffset == 5)
    #expect(String(decoding: batch.raw(0), as: UTF8.self).hasPrefix("<i k=\"v\"><a>x"))
    let places = (0..<4).map { batch.position(0, $0) }
    #expect(places.map { "\($0.line):\($0.column)" } == ["2:8", "2:14", "3:6", "3:29"])
    #expect(places[2].byteOffset == 28)
  }

  @Test("records before a fault of the syntax are read, and the fault has its place")
  func faults() {
    #expect(
      XMLSample("<r><i><a>1</a></i>\n<i><a>2</b></i></r>").reading(["a"])
        == Reading(lines: ["1"], failure: "invalidDocument@2:12"))
    for text in [
      "", "  ", "<r>", "<r><i></r>", "<r/>x", "<r/><r/>", "<r>&x;</r>", "<r>\u{1}</r>", "<r a='1' a='2'/>", "x",
    ] {
      #expect(XMLSample(text).reading(["a"]).failure?.hasPrefix("invalidDocument") == true, "\(text)")
    }
  }

  @Test("bytes that are no text refuse their record alone")
  func invalidText() {
    let start = Array("<r><i><a>1</a></i><i><a>".utf8)
    let end = Array("</a></i><i><a>3</a></i></r>".utf8)
    #expect(XMLSample(bytes: start + [0xC3, 0x28] + end).lines(["a"]) == ["1", "invalidText@1:25", "3"])
    #expect(XMLSample(bytes: start + [0] + end).lines(["a"]) == ["1", "nulByte@1:25", "3"])
    #expect(
      XMLSample(bytes: Array("<r><!-- ".utf8) + [0xFF] + Array(" --><i/></r>".utf8)).reading(["a"])
        == Reading(lines: [], failure: "invalidDocument@1:9"))
  }

  @Test("a record that is too long is refused alone")
  func tooLong() {
    let text = "<r><i><a>1</a></i><i><a>\(String(repeating: "x", count: 100_000))</a></i><i><a>3</a></i></r>"
    #expect(XMLSample(text) { $0.maxRecordBytes = 1000 }.lines(["a"]) == ["1", "recordTooLong@1:19", "3"])
    #expect(XMLSample(text) { $0.maxRecordBytes = 10 }.lines(["a"]).filter { $0.hasPrefix("recordTooLong") }.count == 3)
  }

  @Test("a record that is refused for its length may go on with text in open elements")
  func tooLongInside() {
    let long = String(repeating: "y&amp;", count: 20_000)
    for mixed in XMLOptions.MixedContent.allCases {
      let text = "<r><i><a>\(long)<b>\(long)</b>\(long)</a><a>\(long)</a></i><i><a>3</a></i></r>"
      let sample = XMLSample(text) {
        $0.maxRecordBytes = 1000
        $0.mixed = mixed
      }
      #expect(sample.lines(["a", "a.#text", "a.b"]) == ["recordTooLong@1:4", "3|3|·"])
    }
  }

  @Test("nesting is bounded")
  func depth() {
    func nest(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(XMLSample("<r><i>\(nest(500))</i></r>").lines(["b"]) == ["·"])
    #expect(XMLSample("<r><i>\(nest(600))</i><i/></r>").lines(["b"]).map { $0.prefix(7) } == ["tooDeep", "·"])
    #expect(XMLSample("<r><i>\(nest(600))</i><i/></r>").lines(["a"]).map { $0.prefix(7) } == ["tooDeep", "·"])
    #expect(XMLSample(nest(2000)) { $0.records = "//b" }.reading(["a"]).failure?.prefix(15) == "invalidDocument")
    #expect(XMLSample("<r><i>\(nest(200_000))</i></r>").reading(["a"]).failure?.prefix(15) == "invalidDocument")
  }

  @Test("what our writer writes reads back: null, empty, names that are no names, text that XML cannot hold")
  func writer() throws {
    let names = ["a", "b.c", "@count", "first name", "größe", "x:y", "value", "#1"]
    let bytes = try writtenBytes(.xml(XMLRowOptions()), names) { writer in
      writer.null()
      writer.text("")
      writer.text("x\u{1B}é")
      writer.text(" <&>\"'\r\n\t")
      writer.integer(-1)
      writer.text("q")
      writer.text("v")
      writer.text("\u{FFFE}")
      try writer.endRow()
    }
    let batch = try XMLSample(bytes: bytes).batch(names.map { JSONPaths.path(toMember: $0) })
    #expect(
      (0..<names.count).map { batch.text(0, $0) } == [
        nil, "", "x\u{1B}é", " <&>\"'\r\n\t", "-1", "q", "v", "\u{FFFE}",
      ])
    let found = try XMLSample(bytes: bytes).columns()
    #expect(found.filter { !$0.contains(".@") } == names.map { JSONPaths.path(toMember: $0) })
  }

  @Test("markup is told from other formats by its first bytes")
  func detection() {
    func format(_ text: String) -> SourceFormat? { SourceFormat(sample: Array(text.utf8)) }
    #expect(format("<?xml version='1.0'?>\n<r/>") == .xml)
    #expect(format("\u{FEFF}\n<!-- <plist> --><orders>") == .xml)
    #expect(format("<!DOCTYPE html><html>") == .xml)
    #expect(format("<?xml version='1.0'?><!DOCTYPE plist PUBLIC 'x' 'y'><plist>") == .propertyList)
    #expect(format("<plist version=\"1.0\"><array/>") == .propertyList)
    #expect(format("<1>,2\n") == .csv)
    #expect(format("< a,b\n") == .csv)
  }
}
