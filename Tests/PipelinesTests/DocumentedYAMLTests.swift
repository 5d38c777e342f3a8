import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkPipelines
import MergewalkTestSupport
import Testing
import MergewalkYAML

/// Every YAML block of every page: pipelines and parts of them, tests of pipelines, models.
@Suite("YAML in the documentation")
struct DocumentedYAMLTests {
  /// A fenced block.
  struct Block: CustomTestStringConvertible, Sendable {
    var page: String
    /// The line of the file on which the block's text begins.
    var line: Int
    var text: String
    /// The field that the block stands in, from `<!-- part of: FIELD -->` on the line before it.
    var field: String?
    var testDescription: String { "\(page):\(line)" }
  }

  static let pages: [String] = ["", "docs/", "docs/decisions/", "bench/", "fixtures/"].flatMap { folder in
    let names = try? FileManager.default.contentsOfDirectory(atPath: Locations.repository + "/" + folder)
    return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
  }

  static let blocks: [Block] = pages.flatMap { page -> [Block] in
    guard let text = try? String(contentsOfFile: Locations.repository + "/" + page, encoding: .utf8) else { return [] }
    return blocks(of: text, page: page)
  }

  static func blocks(of text: String, page: String) -> [Block] {
    var blocks: [Block] = []
    var current: Block?
    var before: Substring = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.drop { $0 == " " }
      if let block = current {
        if words.hasPrefix("```") {
          blocks.append(block)
          current = nil
        } else {
          current?.text += line + "\n"
        }
      } else if words.hasPrefix("```yaml") || words.hasPrefix("```yml") {
        let mark = before.wholeMatch(of: #/<!-- part of: ([a-z.]+) -->/#)
        current = Block(page: page, line: index + 2, text: "", field: mark.map { String($0.1) })
      }
      before = line
    }
    return blocks
  }

  /// What may be found in a block alone: the files that it speaks of are nobody's, and it need not use every column.
  private static let allowed: Set<String> = ["fileMissing", "unreadableFile", "noMatchingFile", "unusedColumn"]

  /// A whole pipeline from a part of one; the lines before the part are counted.
  static func whole(_ block: Block) throws -> (text: String, addedLines: Int) {
    var text = block.text
    var added = 0
    if let field = block.field {
      // The block's lines are indented as they are in the file; a mark names the way to them.
      let names = field.split(separator: ".")
      let head = names.enumerated().map { String(repeating: " ", count: $0.offset) + $0.element + ":\n" }.joined()
      text = head + text
      added = names.count
    }
    let fields = Set((try YAMLDocument.parse(text, path: block.page).entries ?? []).compactMap(\.key.text))
    if !text.hasSuffix("\n") { text += "\n" }
    if !fields.contains("model") { text += "model: model-of-nobody.yaml\n" }
    if !fields.contains("store") { text += "store: store.sqlite\n" }
    if fields.isDisjoint(with: ["imports", "objects"]) {
      if !fields.contains("source") { text += "source: file-of-nobody.csv\n" }
      if !fields.contains("import") { text += "import: { entity: Entity, find_by: [key] }\n" }
    }
    return (text, added)
  }

  /// The findings about a block, with the lines of its page.
  static func findings(_ block: Block) throws -> [String] {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("docs"), withIntermediateDirectories: true)
    for name in ["fixtures", "pipelines"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: Locations.repository + "/" + name)
    }
    let fields = (try? YAMLDocument.parse(block.text, path: block.page).entries) ?? []
    let names = Set(fields.compactMap(\.key.text))
    var list: [Diagnostic]
    var added = 0
    if names.contains("entities") {
      let path = try folder.write(block.text, to: "docs/model.yaml")
      do throws(DiagnosticList) { list = ModelLint.check(try ModelReader.read(path)) } catch {
        list = error.diagnostics
      }
    } else if names.contains("cases") {
      list = PipelineTests.lint(try folder.write(block.text, to: "docs/block_test.yaml"))
    } else {
      let whole = try whole(block)
      added = whole.addedLines
      var settings = PipelineSettings()
      // The columns of an import that is added here are nobody's.
      settings.checksHeaders = names.contains("import")
      list = Pipeline.lint(try folder.write(whole.text, to: "docs/block.yaml"), settings: settings).filter {
        !Self.allowed.contains($0.code) && (block.field == nil || $0.code != "missingField")
      }
    }
    return list.map { finding in
      var finding = finding
      finding.path = block.page
      finding.position.line += block.line - 1 - added
      return finding.description
    }
  }

  @Test("there are blocks on many pages")
  func found() {
    #expect(Self.blocks.count >= 25)
    #expect(Set(Self.blocks.map(\.page)).count >= 10)
  }

  @Test("every block is without findings", arguments: blocks)
  func lint(_ block: Block) throws {
    #expect(try Self.findings(block) == [])
  }

  @Test("cases on pages pass", arguments: blocks.filter { $0.text.contains("\ncases:") })
  func cases(_ block: Block) throws {
    let folder = TemporaryFolder()
    for name in ["fixtures", "pipelines"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: Locations.repository + "/" + name)
    }
    let tests = try PipelineTests.read(try folder.write(block.text, to: "docs/block_test.yaml"))
    for index in tests.names.indices {
      let result = tests.run(index)
      #expect(result.outcome == .passed, "\(result.name): \(result.findings)")
    }
  }

  @Test(
    "a mistake on a page is found on its line",
    arguments: [
      (
        "a\n```yaml\nsource:\n  files: a.csv\n  delimeter: tab\n```\n",
        "page.md:5:3: error: “source” has no field “delimeter”"
      ),
      ("<!-- part of: source -->\n```yaml\n  widhts: {}\n```\n", "page.md:3:3: error: “source” has no field “widhts”"),
      (
        "<!-- part of: import.attributes -->\n```yaml\n    name: { trimm: true }\n```\n",
        "page.md:3:13: error: “name” has no field “trimm”"
      ),
      ("```yaml\nsorce: a.csv\n```\n", "page.md:2:1: error: “pipeline” has no field “sorce”"),
      ("```yaml\nentities:\n  A:\n    attributes: { a: strin }\n```\n", "page.md:4:22: error: "),
      ("```yaml\ncases:\n  - { name: a, expct: {} }\n```\n", "page.md:"),
    ])
  func seeded(_ page: String, _ finding: String) throws {
    let blocks = Self.blocks(of: page, page: "page.md")
    try #require(blocks.count == 1)
    let findings = try Self.findings(blocks[0])
    #expect(findings.first?.hasPrefix(finding) == true, "\(findings)")
  }
}

/// Every pipeline and every file with tests in the repository.
@Suite("Files of the repository")
struct RepositoryLintTests {
  /// The files, and what is around them.
  static let files = SchemaTests.files

  @Test("every pipeline and every file with tests is without findings", arguments: files)
  func lint(_ file: String) throws {
    let path = Locations.repository + "/pipelines/" + file
    if file.hasSuffix(PipelineTests.suffix) {
      #expect(PipelineTests.lint(path) == [])
      return
    }
    var settings = PipelineSettings()
    if let shared = Locations.shared {
      // The real routes are not there; those of flights are our own.
      for (name, folder) in [("CHINOOK", "chinook"), ("OPENFLIGHTS", "openflights")] where !file.hasPrefix("flights") {
        settings.variables.assignments[name] = shared + "/suites/datasets/" + folder
      }
    }
    // Public data sets are not in this repository.
    let allowed: Set<String> = Locations.shared == nil ? ["unreadableFile", "unusedVariable"] : ["unusedVariable"]
    #expect(Pipeline.lint(path, settings: settings).filter { !allowed.contains($0.code) } == [])
  }

  @Test("there are pipelines, and tests of them")
  func found() {
    #expect(Self.files.count >= 20)
    #expect(Self.files.contains { $0.hasSuffix(PipelineTests.suffix) })
  }
}
