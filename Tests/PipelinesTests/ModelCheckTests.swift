import MergewalkTestSupport
import Testing

@Suite("Checks against inheritance, composite keys and odd types")
struct ModelCheckTests {
  private static let model = """
    model: Deals
    entities:
      Party:
        abstract: true
        attributes: { name: string!, code: string }
        relationships: { deals: { to_many: Deal, inverse: party } }
        unique: [name]
      Person:
        parent: Party
        attributes: { born: date }
      Team:
        parent: Party
        relationships: { lead: { to_one: Person, inverse: leads } , members: { to_many: Person, inverse: team } }
      Helper:
        parent: Person
      Deal:
        attributes:
          number: integer64!
          region: string!
          weight: double
          picture: binary
          cached: { type: string, transient: true }
          parts: { type: integer64, derived: notes.@count }
        relationships:
          party: { to_one: Party, inverse: deals, required: true }
          notes: { to_many: Note, inverse: deal }
        unique: [[region, number]]
        indexes: { byWeight: [weight], byNumber: [number, weight] }
      Note:
        attributes: { text: string! }
        relationships: { deal: { to_one: Deal, inverse: notes, required: true } }
    """.replacingAll("lead: { to_one: Person, inverse: leads } , ", with: "")
    .replacingAll("inverse: team", with: "inverse: teams")
    .replacingAll(
      "attributes: { born: date }",
      with: "attributes: { born: date }\n    relationships: { teams: { to_many: Team, inverse: members } }")

  private static let sound = """
    model: deals.yaml
    store: deals.sqlite
    source: deals.csv
    import:
      entity: Deal
      find_by: [region, number]
      attributes: [weight]
      relationships:
        party: { entity: Person, find_by: { name: who } }
    """

  private func lint(_ text: String) throws -> [String] {
    let folder = try PipelineFolder()
    try folder.folder.write(Self.model, to: "deals.yaml")
    try folder.folder.write("region,number,weight,who\n", to: "deals.csv")
    return try folder.lint(text)
  }

  @Test("a composite key that is a constraint, and a target that inherits, have no findings")
  func sound() throws {
    #expect(try lint(Self.sound) == [])
    #expect(try lint(Self.sound.replacingAll("Person", with: "Helper")) == [])
    #expect(try lint(Self.sound.replacingAll("[region, number]", with: "[number, region]")) == [])
  }

  static let mistakes = [
    Mistake("unsuitableEntity", "entity: Person", "entity: «Party", "name one of Person, Helper, Team"),
    Mistake("unsuitableEntity", "{ entity: Person, find_by", "{ find_by", "“Party” is abstract"),
    Mistake("unsuitableEntity", "entity: Person", "entity: «Note", "does not inherit"),
    Mistake("unsuitableAttribute", "[weight]", "{ weight: weight, «cached: who }", "transient"),
    Mistake("unsuitableAttribute", "[weight]", "{ weight: weight, «parts: who }", "derived"),
    Mistake("unsuitableRelationship", "    party:", "    «notes: { find_by: { text: who } }\n    party:", "to-many"),
    Mistake("unmappedRequired", "entity: Deal", "entity: «Deal", "the relationship “party” of “Deal” is mandatory"),
    Mistake(
      "unindexedKey", "find_by: { name: who }", "find_by: { «code: who }, attributes: { name: who }", "covers code"),
    Mistake("unsuitableKey", "find_by: [region, number]", "find_by: [region, number, «weight]", "Double"),
    Mistake("unsuitableKey", "find_by: { name: who }", "find_by: { name: who, «born: who }", ""),
    Mistake("unsuitableOption", "[weight]", "{ weight: { «zone: UTC } }", "type Date"),
    Mistake("unsuitableOption", "[weight]", "{ weight: weight, picture: { from: who, «date: unix } }", "Binary"),
    Mistake("ambiguousMark", "[weight]", "{ weight: { group_mark: «point } }", "the same"),
  ]

  @Test("each mistake is one finding at its place", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    var marked = Self.sound.replacingAll(mistake.original, with: mistake.changed)
    switch mistake.changed {
    case "entity: «Deal":
      marked = marked.split(separator: "\n").prefix(7).joined(separator: "\n") + "\n"
      marked = marked.replacingAll("[weight]", with: "[weight]\nrejects: r.ndjson")
    case "find_by: { name: who, «born: who }":
      // A date is a key; that no constraint has both is the finding.
      marked = marked.replacingAll("«", with: "").replacingAll("{ name: who, born", with: "{ «name: who, born")
      try expect(Mistake("unindexedKey", "", marked, "covers name, born"), in: marked)
      return
    default: break
    }
    try expect(mistake, in: marked)
  }

  private func expect(_ mistake: Mistake, in marked: String) throws {
    let findings = try lint(marked.replacingAll("«", with: ""))
    #expect(findings.count == 1, "\(findings)")
    let finding = findings.first ?? ""
    #expect(finding.hasSuffix("[\(mistake.code)]") && finding.contains(mistake.says), "\(finding)")
    let lines = marked.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, text) in lines.enumerated() {
      guard let range = text.firstRange(of: "«") else { continue }
      let column = text[..<range.lowerBound].utf8.count + 1
      #expect(finding.hasPrefix("pipeline.yaml:\(line + 1):\(column): "), "\(finding)")
    }
  }
}
