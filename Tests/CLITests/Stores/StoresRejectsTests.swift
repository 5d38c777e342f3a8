import Foundation
import MergewalkTestSupport
import Testing

/// The rejects of families: where they are, what they name, how many may be, and the sums.
@Suite("Rejects of families")
struct StoresRejectsTests {
  /// The rejects of a family: file, record, line, byte, code.
  private func places(_ family: Family, _ path: String = "out/_rejects.ndjson") throws -> [String] {
    try family.text(path).split(separator: "\n").map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return ["file", "record", "line", "byte_offset", "code"].map { "\(object[$0] ?? "")" }.joined(separator: " ")
    }.sorted()
  }

  @Test("those of the split and of all parts are in one file, with the places of the source, and replay takes it")
  func joined() throws {
    let family = try Family(more: "rejects: one.ndjson")
    try family.write(Family.rows + [["x1", "DE", "none"], ["x2", "", "7"], ["x3", "FR", "1.5"], ["x4", "NL", "8"]])
    let built = try family.build()
    #expect(built.status == 1, "\(built.words)")
    let lines = try family.text("items.csv").split(separator: "\n").map(\.utf8.count)
    let wanted = [(7, "value.integer"), (8, "store.badName"), (9, "value.integer")]
    #expect(try places(family).count == wanted.count)
    for (found, (record, code)) in zip(try places(family), wanted) {
      let words = found.split(separator: " ")
      #expect(
        words[0] == "items.csv" && words[1] == "\(record)" && words[2] == "\(record + 1)" && words[4] == code,
        "\(found)")
      let start = lines[..<record].reduce(0) { $0 + $1 + 1 }
      #expect(Int(words[3]).map((start..<start + lines[record]).contains) == true, "\(found)")
    }
    let commit = try #require(try built.object()["commit"] as? [String: Any])
    #expect(commit["rejects"] as? String == "out/_rejects.ndjson")
    #expect(commit["split"] as? [String: Int] == ["read": 10, "skipped": 0, "rejected": 1])
    #expect(commit["parts"] as? [String: Int] == ["read": 9, "skipped": 0, "rejected": 2])
    #expect(commit["read"] as? Int == 10 && commit["rejected"] as? Int == 3)
    let words = try family.stores("commit", "out")
    #expect(
      words.words.contains("sums     10 read by the split = 9 of the stores + 0 skipped + 1 rejected"), "\(words.words)"
    )
    #expect(words.words.contains("rejects  out/_rejects.ndjson (value.integer 2, store.badName 1)"), "\(words.words)")
    let summary = try Command(["rejects", "summary", "out/_rejects.ndjson"], in: family.folder.path)
    #expect(summary.status == 0 && summary.output.contains("store.badName"), "\(summary.output)\(summary.words)")
    // Nothing is rejected any more: the file goes.
    try family.write()
    #expect(try family.build().status == 0)
    #expect(!family.exists("out/_rejects.ndjson"))
  }

  @Test(
    "the places of fields are in bytes of their file, whatever its encoding",
    arguments: [("utf-8", 27), ("windows-1252", 26), ("iso-8859-15", 26), ("utf-16le", 52)])
  func encodings(encoding: String, place: Int) throws {
    let family = try Family(source: "{ files: items.csv, encoding: \(encoding) }")
    let text = "code,country,amount\néa,DE,none\n"
    let bytes: [UInt8] =
      switch encoding {
      case "utf-8": Array(text.utf8)
      case "utf-16le": text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      // The letters have one number there and in Unicode.
      default: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      }
    try Data(bytes).write(to: URL(fileURLWithPath: family.folder.file("items.csv")))
    let built = try family.build()
    #expect(built.status == 1, "\(built.words)")
    #expect(try places(family) == ["items.csv 1 2 \(place) value.integer"])
  }

  @Test("records that move keep their store, and their rejects name the new places")
  func moved() throws {
    let family = try Family()
    let bad = [["x1", "DE", "none"]]
    try family.write(Family.rows + bad)
    #expect(try family.build().status == 1)
    func file() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: family.folder.file("out/DE.sqlite"))[.systemFileNumber] as? Int
    }
    let (before, number) = (try family.bytes("out/DE.sqlite"), try file())
    #expect(try places(family).first?.contains("items.csv 7 8 ") == true)
    try family.write([["a0", "FR", "9"]] + Family.rows + bad)
    let again = try family.build()
    #expect(again.status == 1, "\(again.words)")
    #expect(try places(family).first?.contains("items.csv 8 9 ") == true)
    #expect(try family.bytes("out/DE.sqlite") == before)
    #expect(try file() == number)
  }

  @Test("limits hold for each part and for the family, by number, share and code")
  func limits() throws {
    // Two in one part, one in another.
    let bad = [["x1", "DE", "none"], ["x2", "DE", "none"], ["x3", "FR", "none"]]
    for (limits, status) in [
      ("{ limit: 3 }", 1), ("{ limit: 2 }", 3), ("{ limit: 1 }", 3), ("{ ratio: 40% }", 1), ("{ ratio: 30% }", 3),
      ("{ codes: { value.integer: 3 } }", 1), ("{ codes: { value.integer: 2 } }", 3),
      ("{ codes: { value.date: 0 } }", 1),
    ] {
      let family = try Family(more: "rejects: \(limits)")
      try family.write(Family.rows + bad)
      let built = try family.build()
      #expect(built.status == Int32(status), "\(limits): \(built.words)")
      #expect(family.exists("out/_SUCCESS") == (status == 1), "\(limits)")
    }
  }

  @Test("the sums hold over random families, and in each store", arguments: Soak.seeds(10, from: 500))
  func sums(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let missing = ["reject", "skip", "{ value: other }"].randomElement(using: &generator) ?? "skip"
    let family = try Family(stores: "{ by: country, missing: \(missing) }")
    var rows: [[String]] = []
    for number in 0..<Int.random(in: 1...80, using: &generator) {
      // Keys come twice, amounts are wrong, values are absent.
      let code = "k\(Int.random(in: 0...max(1, number / 2), using: &generator))"
      let country = ["DE", "de", "FR", "", "Ü", "a/b"].randomElement(using: &generator) ?? ""
      rows.append([code, country, Bool.random(using: &generator) ? "\(number)" : "none"])
    }
    try family.write(rows)
    let built = try family.build()
    let place: Comment = "seed \(seed), missing \(missing): \(built.words)"
    let commit = try #require(try built.object()["commit"] as? [String: Any], place)
    let split = try #require(commit["split"] as? [String: Int], place)
    let parts = try #require(commit["parts"] as? [String: Int], place)
    let (read, skipped, rejected) = (split["read"] ?? -1, split["skipped"] ?? -1, split["rejected"] ?? -1)
    #expect(read == rows.count && read == (parts["read"] ?? -1) + skipped + rejected, place)
    let nameless = rows.filter { $0[1].isEmpty }.count
    #expect((skipped, rejected) == (missing == "skip" ? nameless : 0, missing == "reject" ? nameless : 0), place)
    let manifest = try #require(try JSONSerialization.jsonObject(with: family.bytes("out/_SUCCESS")) as? [String: Any])
    var sum = 0
    for store in try #require(manifest["stores"] as? [[String: Any]]) {
      let records = try #require(store["records"] as? [String: Int])
      #expect(
        records["read"]
          == ["inserted", "updated", "unchanged", "skipped", "rejected"].reduce(0) { $0 + (records[$1] ?? -1) }, place)
      sum += records["read"] ?? 0
    }
    #expect(sum == parts["read"], place)
    let lines = family.exists("out/_rejects.ndjson") ? try places(family).count : 0
    #expect(lines == commit["rejected"] as? Int, place)
  }
}
