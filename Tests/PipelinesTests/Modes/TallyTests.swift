import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// What runs count beside records: duplicates, replaced values, references that lead nowhere, elements, text.
@Suite("Counts of runs") struct TallyTests {
  private let map: ModeFolder

  init() throws { map = try ModeFolder() }

  private func replaced(_ summary: ImportSummary, _ attribute: String) -> [FieldTally.Replacement: Int] {
    summary.fields.first { $0.attribute == attribute }?.replaced ?? [:]
  }

  // MARK: Duplicates

  @Test(
    "records whose key came before are counted, whatever finds them and becomes of them",
    arguments: FindPlan.allCases, DuplicatePolicy.allCases)
  func duplicates(plan: FindPlan, policy: DuplicatePolicy) throws {
    let text = "{ entity: Country, find_by: [code], duplicates: \(policy.rawValue), attributes: [size] }"
    for batch in [1, 3, 100] {
      for isNew in [true, false] {
        let folder = try ModeFolder()
        if !isNew { _ = try folder.run(text, "code,size\na,1\nb,2\nx,1\n") }
        // Four of them name “a”, two “c”; one that is rejected names nobody.
        let summary = try folder.run(text, "code,size\na,1\nb,2\na,3\nc,1\na,oops\na,1\nc,1\na,9\n") {
          $0.batchLimit.records = batch
          $0.parts[0].findPlan = plan
        }
        #expect(summary.entities["Country"]?.duplicates == 4, "\(plan), \(policy), batch \(batch), new \(isNew)")
      }
    }
  }

  @Test("a table that is too large for its memory, and a partitioned scan, count the same")
  func duplicatesInPieces() throws {
    let rows = (0..<3000).map { "k\($0),\($0)" }
    let text = "{ entity: Country, find_by: [code], attributes: [size] }"
    _ = try map.run(text, "code,size\n" + rows.joined(separator: "\n") + "\n")
    let again = (rows + rows[100..<150].map { $0 + "1" } + rows[100..<120]).joined(separator: "\n")
    for memory in [1 << 10, 64 << 10, 48 << 20] {
      let summary = try map.run(text, "code,size\n\(again)\n") {
        $0.keyMemory = memory
        $0.parts[0].findPlan = .scan
        $0.isDryRun = true
      }
      #expect(summary.entities["Country"]?.duplicates == 70, "\(memory)")
    }
  }

  @Test("references and lists name objects again and again, which is no duplicate; unchanged are objects")
  func references() throws {
    let text = "{ entity: City, find_by: [name], relationships: { country: { find_by: { code: code } } } }"
    let first = try map.run(text, "name,code\nA,x\nB,x\nC,y\n")
    #expect(first.entities["Country"]?.inserted == 2 && first.entities["Country"]?.unchanged == 0)
    #expect(first.entities["Country"]?.duplicates == 0)
    for batch in [1, 2, 100] {
      let again = try map.run(text, "name,code\nA,x\nB,x\nC,y\nD,x\nE,x\nF,z\nG,z\n") {
        $0.batchLimit.records = batch
        $0.isDryRun = true
      }
      #expect(again.entities["Country"]?.unchanged == 2, "batch \(batch)")
      #expect(again.entities["Country"]?.inserted == 1)
      #expect(again.entities["City"]?.unchanged == 3)
    }
  }

  // MARK: Values

  @Test("each policy that replaces a value is counted at its field") func policies() throws {
    let text = """
      { entity: Country, find_by: [code], attributes: {
        name: { from: name, trim: true, empty: null, null_tokens: [N/A] }, size: { from: size, empty: default } } }
      """
    let csv = "code,name,size\na,N/A,1\nb,\"  \",\nc,,3\nd,D,\ne,N/A,oops\nf,F,6\n"
    for batch in [1, 2, 100] {
      let summary = try map.run(text, csv) {
        $0.batchLimit.records = batch
        $0.isDryRun = true
      }
      #expect(summary.rejected == 1)
      // Of the record that is rejected all values are.
      #expect(replaced(summary, "name") == [.nullSpelling: 1, .trimmed: 1, .empty: 1])
      #expect(replaced(summary, "size") == [.empty: 2])
      #expect(replaced(summary, "code") == [:])
      for field in summary.fields { #expect(field.read == 6 && field.rejected == 1 && field.isBalanced) }
    }
  }

  @Test("steps that replace a value are counted at its field, by the last of them") func steps() throws {
    let text = """
      { entity: Country, find_by: [code], attributes: {
        name: { from: name, do: [{ null_if: [n/a, "-"] }, upper, { default: unknown }] },
        size: { from: size, do: [{ null_if: ["-"] }, { to: integer }] } } }
      """
    let csv = "code,name,size\na,n/a,1\nb,,-\nc,C,\nd,-,oops\ne,E,5\n"
    for batch in [1, 2, 100] {
      let summary = try map.run(text, csv) {
        $0.batchLimit.records = batch
        $0.isDryRun = true
      }
      #expect(summary.rejected == 1)
      #expect(replaced(summary, "name") == [.defaultText: 2], "batch \(batch)")
      #expect(replaced(summary, "size") == [.nullIf: 1, .empty: 1], "batch \(batch)")
      for field in summary.fields { #expect(field.read == 5 && field.rejected == 1 && field.isBalanced) }
    }
    for (otherwise, reason) in [("otherwise: \"null\"", FieldTally.Replacement.missing), ("default: X", .defaultText)] {
      let table = "{ from: name, do: [{ map: { values: { x: North }, \(otherwise) } }] }"
      let summary = try map.run(
        "{ entity: Country, find_by: [code], attributes: { name: \(table) } }", "code,name\na,x\nb,s\nc,w\n"
      ) { $0.isDryRun = true }
      #expect(replaced(summary, "name") == [reason: 2], "\(otherwise)")
    }
  }

  @Test("members that are not there are counted, and null that stays null is what the field says") func members() throws
  {
    try map.folder.write(
      "{\"code\":\"a\",\"name\":null}\n{\"code\":\"b\"}\n{\"code\":\"c\",\"name\":\"\"}\n", to: "in.ndjson")
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      source: in.ndjson
      import: { entity: Country, find_by: [code], attributes: { name: name, size: { from: size, absent: default } } }
      """, to: "p.yaml")
    let summary = try ImportSession(Pipeline.read(path).definition).run()
    #expect(replaced(summary, "name") == [.absent: 1])
    #expect(replaced(summary, "size") == [.absent: 3])
  }

  @Test("what a cursor passes over is no value that was read") func passedOver() throws {
    let text = "{ entity: Country, find_by: [code], attributes: [size] }"
    func run(_ csv: String) throws -> ImportSummary {
      try map.run(text, "code,size,seen\n" + csv, more: "since: { column: seen, type: integer }")
    }
    _ = try run("a,1,5\n")
    let summary = try run("b,,1\nc,,2\nd,,6\ne,1,7\n")
    #expect(replaced(summary, "size") == [.empty: 1])
    #expect(summary.fields.first { $0.attribute == "size" }?.read == 2)
  }

  @Test("references that lead nowhere are counted", arguments: ["one", "two"]) func missing(passes: String) throws {
    _ = try map.run("{ entity: Country, find_by: [code] }", "code\nx\n")
    let city = try map.run(
      "{ entity: City, find_by: [name], relationships: { country: { find_by: { code: code }, missing: \"null\" } } }",
      "name,code\nA,x\nB,no\nC,\nD,no\n")
    #expect(replaced(city, "country") == [.missing: 2])
    #expect(city.fields.first { $0.attribute == "country" }?.stored == 1)
    let ally = try map.run(
      """
      { entity: Country, find_by: [code], passes: \(passes),
        relationships: { ally: { find_by: { code: ally }, missing: "null" } } }
      """, "code,ally\nb,x\nc,no\nd,b\ne,nowhere\n")
    #expect(replaced(ally, "ally") == [.missing: 2])
  }

  // MARK: Lists and text

  @Test("elements are linked, linked already, skipped or rejected") func elements() throws {
    let text = """
      { entity: Country, find_by: [code], relationships: {
        cities: { split: ";", find_by: { name: cities } } } }
      """
    let first = try map.run(text, "code,cities\na,A;B;;A\nb,\n")
    let list = try #require(first.lists.first)
    #expect((list.read, list.linked, list.alreadyLinked, list.skipped, list.rejected) == (4, 2, 1, 1, 0), "\(list)")
    let again = try #require(try map.run(text, "code,cities\na,A;B;C\n,X;Y\n").lists.first)
    // The record without a key is rejected with its two elements.
    #expect((again.read, again.linked, again.alreadyLinked, again.rejected) == (5, 1, 2, 2), "\(again)")
    #expect(again.isBalanced)
  }

  @Test("text is a record's or passed over") func bytes() throws {
    let csv = "code,size\na,1\n\nb,2\n\n"
    let text = try map.run("{ entity: Country, find_by: [code], attributes: [size] }", csv).text
    #expect(text.bytes == csv.utf8.count && text.isBalanced)
    #expect(text.skipped[.header].bytes == 10 && text.skipped[.blankLine].lines == 2)
  }

  @Test(
    "a last record that ends right behind a delimiter, where others have a value, is told",
    arguments: [
      ("a,1\nb,", 3), ("b,", 2), ("a,1\nb,\n", nil), ("a,\nb,", nil), ("a,1\nb,2", nil), ("a,1\nb,\"\"", nil),
      ("a,1\n,", 3), ("a,1\nb", nil),
    ] as [(String, Int?)])
  func cutEnd(_ rows: String, line: Int?) throws {
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [size] }", "code,size\n" + rows)
    let ends = summary.warnings.filter { $0.code == .doubtfulEnd }
    #expect(ends.map { $0.position?.line } == (line == nil ? [] : [line]), "\(rows)")
    #expect(ends.allSatisfy { $0.file?.hasSuffix("input.csv") == true })
  }

  @Test("a record that is nearly the header is told, once for each file")
  func nearHeader() throws {
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [size] }", "code,size\na,1\nCODE,Size\nb,2\nCode,size\n")
    let told = summary.warnings.filter { $0.code == .doubtfulHeader }
    #expect(told.map { $0.position?.line } == [3])
    #expect(told.first?.file?.hasSuffix("input.csv") == true)
    #expect(told.first?.message.contains("repeated_headers: record") == true)
  }

  @Test(
    "a last record that sums up the others is told where it is imported",
    arguments: [
      ("Total,6", "", 5), ("\"* TOTAL: \",6", "", 5), ("Summe,\"6\"", "", 5), ("Gesamt,6\n\n", "", 5),
      ("Total,6", ", where: \"code != 'Total'\"", nil), ("Total,", "", nil), ("Totals of May,6", "", nil),
      ("Total,6\nd,4", "", nil), ("Total,6\n\"x\"y,4", "", nil),
    ] as [(String, String, Int?)])
  func footer(_ last: String, _ options: String, line: Int?) throws {
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [size]\(options) }", "code,size\na,1\nb,2\nc,3\n\(last)\n")
    let ends = summary.warnings.filter { $0.code == .doubtfulEnd }
    #expect(ends.map { $0.position?.line } == (line == nil ? [] : [line]), "\(last)")
    #expect(ends.allSatisfy { $0.message.contains("sum up the others") })
    // It is a record like any other.
    #expect(summary.inserted == (last.hasPrefix("Total,6\nd") ? 5 : options.isEmpty ? 4 : 3), "\(last)")
  }

  // MARK: Going on

  @Test("all counts are those of an undisturbed run after an interruption", arguments: 0..<8)
  func resumed(seed: UInt64) throws {
    var random = SeededGenerator(seed: 77 + seed)
    let isNew = seed % 2 == 0
    let text = """
      { entity: City, find_by: [name], relationships: {
        country: { find_by: { code: code }, missing: \(seed % 3 == 0 ? "create" : "\"null\""), attributes: { size: size } } } }
      """
    var csv = "name,code,size\n"
    for _ in 0..<60 {
      csv += "n\(Int.random(in: 0..<30, using: &random)),c\(Int.random(in: 0..<12, using: &random)),"
      csv += ["1", "", "2"].randomElement(using: &random) ?? "1"
      csv += "\n"
    }
    func prepare() throws -> (ModeFolder, ImportDefinition) {
      let folder = try ModeFolder()
      if !isNew {
        _ = try folder.run("{ entity: Country, find_by: [code] }", "code\n" + (0..<6).map { "c\($0)\n" }.joined())
        _ = try folder.run("{ entity: City, find_by: [name] }", "name\n" + (0..<9).map { "n\($0)\n" }.joined())
      }
      var definition = try folder.definition(text, csv)
      definition.batchLimit.records = 7
      return (folder, definition)
    }
    let (untouched, undisturbed) = try prepare()
    defer { withExtendedLifetime(untouched) {} }
    let whole = try ImportSession(undisturbed).run()
    let (folder, definition) = try prepare()
    var asked = 0
    let stop = Int.random(in: 1...7, using: &random)
    let first = try ImportSession(definition).run(shouldStop: {
      asked += 1
      return asked > stop
    })
    #expect(first.status == .interrupted)
    let second = try ImportSession(definition).run()
    #expect(second.fields == whole.fields, "seed \(seed), \(folder.store)")
    #expect(second.entities == whole.entities, "seed \(seed)")
    #expect(second.text.isBalanced)
  }
}
