import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
@testable import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite struct `Warnings of runs` {
  @Test func `every code is documented and no other`() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/runs.md", encoding: .utf8)
    let start = try #require(page.range(of: "## Warnings"))
    let end = try #require(page.range(of: "### Unusual runs"))
    var documented: [String] = []
    for line in page[start.upperBound..<end.lowerBound].split(separator: "\n") where line.hasPrefix("| `") {
      documented += line.split(separator: "|")[0].matches(of: /`([a-zA-Z]+)`/).map { String($0.1) }
    }
    #expect(documented.sorted() == RunWarning.Code.allCases.map(\.rawValue).sorted())
  }

  @Test func `say where they are about, as far as it is known`() {
    let place = SourcePosition(line: 3, column: 7)
    #expect(
      RunWarning(.neverMatched, "it is", file: "p.yaml", position: place).description
        == "p.yaml:3:7: it is [neverMatched]")
    #expect(RunWarning(.uncertainDialect, "it is", file: "a.csv").description == "a.csv: it is [uncertainDialect]")
    #expect(RunWarning(.uncertainDialect, "it is", file: "a.csv", position: .file).position == nil)
    #expect(RunWarning(.runNotNoted, "it is").description == "it is [runNotNoted]")
    var included = place
    included.includedPath = "q.yaml"
    #expect(RunWarning(.neverMatched, "it is", file: "p.yaml", position: included).place == "q.yaml:3:7")
  }

  @Test func `are in a summary once`() {
    var summary = ImportSummary()
    for _ in 0..<2 { summary.warn(RunWarning(.runNotNoted, "a")) }
    summary.warn(RunWarning(.runNotNoted, "b"))
    #expect(summary.warnings.map(\.message) == ["a", "b"])
  }

  @Test func `have the codes of what they come from`() {
    for code in SchemaWarning.Code.allCases {
      #expect(
        RunWarning(SchemaWarning(code: code, entity: "E", property: "p", message: "m")).code.rawValue == code.rawValue)
    }
    #expect(StoreWarning.allCases.map { RunWarning($0).code } == [.storeHistory, .storeTriggers, .storeCloud])
  }
}
