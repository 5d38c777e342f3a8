import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import Testing

@Suite("Fixed-width sources of pipelines")
struct FixedWidthSourceTests {
  private let folder: PipelineFolder

  init() throws { folder = try PipelineFolder() }

  private func pipeline(_ options: String) -> String {
    let source = "files: orders.csv\n  format: fixed-width\n  " + options
    return PipelineFolder.sound.replacingAll("files: orders.csv\n  format: csv", with: source)
  }

  private func options(_ text: String) throws -> FixedWidthOptions? {
    var settings = PipelineSettings()
    settings.checksHeaders = false
    let definition = try Pipeline.read(folder.write(pipeline(text)), settings: settings).definition
    guard case .fixedWidth(let options) = definition.format else { return nil }
    return options
  }

  @Test("widths stand one behind the other, and text behind them is refused")
  func widths() throws {
    let expected = FixedWidthOptions(columns: [
      .init(name: "id", start: 1, width: 5), .init(name: "full name", start: 6, width: 20),
    ])
    #expect(try options("widths: {id: 5, full name: 20}") == expected)
  }

  @Test("places may have gaps, and text outside them is passed over")
  func places() throws {
    var expected = FixedWidthOptions(columns: [
      .init(name: "name", start: 8, width: 20), .init(name: "id", start: 1, width: 5),
    ])
    expected.truncateLongLines = true
    #expect(try options("widths: {name: 8-27, id: \"1 - 5\"}") == expected)
    expected.truncateLongLines = false
    #expect(try options("widths: {name: 8-27, id: 1-5}\n  long_records: reject") == expected)
  }

  @Test("options that CSV has too mean the same")
  func others() throws {
    var expected = FixedWidthOptions(columns: [.init(name: "id", start: 1, width: 5)])
    expected.trim = .both
    expected.skippedLines = 2
    expected.comment = "*"
    expected.blankLines = .record
    expected.nullTokens = ["", "NIL"]
    expected.padShortLines = true
    expected.truncateLongLines = true
    expected.encoding = .latin1
    expected.maxRecordBytes = 4096
    #expect(
      try options(
        """
        widths: {id: 5}
          trim: true
          skip_lines: 2
          comment: "*"
          blank_lines: record
          null: ["", NIL]
          short_records: pad
          long_records: truncate
          encoding: iso-8859-1
          max_record: 4KiB
        """) == expected)
    #expect(try options("widths: {id: 5}\n  trim: false")?.trim == FixedWidthOptions.Trim.none)
  }

  @Test(
    "columns that cannot be are findings",
    arguments: [
      ("trim: true", "5:3", "needs the field “widths”", "missingField"),
      ("widths: 5", "7:11", "“widths” takes names with a text each, but here is", "wrongType"),
      ("widths: [id, name]", "7:11", "“widths” takes names with a text each", "wrongType"),
      ("widths: {id: }", "7:12", "“widths” takes names with a text each", "wrongType"),
      ("widths: {id: 5, ID: 4}", "7:19", "names “ID” twice", "duplicateColumn"),
      ("widths: {id: five}", "7:16", "“five” is not a number of characters", "invalidOption"),
      ("widths: {id: 0}", "7:16", "“0” is not a number of characters", "invalidOption"),
      ("widths: {id: 99999999999999999999}", "7:16", "is not a number of characters", "invalidOption"),
      ("widths: {id: 5, name: 6-9}", "7:25", "either all columns have widths, or all have places", "invalidOption"),
      ("widths: {id: 1-5, name: 4}", "7:27", "either all columns have widths, or all have places", "invalidOption"),
      ("widths: {id: 5-1}", "7:16", "“5-1” is not the places", "invalidOption"),
      ("widths: {id: 1-2-3}", "7:16", "“1-2-3” is not the places", "invalidOption"),
      ("widths: {id: 1-5, name: 5-9}", "7:27", "“name” overlaps “id”, which occupies 1-5", "invalidOption"),
      ("widths: {id: 5}\n  quote: none", "8:3", "“quote” is for the formats csv, tsv", "unsuitableOption"),
    ])
  func findings(_ options: String, _ place: String, _ message: String, _ code: String) throws {
    let lines = try folder.lint(pipeline(options))
    let found = lines.contains {
      $0.hasPrefix("pipeline.yaml:\(place): error:") && $0.contains(message) && $0.contains("[\(code)]")
    }
    #expect(found, "\(lines)")
  }

  @Test("widths are for fixed-width text only, and its columns are those that a pipeline can use")
  func elsewhere() throws {
    let csv = PipelineFolder.sound.replacingAll("format: csv", with: "format: csv\n  widths: {id: 5}")
    let lines = try folder.lint(csv)
    #expect(lines.contains { $0.contains("“widths” is for the format fixed-width, but the input is csv") }, "\(lines)")
    let unknown = try folder.lint(pipeline("widths: {order_id: 5}"))
    #expect(unknown.contains { $0.contains("[unknownColumn]") }, "\(unknown)")
  }
}
