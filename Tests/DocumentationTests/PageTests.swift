import Foundation
import MergewalkTestSupport
import Testing

@Suite("Pages")
struct PageTests {
  @Test func `the pages are found`() {
    #expect(Pages.all.contains("README.md"))
    #expect(Pages.all.contains("docs/decisions/0001-columns-and-row-sources.md"))
  }

  @Test(arguments: Pages.all)
  func `every link leads to a file, and every anchor to a heading`(page: String) throws {
    let here = URL(fileURLWithPath: Locations.repository + "/" + page)
    for match in try Pages.prose(page).matches(of: #/\]\(([^)\s]+)\)/#) {
      let target = String(match.1)
      if target.hasPrefix("https://") { continue }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let file = parts[0].isEmpty ? here : here.deletingLastPathComponent().appendingPathComponent(parts[0])
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(target)")
      guard parts.count == 2, let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      #expect(Self.anchors(text).contains(parts[1]), "\(page): \(target)")
    }
  }

  /// The anchors that GitHub gives headings.
  private static func anchors(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
      return String(title.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" ? $0 : nil })
    }
  }

  @Test func `the index lists every page and every decision`() throws {
    let index = try Pages.text("docs/README.md")
    for page in Pages.all where page.hasPrefix("docs/") && page != "docs/README.md" {
      #expect(index.contains("(\(page.dropFirst("docs/".count)))"), "\(page)")
    }
  }

  @Test func `decisions are numbered without gaps and titled alike`() throws {
    let decisions = Pages.all.filter { $0.hasPrefix("docs/decisions/") }
    for (index, page) in decisions.enumerated() {
      let number = String(String(10001 + index).dropFirst())
      #expect(page.hasPrefix("docs/decisions/\(number)-"))
      #expect(try Pages.text(page).hasPrefix("# \(number) "), "\(page)")
    }
  }

  @Test func `every command is on its page`() throws {
    let readme = try Pages.text("docs/commands.md")
    let folder = Locations.repository + "/Sources/mergewalk"
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var names: [String] = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      names += text.matches(of: #/commandName: "([a-z]+)"/#).map { String($0.1) }
    }
    #expect(names.count >= 10)
    for name in names where name != "mergewalk" {
      #expect(readme.contains(try Regex("`mergewalk (model |store |stores |rejects )?\(name)\\b")), "\(name)")
    }
  }
}
