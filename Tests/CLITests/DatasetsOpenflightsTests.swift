import Foundation
import MergewalkTestSupport
import Testing

@Suite("openflights", .enabled(if: Locations.shared != nil))
struct DatasetsOpenflightsTests {
  /// The fields of a file's lines: a small reader that knows only what these files have, as a judge of the real one.
  ///
  /// Fields are in quotes or bare; a bare `\N` is null (nil); no quote is doubled and backslashes are themselves.
  private static func lines(_ file: String) throws -> [[String?]] {
    let path = Locations.shared("suites/datasets/openflights/" + file)
    return try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline).map { line in
      var fields: [String?] = []
      var rest = line
      while true {
        if rest.first == "\"" {
          rest = rest.dropFirst()
          let end = try #require(rest.firstIndex(of: "\""))
          fields.append(String(rest[..<end]))
          rest = rest[rest.index(after: end)...]
        } else {
          let text = rest.prefix { $0 != "," }
          fields.append(text == "\\N" ? nil : String(text))
          rest = rest[text.endIndex...]
        }
        if rest.isEmpty { return fields }
        try #require(rest.first == ",")
        rest = rest.dropFirst()
      }
    }
  }

  /// A row as one text in which null, empty and other texts differ.
  private static func shown(_ fields: [String?]) -> String {
    fields.map { $0.map { "<\($0)>" } ?? "NULL" }.joined(separator: ",")
  }

  private static let tables: [(file: String, table: String, columns: [String])] = [
    ("countries.dat", "ZCOUNTRY", ["ZNAME", "ZISOCODE", "ZDAFIFCODE"]),
    (
      "airlines.dat", "ZAIRLINE",
      ["ZAIRLINEID", "ZNAME", "ZALIAS", "ZIATACODE", "ZICAOCODE", "ZCALLSIGN", "ZCOUNTRYNAME", "ZACTIVE"]
    ),
    ("planes.dat", "ZPLANE", ["ZNAME", "ZIATACODE", "ZICAOCODE"]),
  ]

  @Test("every line of the files is one row of the store, and a second import changes nothing")
  func lineByLine() throws {
    let set = try PipelineSet("openflights")
    let settings = ["OPENFLIGHTS=" + Locations.shared("suites/datasets/openflights")]
    #expect(try set.run(settings).map { $0["inserted"] as? Int } == [261, 6162, 246])
    PipelineSet.expectUnchanged(try set.run(settings))
    for (file, table, columns) in Self.tables {
      var expected = try Self.lines(file)
      // The only key that is empty: the model's default stands for it.
      if table == "ZCOUNTRY" {
        let open = try #require(expected.indices.filter { expected[$0][2] == "" }.first)
        #expect(expected[open][0] == "Bonaire, Saint Eustatius and Saba")
        expected[open][2] = "-"
      }
      let shown = columns.map { "CASE WHEN \($0) IS NULL THEN 'NULL' ELSE '<' || \($0) || '>' END" }
      let ours = try PipelineSet.rows(set.store, "SELECT \(shown.joined(separator: " || ',' || ")) FROM \(table)")
      let theirs = expected.map(Self.shown).sorted()
      #expect(ours.count == theirs.count)
      let differences = zip(ours, theirs).filter { $0 != $1 }
      #expect(differences.isEmpty, "\(differences.prefix(3))")
    }
    try PipelineSet.expectSound(set.store, model: "openflights")
  }

  @Test("a key that many planes share rejects all but the first, and says so")
  func sharedCodes() throws {
    let set = try PipelineSet("openflights")
    let text = try String(contentsOfFile: set.folder.file("3-planes.yaml"), encoding: .utf8)
    let byCode = text.replacingOccurrences("find_by: { name: name }", "find_by: { iataCode: iata }")
      .replacingOccurrences("{ iataCode: iata, icaoCode", "{ name: name, icaoCode")
      .replacingOccurrences("limit: 0", "limit: 100")
    try set.folder.write(byCode, to: "by-code.yaml")
    let command = try Command(
      [
        "run", "by-code.yaml", "--json", "--quiet", "--store", "store.sqlite", "--set",
        "OPENFLIGHTS=" + Locations.shared("suites/datasets/openflights"),
      ], in: set.folder.path)
    let summary = try command.object()
    let lines = try Self.lines("planes.dat")
    let codes = lines.compactMap { $0[1] }
    // Nothing is lost silently: every line is an object or a reject.
    #expect(command.status == 1)
    #expect(summary["inserted"] as? Int == Set(codes).count)
    #expect(summary["rejected"] as? Int == lines.count - Set(codes).count)
    let reasons = try #require(summary["reject_codes"] as? [String: Int])
    #expect(reasons == ["key.null": lines.count - codes.count, "key.duplicate": codes.count - Set(codes).count])
  }
}
