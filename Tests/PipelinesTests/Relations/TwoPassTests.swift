import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Relationships to records that come later: the result is that of a model that cannot be wrong.
@Suite("Two passes") struct TwoPassTests {
  /// What the store should hold: label, parent and mentor of each number.
  struct Member: Equatable {
    var label: String
    var parent: Int?
    var mentor: Int?
  }

  struct Record {
    var number: Int
    var label: String
    var parent: Int?
    var mentor: Int?
  }

  private func folder(isRequired: Bool = false, isUnique: Bool = true) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Club
      entities:
        Member:
          attributes: { number: integer32!, label: string }
          relationships:
            parent: { to_one: Member, inverse: children\(isRequired ? ", required: true" : "") }
            children: { to_many: Member, inverse: parent, ordered: true }
            mentor: { to_one: Member, inverse: pupil }
            pupil: { to_one: Member, inverse: mentor }
          \(isUnique ? "unique: [number]" : "user_info: {}")
      """, to: "model.yaml")
    return folder
  }

  private func pipeline(
    _ folder: TemporaryFolder, parent: String, mentor: String, passes: String = "automatic", mode: String = "upsert"
  ) throws {
    try folder.write(
      """
      model: model.yaml
      store: club.sqlite
      source: "in-*.csv"
      import:
        entity: Member
        find_by: [number]
        mode: \(mode)
        passes: \(passes)
        attributes: [label]
        relationships:
          parent: { find_by: { number: parent }, missing: \(parent) }
          mentor: { find_by: { number: mentor }, missing: \(mentor) }
      rejects: rejects.ndjson
      """, to: "pipeline.yaml")
  }

  private func write(_ records: [Record], _ folder: TemporaryFolder, files: Int) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("in-") {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
    let size = max((records.count + files - 1) / files, 1)
    for file in 0..<files {
      let part = records.dropFirst(file * size).prefix(size)
      let lines = part.map { record in
        "\(record.number),\(record.label),\(record.parent.map(String.init) ?? ""),\(record.mentor.map(String.init) ?? "")\n"
      }
      try folder.write("number,label,parent,mentor\n" + lines.joined(), to: "in-\(file).csv")
    }
  }

  private func stored(_ folder: TemporaryFolder) throws -> [Int: Member] {
    guard FileManager.default.fileExists(atPath: folder.file("club.sqlite")) else { return [:] }
    let connection = try Connection(path: folder.file("club.sqlite"), mode: .readOnly)
    defer { try? connection.close() }
    let select = try connection.prepare(
      "SELECT m.ZNUMBER, m.ZLABEL, p.ZNUMBER, t.ZNUMBER FROM ZMEMBER AS m LEFT JOIN ZMEMBER AS p ON p.Z_PK = m.ZPARENT "
        + "LEFT JOIN ZMEMBER AS t ON t.Z_PK = m.ZMENTOR")
    var members: [Int: Member] = [:]
    while try select.step() {
      members[Int(select.integer(0))] = Member(
        label: select.isNull(1) ? "-" : select.text(1), parent: select.isNull(2) ? nil : Int(select.integer(2)),
        mentor: select.isNull(3) ? nil : Int(select.integer(3)))
    }
    return members
  }

  /// Imports records into a model of the store; returns how many were rejected.
  private func naive(
    _ records: [Record], into members: inout [Int: Member], parent: MissingTargetPolicy, mentor: MissingTargetPolicy
  ) -> Int {
    let old = members
    var good = records.indices.filter { old[records[$0].number] == nil }
    func isThere(_ key: Int?, _ policy: MissingTargetPolicy, _ known: Set<Int>) -> Bool {
      policy != .reject || key.map(known.contains) ?? true
    }
    while true {
      let known = Set(old.keys).union(good.map { records[$0].number })
      let left = good.filter {
        isThere(records[$0].parent, parent, known) && isThere(records[$0].mentor, mentor, known)
      }
      if left.count == good.count { break }
      good = left
    }
    // What others create is there for those that were there before.
    var known = Set(old.keys).union(good.map { records[$0].number })
    func create(_ index: Int) {
      for (key, policy) in [(records[index].parent, parent), (records[index].mentor, mentor)] {
        if let key, policy == .create { known.insert(key) }
      }
    }
    good.forEach(create)
    for index in records.indices where old[records[index].number] != nil {
      guard isThere(records[index].parent, parent, known), isThere(records[index].mentor, mentor, known) else {
        continue
      }
      create(index)
      good.append(index)
    }
    for key in known where members[key] == nil { members[key] = Member(label: "-") }
    for index in good.sorted(by: {
      (old[records[$0].number] != nil ? 1 : 0, $0) < (old[records[$1].number] != nil ? 1 : 0, $1)
    }) {
      let record = records[index]
      members[record.number]?.label = record.label
      members[record.number]?.parent = record.parent.flatMap { known.contains($0) ? $0 : nil }
    }
    // The mentor has one pupil: the last who names him keeps him.
    for index in good.sorted(by: {
      (old[records[$0].number] != nil ? 1 : 0, $0) < (old[records[$1].number] != nil ? 1 : 0, $1)
    }) {
      let record = records[index]
      let target = record.mentor.flatMap { known.contains($0) ? $0 : nil }
      if let target {
        for (key, member) in members where member.mentor == target && key != record.number {
          members[key]?.mentor = nil
        }
      }
      members[record.number]?.mentor = target
    }
    return records.count - good.count
  }

  private func records(_ random: inout SeededGenerator, count: Int, numbers: Int, isMentored: Bool) -> [Record] {
    var left = Array(1...numbers).shuffled(using: &random)
    // Of the mentors each is named once, so that the order of records does not matter.
    var mentors = Array(1...numbers + 3).shuffled(using: &random)
    return (0..<min(count, numbers)).map { i in
      Record(
        number: left.removeLast(), label: "r\(i)",
        parent: Int.random(in: 0..<4, using: &random) == 0 ? nil : Int.random(in: 1...numbers + 2, using: &random),
        mentor: isMentored && Int.random(in: 0..<3, using: &random) == 0 ? mentors.removeLast() : nil)
    }
  }

  @Test(
    "the result is that of a model in memory, in any order, batch size and number of files",
    arguments: Soak.seeds(12, from: 1, long: 1200))
  func oracle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // What one relationship creates another one may find: in a new store always, later as records come.
    let pairs: [(MissingTargetPolicy, MissingTargetPolicy)] = [
      (.reject, .null), (.reject, .reject), (.null, .null), (.null, .reject), (.create, .create), (.reject, .create),
      (.null, .create), (.create, .reject), (.create, .null),
    ]
    let (parent, mentor) = pairs[Int(seed) % pairs.count]
    let isMixed = (parent == .create) != (mentor == .create)
    let numbers = Int.random(in: 3...40, using: &random)
    let isMentored = seed % 2 == 0
    let first = records(
      &random, count: Int.random(in: 1...numbers, using: &random), numbers: numbers, isMentored: isMentored)
    let second = records(
      &random, count: Int.random(in: 1...numbers, using: &random), numbers: numbers, isMentored: isMentored)
    var expected: [Int: Member] = [:]
    let rejectedFirst = naive(first, into: &expected, parent: parent, mentor: mentor)
    let afterFirst = expected
    let rejectedSecond = naive(second, into: &expected, parent: parent, mentor: mentor)
    for (batch, files) in [(1, 1), (2, 3), (7, 2), (1000, 1)] {
      let folder = try folder()
      try pipeline(folder, parent: parent.rawValue, mentor: mentor.rawValue)
      let runs = [(first, afterFirst, rejectedFirst), (second, expected, rejectedSecond)]
      for (records, wanted, rejected) in isMixed ? [runs[0]] : runs {
        try write(records, folder, files: files)
        var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
        definition.batchLimit.records = batch
        let summary = try ImportSession(definition).run()
        let how = "seed \(seed), parent \(parent), mentor \(mentor), batches of \(batch), \(files) files"
        #expect(summary.rejected == rejected, "\(how)")
        #expect(summary.read == records.count, "\(how)")
        #expect(summary.parts.first?.rejected == rejected, "\(how)")
        let found = try stored(folder)
        #expect(
          found == wanted,
          "\(how): \(found.filter { wanted[$0.key] != $0.value }) for \(wanted.filter { found[$0.key] != $0.value })")
        let report = try StoreVerifier.verify(path: folder.file("club.sqlite"), model: definition.model)
        #expect(report.isSound, "\(how): \(report.findings)")
        if rejected > 0 {
          let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
          #expect(lines.count == rejected, "\(how)")
          #expect(Set(lines).count == rejected, "\(how)")
        }
      }
    }
  }

  @Test("one pass with parents first gives what two passes give") func parentsFirst() throws {
    var random = SeededGenerator(seed: 7)
    let records = (1...60).map {
      Record(number: $0, label: "x\($0)", parent: $0 == 1 ? nil : Int.random(in: 1..<$0, using: &random))
    }
    var results: [[Int: Member]] = []
    for passes in ["one", "two"] {
      let folder = try folder()
      try pipeline(folder, parent: "reject", mentor: "null", passes: passes)
      try write(records, folder, files: 2)
      var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
      definition.batchLimit.records = 9
      let summary = try ImportSession(definition).run()
      #expect((summary.inserted, summary.rejected) == (60, 0))
      results.append(try stored(folder))
    }
    #expect(results[0] == results[1])
  }

  @Test("what only the second pass finds is named, too: mode sync leaves it", arguments: [true, false], [1, 100])
  func namedInSecondPass(isUnique: Bool, batch: Int) throws {
    let folder = try folder(isUnique: isUnique)
    try pipeline(folder, parent: "null", mentor: "null")
    try write(
      [Record(number: 1, label: "a"), Record(number: 2, label: "b"), Record(number: 3, label: "c")], folder, files: 1)
    _ = try ImportSession(try Pipeline.read(folder.file("pipeline.yaml")).definition).run()
    try pipeline(folder, parent: "null", mentor: "null", mode: "sync")
    try write([Record(number: 4, label: "d", parent: 1), Record(number: 2, label: "b", parent: 4)], folder, files: 1)
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    let summary = try ImportSession(definition).run()
    #expect(summary.deleted == 1)
    #expect(
      try stored(folder)
        == [1: Member(label: "a"), 2: Member(label: "b", parent: 4), 4: Member(label: "d", parent: 1)])
  }

  @Test("in one pass a record goes whose target is a record of its batch that goes", arguments: [4, 100])
  func rejectedInOneBatch(batch: Int) throws {
    let folder = try folder()
    try pipeline(folder, parent: "reject", mentor: "reject", passes: "one")
    try write(
      [
        Record(number: 1, label: "a", parent: 9), Record(number: 2, label: "b", parent: 1),
        Record(number: 3, label: "c", mentor: 2), Record(number: 4, label: "d"),
      ], folder, files: 1)
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    let summary = try ImportSession(definition).run()
    #expect((summary.inserted, summary.rejected) == (1, 3))
    #expect(try stored(folder) == [4: Member(label: "d")])
  }

  @Test("cycles of mandatory relationships", arguments: [1, 2, 100]) func mandatoryCycle(batch: Int) throws {
    let folder = try folder(isRequired: true)
    try pipeline(folder, parent: "reject", mentor: "null")
    try write(
      [
        Record(number: 1, label: "a", parent: 2), Record(number: 2, label: "b", parent: 3),
        Record(number: 3, label: "c", parent: 1), Record(number: 4, label: "d", parent: 4),
        Record(number: 5, label: "e", parent: 9), Record(number: 6, label: "f", parent: 5),
        Record(number: 7, label: "g"),
      ], folder, files: 1)
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    let summary = try ImportSession(definition).run()
    #expect((summary.inserted, summary.rejected) == (4, 3))
    #expect(try stored(folder).mapValues(\.parent) == [1: 2, 2: 3, 3: 1, 4: 4])
    let report = try StoreVerifier.verify(path: folder.file("club.sqlite"), model: definition.model)
    #expect(report.isSound, "\(report.findings)")
    let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3)
    for raw in ["5,e,9,", "6,f,5,", "7,g,,"] { #expect(lines.contains { $0.contains("\"\(raw)\"") }, "\(raw)") }
  }

  @Test("a limit of rejects that the second pass breaches takes all back") func limit() throws {
    let folder = try folder()
    try pipeline(folder, parent: "reject", mentor: "null")
    try write([Record(number: 1, label: "a", parent: 9), Record(number: 2, label: "b")], folder, files: 1)
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.rejects.limit = 0
    let summary = try ImportSession(definition).run()
    #expect(summary.status == .limitBreached)
    #expect(try stored(folder).isEmpty)
  }

  @Test(
    "a good record stays when an earlier one with its key is rejected in the second pass", arguments: [1, 2, 100],
    [nil, 2, 1] as [Int?])
  func goodAfterRejected(batch: Int, parent: Int?) throws {
    for isThere in [false, true] {
      let folder = try folder()
      try pipeline(folder, parent: "reject", mentor: "null")
      if isThere {
        try write([Record(number: 7, label: "old")], folder, files: 1)
        _ = try ImportSession(try Pipeline.read(folder.file("pipeline.yaml")).definition).run()
      }
      try write(
        [
          Record(number: 1, label: "bad", parent: 9), Record(number: 2, label: "x"),
          Record(number: 1, label: "good", parent: parent),
        ], folder, files: 1)
      var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
      definition.batchLimit.records = batch
      let summary = try ImportSession(definition).run()
      #expect((summary.read, summary.inserted, summary.rejected) == (3, 2, 1))
      #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
      let members = try stored(folder)
      #expect(members[1] == Member(label: "good", parent: parent))
      #expect(members[2] == Member(label: "x"))
      let report = try StoreVerifier.verify(path: folder.file("club.sqlite"), model: definition.model)
      #expect(report.isSound, "\(report.findings)")
    }
  }

  @Test(
    "of several records of an object the last counts, whichever of them wait", arguments: [1, 2, 100], [false, true])
  func lastRecordCounts(batch: Int, isThere: Bool) throws {
    for policy in ["null", "create"] {
      let folder = try folder()
      try pipeline(folder, parent: policy, mentor: "null")
      if isThere {
        try write([Record(number: 1, label: "old")], folder, files: 1)
        _ = try ImportSession(try Pipeline.read(folder.file("pipeline.yaml")).definition).run()
      }
      try write(
        [
          Record(number: 1, label: "waits", parent: 2), Record(number: 2, label: "x"),
          Record(number: 1, label: "waits for nothing"), Record(number: 3, label: "y"),
        ], folder, files: 1)
      var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
      definition.batchLimit.records = batch
      let summary = try ImportSession(definition).run()
      #expect((summary.read, summary.rejected) == (4, 0))
      #expect(try stored(folder)[1] == Member(label: "waits for nothing"), "\(policy)")
    }
  }

  @Test("a record that names itself says more of itself behind its own values, in each run", arguments: [1, 10])
  func saysOfItself(batch: Int) throws {
    let folder = try folder()
    try folder.write(
      """
      model: model.yaml
      store: club.sqlite
      source: in.csv
      batch: { records: \(batch) }
      import:
        entity: Member
        find_by: [number]
        passes: two
        attributes: [label]
        relationships: { parent: { find_by: { number: parent }, attributes: { label: parent_label }, missing: "null" } }
      """, to: "pipeline.yaml")
    try folder.write("number,label,parent,parent_label\n1,own,1,said\n2,x,,\n", to: "in.csv")
    for run in 1...3 {
      let summary = try ImportSession(try Pipeline.read(folder.file("pipeline.yaml")).definition).run()
      #expect(summary.rejected == 0)
      #expect(try stored(folder)[1] == Member(label: "said", parent: 1), "run \(run)")
    }
  }

  @Test("repeated keys keep their policy", arguments: [1, 3, 100]) func repeated(batch: Int) throws {
    for (policy, expected) in [("last", "b"), ("first", "a")] {
      let folder = try folder()
      try pipeline(folder, parent: "null", mentor: "null")
      let text = try String(contentsOfFile: folder.file("pipeline.yaml"), encoding: .utf8)
      try folder.write(
        text.replacingOccurrences(of: "  mode: upsert", with: "  duplicates: \(policy)"), to: "pipeline.yaml")
      try write(
        [
          Record(number: 1, label: "a", parent: 3), Record(number: 1, label: "b", parent: 2),
          Record(number: 2, label: "x", parent: 1), Record(number: 3, label: "y"),
        ], folder, files: 1)
      var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
      definition.batchLimit.records = batch
      let summary = try ImportSession(definition).run()
      #expect(summary.read == 4 && summary.inserted == 3)
      let found = try stored(folder)
      #expect(found[1]?.label == expected, "\(policy)")
      #expect(found[1]?.parent == (policy == "last" ? 2 : 3), "\(policy)")
      #expect(found[2]?.parent == 1)
    }
  }
}
