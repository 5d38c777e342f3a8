import Foundation
import MergewalkTestSupport
import Testing

/// What the pages name in `code` has to be in the sources, so that a renamed type does not leave its old name behind.
@Suite("Names in the documentation")
struct NameTests {
  /// Every identifier and file name in the sources, the tests and the package.
  private static let known: Set<String> = {
    var names: Set<String> = []
    for folder in ["Sources", "Tests", "bench", "docs", "scripts", "pipelines", "fixtures", "Package.swift"] {
      let root = Locations.repository + "/" + folder
      let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
      for file in folder.contains(".") ? [""] : files {
        names.formUnion(file.split(separator: "/").map(String.init))
        guard file.hasSuffix(".swift") || folder == "Package.swift" else { continue }
        guard let text = try? String(contentsOfFile: root + (file.isEmpty ? "" : "/" + file), encoding: .utf8) else {
          continue
        }
        // Comments may still know old names.
        for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
          names.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        }
      }
    }
    return names
  }()

  /// Names in `code` that look like a type, a member of one, or a Swift file.
  private static func names(_ page: String) throws -> Set<String> {
    var names: Set<String> = []
    for match in try Pages.prose(page).matches(of: #/`([^`\n]+)`/#) {
      let code = String(match.1)
      if code.wholeMatch(of: #/[A-Z][a-z]+[A-Za-z]*(\.[A-Za-z]+)*(<[A-Za-z]+>)?/#) != nil {
        names.insert(code)
      } else if code.hasSuffix(".swift"), !code.contains("*") {
        names.insert(code)
      }
    }
    return names
  }

  @Test(arguments: ["README.md", "docs/architecture.md"] + Pages.all.filter { $0.hasPrefix("docs/decisions/") })
  func `types, members and files exist`(page: String) throws {
    /// Names of others that the pages speak of.
    let foreign: Set<String> = ["Regex", "NSRegularExpression", "String", "Sendable", "Foundation"]
    let names = try Self.names(page)
    if page == "docs/architecture.md" { #expect(names.count > 60) }
    for name in names where !foreign.contains(name) {
      if name.hasSuffix(".swift") {
        if !Self.known.contains(String(name.split(separator: "/").last ?? "")) { Issue.record("no file \(name)") }
      } else {
        for part in name.split(whereSeparator: { ".<>".contains($0) }) where !Self.known.contains(String(part)) {
          Issue.record("no \(part) in the sources, named as \(name)")
        }
      }
    }
  }
}
