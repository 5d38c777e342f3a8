import Foundation
import Importing
import Pipelines
import SQLite
import TestSupport
import Testing

/// The examples of the page on relationships do what the page says.
@Suite("The page on relationships") struct RelationshipPageTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var title: String
    var pipeline: String
    var files: [(name: String, text: String)]
    var result: String
    var testDescription: String { title }
  }

  static let page =
    (try? String(contentsOfFile: Locations.repository + "/docs/relationships.md", encoding: .utf8)) ?? ""

  /// The blocks of the page in their order: what is behind the three marks, and the text.
  static let blocks: [(kind: String, text: String, title: String)] = {
    var blocks: [(kind: String, text: String, title: String)] = []
    var open: String?
    var text = ""
    var title = ""
    for line in page.components(separatedBy: "\n") {
      if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
      if line.hasPrefix("```") {
        if let kind = open {
          blocks.append((kind, text, title))
          open = nil
        } else {
          open = String(line.dropFirst(3))
          text = ""
        }
      } else if open != nil {
        text += line + "\n"
      }
    }
    return blocks
  }()

  static let examples: [Example] = {
    var examples: [Example] = []
    var pipeline = ""
    var files: [(name: String, text: String)] = []
    for block in blocks.dropFirst() {
      let words = block.kind.split(separator: " ").map(String.init)
      switch words[0] {
      case "yaml":
        pipeline = block.text
        files = []
      case "result":
        examples.append(Example(title: block.title, pipeline: pipeline, files: files, result: block.text))
      default:
        files.append((words.count > 1 ? words[1] : words[0] == "json" ? "in.ndjson" : "in.csv", block.text))
      }
    }
    return examples
  }()

  @Test("the page has its examples") func hasExamples() { #expect(Self.examples.count == 6) }

  @Test("every example gives what the page says", arguments: examples) func run(_ example: Example) throws {
    let folder = TemporaryFolder()
    try folder.write(try #require(Self.blocks.first).text, to: "model.yaml")
    for file in example.files { try folder.write(file.text, to: file.name) }
    var text = "model: model.yaml\nstore: press.sqlite\n"
    if !example.pipeline.contains("imports:") { text += "source: \(example.files[0].name)\n" }
    let path = try folder.write(text + example.pipeline, to: "pipeline.yaml")
    #expect(Pipeline.lint(path) == [])
    for round in 0..<2 {
      let summary = try ImportSession(Pipeline.read(path).definition).run()
      #expect(summary.rejected == 0)
      #expect(round == 0 ? summary.inserted == summary.read : summary.unchanged == summary.read)
      let connection = try Connection(path: folder.file("press.sqlite"), mode: .readOnly)
      defer { try? connection.close() }
      for part in example.result.split(whereSeparator: { ",\n".contains($0) }) {
        let words = part.split(separator: " ")
        #expect(try connection.integer("SELECT count(*) FROM Z\(words[0].uppercased())") == Int64(words[1]), "\(part)")
      }
    }
  }
}
