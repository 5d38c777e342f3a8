import MergewalkDiagnostics
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Entities, document types and other means by which a document asks for more than its own text.
@Suite struct XMLSafetyTests {
  /// Reads a document, which must take less than two seconds.
  private func reading(_ text: String, _ columns: [String]? = ["a"], _ comment: String = "") -> Reading {
    var reading = Reading()
    let time = ProcessorTime.measure { reading = XMLSample(text).reading(columns) }
    #expect(time < .seconds(2), "\(comment) took \(time)")
    return reading
  }

  private func declarations(_ list: [String]) -> String { "<!DOCTYPE r [\(list.joined(separator: "\n"))]>" }

  @Test("a billion laughs end fast, in content, in attributes, in parameter entities, and where they make nothing")
  func billionLaughs() {
    for leaf in ["lol", "", "<x/>"] {
      let list =
        ["<!ENTITY l0 '\(leaf)'>"]
        + (1...12).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }
      let start = declarations(list)
      #expect(reading("\(start)<r><i><a>&l12;</a></i></r>", ["a"], "content \(leaf)").failure != nil)
      #expect(reading("\(start)<r>&l12;</r>", ["a"], "outside \(leaf)").failure != nil)
      #expect(reading("\(start)<r><i a='&l12;'/></r>", ["@a"], "attribute \(leaf)").failure != nil)
    }
    let parameters =
      ["<!ENTITY % p0 '<!ENTITY x &#34;y&#34;>'>"]
      + (1...12).map { "<!ENTITY % p\($0) '\(String(repeating: "&#37;p\($0 - 1);", count: 10))'>" } + ["%p12;"]
    _ = reading("\(declarations(parameters))<r><i><a>1</a></i></r>", ["a"], "parameters")
  }

  @Test("one long entity that is used often ends fast")
  func quadratic() {
    let start = declarations(["<!ENTITY a '\(String(repeating: "x", count: 100_000))'>"])
    let uses = String(repeating: "&a;", count: 100_000)
    #expect(reading("\(start)<r><i><a>\(uses)</a></i></r>").failure != nil)
    #expect(reading("\(start)<r>\(String(repeating: "<i><a>&a;</a></i>", count: 20_000))</r>").failure != nil)
    #expect(reading("\(start)<r><i a='\(uses)'/></r>", ["@a"]).failure != nil)
  }

  @Test("very many declarations end fast")
  func manyDeclarations() {
    let list = (0..<120_000).map { "<!ENTITY e\($0) 'x'>" }
    #expect(reading("\(declarations(list))<r><i><a>1</a></i></r>").failure?.hasPrefix("invalidDocument") == true)
    let some = (0..<1000).map { "<!ENTITY e\($0) 'x'>" }
    #expect(reading("\(declarations(some))<r><i><a>&e999;</a></i></r>").lines == ["x"])
  }

  @Test("a CDATA section may be longer than what libxml2 keeps of one")
  func longSection() {
    let text = String(repeating: String(repeating: "<p>é]]&</p>]", count: 1000) + "\n", count: 800)
    let reading = XMLSample("<r><i><a><![CDATA[\(text)]]></a></i><i><a>b</a></i></r>").reading(["a"])
    #expect(text.utf8.count > 10_000_000 && reading.failure == nil && reading.lines.count == 2)
    #expect(reading.lines.first?.utf8.count == text.utf8.count + 2 * 800, "line feeds are shown by three bytes")
    #expect(reading.lines.last == "b")
  }

  @Test("a long CDATA section is the text that it holds, wherever it is divided", arguments: Soak.readerSeeds(4))
  func dividedSection(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = ["]", "]]", "]]]", ">", "]>", "\r\n", "\r", "\n", "é", "漢字", "😀", "<p>", "word "]
    var text = ""
    while text.utf8.count < 300_000 {
      text += String(repeating: parts.randomElement(using: &random) ?? "", count: Int.random(in: 1...9, using: &random))
    }
    // Taking one out can make another.
    while text.contains("]]>") { text = text.replacing("]]>", with: "]>") }
    let sample = XMLSample("<r><i><a><![CDATA[\(text)]]></a><b>1</b></i>\n<i><a>b</a></i></r>")
    // By scalars: a return and a line feed are one character.
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\n", plain.last == "\r" { plain.removeLast() }
      plain.append(scalar)
    }
    let escapes: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "\r": "\n"]
    let escaped = plain.map { escapes[$0] ?? String($0) }.joined()
    let expected = XMLSample(
      "<r><i><a>\(escaped)</a><b>1</b></i>\n<i><a>b</a></i></r>"
    ).lines(["a", "b"])
    let isEqual = sample.lines(["a", "b"]) == expected
    #expect(isEqual, "seed \(seed)")
    for pieceSize in [1, 1000, 4097] {
      let reading = sample.reading(["a", "b"], arrivals: [7, 5000, 13], pieceSize: pieceSize)
      let isSame = reading == sample.reading(["a", "b"])
      #expect(isSame, "seed \(seed), pieces of \(pieceSize)")
    }
  }

  @Test("names without end, and a tag that is too long for libxml2, end the reading and say why")
  func limits() throws {
    let names = (0..<250_000).map { "<k\($0)/>" }.joined()
    let failure = XMLSample("<r><i>\(names)</i></r>").reading(["a"]).failure
    #expect(failure?.hasPrefix("expansionLimit") == true)
    let long = "<r><i><a>1</a></i><i a='\(String(repeating: "x", count: 11_000_000))'/></r>"
    let error = #expect(throws: ReadError.self) {
      var reader = try XMLReader(source: ByteSource(bytes: Array(long.utf8)), columns: .named(["a"]))
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: BatchLimit()) {}
    }
    #expect(error?.message.hasPrefix("one tag, comment or processing instruction is longer than 10 MB") == true)
    #expect(error?.position.column == 19)
  }

  @Test("entities that refer to themselves are refused")
  func loops() {
    let start = declarations(["<!ENTITY a '&b;'>", "<!ENTITY b '&a;'>"])
    #expect(reading("\(start)<r><i><a>&a;</a></i></r>").failure != nil)
    #expect(reading("\(start)<r><i a='&a;'/></r>", ["@a"]).failure != nil)
    _ = reading("\(declarations(["<!ENTITY % p '&#37;p;'>", "%p;"]))<r/>")
  }

  @Test("many default attributes, many attributes and much nesting end fast")
  func attributes() {
    let defaults = (0..<3000).map { "a\($0) CDATA 'x'" }.joined(separator: "\n")
    let few = (0..<900).map { "a\($0) CDATA 'x'" }.joined(separator: "\n")
    let many = String(repeating: "<i/>", count: 200_000)
    #expect(reading("\(declarations(["<!ATTLIST i \(defaults)>"]))<r>\(many)</r>").failure != nil)
    #expect(reading("\(declarations(["<!ATTLIST i \(few)>"]))<r>\(many)</r>").failure != nil)
    let tag = (0..<200_000).map { " a\($0)=''" }.joined()
    #expect(reading("<r><i\(tag)/></r>").failure != nil)
    _ = reading("<r>" + String(repeating: "<i xmlns:a='u'>", count: 20_000), ["a"], "namespaces")
    _ = reading(String(repeating: "<a ", count: 300_000))
    _ = reading(String(repeating: "<!--", count: 300_000))
    _ = reading("<r><![CDATA[" + String(repeating: "]", count: 1_000_000))
    _ = reading("<!DOCTYPE r [" + String(repeating: "<!ENTITY a 'b'>", count: 100_000))
    _ = reading("<r>" + String(repeating: "&", count: 1_000_000))
  }

  @Test("entities of the document are replaced, also by elements")
  func entities() {
    let start = declarations([
      "<!ENTITY n 'Ann'>", "<!ENTITY i '<i k=\"1\"><a>&n;</a></i>'>", "<!ATTLIST i d CDATA 'x'>",
    ])
    #expect(
      reading("\(start)<r>\n&i;<i><a>&n; B</a></i>\n &i;</r>", ["a", "@k", "@d"]).lines == [
        "Ann|1|x", "Ann B|·|x", "Ann|1|x",
      ])
    #expect(reading("\(start)<r><q>&i;</q></r>", ["i.a", "i"]).lines == [#"Ann|${"@k":"1","@d":"x","a":"Ann"}"#])
  }

  @Test("records that come from an entity have the place and the text of its reference")
  func entityPlaces() throws {
    let batch = try XMLSample("<!DOCTYPE r [<!ENTITY i '<i><a>1</a></i><i><a>2</a></i>'>]>\n<r>\n &i;</r>").batch(["a"])
    #expect(batch.recordCount == 2)
    for record in 0..<2 {
      #expect(String(decoding: batch.raw(record), as: UTF8.self) == "&i;")
      #expect(batch.records[record].line == 3 && batch.records[record].column == 2)
      #expect(batch.position(record, 0).line == 3)
    }
  }

  @Test("nothing outside of the document is ever opened, and what refers to it is refused, not empty")
  func external() throws {
    let folder = TemporaryFolder()
    let secret = try folder.write("secret", to: "secret.txt")
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [secret, pipe, "http://127.0.0.1:9/x", "ftp://127.0.0.1/x", "/dev/zero"] {
      let uri = path.hasPrefix("/") ? "file://" + path : path
      for system in [uri, path] {
        let general = declarations(["<!ENTITY e SYSTEM '\(system)'>", "<!ENTITY f '&e;'>"])
        for reference in ["&e;", "&f;"] {
          let found = reading("\(general)<r><i><a>1</a></i><i><a>x\(reference)</a></i><i><a>3</a></i></r>")
          #expect(found.failure == nil)
          #expect(found.lines.map { $0.prefix(16) } == ["1", "unresolvedEntity", "3"], "\(found)")
        }
        #expect(reading("\(general)<r>&e;</r>").failure?.hasPrefix("invalidDocument") == true)
        #expect(reading("\(general)<r><i a='&e;'/></r>", ["@a"]).lines.map { $0.prefix(16) } == ["unresolvedEntity"])
        let parameter = declarations(["<!ENTITY % p SYSTEM '\(system)'>", "%p;"])
        #expect(reading("\(parameter)<r><i><a>1</a></i></r>").lines == ["1"])
        #expect(reading("<!DOCTYPE r SYSTEM '\(system)'><r><i><a>1</a></i></r>").lines == ["1"])
        #expect(
          reading("<!DOCTYPE r PUBLIC 'x' '\(system)'><r><i><a>&nbsp;</a></i></r>").lines == [
            "unresolvedEntity@1:\(36 + system.count)"
          ])
        #expect(reading("<?oasis-xml-catalog catalog='\(system)'?><r><i><a>1</a></i></r>").lines == ["1"])
        let include = "<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='\(system)' parse='text'/>"
        #expect(reading("<r><i><a>\(include)</a></i></r>", ["a.x:include.@href"]).lines == [system])
        let schema = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='u \(system)'"
        #expect(reading("<?xml-stylesheet href='\(system)'?><r \(schema)><i><a>1</a></i></r>").lines == ["1"])
      }
    }
  }

  @Test("a reference to an entity that is not declared refuses its record, or the document outside of records")
  func undeclared() {
    let start = "<!DOCTYPE r SYSTEM 'x.dtd'>"
    #expect(reading("\(start)<r><i><a>1&q;</a></i><i><a>2</a></i></r>").lines == ["unresolvedEntity@1:38", "2"])
    #expect(reading("\(start)<r>&q;<i><a>2</a></i></r>").failure == "invalidDocument@1:31")
    #expect(reading("<r><i><a>&q;</a></i></r>").failure?.hasPrefix("invalidDocument") == true)
  }

  @Test("markup with entities of the document is refused, because it means nothing elsewhere")
  func markupWithEntities() {
    let text = "\(declarations(["<!ENTITY n 'x'>"]))<r><i><a>1<b>&n;</b></a></i><i><a>1<b>&amp;</b></a></i></r>"
    let found = XMLSample(text) { $0.mixed = .markup }.lines(["a"])
    #expect(found.count == 2 && found[0].hasPrefix("unresolvedEntity") && found[1] == "1<b>&amp;</b>")
  }

  @Test("several threads read at once")
  func threads() async {
    let text = "<r>" + String(repeating: "<i><a>1 &amp; é</a></i>", count: 2000) + "</r>"
    let expected = XMLSample(text).lines(["a"])
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { XMLSample(text).lines(["a"]) == expected } }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}
