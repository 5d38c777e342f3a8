import Testing

@testable import MergewalkRecordFormats

/// Lines of rejects files, which mostly repeat the texts of the line before.
@Suite struct RejectLineTests {
  private static let full =
    #"{"run":"p@1","file":"a.zip","member":"x.csv","import":"i","record":1,"line":2,"column":3,"field":"f","entity":"E","#
    + #""attribute":"t","code":"read.fieldCount","message":"m","also":[{"code":"value.date"}],"header":"id,s","#
    + #""width":"missing","indent":4,"namespaces":"xmlns='u'","raw":"1,é"}"#

  @Test("a line says what it says itself, whatever the line before says", arguments: [true, false])
  func lines(reasons: Bool) throws {
    let other = #"{"run":"p@1","file":"b.csv","code":"read.invalidText","header":"s","raw_base64":"/yw=","cut":true}"#
    let text = [Self.full, Self.full, other, "{}", Self.full].joined(separator: "\n") + "\n"
    var lines = try RejectLines(ByteSource(bytes: Array(text.utf8)), reasons: reasons)
    var found: [RejectLine] = []
    while let line = try lines.next() { found.append(try line.get()) }
    try #require(found.count == 5)
    let reason: [String?] = reasons ? ["f", "E", "t", "m", #"[{"code":"value.date"}]"#] : [nil, nil, nil, "", nil]
    let width: RecordError.WidthFault? = reasons ? .missing : nil
    for line in [found[0], found[1], found[4]] {
      #expect(line.run == "p@1" && line.file == "a.zip" && line.member == "x.csv" && line.part == "i")
      #expect(line.code == "read.fieldCount" && line.width == width)
      #expect(line.header == ["id", "s"] && line.raw == Array("1,é".utf8) && !line.isCut)
      #expect(line.indent == 4 && line.namespaces == "xmlns='u'" && line.object == nil)
      let said = [line.field, line.entity, line.attribute, line.message, line.also]
      #expect(said == reason)
      #expect([line.record, line.sourceLine, line.sourceColumn] == (reasons ? [1, 2, 3] : [1, 0, 0]))
    }
    #expect(found[2].file == "b.csv" && found[2].member == nil && found[2].part == nil && found[2].namespaces.isEmpty)
    #expect(found[2].header == ["s"] && found[2].raw == [0xFF, 44] && found[2].isCut)
    #expect(found[3].isBlank && found[3].header == nil && found[3].run.isEmpty && !found[3].isCut)
  }

  @Test("records of one file make a batch, and a file without columns has those that it had before")
  func batches() throws {
    func line(_ file: String, _ header: String, _ raw: String) -> String {
      #"{"file":"\#(file)","code":"value.date",\#(header)"raw":"\#(raw)"}"# + "\n"
    }
    let text =
      line("a", #""header":"id,s","#, "1,x") + line("b", #""header":"s,id","#, "y,2") + line("a", "", "3,z")
      + line("a", "", "4,z") + line("a", #""header":"s,id","#, "w,5")
    var reader = try ReplayReader(
      source: ByteSource(bytes: Array(text.utf8)), format: .csv(CSVOptions()), columns: ["id", "s"])
    var batch = RecordBatch()
    var found: [[String]] = []
    while try reader.read(into: &batch, limit: BatchLimit()) {
      found.append((0..<batch.recordCount).map { (batch.text($0, 0) ?? "") + (batch.text($0, 1) ?? "") })
    }
    #expect(found == [["1x"], ["2y"], ["3z", "4z"], ["5w"]])
  }
}
