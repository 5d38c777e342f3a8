import Foundation
import MergewalkTestSupport
import Testing

/// The examples of a page: a block of YAML, the files that it reads, and a block `result` with counts of objects.
struct PageExamples {
  struct Example: Sendable, CustomTestStringConvertible {
    var title: String
    var model: String
    var pipeline: String
    var files: [(name: String, text: String)]
    var result: String
    var testDescription: String { title }
  }

  /// All examples, in the order of the page.
  let examples: [Example]

  /// Reads a page; a block with `entities` is the model of the examples behind it.
  init(page: String) {
    let text = (try? String(contentsOfFile: Locations.repository + "/docs/" + page, encoding: .utf8)) ?? ""
    var examples: [Example] = []
    var next = Example(title: "", model: "", pipeline: "", files: [], result: "")
    for block in Self.blocks(of: text) {
      next.title = block.title
      let words = block.kind.split(separator: " ").map(String.init)
      switch words.first {
      case "yaml" where block.text.contains("\nentities:"): next.model = block.text
      case "yaml":
        next.pipeline = block.text
        next.files = []
      case "result":
        next.result = block.text
        examples.append(next)
      case "csv", "json", "xml":
        next.files.append((words.count > 1 ? words[1] : words[0] == "json" ? "in.ndjson" : "in.csv", block.text))
      default: break
      }
    }
    self.examples = examples
  }

  /// The blocks in their order: what is behind the three marks, the text, the heading before it.
  private static func blocks(of page: String) -> [(kind: String, text: String, title: String)] {
    var blocks: [(kind: String, text: String, title: String)] = []
    var open: String?
    var (text, title) = ("", "")
    for line in page.components(separatedBy: "\n") {
      if line.hasPrefix("## "), open == nil { title = String(line.dropFirst(3)) }
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
  }
}

extension PageExamples.Example {
  /// The whole pipeline, in a store of its own.
  var whole: String {
    var text = (pipeline.contains("model: ") ? "" : "model: model.yaml\n") + pipeline
    if !pipeline.contains("store: ") { text += "store: press.sqlite\n" }
    if !pipeline.contains("imports:"), !pipeline.contains("source: ") { text += "source: \(files[0].name)\n" }
    return text
  }

  /// What the result says: entities, or `pairs` of the join table, with their numbers.
  var counts: [(name: String, count: Int64)] {
    result.split(whereSeparator: { ",\n".contains($0) }).map { part in
      let words = part.split(separator: " ")
      return (String(words[0]), Int64(words[1]) ?? -1)
    }
  }
}
