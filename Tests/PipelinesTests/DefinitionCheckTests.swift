import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// What Swift code makes is held against the model by the same resolver as what a pipeline file says.
@Suite("Definitions made by Swift code have the findings of pipelines")
struct DefinitionCheckTests {
  private static let model = """
    model: Deals
    entities:
      Party:
        abstract: true
        attributes: { name: string!, code: string }
        relationships: { deals: { to_many: Deal, inverse: party } }
        unique: [name]
        indexes: { byCode: [code] }
      Person:
        parent: Party
        attributes: { born: date }
      Deal:
        attributes: { number: integer64!, weight: double, flag: boolean, at: date!, cached: { type: string, transient: true } }
        relationships:
          party: { to_one: Party, inverse: deals, required: true }
          notes: { to_many: Note, inverse: deal }
          labels: { to_many: Label, inverse: deals }
        unique: [number]
      Note:
        attributes: { text: string! }
        relationships: { deal: { to_one: Deal, inverse: notes, required: true } }
      Label:
        attributes: { name: string!, rank: integer32 }
        relationships: { deals: { to_many: Deal, inverse: labels } }
        unique: [name]
    """

  private static let sound = """
    model: deals.yaml
    store: deals.sqlite
    source: deals.ndjson
    import:
      entity: Deal
      find_by: [number]
      attributes: { weight: weight, flag: flag, at: at }
      relationships:
        party: { entity: Person, find_by: { name: who } }
        labels: { each: labels, find_by: [name], attributes: [rank] }
    """

  private static func field(_ name: String, _ column: String? = nil) -> FieldImport {
    FieldImport(attributeName: name, column: column ?? name)
  }

  /// The same import as ``sound`` describes it.
  private static func made() -> EntityImport {
    var labels = RelationshipImport(
      name: "labels", target: EntityImport(entityName: "Label", findBy: [field("name")], attributes: [field("rank")]))
    labels.list = ListImport(column: "labels", form: .json)
    return EntityImport(
      entityName: "Deal", findBy: [field("number")], attributes: [field("weight"), field("flag"), field("at")],
      relationships: [
        RelationshipImport(name: "party", target: EntityImport(entityName: "Person", findBy: [field("name", "who")])),
        labels,
      ])
  }

  /// A mistake in words of a pipeline and in Swift.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var code: String
    var original: String
    var changed: String
    var change: @Sendable (inout EntityImport) -> Void
    var testDescription: String { "\(code): \(changed)" }

    init(
      _ code: String, _ original: String, _ changed: String, _ change: @escaping @Sendable (inout EntityImport) -> Void
    ) {
      self.code = code
      self.original = original
      self.changed = changed
      self.change = change
    }
  }

  static let mistakes = [
    Mistake("unknownEntity", "entity: Deal", "entity: Daal") { $0.entityName = "Daal" },
    Mistake("unsuitableEntity", "entity: Person", "entity: Party") { $0.relationships[0].target.entityName = "Party" },
    Mistake("unsuitableEntity", "entity: Person", "entity: Note") { $0.relationships[0].target.entityName = "Note" },
    Mistake("unknownAttribute", "weight: weight", "wait: weight") { $0.attributes[0].attributeName = "wait" },
    Mistake("wrongKind", "weight: weight", "party: weight") { $0.attributes[0].attributeName = "party" },
    Mistake("wrongKind", "labels: {", "flag: {") { $0.relationships[1].name = "flag" },
    Mistake("unsuitableAttribute", "weight: weight", "cached: weight") { $0.attributes[0].attributeName = "cached" },
    Mistake(
      "unsuitableKey", "find_by: [number]\n  attributes: { weight: weight,",
      "find_by: [number, weight]\n  attributes: {"
    ) {
      $0.findBy.append($0.attributes.removeFirst())
    },
    Mistake("mappedTwice", "find_by: [number]", "find_by: [number, number]") { $0.findBy.append($0.findBy[0]) },
    Mistake("missingField", "  find_by: [number]\n", "") { $0.findBy = [] },
    Mistake("unmappedRequired", ", at: at", "") { $0.attributes.removeLast() },
    Mistake("unmappedRequired", "    party: { entity: Person, find_by: { name: who } }\n", "") {
      $0.relationships.removeFirst()
    },
    Mistake("unmappedRequired", "find_by: { name: who }", "find_by: { code: who }") {
      $0.relationships[0].target.findBy[0].attributeName = "code"
    },
    Mistake("unknownRelationship", "party: {", "porty: {") { $0.relationships[0].name = "porty" },
    Mistake("unsuitableRelationship", "labels: { each: labels, ", "labels: { ") { $0.relationships[1].list = nil },
    Mistake("unsuitableOption", "party: { ", "party: { each: party, ") {
      $0.relationships[0].list = ListImport(column: "party", form: .json)
    },
    Mistake("unsuitableOption", "each: labels, ", "each: labels, find_in: owner, ") {
      $0.relationships[1].list?.scope = .owner
    },
    Mistake("unsuitableOption", "each: labels, ", "each: labels, trim: false, ") {
      $0.relationships[1].list?.trims = false
    },
    Mistake("unsuitableOption", "each: labels, find_by: [name]", "each: labels, split: \";\", find_by: { name: . }") {
      $0.relationships[1].list?.form = .split(separator: ";")
      $0.relationships[1].target.findBy[0].column = "."
    },
    Mistake("unsuitableOption", "attributes: [rank]", "attributes: { rank: { from: rank, do: [trim] } }") {
      $0.relationships[1].target.attributes[0].steps = [TransformStep(.trim)]
    },
    Mistake("unknownColumn", "attributes: [rank]", "attributes: { rank: a..b }") {
      $0.relationships[1].target.attributes[0].column = "a..b"
    },
    Mistake("unsuitableOption", "weight: weight", "weight: { date: unix }") {
      $0.attributes[0].conversion.dateFormat = .secondsSince1970
    },
    Mistake("unsuitableOption", "at: at", "at: { absent: default }") { $0.attributes[2].whenAbsent = .useDefault },
    Mistake("unsuitableOption", "at: at", "at: { empty: \"null\" }") { $0.attributes[2].whenEmpty = .null },
    Mistake("invalidOption", "at: at", "at: { absent: reject, absent_value: 2024-01-01 }") {
      $0.attributes[2].whenAbsent = .reject
      $0.attributes[2].absentValue = "2024-01-01"
    },
    Mistake("invalidValue", "weight: weight", "weight: { absent_value: heavy }") {
      $0.attributes[0].absentValue = "heavy"
    },
    Mistake("ambiguousMark", "weight: weight", "weight: { group_mark: point }") {
      $0.attributes[0].conversion.groupMark = UInt8(ascii: ".")
    },
    Mistake("datePattern", "at: at", "at: { date: YYYY-MM-dd }") {
      $0.attributes[2].conversion.dateFormat = .pattern("YYYY-MM-dd")
    },
    Mistake("ambiguousSpelling", "flag: flag", "flag: { \"true\": [x], \"false\": [X] }") {
      $0.attributes[1].conversion.trueSpellings = ["x"]
      $0.attributes[1].conversion.falseSpellings = ["X"]
    },
    Mistake("invalidOption", "find_by: [number]", "find_by: [number]\n  sync: { limit: 3 }") { $0.sync.limit = 3 },
    Mistake("missingField", "find_by: [number]", "find_by: [number]\n  mode: sync\n  sync: { delete: mark }") {
      $0.mode = .sync
      $0.sync.deletion = .mark
    },
    Mistake(
      "unsuitableAttribute", "find_by: [number]", "find_by: [number]\n  mode: sync\n  sync: { soft_delete: cached }"
    ) {
      $0.mode = .sync
      $0.sync.softDelete = "cached"
    },
  ]

  private func folder() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write(Self.model, to: "deals.yaml")
    try folder.write("", to: "deals.ndjson")
    return folder
  }

  private func definition(_ folder: TemporaryFolder, _ root: EntityImport) throws -> ImportDefinition {
    ImportDefinition(
      name: "deals", model: try ManagedObjectModel(ModelReader.read(folder.file("deals.yaml"))),
      storePath: folder.file("deals.sqlite"), inputs: [folder.file("deals.ndjson")], format: .ndjson(NDJSONOptions()),
      root: root)
  }

  /// What a finding says, whatever its place and whoever chose the option.
  private func words(_ finding: Diagnostic) -> String {
    "\(finding.message); \(finding.hint ?? "") [\(finding.code)]"
  }

  @Test("neither has findings without mistakes") func sound() throws {
    let folder = try folder()
    #expect(Pipeline.lint(try folder.write(Self.sound, to: "p.yaml")) == [])
    #expect(try definition(folder, Self.made()).check() == [])
  }

  @Test("a mistake is the same finding in both", arguments: mistakes) func mistake(_ mistake: Mistake) throws {
    let folder = try folder()
    let text = Self.sound.replacingAll(mistake.original, with: mistake.changed)
    try #require(text != Self.sound, "the change changes nothing")
    let linted = Pipeline.lint(try folder.write(text, to: "p.yaml"))
    #expect(linted.map(\.code) == [mistake.code], "\(linted)")
    #expect(linted.allSatisfy { $0.position.line > 3 }, "\(linted)")
    var root = Self.made()
    mistake.change(&root)
    let definition = try definition(folder, root)
    let found = definition.check()
    #expect(found.map(words) == linted.map(words))
    #expect(found.allSatisfy { $0.path == "deals" && $0.position.line == 0 })
    // What a run refuses is what the check calls an error.
    var isRefused = false
    do { _ = try ImportSession(definition) } catch { isRefused = true }
    #expect(isRefused == found.contains { $0.severity == .error })
  }

  @Test("an index of an entity that another one inherits from covers keys of that one") func inheritedIndex() throws {
    let folder = try folder()
    let text = Self.sound.replacingAll(
      "find_by: { name: who }", with: "find_by: { code: who }, attributes: { name: who }")
    #expect(Pipeline.lint(try folder.write(text, to: "p.yaml")) == [])
  }

  @Test("limits of codes that no reject has, names that two parts have and names of no part are found") func whole()
    throws
  {
    let folder = try folder()
    var definition = try definition(folder, Self.made())
    definition.parts[0].name = "deals"
    definition.parts[0].after = ["deels"]
    definition.parts.append(definition.parts[0])
    definition.rejects.codes = [RejectPolicy.CodeLimit("value.dat", limit: 1)]
    #expect(
      Set(definition.check().map(words)) == [
        "no reject has the code “value.dat”; did you mean “value.date”? [invalidOption]",
        "two imports are called “deals”; give each a “name” of its own [invalidOption]",
        "no import is called “deels”; did you mean “deals”? [unknownImport]",
      ])
  }
}
