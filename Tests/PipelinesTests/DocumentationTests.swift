import Foundation
import MergewalkImporting
@testable import MergewalkPipelines
import MergewalkTestSupport
import Testing
import MergewalkYAML

@Suite("Documentation")
struct DocumentationTests {
  private static let page = Locations.repository + "/docs/pipelines.md"
  private static let mark = "swift test --filter Documentation` -->\n"

  /// A YAML block of a Markdown file.
  struct Block: CustomTestStringConvertible, Sendable {
    var file: String
    var line: Int
    var text: String
    var testDescription: String { "\(file):\(line)" }
  }

  /// The YAML blocks of the README and this page that are pipelines or parts of them.
  static let blocks: [Block] = ["README.md", "docs/pipelines.md", "docs/export.md", "docs/transforms.md"].flatMap {
    file -> [Block] in
    guard let text = try? String(contentsOfFile: Locations.repository + "/" + file, encoding: .utf8) else { return [] }
    var blocks: [Block] = []
    var current: Block?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```yaml" {
        current = Block(file: file, line: index + 2, text: "")
      } else if line == "```", let block = current {
        if ["import:\n", "source:", "objects:\n"].contains(where: block.text.contains) { blocks.append(block) }
        current = nil
      } else {
        current?.text += line + "\n"
      }
    }
    return blocks
  }

  @Test("the page has blocks to lint")
  func hasBlocks() { #expect(Self.blocks.count >= 5) }

  @Test("every YAML block is a pipeline without findings", arguments: blocks)
  func lint(_ block: Block) throws {
    // Blocks lie two folders below the fixtures, as the page does; parts are completed from the first block.
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("docs"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("fixtures"), withDestinationPath: Locations.fixtures)
    let whole = try #require(Self.blocks.first { $0.file == "docs/pipelines.md" })
    var sections = Self.sections(whole.text)
    let own = Self.sections(block.text)
    sections.removeAll { section in own.contains { $0.name == section.name } }
    let isWhole = own.contains { $0.name == "model" }
    let text = isWhole ? block.text : (sections + own).map(\.text).joined()
    let path = try folder.write(text, to: "docs/block.yaml")
    #expect(Pipeline.lint(path) == [], "\(block.file):\(block.line)\n\(text)")
  }

  /// The top-level fields of a YAML text, with their lines.
  private static func sections(_ text: String) -> [(name: String, text: String)] {
    var sections: [(name: String, text: String)] = []
    for line in text.split(separator: "\n") {
      if line.first == "#" { continue }
      if line.first != " ", let colon = line.firstIndex(of: ":") {
        sections.append((String(line[..<colon]), ""))
      }
      if !sections.isEmpty { sections[sections.count - 1].text += line + "\n" }
    }
    return sections
  }

  @Test("the reference on the page is made from the specs")
  func reference() throws {
    let text = try String(contentsOfFile: Self.page, encoding: .utf8)
    let parts = text.components(separatedBy: Self.mark)
    try #require(parts.count == 2)
    let wanted = parts[0] + Self.mark + "\n" + PipelineReference.markdown(of: .standard) + "\n"
    if ProcessInfo.processInfo.environment["MERGEWALK_UPDATE_DOCS"] == "1" {
      try wanted.write(toFile: Self.page, atomically: true, encoding: .utf8)
    } else {
      #expect(text == wanted, "run the tests with MERGEWALK_UPDATE_DOCS=1 to write the reference anew")
    }
  }

  @Test("the table of steps on the page about transforms is made from the specs")
  func stepTable() throws {
    let page = Locations.repository + "/docs/transforms.md"
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let parts = text.components(separatedBy: Self.mark)
    try #require(parts.count == 2)
    let end = try #require(
      parts[1].range(of: "\n\n", range: parts[1].index(after: parts[1].startIndex)..<parts[1].endIndex))
    let wanted = parts[0] + Self.mark + "\n" + PipelineReference.steps + parts[1][end.lowerBound...]
    if ProcessInfo.processInfo.environment["MERGEWALK_UPDATE_DOCS"] == "1" {
      try wanted.write(toFile: page, atomically: true, encoding: .utf8)
    } else {
      #expect(text == wanted, "run the tests with MERGEWALK_UPDATE_DOCS=1 to write the table anew")
    }
  }

  @Test("the reference of tests on their page is made from the specs")
  func testReference() throws {
    let page = Locations.repository + "/docs/pipeline-tests.md"
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let parts = text.components(separatedBy: Self.mark)
    try #require(parts.count == 2)
    let wanted = parts[0] + Self.mark + "\n" + PipelineReference.markdown(of: .tests) + "\n"
    if ProcessInfo.processInfo.environment["MERGEWALK_UPDATE_DOCS"] == "1" {
      try wanted.write(toFile: page, atomically: true, encoding: .utf8)
    } else {
      #expect(text == wanted, "run the tests with MERGEWALK_UPDATE_DOCS=1 to write the reference anew")
    }
  }

  @Test(
    "every example of the specs can be read",
    arguments: ComponentRegistry.standard.components + ComponentRegistry.tests.components)
  func examples(_ component: ComponentSpec) throws {
    let registry: ComponentRegistry =
      ComponentRegistry.standard.components.contains(component) ? .standard : .tests
    for field in component.fields {
      #expect(field.summary.hasSuffix("."), "\(component.name).\(field.name)")
      // What is left out in an example is left out.
      let text = "\(field.name): \(field.example)\n".replacing(", ...", with: "")
      var alone = component
      alone.fields = [field]
      let findings = Findings(path: "example")
      let value = ComponentReader(registry: registry, findings: findings).read(
        try YAMLDocument.parse(text, path: "example"), as: alone)
      #expect(value?.fields[field.name] != nil, "\(component.name).\(field.name): \(text)")
      #expect(findings.list.isEmpty, "\(component.name).\(field.name): \(findings.list)")
    }
  }
}
