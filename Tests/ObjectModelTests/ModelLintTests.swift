import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// One mistake and where it must be found.
struct LintCase: Sendable, CustomTestStringConvertible {
  let severity: Diagnostic.Severity
  let code: String
  let line: Int
  let column: Int
  let text: String
  let hint: String?

  var testDescription: String { "\(code) in \(text)" }

  /// A mistake in a file.
  static func file(
    _ severity: Diagnostic.Severity, _ code: String, _ line: Int, _ column: Int, _ text: String, hint: String? = nil
  ) -> LintCase {
    LintCase(severity: severity, code: code, line: line, column: column, text: text, hint: hint)
  }

  /// A mistake in the attribute `x` (column 22) of an entity.
  static func attribute(
    _ severity: Diagnostic.Severity, _ code: String, _ column: Int, _ text: String, hint: String? = nil
  ) -> LintCase {
    file(severity, code, 2, column, "entities:\n  A: { attributes: { x: \(text) } }", hint: hint)
  }

  /// A mistake in the relationship `x` (column 25) of an entity.
  static func relationship(
    _ severity: Diagnostic.Severity, _ code: String, _ column: Int, _ text: String, hint: String? = nil
  ) -> LintCase {
    file(severity, code, 2, column, "entities:\n  A: { relationships: { x: \(text) } }", hint: hint)
  }
}

@Suite struct ModelLintTests {
  static let cases: [LintCase] = [
    // Entities and names.
    .file(
      .warning, "emptyModel", 0, 0,
      """
      model: A
      entities: {}
      """),
    .file(
      .error, "unknownParent", 2, 3,
      """
      entities:
        A:
          parent: Bse
        Base: {}
      """, hint: "did you mean “Base”?"),
    .file(
      .error, "inheritanceCycle", 2, 3,
      """
      entities:
        A: { parent: B }
        B: { parent: A }
      """),
    .file(
      .error, "duplicateProperty", 4, 33,
      """
      entities:
        A: { attributes: { x: string } }

        B: { parent: A, attributes: { x: date } }
      """),
    .file(
      .error, "duplicateProperty", 2, 52,
      """
      entities:
        A: { attributes: { x: string }, relationships: { x: { to_one: A } } }
      """),
    .file(
      .warning, "renamingConflict", 2, 60,
      """
      entities:
        A: { attributes: { x: { type: string, renamed_from: z }, y: { type: string, renamed_from: z } } }
      """),
    .file(
      .warning, "renamingConflict", 2, 33,
      """
      entities:
        A: { attributes: { z: string, x: { type: string, renamed_from: z } } }
      """, hint: "give “z” a renaming identifier of its own"),
    .file(
      .warning, "renamingConflict", 2, 60,
      """
      entities:
        A: { relationships: { x: { to_one: A, renamed_from: z }, y: { to_one: A, renamed_from: z } } }
      """),
    .file(
      .warning, "renamingConflict", 3, 3,
      """
      entities:
        A: { renamed_from: Z }
        B: { renamed_from: Z }
      """),
    .file(
      .warning, "renamingConflict", 3, 3,
      """
      entities:
        A: {}
        B: { renamed_from: A }
      """),
    .file(
      .warning, "renamingConflict", 3, 33,
      """
      entities:
        A: { attributes: { x: { type: string, renamed_from: z } } }
        B: { parent: A, attributes: { y: { type: string, renamed_from: z } } }
      """),
    .file(
      .error, "reservedName", 2, 22,
      """
      entities:
        A: { attributes: { description: string } }
      """),
    .file(
      .warning, "reservedName", 2, 22,
      """
      entities:
        A: { attributes: { deleted: boolean } }
      """),
    .file(
      .error, "invalidName", 2, 22,
      """
      entities:
        A: { attributes: { first name: string } }
      """),
    .file(
      .error, "invalidName", 2, 3,
      """
      entities:
        1A: {}
      """),
    .file(
      .warning, "capitalisedProperty", 2, 22,
      """
      entities:
        A: { attributes: { Name: string } }
      """),
    // Attributes.
    .attribute(.error, "undefinedType", 22, "undefined"),
    .attribute(.error, "unknownAttributeType", 25, "strng", hint: "did you mean “string”?"),
    .attribute(
      .warning, "defaultTransformerNamed", 22, "{ type: transformable, transformer: NSKeyedUnarchiveFromData }"),
    .attribute(.warning, "unusedTransformer", 22, "{ type: string, transformer: T }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: integer16, default: 40000 }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: double, default: high }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: boolean, default: maybe }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: uuid, default: abc }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: binary, default: abc }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: transformable, default: abc }"),
    .attribute(.warning, "invalidDefault", 22, "{ type: decimal, default: 12345678901234567890.125 }"),
    .attribute(.warning, "defaultBreaksBounds", 22, "{ type: integer16, default: 0, min: 1 }"),
    .attribute(.warning, "defaultBreaksBounds", 22, "{ type: decimal, default: 10.01, max: 10.0 }"),
    .attribute(.warning, "defaultBreaksBounds", 22, "{ type: string, default: abc, max_length: 2 }"),
    .attribute(.warning, "defaultBreaksBounds", 22, "{ type: date, default: 2020-01-01, min: 2021-01-01 }"),
    .attribute(.warning, "invalidBound", 22, "{ type: integer16, min: one }"),
    .attribute(.warning, "invalidBound", 22, "{ type: boolean, max: 1 }"),
    .attribute(.warning, "invalidBound", 22, "{ type: string, min_length: -1 }"),
    .attribute(.warning, "invalidBound", 22, "{ type: string, max_length: -3 }"),
    .attribute(.warning, "invalidBound", 22, "{ type: string, max_length: 0 }"),
    .attribute(.warning, "reversedBounds", 22, "{ type: double, min: 2, max: 1 }"),
    .attribute(.warning, "reversedBounds", 22, "{ type: string, min_length: 3, max_length: 2 }"),
    .attribute(.warning, "unusedPattern", 22, "{ type: date, pattern: \"a+\" }"),
    .attribute(.warning, "invalidPattern", 22, "{ type: string, pattern: \"(a\" }"),
    .attribute(.warning, "slowPattern", 22, "{ type: string, pattern: \"(?=a).*\" }"),
    .attribute(.warning, "unsupportedComposite", 22, "composite"),
    .attribute(.warning, "uncertainComposite", 22, "{ type: composite, elements: { a: string } }"),
    .attribute(.error, "unknownComposite", 22, "{ type: composite, composite: B }"),
    .attribute(.error, "unfitElement", 22, "{ type: string, elements: { a: string } }"),
    .attribute(.error, "unfitElement", 56, "{ type: composite, elements: { a: undefined } }"),
    .attribute(.error, "missingExpression", 22, "{ type: string, derived: \"\" }"),
    .attribute(.warning, "unknownExpression", 22, "{ type: string, derived: \"max:(y)\" }"),
    .attribute(.warning, "unknownProperty", 22, "{ type: string, derived: \"canonical:(nam)\" }"),
    .attribute(.warning, "transientDerived", 22, "{ type: date, transient: true, derived: now() }"),
    .file(
      .warning, "uncertainExpression", 4, 19,
      """
      entities:
        A:
          relationships: { b: { to_many: A } }
          attributes: { y: { type: integer16, derived: b.@max.x }, x: integer16 }
      """),
    .attribute(.warning, "derivedCycle", 22, "{ type: string, derived: \"canonical:(x)\" }"),
    // Relationships.
    .file(
      .error, "unknownDestination", 2, 25,
      """
      entities:
        A: { relationships: { x: { to_one: Ordr } } }
        Order: {}
      """, hint: "did you mean “Order”?"),
    .relationship(.warning, "missingInverse", 25, "{ to_one: A }"),
    .file(
      .error, "unknownInverse", 2, 25,
      """
      entities:
        A: { relationships: { x: { to_one: B, inverse: ownr } } }
        B: { relationships: { owner: { to_one: A, inverse: x } } }
      """, hint: "did you mean “owner”?"),
    .file(
      .error, "inverseMismatch", 2, 25,
      """
      entities:
        A: { relationships: { x: { to_one: B, inverse: y } } }
        B: { relationships: { y: { to_one: A, inverse: z } } }
      """),
    .file(
      .error, "inverseMismatch", 2, 25,
      """
      entities:
        A: { relationships: { x: { to_one: B, inverse: y } } }
        B: { relationships: { y: { to_one: C, inverse: x } } }
        C: {}
      """),
    .relationship(.warning, "orderedToOne", 25, "{ to_one: A, ordered: true }"),
    .relationship(.warning, "illegalCount", 25, "{ to_one: A, max: 2 }"),
    .relationship(.warning, "illegalCount", 25, "{ to_many: A, max: 1 }"),
    .relationship(.warning, "illegalCount", 25, "{ to_many: A, min: 4, max: 3 }"),
    .relationship(.warning, "illegalCount", 25, "{ to_many: A, min: -1 }"),
    // Uniqueness and indexes.
    .file(
      .warning, "unknownProperty", 2, 3,
      """
      entities:
        A: { attributes: { email: string }, unique: [emal] }
      """, hint: "did you mean “email”?"),
    .file(
      .warning, "transientConstraint", 2, 3,
      """
      entities:
        A: { attributes: { x: { type: string, transient: true } }, unique: [x] }
      """),
    .file(
      .warning, "unfitConstraint", 2, 3,
      """
      entities:
        A: { relationships: { x: { to_many: A } }, unique: [x] }
      """),
    .file(
      .warning, "emptyConstraint", 2, 3,
      """
      entities:
        A: { unique: [[]] }
      """),
    .file(
      .warning, "duplicateConstraint", 2, 3,
      """
      entities:
        A: { attributes: { x: string }, unique: [x, x] }
      """),
    .file(
      .warning, "unknownProperty", 2, 19,
      """
      entities:
        A: { indexes: { byX: [x] } }
      """),
    .file(
      .warning, "emptyIndex", 2, 19,
      """
      entities:
        A: { indexes: { byX: [] } }
      """),
    .file(
      .warning, "sameIndexName", 2, 56,
      """
      entities:
        A: { attributes: { x: string }, indexes: { byX: [x], byx: [x] } }
      """),
    .file(
      .warning, "sameIndexName", 2, 3,
      """
      entities:
        A: { attributes: { x: string, xA: date, Xa: date }, unique: [[x, xA], [x, Xa]] }
      """),
    .file(
      .warning, "unfitIndex", 2, 58,
      """
      entities:
        A: { relationships: { xs: { to_many: A } }, indexes: { byX: [xs] } }
      """),
    .file(
      .warning, "transientIndex", 3, 16,
      """
      entities:
        A: { attributes: { x: { type: string, transient: true } },
          indexes: { byX: [x] } }
      """),
    .file(
      .warning, "unknownProperty", 2, 3,
      """
      entities:
        A: { compound_indexes: [[x, y]] }
      """),
    // Requests and configurations.
    .file(
      .warning, "unknownEntity", 3, 3,
      """
      entities: { Order: {} }
      fetch_requests:
        all: { entity: Ordr }
      """, hint: "did you mean “Order”?"),
    .file(
      .warning, "missingEntity", 3, 3,
      """
      entities: { Order: {} }
      fetch_requests:
        all: { limit: 3 }
      """),
    .file(
      .warning, "unknownEntity", 3, 3,
      """
      entities: { Order: {} }
      configurations:
        Cloud: [Oder]
      """),
    .file(
      .warning, "unknownEntity", 2, 19,
      """
      entities:
        A: { fetched: { f: { fetch: { entity: B } } } }
      """),
    .file(
      .warning, "crossConfiguration", 2, 25,
      """
      entities:
        A: { relationships: { x: { to_one: B, inverse: y } } }
        B: { relationships: { y: { to_one: A, inverse: x } } }
      configurations: { One: [A], Two: [B] }
      """),
    // The YAML reader's own.
    .file(
      .error, "unknownField", 2, 8,
      """
      entities:
        A: { atributes: {} }
      """, hint: "did you mean “attributes”?"),
    .file(
      .error, "unknownField", 2, 1,
      """
      entities: {}
      foo: 1
      """),
    .file(
      .error, "duplicateKey", 3, 3,
      """
      entities:
        A: {}
        A: {}
      """),
    .file(
      .error, "wrongType", 2, 20,
      """
      entities:
        A: { attributes: [x] }
      """),
    .attribute(.error, "wrongType", 51, "{ type: string, required: 3 }"),
    .attribute(.error, "missingField", 22, "{ required: true }"),
    .file(
      .error, "missingField", 1, 1,
      """
      model: A
      """, hint: "for example “entities: { Person: { attributes: { name: string } } }”"),
    .file(.error, "wrongType", 1, 1, "- A", hint: "write each of its fields as “name: value”"),
    .relationship(.error, "missingField", 25, "{ inverse: y }", hint: "for example “to_one: ENTITY”"),
    .relationship(.error, "unknownField", 30, "{ to_one A }", hint: "write “to_one: A”"),
    .file(
      .error, "missingField", 2, 19,
      """
      entities:
        A: { fetched: { f: { required: true } } }
      """),
    .relationship(.error, "invalidValue", 49, "{ to_one: A, delete: cascad }", hint: "did you mean “cascade”?"),
    .attribute(.error, "invalidValue", 48, "{ type: date, default: soon }"),
  ]

  @Test(arguments: cases)
  func `a mistake is found where it stands`(lintCase: LintCase) throws {
    let draft = try ModelReader.parse(Array(lintCase.text.utf8), path: "m.yaml")
    let all = ModelLint.check(draft)
    let found = all.filter { $0.code == lintCase.code && $0.severity == lintCase.severity }
    #expect(
      found.contains { $0.position.line == lintCase.line && $0.position.column == lintCase.column },
      "\(DiagnosticList(all))")
    if let hint = lintCase.hint { #expect(found.contains { $0.hint == hint }, "\(found.map(\.hint))") }
    let isRefused = (try? ManagedObjectModel(draft)) == nil
    #expect(isRefused == all.contains { $0.severity == .error })
  }

  @Test(
    "one mistake is one finding",
    arguments: [
      ("- A", ["wrongType"]), ("A,B", ["wrongType"]), ("model: A", ["missingField"]),
      ("entities: { A: { relationships: { x: { inverse: y } } } }", ["missingField"]),
    ])
  func oneFinding(_ text: String, _ codes: [String]) throws {
    let draft = try ModelReader.parse(Array(text.utf8), path: "m.yaml")
    #expect(ModelLint.check(draft).filter { $0.severity == .error || $0.code == "emptyModel" }.map(\.code) == codes)
  }

  @Test("renaming identifiers that swap names, or that relationships and attributes share, are fine")
  func renamingIdentifiers() throws {
    let text = """
      entities:
        A:
          attributes:
            x: { type: string, renamed_from: y }
            y: { type: string, renamed_from: x }
            name: { type: string, renamed_from: owner }
          relationships: { owner: { to_one: B, inverse: all } }
        B: { relationships: { all: { to_many: A, inverse: owner } } }
      """
    let found = ModelLint.check(try ModelReader.parse(Array(text.utf8), path: "m.yaml"))
    #expect(found.isEmpty, "\(DiagnosticList(found))")
  }

  @Test("derived attributes that are taken from themselves are told, each of a circle and no other")
  func derivedCycles() throws {
    let text = """
      entities:
        Base:
          attributes:
            name: string
            total: { type: double, derived: parts.@sum.total }
            count: { type: integer32, derived: parts.@count }
            near: { type: string, derived: "uppercase:(plain)" }
            plain: { type: string, derived: "canonical:(name)" }
          relationships: { whole: { to_one: Base, inverse: parts }, parts: { to_many: Base, inverse: whole } }
        Special:
          parent: Base
          attributes:
            one: { type: double, derived: whole.total }
            two: { type: string, derived: other.three }
            far: { type: string, derived: other.three }
          relationships: { other: { to_one: Third, inverse: back } }
        Third:
          attributes: { three: { type: string, derived: back.two }, four: { type: string, derived: back.far } }
          relationships: { back: { to_one: Special, inverse: other } }
      """
    let found = ModelLint.check(try ModelReader.parse(Array(text.utf8), path: "m.yaml"))
    let circles = found.filter { $0.code == "derivedCycle" }
    #expect(circles.map(\.position.line) == [5, 14, 18])
    #expect(circles.map { $0.message.contains("through") } == [false, true, true])
  }

  @Test func `every mistake is reported at once, in the order of the file`() throws {
    let text = """
      entities:
        A:
          parent: Nobody
          attributes:
            x: strng
            hash: string
          unique: [y]
        B:
          relationships:
            as: { to_many: C, inverse: b }
      """
    let draft = try ModelReader.parse(Array(text.utf8), path: "m.yaml")
    let error = #expect(throws: DiagnosticList.self) { try ManagedObjectModel(draft) }
    #expect(
      error?.diagnostics.map { "\($0.position.line):\($0.code)" } == [
        "2:unknownParent", "2:unknownProperty", "5:unknownAttributeType", "6:reservedName", "10:unknownDestination",
      ])
  }

  @Test func `MO11: optional numbers draw a hint only when advice is asked for`() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "A")]
    draft.entities[0].attributes = [AttributeDescription(name: "n", type: .integer32)]
    draft.entities[0].attributes[0].isOptional = true
    #expect(ModelLint.check(draft).isEmpty)
    #expect(ModelLint.check(draft, advice: true).map(\.code) == ["optionalNumber"])
    draft.entities[0].attributes[0].isOptional = false
    #expect(ModelLint.check(draft, advice: true).isEmpty)
  }

  @Test(arguments: ["duplicateEntity", "duplicateIndex", "duplicateFetchRequest", "duplicateConfiguration"])
  func `equal names are found`(code: String) throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "A")]
    draft.entities[0].attributes = [AttributeDescription(name: "x", type: .string)]
    switch code {
    case "duplicateEntity": draft.entities.append(EntityDraft(name: "A"))
    case "duplicateIndex":
      let index = FetchIndexDescription(name: "i", elements: [.init(propertyName: "x")])
      draft.entities[0].fetchIndexes = [index, index]
    case "duplicateFetchRequest":
      draft.fetchRequestTemplates = Array(repeating: FetchRequestTemplate(name: "r", entityName: "A"), count: 2)
    default:
      draft.configurations = Array(repeating: ModelConfiguration(name: "c", entityNames: ["A"]), count: 2)
    }
    #expect(ModelLint.check(draft).map(\.code) == [code])
  }

  @Test func `a model has as many entities as 16 bits can name`() throws {
    var draft = ModelDraft()
    draft.entities = (0...65_535).map { EntityDraft(name: "E\($0)") }
    #expect(ModelLint.check(draft).map(\.code) == ["tooManyEntities"])
    draft.entities.removeLast()
    #expect(ModelLint.check(draft).isEmpty)
  }

  @Test(arguments: ["chain", "cycle", "misspelt", "wide", "constraints"])
  func `a hostile model is checked in bounded time`(shape: String) throws {
    let count = 3_000
    var draft = ModelDraft()
    draft.entities = (0..<count).map { EntityDraft(name: "E\($0)") }
    switch shape {
    case "chain", "cycle":
      for i in 1..<count { draft.entities[i].parentName = "E\(i - 1)" }
      if shape == "cycle" { draft.entities[0].parentName = "E\(count - 1)" }
    case "misspelt":
      for i in 0..<count {
        draft.entities[i].relationships = [RelationshipDescription(name: "r", destinationEntityName: "F\(i)")]
      }
    case "wide":
      for i in 1..<count { draft.entities[i].parentName = "E0" }
      for i in 0..<count {
        var relationship = RelationshipDescription(name: "r\(i)", destinationEntityName: "E0")
        relationship.inverseName = "r\(i)"
        draft.entities[0].relationships.append(relationship)
      }
      // Every entity would hold a copy of every inherited property.
      draft.entities.removeLast(count - 50)
    default:
      draft.entities.removeLast(count - 1)
      draft.entities[0].attributes = (0..<count).map { AttributeDescription(name: "a\($0)", type: .string) }
      draft.entities[0].uniquenessConstraints = (0..<count).map { ["a\($0)"] }
    }
    let start = ProcessorTime.now
    let hasErrors = ModelLint.check(draft).contains { $0.severity == .error }
    #expect(hasErrors == ["chain", "cycle", "misspelt"].contains(shape))
    #expect(((try? ManagedObjectModel(draft)) == nil) == hasErrors)
    #expect(ProcessorTime.now - start < .seconds(30))
  }

  @Test func `the list of codes in the documentation is closed`() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/model-lint.md", encoding: .utf8)
    var used: Set<String> = []
    for folder in ["MergewalkObjectModel", "MergewalkXML", "MergewalkYAML", "MergewalkDiagnostics"] {
      let root = (Locations.repository + "/Sources/" + folder as NSString).resolvingSymlinksInPath
      for case let name as String in try #require(FileManager.default.enumerator(atPath: root))
      where name.hasSuffix(".swift") {
        let source = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
        let calls = #/(?:error:?|warning|failure|fail|code:)\(?\s*"([a-z][A-Za-z0-9]+)",/#
        for match in source.matches(of: calls) { used.insert(String(match.1)) }
        if source.contains("\"fileMissing\"") { used.formUnion(["fileMissing", "fileUnreadable"]) }
      }
    }
    #expect(used.count > 50)
    let documented = Set(page.matches(of: #/^\| `([A-Za-z0-9]+)` \|/#.anchorsMatchLineEndings()).map { String($0.1) })
    #expect(documented == used, "\(documented.symmetricDifference(used).sorted())")
  }
}
