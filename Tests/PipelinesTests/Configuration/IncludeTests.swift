import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Includes")
struct IncludeTests {
  private let folder: PipelineFolder

  init() throws { folder = try PipelineFolder() }

  /// The sound pipeline's import, without model, store and source.
  private static let onlyImport = String(
    PipelineFolder.sound[(PipelineFolder.sound.range(of: "import:")?.lowerBound ?? PipelineFolder.sound.startIndex)...])
  private static let model = "model: \(Locations.fixtures)/shop/Shop.xcdatamodeld\n"

  @Test("fields of included files hold where the file says nothing else, mappings field by field")
  func merging() throws {
    try folder.folder.write(
      Self.model + "store: base.sqlite\nbatch: { records: 7, bytes: 1MiB }\nsource: { files: a.csv, format: csv }\n",
      to: "base.yaml")
    let path = try folder.write(
      "include: base.yaml\nstore: mine.sqlite\nbatch: { records: 9 }\nsource: { files: orders.csv }\n" + Self.onlyImport
    )
    let definition = try Pipeline.read(path).definition
    #expect(definition.storePath == folder.folder.file("mine.sqlite"))
    #expect(definition.batchLimit.records == 9 && definition.batchLimit.bytes == 1 << 20)
    #expect(definition.inputs == [folder.folder.file("orders.csv")])
  }

  @Test("lists and scalars are replaced, and of two included files the later one wins")
  func order() throws {
    try folder.folder.write(
      Self.model + "store: one.sqlite\nsource: [x.csv, y.csv]\nbatch: { records: 1 }\n", to: "1.yaml")
    try folder.folder.write("store: two.sqlite\nsource: orders.csv\nbatch: { bytes: 2MiB }\n", to: "2.yaml")
    let definition = try Pipeline.read(try folder.write("include: [1.yaml, 2.yaml]\n" + Self.onlyImport)).definition
    #expect(definition.storePath == folder.folder.file("two.sqlite"))
    #expect(definition.inputs == [folder.folder.file("orders.csv")])
    #expect(definition.batchLimit.records == 1 && definition.batchLimit.bytes == 2 << 20)
  }

  @Test("paths are relative to the file that they stand in, also of files that are included by others")
  func paths() throws {
    try folder.folder.write("include: ../deep/deeper.yaml\nsource: { files: data.csv }\n", to: "parts/part.yaml")
    try folder.folder.write(
      Self.model + "store: out/deep.sqlite\nrejects: rejects.ndjson\n", to: "deep/deeper.yaml")
    try folder.folder.write(
      "order_id,ordered_at,quantity,unit_price,note,email,name,country,sku,product,category\n", to: "parts/data.csv")
    let text = Self.onlyImport.replacingAll("rejects: { file: rejects.ndjson, limit: 10, ratio: 1% }", with: "")
    let path = try folder.write("include: parts/part.yaml\n" + text)
    let definition = try Pipeline.read(path).definition
    #expect(definition.inputs == [folder.folder.file("parts/data.csv")])
    #expect(definition.storePath == folder.folder.file("deep/out/deep.sqlite"))
    #expect(definition.rejects.path == folder.folder.file("deep/rejects.ndjson"))
    // What the caller names is relative to the working directory, whatever is included.
    var settings = PipelineSettings()
    settings.storePath = "here.sqlite"
    #expect(try Pipeline.read(path, settings: settings).definition.storePath == "here.sqlite")
  }

  @Test("findings name the included file, its line and column")
  func findings() throws {
    try folder.folder.write(
      Self.model + "store: s.sqlite\nsource: { files: orders.csv, delimeter: \";\" }\nbatch:\n  records: none\n",
      to: "parts/base.yaml")
    let text = Self.onlyImport.replacingAll("quantity: quantity", with: "quantitee: quantity")
    #expect(
      try folder.lint("include: parts/base.yaml\nsource: { files: orders.csv }\n" + text) == [
        "parts/base.yaml:3:30: error: “source” has no field “delimeter”; did you mean “delimiter”? [unknownField]",
        "parts/base.yaml:5:12: error: “records” takes a whole number, but here is “none”; for example “records: 5000”"
          + " [wrongType]",
        "pipeline.yaml:10:5: error: “Order” has no attribute “quantitee”; did you mean “quantity”? [unknownAttribute]",
      ])
  }

  @Test("a model that an included file names badly is a finding there")
  func model() throws {
    try folder.folder.write("model: None.xcdatamodeld\nstore: s.sqlite\n", to: "parts/base.yaml")
    let findings = try folder.lint("include: parts/base.yaml\nsource: { files: orders.csv }\n" + Self.onlyImport)
    #expect(findings.count == 1)
    #expect(findings[0].hasPrefix("parts/base.yaml:1:8: error: "), "\(findings)")
    #expect(findings[0].hasSuffix("[fileMissing]"))
  }

  @Test("variables may stand in the names of included files and in what is included")
  func variables() throws {
    try folder.folder.write(Self.model + "store: ${STORE}.sqlite\nsource: orders.csv\n", to: "live.yaml")
    var settings = PipelineSettings()
    settings.variables = Variables(assignments: ["STAGE": "live", "STORE": "a"], usesEnvironment: false)
    let path = try folder.write("include: ${STAGE}.yaml\n" + Self.onlyImport)
    #expect(try Pipeline.read(path, settings: settings).definition.storePath == folder.folder.file("a.sqlite"))
    settings.variables.assignments["STORE"] = nil
    let findings = try folder.lint("include: ${STAGE}.yaml\n" + Self.onlyImport, settings)
    #expect(findings.map { $0.split(separator: " ")[0] } == ["live.yaml:2:8:"])
  }

  @Test("a circle is one finding at the include that closes it", arguments: [1, 2, 3])
  func circle(_ length: Int) throws {
    for number in 1...length {
      let next = number == length ? "../pipeline.yaml" : "\(number + 1).yaml"
      try folder.folder.write("# a line\ninclude: [\(next)]\n", to: "parts/\(number).yaml")
    }
    let findings = try folder.lint("include: [parts/1.yaml]\n" + PipelineFolder.sound)
    #expect(findings.count == 1)
    #expect(findings[0].hasPrefix("parts/\(length).yaml:2:11: error: "), "\(findings)")
    #expect(findings[0].hasSuffix("[invalidInclude]"))
  }

  @Test("a file that includes itself is found through a link too")
  func link() throws {
    try folder.folder.write("include: other.yaml\n", to: "self.yaml")
    #expect(symlink("self.yaml", folder.folder.file("other.yaml")) == 0)
    let findings = try folder.lint("include: self.yaml\n" + PipelineFolder.sound)
    #expect(findings.map { $0.split(separator: " ")[0] } == ["self.yaml:1:10:"], "\(findings)")
  }

  @Test("depth and number of files are bounded")
  func bounds() throws {
    for number in 1...30 {
      try folder.folder.write("include: \(number + 1).yaml\n", to: "deep/\(number).yaml")
      // Each level includes the next one twice.
      try folder.folder.write("include: [\(number + 1).yaml, \(number + 1).yaml]\n", to: "wide/\(number).yaml")
    }
    try folder.folder.write("{}\n", to: "deep/31.yaml")
    try folder.folder.write("{}\n", to: "wide/31.yaml")
    let deep = try folder.lint("include: deep/1.yaml\n" + PipelineFolder.sound)
    #expect(deep.count == 1 && deep[0].contains("more than 16 deep"), "\(deep)")
    let wide = try folder.lint("include: wide/1.yaml\n" + PipelineFolder.sound)
    #expect(!wide.isEmpty && wide.count < 200)
    #expect(wide.allSatisfy { $0.hasSuffix("[invalidInclude]") })
  }

  @Test("a part may be included twice on different ways")
  func diamond() throws {
    try folder.folder.write(Self.model + "store: s.sqlite\nsource: orders.csv\n", to: "base.yaml")
    try folder.folder.write("include: base.yaml\n", to: "a.yaml")
    try folder.folder.write("include: base.yaml\n", to: "b.yaml")
    #expect(try folder.lint("include: [a.yaml, b.yaml]\n" + Self.onlyImport) == [])
  }

  @Test(
    "what cannot be included is a finding at its name",
    arguments: [
      ("include: none.yaml", "pipeline.yaml:1:10", "unreadableFile"),
      ("include: [list.yaml]", "list.yaml:1:1", "wrongType"),
      ("include: broken.yaml", "broken.yaml:2:1", "yamlSyntax"),
      ("include: { a: b }", "pipeline.yaml:1:10", "wrongType"),
      ("include: [[x]]", "pipeline.yaml:1:11", "wrongType"), ("include: .", "pipeline.yaml:1:10", "unreadableFile"),
      ("include: inner.yaml", "inner.yaml:1:10", "wrongType"),
    ])
  func mistakes(_ line: String, _ place: String, _ code: String) throws {
    try folder.folder.write("- a\n", to: "list.yaml")
    try folder.folder.write("a: [\n", to: "broken.yaml")
    try folder.folder.write("include: { a: b }\n", to: "inner.yaml")
    let findings = try folder.lint(line + "\n" + PipelineFolder.sound)
    #expect(findings.count == 1, "\(findings)")
    #expect(findings[0].hasPrefix(place) && findings[0].hasSuffix("[\(code)]"), "\(findings)")
  }

  @Test("an empty file can be included")
  func empty() throws {
    try folder.folder.write("# nothing yet\n", to: "empty.yaml")
    #expect(try folder.lint("include: empty.yaml\n" + PipelineFolder.sound) == [])
  }
}
