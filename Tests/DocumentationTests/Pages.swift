import Foundation
import MergewalkTestSupport

/// The Markdown files of the repository.
enum Pages {
  /// The paths of all pages, relative to the repository.
  static let all: [String] = {
    let folders = ["", "docs/", "docs/decisions/", "bench/", "fixtures/"]
    return folders.flatMap { folder -> [String] in
      let names = try? FileManager.default.contentsOfDirectory(atPath: Locations.repository + "/" + folder)
      return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
    }
  }()

  /// The text of a file of the repository.
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: Locations.repository + "/" + path, encoding: .utf8)
  }

  /// The text of a page without its fenced blocks.
  static func prose(_ path: String) throws -> String {
    var isInside = false
    return try text(path).split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.hasPrefix("```") { isInside.toggle() }
      return !isInside && !line.hasPrefix("```")
    }.joined(separator: "\n")
  }

  /// The fenced blocks of a language, without their fences.
  static func blocks(_ language: String, of path: String) throws -> [String] {
    var blocks: [String] = []
    var current: String?
    for line in try text(path).split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```" + language {
        current = ""
      } else if line == "```", let block = current {
        blocks.append(block)
        current = nil
      } else {
        current?.append(line + "\n")
      }
    }
    return blocks
  }
}
