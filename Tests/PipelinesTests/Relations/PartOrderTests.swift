import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("The order of several imports") struct PartOrderTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Firm
      entities:
        Team:
          attributes: { name: string! }
          relationships:
            members: { to_many: Person, inverse: team }
            lead: { to_one: Person, inverse: leads }
          unique: [name]
        Person:
          attributes: { email: string! }
          relationships:
            team: { to_one: Team, inverse: members }
            leads: { to_many: Team, inverse: lead }
            tasks: { to_many: Task, inverse: person }
          unique: [email]
        Task:
          attributes: { code: string! }
          relationships: { person: { to_one: Person, inverse: tasks } }
          unique: [code]
      """, to: "model.yaml")
    try folder.write("code,person\nt1,a\nt2,b\n", to: "tasks.csv")
    try folder.write("email,team\na,x\nb,y\nc,nowhere\n", to: "people.csv")
    try folder.write("name,lead\nx,b\ny,a\nz,\nw,c\n", to: "teams.csv")
  }

  private let tasks = """
      - name: tasks
        source: tasks.csv
        import: { entity: Task, find_by: [code], relationships: { person: { find_by: { email: person }, missing: reject } } }
    """
  private let people = """
      - name: people
        source: people.csv
        import: { entity: Person, find_by: [email], relationships: { team: { find_by: { name: team }, missing: reject } } }
    """
  private let plainTeams = """
      - { name: teams, source: { files: teams.csv, ignore: [lead] }, import: { entity: Team, find_by: [name] } }
    """
  private let teams = """
      - name: teams
        source: teams.csv
        import: { entity: Team, find_by: [name], relationships: { lead: { find_by: { email: lead }, missing: reject } } }
    """

  private func write(_ parts: [String], more: String = "") throws -> String {
    try folder.write(
      "model: model.yaml\nstore: firm.sqlite\n\(more)rejects: rejects.ndjson\nimports:\n"
        + parts.joined(separator: "\n") + "\n", to: "pipeline.yaml")
  }

  private func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "firm.sqlite") }

  /// The names of the parts in the order in which they run, in groups that refer to each other.
  private static func order(_ definition: ImportDefinition) -> [[String]] {
    let order = PartOrder(definition)
    let names = order.apply(to: definition).parts.map(\.name)
    return order.ranges.map { Array(names[$0]) }
  }

  @Test("what others look up comes first") func dependencies() throws {
    let definition = try Pipeline.read(write([tasks, people, plainTeams])).definition
    #expect(Self.order(definition).flatMap { $0 } == ["teams", "people", "tasks"])
    let summary = try ImportSession(definition).run()
    #expect(summary.parts.map(\.name) == ["teams", "people", "tasks"])
    #expect((summary.inserted, summary.rejected) == (8, 1))
    #expect(
      try rows("SELECT ZCODE, ZEMAIL FROM ZTASK JOIN ZPERSON ON ZPERSON.Z_PK = ZPERSON ORDER BY 1") == ["t1 a", "t2 b"])
  }

  @Test("what steps look up comes first, unless the file's order is kept") func steps() throws {
    let tasks = """
        - name: tasks
          source: { files: tasks.csv, ignore: [code] }
          import:
            entity: Task
            find_by: { code: { from: person, do: [{ lookup: { entity: Person, find_by: email, take: email } }] } }
      """
    let definition = try Pipeline.read(write([tasks, people, plainTeams])).definition
    #expect(Self.order(definition) == [["teams"], ["people"], ["tasks"]])
    // The person whose team is nowhere.
    #expect(try ImportSession(definition).run().rejected == 1)
    #expect(try rows("SELECT ZCODE FROM ZTASK ORDER BY 1") == ["a", "b"])
    let kept = try Pipeline.read(write([tasks, people, plainTeams], more: "order: file\n")).definition
    #expect(Self.order(kept).flatMap { $0 } == ["tasks", "people", "teams"])
  }

  @Test("what a derived attribute is made of comes first, unless it needs the import in turn")
  func derivedInCycle() throws {
    try folder.write(
      """
      model: Firm
      entities:
        Team:
          attributes: { name: string!, size: { type: integer64, derived: "members.@count" } }
          relationships: { members: { to_many: Person, inverse: team } }
          unique: [name]
        Person:
          attributes: { email: string!, task: string }
          relationships: { team: { to_one: Team, inverse: members } }
          unique: [email]
        Task: { attributes: { code: string!, size: string }, unique: [code] }
      """, to: "model.yaml")
    func lookup(_ field: String, _ column: String, _ entity: String, _ key: String, _ take: String) -> String {
      "\(field): { from: \(column), do: [{ lookup: { entity: \(entity), find_by: \(key), take: \(take), otherwise: \"null\" } }] }"
    }
    let tasks = """
        - name: tasks
          source: tasks.csv
          import: { entity: Task, find_by: [code], attributes: { \(lookup("size", "person", "Team", "name", "size")) } }
      """
    func people(_ attributes: String) -> String {
      """
        - name: people
          source: people.csv
          import:
            entity: Person
            find_by: [email]
            attributes: { \(attributes) }
            relationships: { team: { find_by: { name: team } } }
      """
    }
    let plain = try Pipeline.read(write([tasks, people("")])).definition
    #expect(Self.order(plain).flatMap { $0 } == ["people", "tasks"])
    let mutual = [tasks, people(lookup("task", "email", "Task", "code", "code"))]
    #expect(Pipeline.lint(try write(mutual)).map(\.code) == [])
    #expect(Self.order(try Pipeline.read(write(mutual)).definition).flatMap { $0 } == ["tasks", "people"])
  }

  @Test("a step cannot wait for a later import") func stepsInCycle() throws {
    let teams = """
        - name: teams
          source: { files: teams.csv, ignore: [name] }
          import:
            entity: Team
            find_by: { name: { from: lead, do: [{ lookup: { entity: Person, find_by: email, take: email } }] } }
      """
    let found = Pipeline.lint(try write([teams, people]))
    #expect(found.map(\.code) == ["cyclicImports"])
    #expect(found.first?.hint?.hasPrefix("put “people” first") == true)
    // The other way round the relationship waits.
    #expect(Pipeline.lint(try write([people, teams])).map(\.code) == [])
  }

  @Test("order: file keeps the file's order, and says what it cannot do") func fileOrder() throws {
    let path = try write([tasks, people, plainTeams], more: "order: file\n")
    #expect(Pipeline.lint(path).map { "\($0.position.line): \($0.code)" } == [])
    let definition = try Pipeline.read(path).definition
    #expect(Self.order(definition).flatMap { $0 } == ["tasks", "people", "teams"])
    #expect(Self.order(definition).count == 1)
    // The relationships wait for the imports behind.
    let summary = try ImportSession(definition).run()
    #expect((summary.inserted, summary.rejected) == (8, 1))
  }

  @Test(
    "a record of a later import makes the object again that an earlier one's record could not keep",
    arguments: [true, false])
  func laterRecord(isNew: Bool) throws {
    // The first import's “c” names a team that is nowhere; the last one's names none.
    try folder.write("email,team\nc,\n", to: "more.csv")
    // No team names “c”: one that does is rejected before the last import makes it again.
    try folder.write("name,lead\nx,b\ny,a\nz,\n", to: "teams.csv")
    let more = people.replacing("people", with: "more")
    if !isNew {
      try folder.write("name,lead\n", to: "none.csv")
      _ = try ImportSession(
        Pipeline.read(write([plainTeams.replacing("teams.csv", with: "none.csv")])).definition
      ).run()
    }
    let summary = try ImportSession(Pipeline.read(write([people, teams, more])).definition).run()
    #expect(summary.rejected == 1)
    #expect(
      try rows("SELECT p.ZEMAIL, t.ZNAME FROM ZPERSON p LEFT JOIN ZTEAM t ON t.Z_PK = p.ZTEAM ORDER BY 1")
        == ["a x", "b y", "c -"])
  }

  @Test("after: names further imports; unknown ones are found") func after() throws {
    let definition = try Pipeline.read(
      write([
        plainTeams.replacingOccurrences(of: "name: teams,", with: "name: teams, after: [others],"),
        "  - { name: others, source: { files: teams.csv, ignore: [lead] }, import: { entity: Team, find_by: [name] } }",
      ])
    ).definition
    #expect(Self.order(definition).flatMap { $0 } == ["others", "teams"])
    let found = Pipeline.lint(
      try write([plainTeams.replacingOccurrences(of: "name: teams,", with: "name: teams, after: [team],")]))
    #expect(found.map(\.code) == ["unknownImport"])
    #expect(found.first?.hint == "did you mean “teams”?")
  }

  @Test("imports that look up each other's objects are related in a second pass", arguments: [1, 2, 100])
  func cycle(batch: Int) throws {
    for (index, parts) in [[people, teams], [teams, people, tasks], [tasks, people, teams]].enumerated() {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("firm.sqlite") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      var definition = try Pipeline.read(write(parts)).definition
      definition.batchLimit.records = batch
      let summary = try ImportSession(definition).run()
      // c is in a team that is not there, and w is led by c: both go.
      #expect(summary.rejected == 2, "\(index)")
      #expect(summary.parts.first { $0.name == "people" }?.rejected == 1)
      #expect(summary.parts.first { $0.name == "teams" }?.rejected == 1)
      #expect(
        try rows(
          "SELECT p.ZEMAIL, t.ZNAME FROM ZPERSON AS p LEFT JOIN ZTEAM AS t ON t.Z_PK = p.ZTEAM ORDER BY 1")
          == ["a x", "b y"])
      #expect(
        try rows("SELECT t.ZNAME, p.ZEMAIL FROM ZTEAM AS t LEFT JOIN ZPERSON AS p ON p.Z_PK = t.ZLEAD ORDER BY 1")
          == ["x b", "y a", "z -"])
      let report = try StoreVerifier.verify(path: folder.file("firm.sqlite"), model: definition.model)
      #expect(report.isSound, "\(report.findings)")
      let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2)
    }
  }

  @Test("a cycle that cannot wait is a finding") func impossible() throws {
    let found = Pipeline.lint(
      try write([people.replacingOccurrences(of: "find_by: [email],", with: "find_by: [email], passes: one,"), teams]))
    #expect(found.map(\.code) == ["cyclicImports"])
    #expect(found.first?.message.contains("“people” needs objects of “teams”") == true)
  }
}
