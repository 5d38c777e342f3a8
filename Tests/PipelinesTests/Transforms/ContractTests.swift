import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// What may differ between a source and what the pipeline knows of it.
@Suite("Contracts of sources") struct ContractTests {
  private func run(_ contract: String, _ data: String, file: String = "data.csv") throws -> (ImportSummary, [String]) {
    let folder = try TransformFolder()
    try folder.folder.write(data, to: file)
    let text = TransformFolder.text(
      "attributes: { text: a, number: n }", source: "{ files: \(file), ignore: [known], contract: \(contract) }")
    let summary = try ImportSession(folder.read(text)).run()
    return (summary, try folder.rejects())
  }

  private func failure(_ contract: String, _ data: String, file: String = "data.csv") throws -> String {
    do {
      _ = try run(contract, data, file: file)
      return "it ran"
    } catch let error as ImportError {
      #expect(error.code == .contract)
      return error.message
    }
  }

  private static let wider = "key,a,n,known,extra\n1,x,1,k,e\n2,y,2,k,e\n"
  private static let narrower = "key,a,known\n1,x,k\n2,y,k\n"
  private static let members =
    "{\"key\":\"1\",\"a\":\"x\",\"n\":1,\"known\":0}\n{\"key\":\"2\",\"a\":\"y\",\"n\":2,\"ex\\\"tra\":{\"key\":1}}\n"

  @Test("a record that a condition leaves out is no reject, whatever the contract says of it") func skipped() throws {
    let folder = try TransformFolder()
    try folder.folder.write(Self.wider, to: "data.csv")
    let summary = try ImportSession(
      folder.read(
        TransformFolder.text(
          "where: \"n > 1\"\nattributes: { text: a, number: n }",
          source: "{ files: data.csv, ignore: [known], contract: { new: reject } }"))
    ).run()
    #expect((summary.skipped, summary.rejected) == (1, 1))
    #expect(summary.rejectCounts == ["contract.newColumn": 1])
    #expect(try folder.rejects().count == 1)
  }

  @Test("a replay has no header: new columns are not asked for, and those that may be missing are absent")
  func replay() throws {
    for contract in ["{ new: reject, missing: discard }", "{ new: evolve, types: reject }"] {
      let folder = try TransformFolder()
      let hasNumber = !contract.contains("discard")
      try folder.folder.write(hasNumber ? "key,a,n\n1,x,z\n" : "key,a\n,x\n", to: "data.csv")
      let definition = try folder.read(
        TransformFolder.text(
          "attributes: { text: a, number: n }", source: "{ files: data.csv, contract: \(contract) }"))
      #expect(try ImportSession(definition).run().rejected == 1)
      let text = try String(contentsOfFile: folder.folder.file("rejects.ndjson"), encoding: .utf8)
      let right = text.replacing(hasNumber ? "1,x,z" : "\"raw\":\",x", with: hasNumber ? "1,x,5" : "\"raw\":\"1,x")
      let file = ByteSource(path: try folder.folder.write(right, to: "right.ndjson"))
      let again = definition.replaying(file, rejectsPath: folder.folder.file("again.ndjson"))
      let summary = try ImportSession(again).run()
      #expect((summary.inserted, summary.rejected) == (1, 0), "\(contract)")
      #expect(try folder.rows("ZTEXT,ZNUMBER") == [hasNumber ? "x|5" : "x|-"])
    }
  }

  @Test("a replay holds types against those of other records of the same file") func replayedTypes() throws {
    let folder = try TransformFolder()
    try folder.folder.write("{\"key\":\"1\",\"n\":1}\n{\"key\":\"\",\"n\":2}\n", to: "a.ndjson")
    try folder.folder.write("{\"key\":\"\",\"n\":\"3\"}\n{\"key\":\"\",\"n\":4}\n", to: "b.ndjson")
    let definition = try folder.read(
      TransformFolder.text(
        "attributes: { number: n }", source: "{ files: [a.ndjson, b.ndjson], contract: { types: reject } }"))
    #expect(try ImportSession(definition).run().rejected == 3)
    var text = try String(contentsOfFile: folder.folder.file("rejects.ndjson"), encoding: .utf8)
    let empty = #"\"key\":\"\""#
    for key in 2...4 {
      let place = try #require(text.range(of: empty))
      text.replaceSubrange(place, with: #"\"key\":\"\#(key)\""#)
    }
    let file = ByteSource(path: try folder.folder.write(text, to: "right.ndjson"))
    let summary = try ImportSession(definition.replaying(file, rejectsPath: folder.folder.file("again.ndjson"))).run()
    #expect(summary.inserted == 2)
    #expect(summary.rejectCounts == ["contract.type": 1])
    #expect(try folder.rows("ZNUMBER") == ["1", "2", "3"])
  }

  @Test("a replay without a header takes columns that may be missing for absent") func replayOfNames() throws {
    let folder = try TransformFolder()
    try folder.folder.write(",x\n", to: "data.csv")
    let definition = try folder.read(
      TransformFolder.text(
        "attributes: { text: a, number: n }",
        source: "{ files: data.csv, header: false, columns: [key, a], contract: { missing: discard } }"))
    #expect(try ImportSession(definition).run().rejected == 1)
    let text = try String(contentsOfFile: folder.folder.file("rejects.ndjson"), encoding: .utf8)
    let file = ByteSource(
      path: try folder.folder.write(text.replacing("\"raw\":\",x", with: "\"raw\":\"1,x"), to: "right.ndjson"))
    let again = definition.replaying(file, rejectsPath: folder.folder.file("again.ndjson"))
    #expect(try ImportSession(again).run().inserted == 1)
  }

  @Test("a member whose name has a dot is known by its path") func dottedMember() throws {
    let folder = try TransformFolder()
    try folder.folder.write("{\"key\":\"1\",\"a.b\":\"x\",\"c.d\":0}\n", to: "data.ndjson")
    let summary = try ImportSession(
      folder.read(
        TransformFolder.text(
          "attributes: { text: 'a\\.b' }",
          source: "{ files: data.ndjson, ignore: ['c\\.d'], contract: { new: reject } }"))
    ).run()
    #expect((summary.inserted, summary.rejected) == (1, 0))
  }

  @Test("new columns of a header") func newColumns() throws {
    let evolved = try run("{ new: evolve }", Self.wider)
    #expect(evolved.0.inserted == 2)
    #expect(
      evolved.0.warnings.contains {
        $0.code == .contractNewColumn && $0.message.contains("“extra”") && !$0.message.contains("“known”")
      })
    #expect(try run("{ new: discard }", Self.wider).0.warnings.allSatisfy { !$0.message.contains("extra") })
    #expect(try failure("{ new: freeze }", Self.wider).contains("“extra”"))
    let (summary, rejects) = try run("{ new: reject }", Self.wider)
    #expect(summary.rejectCounts == ["contract.newColumn": 2])
    #expect(rejects.first?.contains("“extra”") == true)
  }

  @Test("missing columns of a header") func missingColumns() throws {
    for policy in ["evolve", "discard"] {
      let (summary, _) = try run("{ missing: \(policy) }", Self.narrower)
      #expect(summary.inserted == 2)
      #expect(
        summary.warnings.contains { $0.code == .contractMissingColumn && $0.message.contains("no column “n”") }
          == (policy == "evolve"))
    }
    #expect(try run("{ missing: reject }", Self.narrower).0.rejectCounts == ["contract.missingColumn": 2])
  }

  /// A tar archive.
  static func tar(_ files: [(name: String, text: String)]) -> [UInt8] {
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.utf8.count) + text
    }
    var archive: [UInt8] = []
    for (name, text) in files {
      var block = [UInt8](repeating: 0, count: 512)
      let fields = [
        (0, name), (100, "0000644\0"), (108, "0000000\0"), (116, "0000000\0"), (124, octal(text.utf8.count, 11) + " "),
        (136, "00000000000 "), (148, "        "), (156, "0"), (257, "ustar\0" + "00"),
      ]
      for (place, field) in fields {
        block.replaceSubrange(place..<place + field.utf8.count, with: Array(field.utf8))
      }
      let sum = octal(block.reduce(0) { $0 + Int($1) }, 6) + "\0 "
      block.replaceSubrange(148..<156, with: Array(sum.utf8))
      archive += block + Array(text.utf8)
      archive += [UInt8](repeating: 0, count: (512 - text.utf8.count % 512) % 512)
    }
    return archive + [UInt8](repeating: 0, count: 1024)
  }

  @Test("each file of a tar archive is held against the contract, and none loses a column that another lacks")
  func archives() throws {
    func run(_ contract: String, _ first: String, _ second: String) throws -> (summary: ImportSummary, rows: [String]) {
      let folder = try TransformFolder()
      try folder.folder.write(Self.tar([("1.csv", first), ("2.csv", second)]), to: "data.tar")
      let text = TransformFolder.text(
        "attributes: { text: a, number: n }", source: "{ files: data.tar, member: '*', contract: \(contract) }")
      let summary = try ImportSession(folder.read(text)).run()
      return (summary, try folder.rows("ZTEXT,ZNUMBER"))
    }
    let (whole, wide) = ("key,a,n\n1,x,1\n", "key,a,n,extra\n2,y,2,e\n")
    for (first, second) in [(whole, wide), (wide, whole)] {
      let (summary, rows) = try run("{ new: reject }", first, second)
      #expect(summary.rejectCounts == ["contract.newColumn": 1] && rows == ["x|1"])
      #expect(throws: ImportError.self) { _ = try run("{ new: freeze }", first, second) }
    }
    let (some, others) = ("key,a\n1,x\n", "a,key\ny,2\n")
    #expect(try run("{ missing: evolve }", some, others).rows == ["x|-", "y|-"])
    #expect(try run("{ missing: reject }", some, others).summary.rejectCounts == ["contract.missingColumn": 2])
    // One that has the column would lose it: the archive is refused.
    for (first, second) in [(some, wide), (wide, some)] {
      #expect(throws: ImportError.self) { _ = try run("{ missing: discard }", first, second) }
    }
  }

  @Test("new members of records") func newMembers() throws {
    let file = "data.ndjson"
    let evolved = try run("{ new: evolve }", Self.members, file: file)
    #expect(evolved.0.inserted == 2)
    #expect(evolved.0.warnings.filter { $0.message.contains("tra") }.count == 1)
    #expect(try failure("{ new: freeze }", Self.members, file: file).contains("record 2"))
    let (summary, rejects) = try run("{ new: reject }", Self.members, file: file)
    #expect(summary.rejectCounts == ["contract.newColumn": 1])
    #expect(rejects.first?.hasPrefix("2 contract.newColumn") == true)
  }

  @Test("differences beyond a hundred are counted") func manyTypes() throws {
    let lines = (0..<250).map { "{\"key\":\"\($0)\",\"a\":\($0.isMultiple(of: 2) ? "\"x\"" : "1"),\"n\":1}" }
    let (summary, _) = try run("{ types: evolve }", lines.joined(separator: "\n") + "\n", file: "data.ndjson")
    let warnings = summary.warnings.filter { $0.code == .contractType }
    #expect(warnings.count == 101)
    #expect(warnings.last?.message == "149 more of this kind are not listed")
  }

  @Test("differences beyond a hundred are counted once, in a run that is stopped and resumed, too")
  func manyTypesResumed() throws {
    let folder = try TransformFolder()
    let text = TransformFolder.text(
      "attributes: { text: a, number: n }", source: "{ files: data.ndjson, contract: { types: evolve } }")
    func definition(_ number: Int) throws -> ImportDefinition {
      let lines = (0..<1000).map {
        "{\"key\":\"\($0)\",\"a\":\($0.isMultiple(of: 2) ? "\"x\"" : "1"),\"n\":\(number)}\n"
      }
      try folder.folder.write(lines.joined(), to: "data.ndjson")
      var definition = try folder.read(text)
      definition.batchLimit.records = 100
      return definition
    }
    let whole = try ImportSession(definition(1)).run()
    #expect(whole.warnings.filter { $0.code == .contractType }.count == 101)
    let night = try definition(2)
    var read = 0
    let first = try ImportSession(night).run(progress: { read = $0.records }, shouldStop: { read >= 500 })
    #expect(first.status == .interrupted)
    let second = try ImportSession(night).run()
    #expect(second.resumedAfter ?? 0 >= 500)
    #expect(second.warnings.map(\.description) == whole.warnings.map(\.description))
  }

  @Test("values of another type") func types() throws {
    let data =
      "{\"key\":\"1\",\"n\":1}\n{\"key\":\"2\",\"n\":\"2\"}\n{\"key\":\"3\",\"n\":null}\n{\"key\":\"4\",\"n\":4}\n"
    let (summary, rejects) = try run("{ types: reject }", data, file: "data.ndjson")
    #expect(summary.rejectCounts == ["contract.type": 1])
    #expect(rejects == ["2 contract.type “n” is a string, and was a number in earlier records"])
    #expect(try failure("{ types: freeze }", data, file: "data.ndjson").contains("record 2"))
    #expect(
      try run("{ types: evolve }", data, file: "data.ndjson").0.warnings.contains {
        $0.code == .contractType && $0.message.contains("“n” is a string")
      })
    #expect(try run("{ types: discard }", data, file: "data.ndjson").0.inserted == 4)
  }

  @Test("types are those of the first values of each file of an archive, in a run that is resumed, too")
  func typesOfMembers() throws {
    let folder = try TransformFolder()
    let text = TransformFolder.text(
      "attributes: { text: a, number: n }",
      source: "{ files: data.tar, member: '*', format: ndjson, contract: { types: reject } }")
    func definition(_ night: Int) throws -> ImportDefinition {
      func lines(_ keys: Range<Int>, number: Int?) -> String {
        keys.map { "{\"key\":\"\($0)\",\"a\":\"\(night)\",\"n\":\($0 == number ? "1" : "\"1\"")}\n" }.joined()
      }
      // Of the second file all but the first record are of another type; in the first one this is not so.
      let files = [("1.ndjson", lines(0..<500, number: nil)), ("2.ndjson", lines(500..<1000, number: 500))]
      try folder.folder.write(Self.tar(files.map { (name: $0.0, text: $0.1) }), to: "data.tar")
      var definition = try folder.read(text)
      definition.batchLimit.records = 100
      return definition
    }
    let whole = try ImportSession(definition(1)).run()
    #expect(whole.rejectCounts == ["contract.type": 499])
    let night = try definition(2)
    var read = 0
    let first = try ImportSession(night).run(progress: { read = $0.records }, shouldStop: { read >= 700 })
    #expect(first.status == .interrupted)
    let second = try ImportSession(night).run()
    #expect(second.resumedAfter ?? 0 >= 700)
    #expect(second.rejectCounts == ["contract.type": 499])
  }

  @Test("what the split of a family has found of each file of an archive is read again, and told once of files alike")
  func kindsOfMembers() throws {
    var contract = SchemaContract()
    contract.types = .reject
    let format = RecordFormat.ndjson(NDJSONOptions())
    /// The number of values of a member that are refused.
    func refused(_ types: inout ContractTypes, _ member: String?, _ text: String) throws -> Int {
      var reader = try format.reader(
        source: ByteSource(bytes: Array((text + "\n").utf8)), columns: .named(["a", "b"]), index: 0)
      var (batch, count) = (RecordBatch(), 0)
      while try reader.read(into: &batch, limit: BatchLimit()) {
        batch.member = member
        try types.check(batch, of: "data.tar") { _, _ in count += 1 }
      }
      return count
    }
    var split = try #require(ContractTypes(contract, columns: ["a", "b"]))
    split.begin(format)
    for number in 0..<200 {
      let text = number == 100 ? #"{"a":true}"# : number == 50 ? #"{"a":"x","b":1}"# : #"{"a":"x"}"#
      #expect(try refused(&split, "\(number).ndjson", text) == 0)
    }
    let kinds = "tn\u{0}b-100.ndjson"
    #expect(split.kinds == kinds)
    var part = try #require(ContractTypes(contract, columns: ["a", "b"]))
    part.begin(format, kinds)
    #expect(try refused(&part, "7.ndjson", #"{"a":1}"#) == 1)
    #expect(try refused(&part, "100.ndjson", #"{"a":false,"b":"x"}"#) == 0)
    #expect(try refused(&part, "100.ndjson", #"{"a":"x","b":"y"}"#) == 1)
    part.begin(format, "tn")
    #expect(part.kinds == "tn")
    #expect(try refused(&part, nil, #"{"a":1,"b":2}"#) == 1)
  }

  @Test("in XML one element of a list is of the same type as several", arguments: [1, 2])
  func listsInXML(first: Int) throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { key: string!, text: string }
          relationships: { tags: { to_many: Tag, inverse: things } }
          unique: [key]
        Tag:
          attributes: { name: string! }
          relationships: { things: { to_many: Thing, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
    let records = (1...2).map { key in
      "<t><key>\(key)</key>" + String(repeating: "<tag>a</tag>", count: key == first ? 2 : 1) + "</t>"
    }
    try folder.folder.write("<r>" + records.joined() + "</r>", to: "data.xml")
    let text = TransformFolder.text(
      "relationships: { tags: { each: tag, find_by: { name: . } } }",
      source: "{ files: data.xml, format: xml, records: /r/t, contract: { types: reject } }")
    let summary = try ImportSession(folder.read(text)).run()
    #expect((summary.inserted, summary.rejected) == (2, 0), "\(folder.rejectsText)")
  }
}
