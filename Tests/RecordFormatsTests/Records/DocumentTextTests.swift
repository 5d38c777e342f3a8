import Testing

@testable import MergewalkRecordFormats

/// What became of the text of documents: each byte is a record's, or was passed over.
@Suite("The text of documents") struct DocumentTextTests {
  /// What was counted, however the text arrives.
  private func account(
    _ text: String, _ format: RecordFormat, _ columns: [String], limit: BatchLimit = BatchLimit()
  ) throws -> TextAccount {
    var results: [TextAccount] = []
    for size in [Int.max, 7, 1] {
      var reader = try format.reader(
        source: ByteSource(bytes: Array(text.utf8), chunkSize: size), columns: .named(columns), index: 0)
      var batch = RecordBatch()
      var account = TextAccount()
      while try reader.read(into: &batch, limit: limit) { account += batch.account }
      account += batch.account
      results.append(account)
    }
    #expect(results.allSatisfy { $0 == results[0] })
    #expect(results[0].bytes == text.utf8.count && results[0].isBalanced, "\(results[0])")
    return results[0]
  }

  private func show(_ account: TextAccount) -> [String] {
    ["records \(account.recordBytes)"] + account.skipped.kinds.map { "\($0) \(account.skipped[$0].bytes)" }
  }

  @Test("JSON documents", arguments: [1, 4096]) func json(_ records: Int) throws {
    var options = JSONOptions()
    options.records = "a"
    options.each = "l"
    let text = "\u{FEFF}{\"x\":[1],\n\"a\": [ {\"l\":[1,2]} , {} ,\n{\"l\":3},7 ] , \"z\":{}}\n\n"
    let account = try account(text, .json(options), ["l"], limit: BatchLimit(records: records))
    #expect(
      show(account) == [
        "records \(11 + 7 + 1)", "byteOrderMark 3", "structure \(text.utf8.count - 3 - 19 - 2)", "withoutElements 2",
      ])
    #expect(account.withoutElements == Array("{}".utf8))
  }

  @Test("a record whose list is empty is one without elements, in all forms of JSON") func emptyLists() throws {
    var json = JSONOptions()
    json.each = "l"
    var lines = NDJSONOptions()
    lines.each = "l"
    var sequence = JSONSequenceOptions()
    sequence.each = "l"
    let document = "[{\"l\":[ ]},{\"l\":[1]}]"
    #expect(show(try account(document, .json(json), ["l"])) == ["records 9", "structure 3", "withoutElements 9"])
    let twoLines = "{\"l\":[]}\n{\"l\":[1]}\n"
    #expect(show(try account(twoLines, .ndjson(lines), ["l"])) == ["records 10", "withoutElements 9"])
    let values = "{\"l\":[]} {\"l\":[1]}"
    #expect(
      show(try account(values, .jsonSequence(sequence), ["l"])) == ["records 9", "structure 1", "withoutElements 8"])
  }

  @Test("sequences of JSON values") func sequences() throws {
    let separated = try account("\u{1E}\u{1E}\n{\"a\":1}\n\u{1E} {\"a\"\n\u{1E}", .jsonSequence(.init()), ["a"])
    #expect(show(separated) == ["records \(8 + 5)", "structure 6"])
    #expect(
      show(try account(" {\"a\":1}\n\n{\"a\":2} ", .jsonSequence(.init()), ["a"])) == ["records 14", "structure 4"])
  }

  @Test("XML documents, with comments and records from entities", arguments: [1, 4096]) func xml(_ records: Int) throws
  {
    var options = XMLOptions()
    options.each = "l"
    let text = """
      \u{FEFF}<!DOCTYPE r [<!ENTITY i '<i><l>1</l></i><i><l>2</l></i>'>]><r> <!-- c --><i><l>é</l></i>
      <i/><!--in--><i><l/><!-- record --></i> &i; <i><l>&q;</l></i></r> <!---->
      """
    let account = try account(
      text.replacing("<i><l>&q;</l></i>", with: ""), .xml(options), ["l"], limit: BatchLimit(records: records))
    #expect(account.recordBytes == 16 + 26 + 3)
    #expect(account.skipped[.comment].bytes == 10 + 9 + 7)
    #expect(account.skipped[.withoutElements].bytes == 4 && account.withoutElements == Array("<i/>".utf8))
    #expect(account.skipped[.byteOrderMark].bytes == 3)
  }

  @Test("YAML streams") func yaml() throws {
    let text = "\u{FEFF}# head\n---\n- a: 1\n# between\n- a: 2\n  b: 3\n---\n\n- a: 4\n...\n# end\n"
    let account = try account(text, .yaml(.init()), ["a"])
    #expect(account.recordBytes > 15 && account.recordBytes <= 22 && account.skipped[.structure].bytes > 40)
    var options = YAMLOptions()
    options.each = "l"
    #expect(show(try self.account("- {b: 1}\n- {l: [1]}\n", .yaml(options), ["l"])).last == "withoutElements 6")
  }

  @Test("property lists in both text forms; the binary form is no text") func propertyLists() throws {
    let xml = "<plist><array> <dict><key>a</key><true/></dict><!-- c --><dict/>\n</array></plist>\n"
    #expect(try account(xml, .propertyList(.init()), ["a"]).recordBytes == 39)
    #expect(
      show(try account("/* x */ ( { a = b; } , { } )\n", .propertyList(.init()), ["a"])) == [
        "records \(10 + 3)", "structure 16",
      ])
  }

  @Test("white space without end takes no memory", arguments: ["json", "seq"])
  func longGaps(form: String) throws {
    let space = String(repeating: " \n\t ", count: 1 << 20)
    let isDocument = form == "json"
    let text =
      isDocument
      ? "[\(space){\"a\":1}\(space),{\"a\":2}\(space)]\(space)" : "\(space){\"a\":1}\(space){\"a\":2}\(space)"
    let format: RecordFormat = isDocument ? .json(.init()) : .jsonSequence(.init())
    var readings: [[String]] = []
    for size in [Int.max, 100_003] {
      var reader = try format.reader(
        source: ByteSource(bytes: Array(text.utf8), chunkSize: size), columns: .named(["a"]), index: 0)
      var batch = RecordBatch()
      var account = TextAccount()
      var found: [String] = []
      while try reader.read(into: &batch, limit: BatchLimit(records: 1000, bytes: 32 << 20)) {
        found.append((0..<batch.recordCount).map { batch.text($0, 0) ?? "" }.joined(separator: " "))
        account += batch.account
        #expect(batch.bytes.count < 4 << 20, "\(batch.bytes.count)")
      }
      account += batch.account
      #expect(batch.bytes.count < 4 << 20, "\(batch.bytes.count)")
      #expect(account.isBalanced && account.bytes == text.utf8.count && account.recordBytes == 14)
      readings.append(found)
    }
    // What is a batch does not depend on how the text arrives.
    #expect(readings == [["1", "2"], ["1", "2"]])
  }
}
