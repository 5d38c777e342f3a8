import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("JSON Schema")
struct SchemaTests {
  private static func judge(_ kind: PipelineSchema.Kind = .pipeline) throws -> SchemaJudge {
    try SchemaJudge(PipelineSchema.text(of: kind))
  }

  /// The pipelines and the files with tests of the repository.
  static let files: [String] = {
    let root = Locations.repository + "/pipelines"
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  /// A pipeline with one mistake each that a schema can see.
  static let mistakes: [(from: String, to: String)] = [
    ("pipeline: orders", "pipline: orders"), ("pipeline: orders", "pipeline: [orders]"),
    ("pipeline: orders", "pipeline:"), ("  format: csv", "  format: cvs"), ("  format: csv", "  fromat: csv"),
    ("records: 500", "records: 0"), ("records: 500", "records: many"), ("records: 500", "records: 1.5"),
    ("bytes: 1MiB", "bytes: 1 mile"), ("entity: Order", "entty: Order"), ("mode: upsert", "mode: upsrt"),
    ("find_by: [orderID]", "find_by: [[orderID]]"), ("trim: true", "trim: 1"), ("empty: null", "empty: nothing"),
    ("date: iso8601", "dat: iso8601"), ("orderID: order_id", "orderID: [[order_id]]"),
    ("customer:\n      find_by: { email: email }\n", "customer:\n"), ("limit: 10", "limit: -1"),
    ("ratio: 1%", "ratio: 1.5"), ("ratio: 1%", "ratio: some"), ("store: shop.sqlite\n", ""),
    ("source:\n  files: orders.csv\n  format: csv\n", ""), ("  files: orders.csv\n", ""),
    ("rejects: {", "rejects: { path: x,"), ("batch: {", "imports: []\nbatch: {"),
  ]

  /// Texts that are right in place of others.
  static let variants: [(from: String, to: String)] = [
    ("records: 500", "records: \"${BATCH}\""), ("mode: upsert", "mode: ${MODE:-upsert}"),
    ("trim: true", "trim: \"${secret:TRIM}\""), ("ratio: 1%", "ratio: 0.25"), ("bytes: 1MiB", "bytes: 4096"),
    ("store: shop.sqlite\n", "include: [common.yaml]\n"), ("files: orders.csv", "files: [a.csv, 2024]"),
    ("source:\n  files: orders.csv\n  format: csv\n", "source: orders.csv\n"),
    ("format: csv", "format: csv\n  delimiter: tab\n  \"null\": [NULL, ~, \"\"]"),
    ("find_by: [orderID]", "find_by: orderID"), ("quantity: quantity", "quantity: 3"),
    ("rejects: { file: rejects.ndjson, limit: 10, ratio: 1% }", "rejects: rejects.ndjson"),
  ]

  private static func seeded(_ change: (from: String, to: String)) throws -> String {
    #expect(PipelineFolder.sound.contains(change.from), "\(change.from)")
    return PipelineFolder.sound.replacingAll(change.from, with: change.to)
  }

  @Test("the schemas use only what the judge knows, and say which draft they are of")
  func keywords() throws {
    for kind in PipelineSchema.Kind.allCases {
      let text = PipelineSchema.text(of: kind)
      #expect(try SchemaJudge(text).unknownKeywords() == [])
      #expect(text.contains("\"$schema\": \"https://json-schema.org/draft/2020-12/schema\""))
    }
  }

  @Test("every field of every component is in the schema, with its description")
  func complete() throws {
    for (registry, kind) in [(ComponentRegistry.standard, PipelineSchema.Kind.pipeline), (.tests, .test)] {
      let object = try JSONSerialization.jsonObject(with: Data(PipelineSchema.text(of: kind).utf8))
      let definitions = try #require((object as? [String: Any])?["$defs"] as? [String: Any])
      for component in registry.components {
        for name in [component.name, component.name + "-part"] {
          var definition = try #require(definitions[name] as? [String: Any], "\(name)")
          if let choices = definition["anyOf"] as? [[String: Any]], component.shorthand != nil {
            definition = choices[0]
          }
          let properties = try #require(definition["properties"] as? [String: Any], "\(name)")
          #expect(Set(properties.keys) == Set(component.fields.map(\.name)))
          for field in component.fields {
            let property = try #require(properties[field.name] as? [String: Any])
            let description = try #require(property["description"] as? String)
            #expect(description.count >= 5 && !description.contains("`"), "\(name).\(field.name)")
          }
        }
      }
    }
  }

  @Test("every file of the repository fits its schema", arguments: files)
  func repository(_ file: String) throws {
    let text = try String(contentsOfFile: Locations.repository + "/pipelines/" + file, encoding: .utf8)
    let judge = try Self.judge(file.hasSuffix(PipelineTests.suffix) ? .test : .pipeline)
    #expect(judge.accepts(try SchemaJudge.json(yaml: text)))
  }

  @Test("a sound pipeline fits the schema, and so do its variants")
  func sound() throws {
    let judge = try Self.judge()
    #expect(judge.accepts(try SchemaJudge.json(yaml: PipelineFolder.sound)))
    for change in Self.variants {
      #expect(judge.accepts(try SchemaJudge.json(yaml: Self.seeded(change))), "\(change.to)")
    }
  }

  @Test("each of many mistakes does not fit the schema")
  func seededMistakes() throws {
    let judge = try Self.judge()
    for change in Self.mistakes {
      #expect(!judge.accepts(try SchemaJudge.json(yaml: Self.seeded(change))), "\(change.to)")
    }
  }

  @Test("a part needs no field, but has none that pipelines have not")
  func parts() throws {
    let judge = try SchemaJudge(PipelineSchema.text(of: .part))
    #expect(judge.accepts(try SchemaJudge.json(yaml: "import: { attributes: { a: b } }")))
    #expect(!judge.accepts(try SchemaJudge.json(yaml: "import: { attribute: { a: b } }")))
  }

  @Test("what the schema accepts and refuses, lint reads and refuses")
  func likeLint() throws {
    let folder = try PipelineFolder()
    for change in Self.mistakes { #expect(try !folder.lint(Self.seeded(change)).isEmpty, "\(change.to)") }
  }

  /// Whether this machine has Python's validator.
  private static let hasPython: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import jsonschema; jsonschema.Draft202012Validator"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test("Python's jsonschema is of the same opinion", .enabled(if: hasPython))
  func python() throws {
    var instances: [[String: Any]] = []
    func add(_ name: String, _ text: String, _ kind: PipelineSchema.Kind, fits: Bool) throws {
      instances.append([
        "name": name, "schema": kind.rawValue, "instance": try SchemaJudge.json(yaml: text), "fits": fits,
      ])
    }
    for file in Self.files {
      let text = try String(contentsOfFile: Locations.repository + "/pipelines/" + file, encoding: .utf8)
      try add(file, text, file.hasSuffix(PipelineTests.suffix) ? .test : .pipeline, fits: true)
    }
    for change in Self.variants { try add(change.to, Self.seeded(change), .pipeline, fits: true) }
    for change in Self.mistakes { try add(change.to, Self.seeded(change), .pipeline, fits: false) }
    let folder = TemporaryFolder()
    for kind in PipelineSchema.Kind.allCases {
      try folder.write(PipelineSchema.text(of: kind), to: kind.rawValue + ".json")
    }
    let data = try JSONSerialization.data(withJSONObject: instances)
    try data.write(to: URL(fileURLWithPath: folder.file("instances.json")))
    try folder.write(
      """
      import json, jsonschema
      schemas = {}
      for kind in ["pipeline", "part", "test"]:
          schemas[kind] = json.load(open(kind + ".json"))
          jsonschema.Draft202012Validator.check_schema(schemas[kind])
      for case in json.load(open("instances.json")):
          validator = jsonschema.Draft202012Validator(schemas[case["schema"]])
          errors = [error.message for error in validator.iter_errors(case["instance"])]
          if (not errors) != case["fits"]:
              print(case["name"], errors)
      """, to: "judge.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "judge.py"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: output, as: UTF8.self) == "")
  }
}
