import Foundation
import MergewalkTestSupport
import Testing

@Suite("DocC catalogues")
struct CatalogueTests {
  private static let folder = Locations.repository + "/Sources/MergewalkObjects/MergewalkObjects.docc/"
  private static let pages = [
    "ComingFromElsewhere", "Concurrency", "GettingStarted", "Migration", "Models", "TypedQueries",
  ]

  /// The text without what formatting may change.
  private static func plain(_ text: some StringProtocol) -> String {
    String(text.filter { !$0.isWhitespace && $0 != "}" }).replacing("fileprivate", with: "")
  }

  @Test("what the pages show is compiled here", arguments: pages + ["MergewalkObjects"])
  func examples(page: String) throws {
    let compiled = Self.plain(
      try String(contentsOfFile: Locations.repository + "/Tests/MacrosTests/CatalogueExamples.swift", encoding: .utf8)
    ).replacing("Shown.", with: "")
    let text = try String(contentsOfFile: Self.folder + page + ".md", encoding: .utf8)
    var shown = 0
    for block in text.matches(of: #/```swift\n((?:.|\n)*?)```/#).map(\.1) {
      // Of pairs of programs, the one that is ours.
      let ours = block.contains("// Mergewalk\n") ? block.split(separator: "// Mergewalk\n")[1] : block
      if ours.contains(".package(") { continue }
      for paragraph in ours.split(separator: "\n\n") {
        for part in paragraph.split(separator: "\nfor ").flatMap({ $0.split(separator: "{ …") }) {
          let statement = Self.plain(part.drop { $0 == "}" || $0.isWhitespace })
          if statement.isEmpty || statement.hasPrefix("import") { continue }
          shown += 1
          #expect(compiled.contains(statement), "\(page): \(part)")
        }
      }
    }
    #expect(shown > 0)
  }
}
