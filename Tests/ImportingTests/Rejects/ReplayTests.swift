import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Records are rejected, put right and replayed: the store is then that of an input without faults.
@Suite struct ReplayTests {
  private let folder = TemporaryFolder()
  private let keys = ["Item": ["sku"], "Person": ["email"], "Part": ["code"]]

  /// A record's texts by column, in the order of the file.
  private typealias Fields = [(name: String, value: String)]

  /// One way of writing a file of records.
  private struct Writing: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var format: RecordFormat
    var before: String
    var after: String
    /// What stands before each record, and is no part of its text.
    var lead: String
    /// What stands between two records.
    var between: String
    var record: @Sendable (_ fields: [(name: String, value: String)]) -> String
    /// The record with a fault that the reader refuses.
    var broken: @Sendable (_ fields: [(name: String, value: String)]) -> String
  }

  private static func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

  private static func json(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: [text], options: [.withoutEscapingSlashes])
    return String(decoding: (data ?? Data()).dropFirst().dropLast(), as: UTF8.self)
  }

  private static func xml(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private static let columns = ["sku", "number", "label", "amount", "email", "age", "code", "title"]

  private static func csv(_ name: String, _ edit: (inout CSVOptions) -> Void, mark: String, lead: String = "")
    -> Writing
  {
    var options = CSVOptions()
    edit(&options)
    let header = options.header == .firstRecord ? columns.joined(separator: mark) + "\n" : ""
    return Writing(
      testDescription: name, format: .csv(options), before: lead + header, after: "\n", lead: "", between: "\n",
      record: { $0.map { quoted($0.value) }.joined(separator: mark) },
      broken: { $0.map { quoted($0.value) }.joined(separator: mark) + mark + "more" })
  }

  private static var writings: [Writing] {
    var lines = JSONOptions()
    lines.records = "$.data.items"
    var elements = XMLOptions()
    elements.records = "/shop/items/item"
    var spaces = XMLOptions()
    spaces.records = "//s:item"
    spaces.namespaces = ["s": "urn:shop"]
    var mappings = YAMLOptions()
    mappings.records = "data.items"
    let tree: @Sendable ([(name: String, value: String)]) -> String = { fields in
      "<item>\n" + fields.map { "    <\($0.name)>\(xml($0.value))</\($0.name)>" }.joined(separator: "\n")
        + "\n  </item>"
    }
    let prefixed: @Sendable (String) -> String = {
      $0.replacing("<", with: "<d:").replacing("<d:/", with: "</d:")
    }
    let yaml: @Sendable ([(name: String, value: String)]) -> String = { fields in
      fields.map { "\($0.name): \(json($0.value))" }.joined(separator: "\n      ")
    }
    var list = PropertyListOptions()
    list.records = "data.items"
    let openStep: @Sendable ([(name: String, value: String)]) -> String = { fields in
      func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
      }
      return "{" + fields.map { " \(quoted($0.name)) = \(quoted($0.value));" }.joined() + " }"
    }
    return [
      Writing(
        testDescription: "property list", format: .propertyList(list),
        before: "<?xml version=\"1.0\"?>\n<plist><dict><key>data</key><dict><key>items</key><array>\n",
        after: "\n</array></dict></dict></plist>\n", lead: "  ", between: "\n",
        record: { fields in
          "<dict>" + fields.map { "<key>\($0.name)</key><string>\(xml($0.value))</string>" }.joined() + "</dict>"
        },
        broken: { fields in
          "<dict><key>sku</key><integer>x/</integer>"
            + fields.dropFirst().map { "<key>\($0.name)</key><string>\(xml($0.value))</string>" }.joined() + "</dict>"
        }),
      Writing(
        testDescription: "OpenStep property list", format: .propertyList(list), before: "{ data = { items = (\n",
        after: "\n); }; }\n", lead: "  ", between: ",\n", record: openStep, broken: { _ in "\"no dictionary\"" }),
      csv("csv", { _ in }, mark: ","),
      csv(
        "csv with lines before the header, and semicolons",
        {
          $0.delimiter = ";"
          $0.skippedLines = 2
        }, mark: ";", lead: "A report\nof today\n"),
      csv("csv without a header", { $0.header = .names(columns) }, mark: ","),
      Writing(
        testDescription: "ndjson", format: .ndjson(NDJSONOptions()), before: "", after: "\n", lead: "", between: "\n",
        record: { "{" + $0.map { "\(json($0.name)): \(json($0.value))" }.joined(separator: ", ") + "}" },
        broken: { "{" + $0.map { "\(json($0.name)): \(json($0.value))" }.joined(separator: ", ") }),
      Writing(
        testDescription: "json", format: .json(lines), before: "{\"data\": {\"items\": [\n", after: "\n]}}\n",
        lead: "  ", between: ",\n",
        record: { "{\n    " + $0.map { "\(json($0.name)): \(json($0.value))" }.joined(separator: ",\n    ") + "\n  }" },
        broken: {
          "{\n    \"sku\": 1,\n    "
            + $0.map { "\(json($0.name)): \(json($0.value))" }.joined(separator: ",\n    ") + "\n  }"
        }),
      Writing(
        testDescription: "xml", format: .xml(elements), before: "<?xml version=\"1.0\"?>\n<shop><items>\n",
        after: "\n</items></shop>\n", lead: "  ", between: "\n", record: tree,
        broken: { tree($0).replacing("<sku>", with: "<sku><b/>text") }),
      Writing(
        testDescription: "xml with namespaces", format: .xml(namespaced(spaces)),
        before: "<shop xmlns=\"urn:shop\" xmlns:o=\"urn:other\">\n", after: "\n</shop>\n", lead: "  ", between: "\n",
        record: { tree($0).replacing("<item>", with: "<item o:kind=\"new\">") },
        broken: { tree($0).replacing("<sku>", with: "<sku><b/>text") }),
      Writing(
        testDescription: "xml with prefixes of its own", format: .xml(namespaced(spaces)),
        before: "<d:shop xmlns:d=\"urn:shop\">\n<d:part xmlns:o='urn:o'>\n",
        after: "\n</d:part></d:shop>\n", lead: "  ", between: "\n",
        record: { prefixed(tree($0)).replacing("<d:item>", with: "<d:item o:kind=\"new\">") },
        broken: { prefixed(tree($0)).replacing("<d:sku>", with: "<d:sku><b/>text") }),
      Writing(
        testDescription: "yaml", format: .yaml(mappings), before: "data:\n  items:\n", after: "\n", lead: "    - ",
        between: "\n", record: yaml, broken: { yaml($0) + "\n      sku: \"again\"" }),
    ]
  }

  private static func namespaced(_ options: XMLOptions) -> XMLOptions {
    var options = options
    // Columns without a prefix are in the same namespace.
    options.namespaces[""] = "urn:shop"
    return options
  }

  private func definition(_ writing: Writing, _ text: String, store: String) throws -> ImportDefinition {
    let input = try folder.write(text, to: store + ".input")
    var person = EntityImport(entityName: "Person", findBy: [ShopImport.field("email")])
    person.attributes = [ShopImport.field("age")]
    var part = EntityImport(entityName: "Part", findBy: [ShopImport.field("code")])
    part.attributes = [ShopImport.field("title")]
    var item = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    item.attributes = ["number", "label", "amount"].map { ShopImport.field($0) }
    item.relationships = [
      RelationshipImport(name: "owner", target: person), RelationshipImport(name: "part", target: part),
    ]
    var definition = ImportDefinition(
      name: "replay", model: try ShopModel().build(), storePath: folder.file(store), inputs: [input],
      format: writing.format, root: item)
    definition.rejects.path = folder.file(store + ".rejects.ndjson")
    definition.batchLimit = BatchLimit(records: 7)
    return definition
  }

  private func records(_ generator: inout SeededGenerator) -> [Fields] {
    let labels = [
      "plain", "with \"quotes\"", "two\nlines", "comma, and; more", "Zoë 🙂", "<tag> & entity", "a: b # c", "",
    ]
    return (0..<Int.random(in: 1...40, using: &generator)).map { index in
      let person = Int.random(in: 0..<6, using: &generator)
      let part = Int.random(in: 0..<5, using: &generator)
      return [
        ("sku", "S\(index)"), ("number", String(Int.random(in: -9...9, using: &generator))),
        ("label", labels.randomElement(using: &generator) ?? ""),
        ("amount", String(Int.random(in: 0...99, using: &generator))), ("email", "p\(person)@example.com"),
        ("age", String(30 + person)), ("code", String(part)), ("title", "Part \(part)"),
      ]
    }
  }

  /// Puts the raw records of a rejects file right.
  private func repair(_ path: String, _ right: (_ record: Int, _ raw: String) -> String) throws -> String {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = try text.split(separator: "\n").map { line in
      var object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      object["raw"] = right(try #require(object["record"] as? Int) - 1, try #require(object["raw"] as? String))
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    let repaired = path + ".repaired"
    try (lines.joined(separator: "\n") + "\n").write(toFile: repaired, atomically: true, encoding: .utf8)
    return repaired
  }

  private func write(_ writing: Writing, _ texts: [String]) -> String {
    writing.before + texts.map { writing.lead + $0 }.joined(separator: writing.between) + writing.after
  }

  @Test("repaired rejects replayed give the store that clean input would have given", arguments: writings)
  private func clean(_ writing: Writing) throws {
    for seed in Soak.seeds(4, from: 1, long: 300) {
      var generator = SeededGenerator(seed: seed)
      let records = records(&generator)
      let good = records.map(writing.record)
      var faulty: Set<Int> = []
      let texts = records.enumerated().map { index, fields in
        var fields = fields
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: fields[3].value = "many"
        case 1: fields[6].value = "x\(index)"
        case 2: fields[0].value = ""
        case 3:
          faulty.insert(index)
          return writing.broken(fields)
        default: return good[index]
        }
        faulty.insert(index)
        return writing.record(fields)
      }
      let name = "\(seed)-\(UUID().uuidString)"
      let expected = try definition(writing, write(writing, good), store: "clean-\(name)")
      let summary = try ImportSession(expected).run()
      #expect(summary.rejected == 0, "seed \(seed): \(summary.rejectCounts)")

      let first = try definition(writing, write(writing, texts), store: "faulty-\(name)")
      let broken = try ImportSession(first).run()
      #expect(broken.rejected == faulty.count, "seed \(seed): \(broken.rejectCounts)")
      #expect(broken.counts.isBalanced)
      if faulty.isEmpty { continue }
      let path = try #require(broken.rejectsPath)
      // Replayed as they are they fail again, and lose nothing on the way into the next file.
      let unchanged = first.replaying(ByteSource(path: path), rejectsPath: path + ".still")
      #expect(try ImportSession(unchanged).run().rejected == faulty.count, "seed \(seed)")
      let order = faulty.sorted()
      let repaired = try repair(path + ".still") { line, raw in
        #expect(raw == texts[order[line]], "seed \(seed): the raw record is whole")
        return good[order[line]]
      }
      let again = first.replaying(ByteSource(path: repaired), rejectsPath: path + ".again")
      let replayed = try ImportSession(again).run()
      #expect(replayed.read == faulty.count, "seed \(seed)")
      #expect(replayed.rejected == 0, "seed \(seed): \(replayed.rejectCounts)")
      #expect(broken.inserted + replayed.inserted == records.count, "seed \(seed)")
      let model = expected.model
      let (one, other) = (
        try StoreDump(path: expected.storePath, model: model, keys: keys),
        try StoreDump(path: first.storePath, model: model, keys: keys)
      )
      #expect(one == other, "seed \(seed)")
    }
  }

  @Test("what fails again is rejected with the place in the rejects file, and can be replayed in its turn")
  func again() throws {
    let writing = Self.csv("csv", { _ in }, mark: ",")
    let header = Self.columns.joined(separator: ",")
    let text =
      header + "\nA,1,x,bad,a@b.c,1,1,t\nB,1,x,2,a@b.c,1,1,t\nC,1,x,bad,a@b.c,1,1,t\nD,1,x,\"bad\nbad\",a@b.c,1,1,t\n"
    let definition = try definition(writing, text, store: "again")
    #expect(try ImportSession(definition).run().rejected == 3)
    let path = try #require(definition.rejects.path)
    let repaired = try repair(path) { record, raw in record == 2 ? raw.replacing("bad", with: "3") : raw }
    let second = definition.replaying(ByteSource(path: repaired), rejectsPath: path + ".2")
    let summary = try ImportSession(second).run()
    #expect([summary.read, summary.inserted, summary.rejected] as [Int] == [3, 1, 2] as [Int])
    let lines = try String(contentsOfFile: path + ".2", encoding: .utf8).split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["line"] as? Int } == [1, 3], "a record of two lines is one line of the rejects file")
    #expect(lines.map { $0["file"] as? String } == [repaired, repaired])
    #expect(lines[1]["raw"] as? String == "D,1,x,\"bad\nbad\",a@b.c,1,1,t")
    let third = definition.replaying(
      ByteSource(
        path: try repair(path + ".2") { _, raw in raw.replacing("\"bad\nbad\"", with: "4").replacing("bad", with: "4") }
      ),
      rejectsPath: path + ".3")
    #expect(try ImportSession(third).run().inserted == 2)
    #expect(!FileManager.default.fileExists(atPath: path + ".3"))
  }

  @Test("lines that are no rejects, have no record, or only its beginning are rejected; empty records are passed over")
  func oddLines() throws {
    let writing = Self.csv("csv", { _ in }, mark: ",")
    let definition = try definition(writing, Self.columns.joined(separator: ",") + "\n", store: "odd")
    let header = "\"header\":\"\(Self.columns.joined(separator: ","))\""
    let path = try folder.write(
      """
      {"file":"f.csv",\(header),"raw":"A,1,x,1,a@b.c,1,1,t"}
      not json
      {"file":"f.csv","code":"value.integer"}
      {"file":"f.csv","raw":"B,1","cut":true}
      {"file":"f.csv","raw":""}
      {"file":"f.csv","raw_base64":"QywxLHgsMSxhQGIuYywxLDEsdA=="}
      """, to: "odd.ndjson")
    let replay = definition.replaying(ByteSource(path: path), rejectsPath: folder.file("odd.again.ndjson"))
    let summary = try ImportSession(replay).run()
    #expect([summary.read, summary.inserted, summary.rejected] as [Int] == [5, 2, 3] as [Int])
    #expect(
      summary.rejectCounts == ["read.invalidJSON": 1, "read.notAnObject": 1, "read.recordTooLong": 1])
  }

  @Test("without the header of a file the file itself is asked, and when it is gone too, the replay says what to do")
  func missingHeader() throws {
    let writing = Self.csv("csv", { _ in }, mark: ",")
    let text = Self.columns.joined(separator: ",") + "\nA,1,x,bad,a@b.c,1,1,t\n"
    let definition = try definition(writing, text, store: "header")
    #expect(try ImportSession(definition).run().rejected == 1)
    let path = try #require(definition.rejects.path)
    let lines = try String(contentsOfFile: path, encoding: .utf8)
    let bare = try folder.write(
      lines.replacing(",\"header\":\"\(Self.columns.joined(separator: ","))\"", with: "").replacing("bad", with: "3"),
      to: "bare.ndjson")
    #expect(try !String(contentsOfFile: bare, encoding: .utf8).contains("header\""))
    let replay = definition.replaying(ByteSource(path: bare), rejectsPath: path + ".again")
    #expect(try ImportSession(replay).run().inserted == 1)
    try FileManager.default.removeItem(atPath: definition.inputs[0])
    let error = #expect(throws: ImportError.self) { try ImportSession(replay).run() }
    #expect(error?.message.contains("header") == true)
  }
}
