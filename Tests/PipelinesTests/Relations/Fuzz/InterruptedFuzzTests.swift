import Foundation
import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Random imports with second passes, interrupted behind each batch in turn: see `InterruptedTrial`.
///
/// Five seeds, 3,000 with `MERGEWALK_SOAK`, from `MERGEWALK_FIRST_SEED` on.
@Suite("Interrupted second passes") struct InterruptedFuzzTests {
  private static let seeds: [UInt64] = {
    if let given = ProcessInfo.processInfo.environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return [given] }
    let first = ProcessInfo.processInfo.environment["MERGEWALK_FIRST_SEED"].flatMap(UInt64.init) ?? 0
    return Array(first..<first + (Soak.isOn ? 3000 : 5))
  }()

  @Test("a run that is resumed ends as one that was not interrupted", arguments: seeds + [1076, 5015])
  func oneImport(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = RelationShape(&random)
    var chosen = RelationImport(shape, &random)
    for _ in 0..<40 where chosen.passes ?? "one" == "one" || chosen.batch > 3 {
      chosen = RelationImport(shape, &random)
    }
    let folder = TemporaryFolder()
    try folder.write(shape.text, to: "model.yaml")
    try folder.write(chosen.text("in.ndjson"), to: "pipeline.yaml")
    for run in 0..<3 {
      let records = chosen.records(&random, keys: 5) + chosen.records(&random, keys: 5)
      try folder.write(RelationImport.text(records), to: "in.ndjson")
      _ = try InterruptedTrial.run(
        folder, "seed \(seed), run \(run):\n\(shape.text)\n\(chosen.text("in"))\n\(RelationImport.text(records))")
    }
  }

  @Test("imports that refer to each other resume within each of them", arguments: seeds + [1014, 1102])
  func severalImports(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: M
      entities:
        Person:
          attributes: { email: string!, name: string }
          relationships: { team: { to_one: Team, inverse: members }, leads: { to_many: Team, inverse: lead } }
          unique: [email]
        Team:
          attributes: { name: string!, size: integer64 }
          relationships: { members: { to_many: Person, inverse: team }, lead: { to_one: Person, inverse: leads } }
          unique: [name]
      """, to: "model.yaml")
    let policies = ["create", "reject", "'null'"]
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      rejects: rejects.ndjson
      batch: { records: \(Int.random(in: 1...3, using: &random)) }
      imports:
        - name: people
          source: people.ndjson
          import:
            entity: Person
            find_by: [email]
            mode: \(pick(["upsert", "upsert", "create-missing", "insert", "sync"]))
            duplicates: \(pick(["last", "first", "reject"]))
            attributes: [name]
            relationships: { team: { find_by: { name: team }, missing: \(pick(policies)) } }
        - name: teams
          source: teams.ndjson
          import:
            entity: Team
            find_by: [name]
            mode: \(pick(["upsert", "upsert", "create-missing", "update"]))
            attributes: [size]
            relationships: { lead: { find_by: { email: lead }, missing: \(pick(policies)) } }
      """, to: "pipeline.yaml")
    for run in 0..<2 {
      func lines(_ make: () -> String) -> String {
        (0..<Int.random(in: 1...7, using: &random)).map { _ in make() }.joined()
      }
      let numbers = 0..<5
      func number() -> Int { numbers.randomElement(using: &random) ?? 0 }
      let people = lines { "{\"email\": \"p\(number())\", \"name\": \"n\(number())\", \"team\": \"t\(number())\"}\n" }
      let teams = lines { "{\"name\": \"t\(number())\", \"size\": \(number()), \"lead\": \"p\(number())\"}\n" }
      try folder.write(people, to: "people.ndjson")
      try folder.write(teams, to: "teams.ndjson")
      _ = try InterruptedTrial.run(
        folder,
        "seed \(seed), run \(run):\n\(try String(contentsOfFile: folder.file("pipeline.yaml"), encoding: .utf8))\n\(people)\(teams)"
      )
    }
  }

  /// A folder for members of one entity that name each other.
  private func circle() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: M
      entities:
        A:
          attributes: { k: string!, v: string }
          relationships: { up: { to_one: A, inverse: downs }, downs: { to_many: A, inverse: up } }
          unique: [k]
      """, to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: in.ndjson
      batch: { records: 1 }
      import:
        entity: A
        find_by: [k]
        attributes: [v]
        relationships: { up: { find_by: { k: up }, missing: reject } }
      """, to: "pipeline.yaml")
    return folder
  }

  @Test("such runs do resume, into new stores and into those that are there") func resumes() throws {
    let folder = try circle()
    for run in 0..<2 {
      try folder.write(
        (0..<6).map { "{\"k\": \"a\($0 + 3 * run)\", \"v\": \"\(run)\", \"up\": \"a\(($0 + 1) % 6 + 3 * run)\"}\n" }
          .joined(),
        to: "in.ndjson")
      #expect(try InterruptedTrial.run(folder, "run \(run)") >= 5)
    }
  }

  @Test("without the records that wait a run starts over, and says so", arguments: [false, true])
  func withoutWaitingRecords(isFirst: Bool) throws {
    let folder = try circle()
    let last = #"{"k": "a3", "up": "a1"}"#
    if !isFirst {
      try folder.write(#"{"k": "a3", "up": "a3"}\#n"#, to: "in.ndjson")
      _ = try InterruptedTrial.session(folder).run()
    }
    try folder.write(#"{"k": "a1", "up": "a2"}\#n{"k": "a2", "up": "a3"}\#n"# + last + "\n", to: "in.ndjson")
    var seen = 0
    let first = try InterruptedTrial.session(folder).run(
      progress: { if $0.stage == .records { seen += 1 } }, shouldStop: { seen >= 2 })
    #expect(first.status == .interrupted)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix("-later") })
    try FileManager.default.removeItem(atPath: folder.file(name))
    let second = try InterruptedTrial.session(folder).run()
    #expect(second.resumedAfter == nil && second.warnings.contains { $0.code == .unfinishedDropped })
    #expect(
      try folder.rows("SELECT a.ZK, b.ZK FROM ZA a LEFT JOIN ZA b ON b.Z_PK = a.ZUP ORDER BY a.ZK", of: "s.sqlite")
        == ["a1 a2", "a2 a3", "a3 a1"])
  }
}
