import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// What the steps say of themselves is what pipelines can say.
@Suite("Specs of steps") struct StepSpecTests {
  @Test("names and mappings are there once") func unique() {
    let names = StepSpec.all.map(\.name)
    #expect(Set(names).count == names.count && names.count == 36)
    let mappings = Dictionary(grouping: StepSpec.all.compactMap(\.component), by: \.name)
    #expect(mappings.values.allSatisfy { Set($0).count == 1 })
    #expect(mappings.values.allSatisfy { list in list[0].shorthand.map { list[0].field(named: $0) != nil } ?? true })
  }

  @Test("the example of each step is read as that step", arguments: StepSpec.all.map(\.name)) func example(name: String)
    throws
  {
    let spec = try #require(StepSpec.named(name))
    let folder = try TransformFolder()
    try folder.folder.write("key,input\n1,a\n", to: "data.csv")
    var usage = "{ \(spec.name): \(spec.field.example) }"
    if spec.field.kind == .flag { usage = spec.name }
    let text = TransformFolder.text("attributes: { text: { from: input, do: [\(usage)] } }")
    let misread = Pipeline.lint(try folder.folder.write(text, to: "pipeline.yaml")).filter {
      ["unknownField", "missingField", "wrongType", "invalidOption"].contains($0.code)
    }
    #expect(misread == [], "\(usage)")
  }

  @Test(
    "leaving a parameter out means its default",
    arguments: [
      ("{ pad: { to: 4 } }", "{ pad: { to: 4, with: \" \", side: start } }", "ab"),
      ("{ split: { at: b } }", "{ split: { at: b, take: 1 } }", "abc"),
      ("{ substring: { length: 2 } }", "{ substring: { from: 1, length: 2 } }", "abc"),
      ("{ extract: b. }", "{ extract: { pattern: b., group: 0 } }", "abc"),
      ("{ replace: { text: b } }", "{ replace: { text: b, with: \"\" } }", "abc"),
      ("{ concat: [key] }", "{ concat: { columns: [key], with: \"\" } }", "abc"),
      ("{ round: {} }", "{ round: { places: 0, mode: half_up } }", "2.5"),
      ("{ format: HH }", "{ format: { pattern: HH, zone: UTC } }", "2024-01-01T10:00:00Z"),
      ("{ map: { values: { b: c } } }", "{ map: { values: { b: c }, otherwise: reject } }", "x"),
    ])
  func defaults(short: String, long: String, input: String) throws {
    var results: [[String]] = []
    for step in [short, long] {
      let folder = try TransformFolder()
      try folder.run("attributes: { text: { from: input, do: [\(step)] } }", "key,input\n1,\(input)\n")
      results.append(try folder.rows() + folder.rejects())
    }
    #expect(results[0] == results[1] && results[0].count == 1, "\(results)")
  }
}
