import Foundation
import MergewalkTestSupport
import Testing

/// Replays of records of which several elements were rejected: each of these has a line with the whole record.
@Suite("Rejected elements of one record")
struct ReplayedElementsTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: M
      entities:
        Line:
          attributes: { sku: string!, count: integer32 }
          relationships: { order: { to_one: Order, inverse: lines } }
        Order:
          attributes: { number: string!, total: integer32 }
          relationships: { lines: { to_many: Line, inverse: order } }
          unique: [number]
      """, to: "m.yaml")
  }

  private func pipeline(_ format: String, mode: String = "upsert") throws {
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: { files: in.\(format), each: lines }
      again: run
      rejects: { file: r.ndjson }
      import:
        entity: Line
        \(mode == "upsert" ? "find_by: { sku: lines.sku }" : "mode: insert")
        attributes: { \(mode == "upsert" ? "" : "sku: lines.sku, ")count: lines.count }
        relationships: { order: { find_by: { number: id }, attributes: { total: total } } }
      """, to: "p.yaml")
  }

  private func replay(_ file: String, to again: String) throws -> [String: Int] {
    let command = try Command(
      ["rejects", "replay", file, "--pipeline", "p.yaml", "--rejects", again, "--json", "--quiet"], in: folder.path)
    return try command.object().compactMapValues { $0 as? Int }
  }

  private static let records = [
    #"{"id": "1", "total": "bad", "lines": [{"sku": "a", "count": 1}, {"sku": "b", "count": "x"}, {"sku": "c"}]}"#,
    #"{"id": "2", "total": 2, "lines": [{"sku": "d", "count": 1}, {"sku": "e", "count": "x"}, {"sku": "f", "count": "y"}]}"#,
  ]

  @Test("are as many in each generation of replays", arguments: ["ndjson", "json"])
  func generations(format: String) throws {
    try pipeline(format)
    let text = Self.records.joined(separator: format == "json" ? "," : "\n")
    try folder.write(format == "json" ? "[\(text)]" : "\(text)\n", to: "in.\(format)")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    for (file, again) in [("r.ndjson", "r2.ndjson"), ("r2.ndjson", "r3.ndjson"), ("r3.ndjson", "r4.ndjson")] {
      let counts = try replay(file, to: again)
      #expect(counts["read"] == 6 && counts["rejected"] == 5 && counts["unchanged"] == 1, "\(file): \(counts)")
    }
  }

  @Test("are those of each record, where another one has the same bytes", arguments: ["ndjson", "json"])
  func sameBytes(format: String) throws {
    try pipeline(format, mode: "insert")
    let text = [Self.records[0], Self.records[0]].joined(separator: format == "json" ? "," : "\n")
    try folder.write(format == "json" ? "[\(text)]" : "\(text)\n", to: "in.\(format)")
    let first = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path).object()
    #expect(first["read"] as? Int == 6 && first["rejected"] as? Int == 6, "\(first)")
    for (file, again) in [("r.ndjson", "r2.ndjson"), ("r2.ndjson", "r3.ndjson")] {
      let counts = try replay(file, to: again)
      #expect(counts["read"] == 6 && counts["rejected"] == 6, "\(file): \(counts)")
    }
  }

  @Test("are those of each record, where both were corrected in the same way", arguments: ["ndjson", "json"])
  func sameCorrection(format: String) throws {
    try pipeline(format, mode: "insert")
    let record = #"{"id": "1", "lines": [{"sku": "a", "count": "x"}]}"#
    let text = [record, record].joined(separator: format == "json" ? "," : "\n")
    try folder.write(format == "json" ? "[\(text)]" : "\(text)\n", to: "in.\(format)")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let lines = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    // The record becomes longer than the way from one to the other.
    try folder.write(lines.replacing(#"\"x\""#, with: "1000000000"), to: "r.ndjson")
    let counts = try replay("r.ndjson", to: "again.ndjson")
    #expect(counts["read"] == 2 && counts["inserted"] == 2, "\(counts)")
  }

  @Test("are all read where their lines were corrected in different ways")
  func corrected() throws {
    try pipeline("ndjson")
    try folder.write(Self.records[1] + "\n", to: "in.ndjson")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 2)
    // Each line has its own element put right.
    let right = [lines[0].replacing(#"\"x\""#, with: "5"), lines[1].replacing(#"\"y\""#, with: "6")]
    try folder.write(right.joined(separator: "\n") + "\n", to: "r.ndjson")
    let counts = try replay("r.ndjson", to: "again.ndjson")
    #expect(counts["read"] == 6 && counts["inserted"] == 2 && counts["rejected"] == 2, "\(counts)")
  }
}
