import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

@Suite("What to do about rejects")
struct RejectCureTests {
  @Test("what the sentences name are fields of pipelines")
  func fields() throws {
    let known = Set(ComponentRegistry.standard.components.flatMap { $0.fields.map(\.name) })
    for code in RejectCode.allCases {
      let text = RejectCure.text(code)
      #expect(!text.isEmpty && !text.hasSuffix("."))
      for quoted in text.split(separator: "“").dropFirst().compactMap({ $0.split(separator: "”").first }) {
        let name = quoted.drop { "{ ".contains($0) }.prefix { $0.isLetter || $0 == "_" }
        guard quoted.contains(": ") else { continue }
        #expect(known.contains(String(name)), "\(code.rawValue): “\(quoted)”")
      }
    }
  }

  @Test("the steps that the sentences give can be written as they are there")
  func steps() throws {
    let folder = try PipelineFolder()
    let steps = RejectCode.allCases.flatMap { code in
      RejectCure.text(code).split(separator: "“").dropFirst().compactMap { $0.split(separator: "”").first }
        .filter { $0.hasPrefix("do: ") }
    }
    #expect(!steps.isEmpty)
    for step in steps {
      let text = PipelineFolder.sound.replacingAll("quantity: quantity", with: "quantity: { from: quantity, \(step) }")
      #expect(try folder.lint(text) == [], "\(step)")
    }
  }

  @Test(
    "values tell how they are written",
    arguments: [
      ("value.date", ["31.12.2024;x", "01.02.2024;y"], "“date: dd.MM.yyyy”"),
      ("value.date", ["12/31/2024,x"], "“date: MM/dd/yyyy”"),
      ("value.date", ["1/2/2024,x"], "“date: d/M/yyyy” or “M/d/yyyy”"),
      ("value.date", ["2024/12/31 10:00\tx"], "“date: yyyy/MM/dd HH:mm”"),
      ("value.number", ["\"1,65\",x"], "{ decimal_mark: comma }"),
      ("value.number", ["1.234,5;x"], "{ decimal_mark: comma, group_mark: point }"),
      ("value.number", ["1 234,5;x"], "{ decimal_mark: comma, group_mark: space }"),
      ("value.integer", ["\"1,234,567\",x"], "{ group_mark: comma }"),
      ("value.number", ["\"$1,000.50\",x", "$3,y"], "{ replace: { text: \"$\", with: \"\" } }"),
      ("value.integer", ["5%,x"], "{ replace: { text: \"%\", with: \"\" } }"),
      ("value.number", ["5%,x", "$5,x"], "“null_tokens”"),
      (
        "value.number", ["1.234,50 €;x", "0,12 €;y"],
        "take “ €” away: “do: [{ replace: { text: \" €\", with: \"\" } }]”, and set “decimal_mark: comma, group_mark: point”"
      ),
      ("value.number", ["(1.50),x", "(2),y"], "“do: [{ replace: { pattern: '^\\((.*)\\)$', with: '-$1' } }]”"),
      ("value.date", ["\"Mon, 01 Jan 2024 10:00:00 +0000\",x"], "“date: \"EEE, d MMM yyyy H:mm:ss Z\"”"),
      ("value.date", ["1/31/2024 3:04 PM,x"], "“date: M/d/yyyy h:mm a”"),
      ("value.boolean", ["ja,x", "nein,y"], "{ true: [ja], false: [nein] }"),
      ("value.boolean", ["OUI", "non"], "{ true: [oui], false: [non] }"),
      ("value.boolean", ["up;", "down;"], "set which of “up”, “down” mean true"),
      // What tells nothing leaves the sentence of the code.
      ("value.date", ["yesterday"], "or another pattern"), ("value.number", ["tall,x"], "“null_tokens”"),
      ("value.date", ["yesterday,", "31.12.2024,", "soon,"], "or another pattern"),
    ])
  func proposals(code: String, values: [String], text: String) {
    let samples = values.compactMap { RejectedValue(raw: Array($0.utf8), column: 1) }
    let said = RejectCure.text(code: code, samples: samples)
    #expect(said?.contains(text) == true, "\(said ?? "")")
  }

  @Test(
    "records with too few fields are told something else than those with too many",
    arguments: [("a,b", true), ("a,\"b\nc\"", true), ("", true), ("a,b,c,d", false), ("a,\"b\nc\",d,", false)])
  func widths(record: String, isShort: Bool) throws {
    let fault = isShort ? RecordError.WidthFault.missing : .surplus
    var options = CSVOptions()
    options.header = .names(["x", "y", "z"])
    options.blankLines = .record
    var batch = RecordBatch()
    for format in [RecordFormat.csv(options), .fixedWidth(Self.fixed)] {
      let text = format.lineOptions != nil ? record : isShort ? "ab" : "abcd"
      let source = ByteSource(bytes: Array((text + "\n").utf8))
      var reader = try format.reader(source: source, columns: .named(["x"]), index: 0)
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      let error = try #require(batch.errors.first)
      #expect(error.code == .fieldCount && error.width == fault, "\(error)")
      let cure = RejectCure.text(error)
      #expect(cure.contains("short_records") == isShort, "\(cure)")
      #expect(cure.contains("long_records") == !isShort, "\(cure)")
    }
  }

  /// Three columns of one character.
  private static var fixed: FixedWidthOptions {
    let names = ["x", "y", "z"]
    return FixedWidthOptions(
      columns: names.indices.map { FixedWidthOptions.Column(name: names[$0], start: $0 + 1, width: 1) })
  }

  @Test("only targets that are found by attributes are told to be made: whole objects cannot set “missing: create”")
  func missingTargets() {
    let parts = RejectCure.text(.missingTarget).split(separator: ";")
    let creating = parts.filter { $0.contains("create") }
    #expect(creating.count == 1 && creating.allSatisfy { $0.contains("find_by") })
  }

  @Test("the page about trouble has every code with its sentence")
  func page() throws {
    let path = Locations.repository + "/docs/troubleshooting.md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let parts = text.split(separator: #/<!-- cures:(start|end) -->\n/#, omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    let rows = RejectCode.allCases.map { "| `\($0.rawValue)` | \(RejectCure.text($0)) |\n" }.joined()
    let table = "| code | what to do |\n| --- | --- |\n" + rows
    if ProcessInfo.processInfo.environment["MERGEWALK_UPDATE_DOCS"] == "1" {
      try text.replacing(parts[1], with: table).write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(parts[1] == table, "run the tests with MERGEWALK_UPDATE_DOCS=1 to write the table anew")
    }
  }

  @Test("a place outside the record is no value")
  func outside() {
    #expect(RejectedValue(raw: Array("ab".utf8), column: 3) == nil)
    #expect(RejectedValue(raw: Array("ab".utf8), column: 0) == nil)
    #expect(RejectedValue(raw: Array("a\nb".utf8), column: 3) == nil)
    #expect(RejectCure.text(code: "no.such", samples: []) == nil)
  }
}
