import Foundation
@testable import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Counts of runs over drawn records, against a count by hand that knows nothing of batches, strategies and passes.
@Suite("Counts of runs, drawn") struct TallyPropertyTests {
  /// One drawn record.
  fileprivate struct Row {
    var code: String
    var name: String
    var size: String
    var ally: String
    var cities: [String]

    var line: String { "\(code),\(name),\(size),\(ally),\(cities.joined(separator: ";"))" }
  }

  /// What a run is expected to count.
  private struct Expected: Equatable {
    var outcomes = (skipped: 0, rejected: 0)
    var duplicates = 0
    var name: [FieldTally.Replacement: Int] = [:]
    var size: [FieldTally.Replacement: Int] = [:]
    var allies = (found: 0, missing: 0)
    var list = ListTally()

    static func == (left: Expected, right: Expected) -> Bool {
      left.outcomes == right.outcomes && left.duplicates == right.duplicates && left.name == right.name
        && left.size == right.size && left.allies == right.allies && left.list == right.list
    }
  }

  /// A drawn pipeline with its input.
  private struct Drawn {
    var rows: [Row] = []
    /// Countries that are there before, with their cities.
    var stored: [String] = []
    var mode = ImportMode.upsert
    var duplicates = DuplicatePolicy.last
    var passes = "one"
    var condition = ""

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
      mode = pick([.upsert, .upsert, .update, .createMissing])
      duplicates = pick([.last, .first, .reject])
      passes = mode == .upsert ? pick(["one", "two"]) : "one"
      condition = pick(["", "name != 'M'"])
      stored = pick([[], ["p0", "p1"] + (0..<6).map { "c\($0)" }])
      let allies = ["", "", "p0", "p1", "nowhere", "no"] + (passes == "two" ? (0..<12).map { "c\($0)" } : [])
      for _ in 0..<Int.random(in: 20...70, using: &random) {
        let code = pick(["", "c0", "c1"] + (2..<24).map { "c\($0)" })
        rows.append(
          Row(
            code: code, name: pick(["N", "", "  ", "-", "M"]), size: pick(["1", "2", "7", "", "NA", " ", "oops", "3"]),
            ally: pick(allies),
            cities: (0..<Int.random(in: 0...4, using: &random)).map { _ in
              pick(["", "\(code)-a", "\(code)-b", "\(code)-c"])
            }))
      }
    }

    var csv: String { "code,name,size,ally,cities\n" + rows.map { $0.line + "\n" }.joined() }

    var pipeline: String {
      """
      { entity: Country, find_by: [code], mode: \(mode.rawValue), duplicates: \(duplicates.rawValue), passes: \(passes),
        attributes: {
          name: { from: name, trim: true, empty: null, null_tokens: ["-"] }, size: { from: size, trim: true } },
        relationships: {
          ally: { find_by: { code: ally }, missing: "null", mode: update },
          cities: { split: ";", find_by: { name: cities } } }\(condition.isEmpty ? "" : ", where: \"\(condition)\"") }
      """
    }

    /// Counts record by record.
    func expected() -> Expected {
      var expected = Expected()
      var there = Set(stored)
      var seen = Set<String>()
      var members: [String: Set<String>] = [:]
      var settled: [Row] = []
      var links: [String: Int] = [:]
      for row in rows {
        expected.list.read += row.elements.count
        if !condition.isEmpty, row.name == "M" {
          expected.outcomes.skipped += 1
          expected.list.skipped += row.elements.count
          continue
        }
        var (isSkipped, isRejected) = (false, row.size == "oops" || row.code.isEmpty)
        if !isRejected {
          if !there.contains(row.code), mode == .update {
            isSkipped = true
          } else {
            let isFirst = seen.insert(row.code).inserted
            if !isFirst { expected.duplicates += 1 }
            switch (duplicates, isFirst) {
            case (.first, false): isSkipped = true
            case (.reject, false): isRejected = true
            default: isSkipped = mode == .createMissing && there.contains(row.code)
            }
          }
        }
        if isRejected {
          expected.outcomes.rejected += 1
          expected.list.rejected += row.elements.count
        } else if isSkipped {
          expected.outcomes.skipped += 1
          expected.list.skipped += row.elements.count
        } else {
          there.insert(row.code)
          settled.append(row)
          let wanted = row.elements.filter { !$0.isEmpty }
          expected.list.skipped += row.elements.count - wanted.count
          let before = members[row.code] ?? []
          let new = Set(wanted).subtracting(before)
          expected.list.linked += new.count
          expected.list.alreadyLinked += wanted.count - new.count
          links[row.code, default: 0] += new.count
          members[row.code] = Set(wanted)
        }
      }
      // What was there before and is the same at the end was given no cities, unless a second pass has changed it.
      for code in stored where passes == "one" {
        guard let last = settled.last(where: { $0.code == code }), members[code]?.isEmpty == true,
          last.size == "3", ["", "  ", "-"].contains(last.name), !there.contains(last.ally)
        else { continue }
        expected.list.linked -= links[code] ?? 0
        expected.list.alreadyLinked += links[code] ?? 0
      }
      for row in settled {
        switch row.name {
        case "": expected.name[.empty, default: 0] += 1
        case "  ": expected.name[.trimmed, default: 0] += 1
        case "-": expected.name[.nullSpelling, default: 0] += 1
        default: break
        }
        switch row.size {
        case "": expected.size[.empty, default: 0] += 1
        case " ": expected.size[.trimmed, default: 0] += 1
        case "NA": expected.size[.nullSpelling, default: 0] += 1
        default: break
        }
        if row.ally.isEmpty { continue }
        if there.contains(row.ally) { expected.allies.found += 1 } else { expected.allies.missing += 1 }
      }
      return expected
    }
  }

  /// What a summary says of the same.
  private func counted(_ summary: ImportSummary) -> Expected {
    var counted = Expected()
    func field(_ name: String) -> FieldTally { summary.fields.first { $0.attribute == name } ?? FieldTally() }
    counted.outcomes = (summary.skipped, summary.rejected)
    counted.duplicates = summary.entities["Country"]?.duplicates ?? 0
    counted.name = field("name").replaced
    counted.size = field("size").replaced
    counted.allies = (field("ally").stored, field("ally").replaced[.missing] ?? 0)
    counted.list.read = summary.lists.first?.read ?? 0
    counted.list.linked = summary.lists.first?.linked ?? 0
    counted.list.alreadyLinked = summary.lists.first?.alreadyLinked ?? 0
    counted.list.skipped = summary.lists.first?.skipped ?? 0
    counted.list.rejected = summary.lists.first?.rejected ?? 0
    return counted
  }

  private func folder(_ drawn: Drawn) throws -> ModeFolder {
    let folder = try ModeFolder()
    if !drawn.stored.isEmpty {
      try folder.run("{ entity: Country, find_by: [code] }", "code\n" + drawn.stored.map { $0 + "\n" }.joined())
    }
    return folder
  }

  private func definition(_ drawn: Drawn, _ folder: ModeFolder, _ random: inout SeededGenerator) throws
    -> ImportDefinition
  {
    var definition = try folder.definition(drawn.pipeline, drawn.csv)
    var options = CSVOptions()
    options.nullTokens = ["NA"]
    definition.parts[0].format = .csv(options)
    definition.batchLimit.records = [1, 3, 7, 1000][Int.random(in: 0..<4, using: &random)]
    definition.parts[0].findPlan = FindPlan.allCases[Int.random(in: 0..<FindPlan.allCases.count, using: &random)]
    return definition
  }

  @Test("are those of a count by hand, in one go and after an interruption", arguments: Soak.seeds(30, long: 60))
  func drawn(number: UInt64) throws {
    let seed = 20_261_122 + number
    let drawn = Drawn(seed: seed)
    var random = SeededGenerator(seed: seed ^ 0xFFFF)
    let expected = drawn.expected()
    let (folder, second) = try (folder(drawn), self.folder(drawn))
    defer { withExtendedLifetime((folder, second)) {} }
    let definition = try definition(drawn, folder, &random)
    let whole = try ImportSession(definition).run()
    let label: Comment =
      "seed \(seed), \(drawn.mode), \(drawn.duplicates), \(drawn.passes), \(definition.batchLimit.records), \(definition.parts[0].findPlan), stored \(drawn.stored.count), \(drawn.condition)"
    let found = counted(whole)
    #expect(found.outcomes == expected.outcomes, label)
    #expect(found.duplicates == expected.duplicates, label)
    #expect(found.name == expected.name, label)
    #expect(found.size == expected.size, label)
    #expect(found.allies == expected.allies, label)
    #expect(found.list == expected.list, label)
    for field in whole.fields where field.entity == "Country" && ["name", "code"].contains(field.attribute) {
      #expect(field.read == whole.read - whole.skipped && field.rejected == whole.rejected && field.isBalanced, label)
    }
    // The same, stopped somewhere and gone on with.
    let again = try self.definition(drawn, second, &random)
    var asked = 0
    let stop = Int.random(in: 1...8, using: &random)
    let first = try ImportSession(again).run(shouldStop: {
      asked += 1
      return asked > stop
    })
    let last = first.status == .interrupted ? try ImportSession(again).run() : first
    #expect(counted(last) == expected, "gone on with after \(first.read) records; \(label)")
    #expect(last.text == whole.text, label)
  }
}

extension TallyPropertyTests.Row {
  /// What the list of cities holds: text without anything holds nothing.
  fileprivate var elements: [String] { cities.joined(separator: ";").isEmpty ? [] : cities }
}
