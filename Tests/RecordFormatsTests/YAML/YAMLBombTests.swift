import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// So many of what takes longest: in an ordinary run a third.
private func many(_ count: Int) -> Int { Soak.isOn ? count : count / 3 }

/// Texts that are hard on libyaml or on who follows it.
///
/// Each is about 300 KB, or 100 KB, and must end soon, in one way or another.
@Suite(.serialized) struct YAMLBombTests {
  static let bombs: [(name: String, text: @Sendable () -> String)] = [
    ("open brackets", { String(repeating: "[", count: 300_000) }),
    ("open braces", { String(repeating: "{a: ", count: 75_000) }),
    ("brackets on lines", { String(repeating: "[\n", count: 150_000) }),
    ("braces on lines", { String(repeating: "{a:\n", count: 75_000) }),
    ("dashes", { String(repeating: "- ", count: 150_000) }),
    ("question marks", { String(repeating: "? ", count: 150_000) }),
    ("questions and dashes", { String(repeating: "? - ", count: 75_000) }),
    (
      "deep brackets, again and again",
      {
        "["
          + String(repeating: String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + ",", count: 300)
          + "]"
      }
    ),
    ("much in deep brackets", { String(repeating: "[\n", count: 500) + String(repeating: "a,", count: many(150_000)) }),
    (
      "much in deeper brackets",
      { String(repeating: "[\n", count: 1000) + String(repeating: "a,", count: many(150_000)) }
    ),
    ("tag directives", { (0..<20_000).map { "%TAG !a\($0)! tag:x\($0)\n" }.joined() + "--- a\n" }),
    (
      "tags of many directives",
      {
        (0..<1000).map { "%TAG !a\($0)! tag:x\($0)\n" }.joined() + "---\n"
          + String(repeating: "- !a999!x a\n", count: 20_000)
      }
    ),
    ("indentation", { (0..<700).map { String(repeating: " ", count: $0) + "a:\n" }.joined() }),
    ("a long comment", { "#" + String(repeating: "x", count: 300_000) }),
    ("blank lines", { String(repeating: "\n", count: 300_000) }),
    ("a long key", { String(repeating: "x", count: 300_000) + ": 1" }),
    ("a long quoted key", { "\"" + String(repeating: "x", count: 300_000) + "\": 1" }),
    ("one long flow", { "[" + String(repeating: "a,", count: many(150_000)) + "]" }),
    ("anchors", { (0..<many(20_000)).map { "- &a\($0) {v: \($0)}\n" }.joined() }),
    ("one anchor, defined anew", { (0..<many(20_000)).map { "- &a {v: \($0)}\n- *a\n" }.joined() }),
    ("anchors around anchors", { (0..<500).map { "&a\($0) [" }.joined() + String(repeating: "]", count: 500) }),
    ("aliases of aliases", { "- &a0 {v: 1}\n" + (1...many(1_800)).map { "- &a\($0) {v: *a\($0 - 1)}\n" }.joined() }),
    (
      "merge keys of merge keys",
      {
        "- &a0 {v: 1}\n" + (1...200).map { "- &a\($0) {<<: *a\($0 - 1), k\($0): 1}\n" }.joined()
      }
    ),
    (
      "merge keys of one mapping",
      {
        "- &a {" + (0..<2_000).map { "k\($0): 1, " }.joined() + "v: 1}\n"
          + String(repeating: "- {<<: *a}\n", count: many(200))
      }
    ),
    ("one mapping of many merge keys", { "- &a {v: 1}\n- {" + String(repeating: "<<: *a, ", count: 30_000) + "}\n" }),
    ("keys that are deep", { String(repeating: "{? ", count: 400) + "a" + String(repeating: "}", count: 400) }),
    ("documents", { String(repeating: "---\n", count: 75_000) }),
    ("empty keys", { String(repeating: "- {: }\n", count: 40_000) }),
    ("percent signs", { "\"" + String(repeating: "\n%", count: 150_000) + "\"" }),
    ("bytes that are no text", { String(repeating: "\u{1}", count: 300_000) }),
    ("characters that are refused", { String(repeating: "- \u{7F}é\u{FFFF}\n", count: 30_000) }),
  ]

  @Test(arguments: bombs.indices)
  func `hard texts end soon`(_ index: Int) {
    let bytes = Array(Self.bombs[index].text().utf8)
    for request in [ColumnRequest.named(["v", "v.v", "a"]), .all] {
      let start = ProcessorTime.now
      let reading = Reading.of { () throws(ReadError) in
        var options = YAMLOptions()
        options.takesScalars = request == .all
        return try YAMLReader(source: ByteSource(bytes: bytes), options: options, columns: request)
      }
      let time = ProcessorTime.now - start
      // Without optimisation everything takes many times as long.
      #expect(time < .seconds(Soak.isOn ? 25 : 8), "\(Self.bombs[index].name): \(time), \(reading.lines.count) records")
    }
  }
}
