import Foundation
import MergewalkTestSupport
import Testing

/// Looking for the columns of a document takes bounded memory, wherever its records begin.
@Suite struct SampleMemoryTests {
  let folder = TemporaryFolder()

  @Test(
    "what stands before and between the first records is not kept",
    arguments: [
      ("late.xml", "<r>", "<other>text of another element</other>\n", "<i a='1'/></r>", "/r/i", "@a"),
      ("comments.plist", "({ a = 1; },", "/* a comment in OpenStep text */ \n", "{ a = 2; })", "", "a"),
    ])
  func late(name: String, start: String, middle: String, end: String, records: String, column: String) throws {
    try folder.write("model: M\nentities: { Item: { attributes: { a: integer64! }, unique: [a] } }\n", to: "m.yaml")
    func peak(_ bytes: Int) throws -> Int {
      try folder.write(start, to: name)
      let handle = try #require(FileHandle(forWritingAtPath: folder.file(name)))
      try handle.seekToEnd()
      let piece = Data(String(repeating: middle, count: (1 << 20) / middle.utf8.count).utf8)
      for _ in 0..<(bytes >> 20) { try handle.write(contentsOf: piece) }
      try handle.write(contentsOf: Data(end.utf8))
      try handle.close()
      let place = records.isEmpty ? "" : ", records: \(records)"
      try folder.write(
        "model: m.yaml\nstore: s.sqlite\nsource: { files: \(name)\(place) }\n"
          + "import: { entity: Item, find_by: { a: \"\(column)\" } }\n", to: "p.yaml")
      return try PeakMemory.run(["lint", folder.file("p.yaml")]).bytes
    }
    let (few, many) = (try peak(1 << 20), try peak(96 << 20))
    #expect(many - few < 64 << 20, "\(few) and \(many) bytes")
  }
}
