import MergewalkBytes
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

private func files(_ folder: String) -> [String] {
  guard Locations.shared != nil else { return [] }
  return ((try? FileManager.default.contentsOfDirectory(atPath: Locations.shared("suites/xml/" + folder))) ?? [])
    .filter { $0.hasSuffix(".xml") || $0 == "dtd13" }.sorted()
}

/// libxml2's own regression documents, judged as it judges them: well-formed with namespaces or not.
///
/// Where this reader refuses more, it is because text would be lost: entities outside of the document are not read.
@Suite(.enabled(if: Locations.shared != nil)) struct XMLSuiteTests {
  private func isAccepted(_ path: String) throws -> Bool {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/xml/" + path))))
    var isAccepted = true
    for size in [Int.max, 7] {
      var reading = Reading()
      let time = ProcessorTime.measure { reading = XMLSample(bytes: bytes).reading(["a"], arrivals: [size]) }
      #expect(time < .seconds(2), "\(path) took \(time)")
      isAccepted = reading.failure == nil && !reading.lines.contains { $0.contains("@") }
    }
    return isAccepted
  }

  @Test("libxml2's documents with errors are refused, the others read", arguments: files("libxml2-errors"))
  func errors(_ name: String) throws {
    let wellFormed: Set = [
      "attr3.xml", "doctype1.xml", "doctype2.xml", "ent_redecl.xml", "ns-ent.xml", "quadratic-defattr.xml",
    ]
    #expect(try isAccepted("libxml2-errors/" + name) == wellFormed.contains(name), "\(name)")
  }

  @Test("libxml2's documents that grow without end are refused fast", arguments: files("libxml2-recurse"))
  func recurse(_ name: String) throws {
    // These grow by external files only, which are not read; what refers to them is refused.
    let harmless: Set = ["good.xml", "good_attr.xml", "lol_ep.xml", "lol_ip_content.xml", "lol_ip_value.xml"]
    #expect(try isAccepted("libxml2-recurse/" + name) == harmless.contains(name), "\(name)")
  }

  @Test("every naughty string that XML can hold comes back byte by byte, as text, CDATA and attribute")
  func naughty() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/encoding/blns.json")))
    let strings = try #require(try JSONSerialization.jsonObject(with: data) as? [String])
    #expect(strings.count > 500)
    var held: [String] = []
    var text = "<r>"
    for string in strings {
      guard Array(string.utf8).withUnsafeBytes({ $0.isXML }) else { continue }
      held.append(string)
      var plain = OutputBytes()
      var attribute = OutputBytes()
      Array(string.utf8).withUnsafeBytes { plain.append(xml: $0) }
      attribute.append(xmlAttribute: string)
      let section = string.replacingOccurrences(of: "]]>", with: "]]]]><![CDATA[>").replacingOccurrences(
        of: "\r", with: "]]>&#13;<![CDATA[")
      text += "<i k=\"\(String(decoding: attribute.bytes, as: UTF8.self))\">"
      text += "<a>\(String(decoding: plain.bytes, as: UTF8.self))</a><b><![CDATA[\(section)]]></b></i>"
    }
    text += "</r>"
    #expect(held.count > strings.count - 10)
    let batch = try XMLSample(text).batch(["a", "b", "@k"])
    #expect(batch.recordCount == held.count && batch.errors == [])
    for (record, string) in held.enumerated() {
      for column in 0..<3 {
        let found = batch.withField(record, column) { Array($0) }
        #expect(found == Array(string.utf8), "\(string) in column \(column)")
      }
    }
  }
}
