import MergewalkDiagnostics
import MergewalkObjectModel
import Testing

/// Rows of the requirements that lint answers.
@Suite("Rows that lint answers")
struct ModelRowsTests {
  private func findings(_ yaml: String, advice: Bool = false, transformers: [String: Bool]? = nil) throws
    -> [Diagnostic]
  {
    ModelLint.check(
      try ModelReader.parse(Array(yaml.utf8), path: "m.yaml"), advice: advice, transformers: transformers)
  }

  private func codes(_ yaml: String) throws -> [String] { try findings(yaml).map(\.code) }

  @Test("MO6: what inherits from an entity has its class or one below it")
  func mo6ClassHierarchy() throws {
    #expect(try codes("entities: { A: {}, B: { parent: A }, C: { parent: A, class: A }, D: { parent: C } }").isEmpty)
    #expect(try codes("entities: { A: { class: ~ }, B: { parent: A } }").isEmpty)
    #expect(try codes("entities: { A: {}, B: { parent: A, class: ~ } }") == ["classHierarchy"])
    let two = try findings("entities: { A: {}, X: {}, B: { parent: A, class: K }, Y: { parent: X, class: K } }")
    #expect(two.map(\.code) == ["classHierarchy"])
    #expect(two.first?.message.contains("“K” of “Y” must inherit from “X”, and for “B” from “A”") == true)
    let circle =
      "entities: { A: { class: X }, B: { parent: A, class: Y }, C: { class: Y }, D: { parent: C, class: X } }"
    #expect(try codes(circle) == ["classHierarchy", "classHierarchy"])
  }

  @Test("NS1 and NS9: an attribute that is stored has a supported type; without a type it is transient")
  func ns1Types() throws {
    let stored = try findings("entities: { A: { attributes: { size: undefined } } }")
    #expect(stored.map(\.code) == ["undefinedType"])
    #expect(stored.first?.message.contains("“size”") == true)
    #expect(try codes("entities: { A: { attributes: { size: { type: undefined, transient: true } } } }").isEmpty)
    let unknown = try ModelReader.parse(
      Array("<model><entity name=\"A\"><attribute name=\"r\" attributeType=\"Rect\"/></entity></model>".utf8), path: "c"
    )
    #expect(ModelLint.check(unknown).contains { $0.code == "unknownAttributeType" })
  }

  @Test(
    "NS5: the default transformer is not named",
    arguments: ["NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData"])
  func ns5DefaultTransformer(name: String) throws {
    let found = try findings("entities: { A: { attributes: { c: { type: transformable, transformer: \(name) } } } }")
    #expect(found.map(\.code) == ["defaultTransformerNamed"])
    #expect(found.first?.severity == .warning)
    let secure =
      "entities: { A: { attributes: { c: { type: transformable, transformer: NSSecureUnarchiveFromData } } } }"
    #expect(try codes(secure).isEmpty)
    #expect(
      try findings("entities: { A: { attributes: { c: transformable } } }", advice: true).map(\.code) == [
        "insecureTransformer"
      ])
  }

  @Test("NS6 and NS7: a transformer that cannot be reversed, or that nobody registered, is reported")
  func ns6Transformers() throws {
    let yaml = "entities: { A: { attributes: { c: { type: transformable, transformer: Colour } } } }"
    #expect(try findings(yaml).isEmpty, "nothing is known about transformers")
    #expect(try findings(yaml, transformers: ["Colour": true]).isEmpty)
    #expect(try findings(yaml, transformers: ["Colour": false]).map(\.code) == ["oneWayTransformer"])
    let unknown = try findings(yaml, transformers: ["Color": true])
    #expect(unknown.map(\.code) == ["unknownTransformer"])
    #expect(unknown.first?.hint == "did you mean “Color”?")
  }

  @Test("NS13: the shadow of a transient attribute is a persistent one")
  func ns13Shadow() throws {
    func model(_ shadow: String) -> String {
      "entities: { A: { attributes: { "
        + "colour: { type: undefined, transient: true, user_info: { shadow: data } }, \(shadow) } } }"
    }
    #expect(try codes(model("data: binary")).isEmpty)
    #expect(try codes(model("other: binary")) == ["unknownProperty"])
    #expect(try codes(model("data: { type: binary, transient: true }")) == ["transientShadow"])
    #expect(try codes(model("data: undefined")) == ["undefinedType"])
  }

  @Test("RL1: all that a relationship says survives both formats")
  func rl1Relationship() throws {
    var draft = ModelDraft(
      name: "",
      hierarchies: [
        .entity(
          "A",
          .toMany(
            "bs", "B", inverse: "a", isOptional: false, isOrdered: true, minimum: 3, maximum: 40, deleteRule: .cascade)),
        .entity("B", .toOne("a", "A", inverse: "bs", isOptional: true, deleteRule: .noAction)),
      ])
    draft.entities[0].relationships[0].renamingIdentifier = "items"
    for (text, path) in [(ModelWriter.xml(draft), "contents"), (ModelWriter.yaml(draft), "m.yaml")] {
      let read = try ModelReader.parse(Array(text.utf8), path: path).withoutPlaces
      #expect(read.entities == draft.entities, "\(path)")
    }
  }

  @Test("RL12 and RL13: a missing inverse is reported, a fetched property needs none")
  func rl12Inverses() throws {
    let found = try findings("entities: { A: { relationships: { b: { to_one: B } } }, B: {} }")
    #expect(found.map(\.code) == ["missingInverse"])
    #expect(found.first?.severity == .warning)
    #expect(try codes("entities: { A: { fetched: { bs: { fetch: { entity: B } } } }, B: {} }").isEmpty)
  }

  @Test("AP1: composites that contain themselves or grow without end are refused")
  func endless() throws {
    var yaml = "entities: { A: { attributes: { a: { type: composite, composite: C0 } } } }\ncomposites:\n"
    for i in 0..<30 {
      let next = i == 29 ? "string" : "{ type: composite, composite: C\(i + 1) }"
      yaml += "  C\(i): { attributes: { l: \(next), r: \(next) } }\n"
    }
    for text in [
      yaml,
      "entities: { A: { attributes: { a: { type: composite, composite: C } } } }\n"
        + "composites: { C: { attributes: { c: { type: composite, composite: C } } } }",
    ] {
      let draft = try ModelReader.parse(Array(text.utf8), path: "m.yaml")
      #expect(ModelLint.check(draft).map(\.code) == ["compositeTooLarge"])
    }
  }
}
