import MergewalkBytes
import MergewalkTestSupport
import Testing
import MergewalkYAML

@testable import MergewalkRecordFormats

/// Random documents, read by ``YAMLReader`` and by the reader of the files that people write.
@Suite struct YAMLPropertyTests {
  /// Writes random values in random styles.
  private struct Writer {
    var random: SeededGenerator
    static let texts = [
      "a", "no", "010", "1e3", "0x1F", "true", "True", "~", "null", "x y", "é😀", "- x", "# no", "a: b", "a #b", "'",
      "\"",
      "", " ", "two\nlines", "tail\n", "\ttab", "{", "[x", "&a", "*a", "!t", "%d", "@", "`", "2001-01-01", "\u{85}",
      "\\",
      "long " + String(repeating: "word ", count: 40), "1.5", "-0", ".5", "+1", "0o7", "|", ">", "?", ":", "-", "<<",
    ]

    mutating func quoted(_ text: String) -> String {
      if Bool.random(using: &random), text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0 != "\u{85}" }) {
        return "'" + text.replacing("'", with: "''") + "'"
      }
      return "\""
        + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        .replacing("\t", with: "\\t").replacing("\u{85}", with: "\\N") + "\""
    }

    mutating func scalar(_ isFlow: Bool) -> String {
      let text = Self.texts.randomElement(using: &random) ?? ""
      let plain = [
        "a", "no", "010", "1e3", "0x1F", "true", "True", "~", "null", "x y", "é😀", "2001-01-01", "1.5", "-0", ".5",
      ]
      return plain.contains(text) && Int.random(in: 0..<4, using: &random) > 0 ? text : quoted(text)
    }

    mutating func flow(_ depth: Int) -> String {
      switch depth > 0 ? Int.random(in: 0..<4, using: &random) : 3 {
      case 0:
        return "[" + (0..<Int.random(in: 0..<4, using: &random)).map { _ in flow(depth - 1) }.joined(separator: ", ")
          + "]"
      case 1:
        return "{" + keys().map { "\($0): \(flow(depth - 1))" }.joined(separator: ", ") + "}"
      default: return scalar(true)
      }
    }

    mutating func keys() -> [String] {
      ["a", "b", "c", "é", "\"x.y\"", "'q'"].filter { _ in Bool.random(using: &random) }
    }

    /// A value behind `name:` or `-`, with its line end.
    mutating func block(_ depth: Int, _ indent: String) -> String {
      switch depth > 0 ? Int.random(in: 0..<6, using: &random) : 5 {
      case 0:
        let names = keys()
        if names.isEmpty { return " {}\n" }
        return "\n" + names.map { "\(indent)\($0):" + block(depth - 1, indent + "  ") }.joined()
      case 1:
        let count = Int.random(in: 1..<4, using: &random)
        return "\n" + (0..<count).map { _ in "\(indent)-" + block(depth - 1, indent + " ") }.joined()
      case 2: return " |\n\(indent) literal\n\(indent)   text é\n"
      case 3: return " " + flow(depth) + (Bool.random(using: &random) ? " # note\n" : "\n")
      default: return " " + scalar(false) + "\n"
      }
    }

    mutating func document() -> String {
      var text = Bool.random(using: &random) ? "# random\n" : ""
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        var names = keys()
        if names.isEmpty { names = ["a"] }
        var first = true
        for name in names {
          text += (first ? "- " : "  ") + name + ":" + block(3, "    ")
          first = false
        }
        if Bool.random(using: &random) { text += "\n" }
      }
      return text
    }
  }

  private func json(_ node: YAMLNode) -> String {
    if let items = node.items { return "[" + items.map(json).joined(separator: ",") + "]" }
    if let entries = node.entries {
      return "{" + entries.map { string($0.key.text ?? "") + ":" + json($0.value) }.joined(separator: ",") + "}"
    }
    guard case .scalar(let text, let isPlain) = node.kind else { return "?" }
    var output: [UInt8] = []
    Array(text.utf8).withUnsafeBytes {
      JSONColumn.append($0, isPlain ? YAMLCoreSchema.state($0) : .quoted, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func string(_ text: String) -> String {
    var output: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { output.append(json: $0, .least) }
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: 0..<60) func `random documents have the values that the other reader finds`(_ seed: Int) throws {
    var writer = Writer(random: SeededGenerator(seed: UInt64(seed)))
    let text = writer.document()
    let bytes = Array(text.utf8)
    let root = try YAMLDocument.parse(text, path: "random")
    let records = try #require(root.items)
    let names = ["a", "b", "c", "é", "x.y", "q"]
    for sizes in [[Int.max], [1], [7]] {
      var reader = try YAMLReader(
        source: ByteSource(bytes: bytes, chunkSizes: sizes),
        columns: .named(names.map { JSONPaths.path(toMember: $0) }))
      var batch = RecordBatch()
      var found = 0
      while try reader.read(into: &batch, limit: BatchLimit(records: 2)) {
        #expect(batch.errors == [])
        for record in 0..<batch.recordCount {
          let entries = try #require(records[found].entries)
          let start = batch.records[record].byteOffset
          #expect(bytes[start...].starts(with: batch.raw(record)), "seed \(seed)\n\(text)")
          for (column, name) in names.enumerated() {
            guard let entry = entries.first(where: { $0.key.text == name }) else {
              #expect(batch.state(record, column) == .absent)
              continue
            }
            var output: [UInt8] = []
            batch.withField(record, column) { JSONColumn.append($0, batch.state(record, column), to: &output) }
            #expect(String(decoding: output, as: UTF8.self) == json(entry.value), "seed \(seed)\n\(text)")
            #expect(batch.position(record, column) == entry.value.position, "seed \(seed) \(name)\n\(text)")
          }
          found += 1
        }
      }
      #expect(found == records.count)
    }
  }

  @Test func `scalars of the core schema are what the other reader finds`() {
    var random = SeededGenerator(seed: 5)
    let letters = Array("01789+-.eExXoOnNuUlLtTrRaAfFiI~ _")
    for _ in 0..<50_000 {
      let text = String((0..<Int.random(in: 0..<6, using: &random)).map { _ in letters.randomElement(using: &random)! })
      let state = Array(text.utf8).withUnsafeBytes { YAMLCoreSchema.state($0) }
      let expected: FieldState =
        switch YAMLScalar(plain: text) {
        case .null: .null
        case .boolean(let value): value ? .true : .false
        case .integer, .double: .number
        case .string: .text
        }
      #expect(state == expected, "\(text)")
    }
  }
}
