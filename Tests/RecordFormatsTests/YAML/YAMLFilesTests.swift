import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct YAMLFilesTests {
  @Test(.enabled(if: Locations.shared != nil))
  func `naughty strings come byte-equal out of what is written`() throws {
    let folder = Locations.shared("suites/encoding")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).first {
        $0.hasPrefix("blns") && $0.hasSuffix(".json")
      })
    let json = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    let strings = try #require(try JSONSerialization.jsonObject(with: json) as? [String])
    #expect(strings.count > 400)
    var output = OutputBytes()
    for (index, string) in strings.enumerated() {
      var string = string
      output.append(Array("- index: \(index)\n  text: ".utf8)[...])
      string.withUTF8 { output.append(yaml: UnsafeRawBufferPointer($0), indentation: 4) }
      output.append(Array("\n  last: x\n".utf8)[...])
    }
    let bytes = Array(output.bytes)
    for size in [1, 7, Int.max] {
      var reader = try YAMLReader(
        source: ByteSource(bytes: bytes, chunkSize: size), columns: .named(["index", "text", "last"]))
      var batch = RecordBatch()
      var found: [String] = []
      while try reader.read(into: &batch, limit: BatchLimit(records: 100)) {
        #expect(batch.errors == [])
        for record in 0..<batch.recordCount {
          #expect(batch.text(record, 0) == "\(found.count)" && batch.text(record, 2) == "x")
          // Both are texts: in quotes where it could be something else.
          #expect(batch.state(record, 1) == .text || batch.state(record, 1) == .quoted)
          found.append(batch.text(record, 1) ?? "absent")
        }
      }
      #expect(found.map { Array($0.utf8) } == strings.map { Array($0.utf8) })
    }
  }

  @Test func `YAML is told from other text when it is certain`() {
    func format(_ text: String) -> SourceFormat? { SourceFormat(sample: Array(text.utf8)) }
    for text in [
      "---\na: 1\n", "--- [a]\n", "%YAML 1.2\n---\n", "- a: 1\n", "# note\n\n- a: 1\n", "-   name_2: x\n",
      "- é:\n    x\n",
      "---",
    ] {
      #expect(format(text) == .yaml, "\(text)")
    }
    for text in ["a: 1\n", "- a,b\n", "-- x\n", "----\n", "-1,2\n", "a,b\n- c: d\n", "- : x\n", "- a b: c\n"] {
      #expect(format(text) == .csv, "\(text)")
    }
  }

  @Test func `memory stays flat, however large the input is`() throws {
    let record = Array("- {id: 12345, name: some text that is longer, list: [1, 2, 3], more: é}\n".utf8)
    let window = 400_000
    var bytes: [UInt8] = []
    bytes.reserveCapacity(record.count * window / 10)
    for _ in 0..<window / 10 { bytes += record }
    var reader = try YAMLReader(source: ByteSource(bytes: bytes, chunkSize: 4096), columns: .named(["id", "list"]))
    var batch = RecordBatch()
    var count = 0
    while try reader.read(into: &batch, limit: BatchLimit(records: 1000)) {
      count += batch.recordCount
      #expect(batch.bytes.count < 1 << 20)
    }
    #expect(count == window / 10)
  }
}
