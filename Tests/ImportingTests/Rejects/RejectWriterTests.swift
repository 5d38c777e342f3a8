import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkTestSupport
import Testing

@Suite struct RejectWriterTests {
  private let folder = TemporaryFolder()

  private func reject(_ message: String = "wrong", also: [Reject.Reason] = []) -> Reject {
    Reject(
      file: "in.csv", record: 3,
      reason: Reject.Reason(
        .valueDate, message: message, entity: "Order", attribute: "orderedAt", field: "ordered_at",
        position: SourcePosition(line: 4, column: 17, byteOffset: 123)),
      also: also)
  }

  private func write(_ writer: RejectWriter, _ reject: Reject, raw: [UInt8]) throws {
    try raw.withUnsafeBytes { try writer.write(reject, raw: $0) }
  }

  private func lines(_ path: String) throws -> [[String: Any]] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return try data.split(separator: UInt8(ascii: "\n")).map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
  }

  @Test func aLineHasTheMembersOfTheDocumentation() throws {
    let path = folder.file("r.ndjson")
    let writer = try RejectWriter(path: path, run: "orders@2024-01-31T12:00:00Z")
    let second = Reject.Reason(
      .validateMissing, message: "no value", position: SourcePosition(line: 5, column: 1, byteOffset: 130))
    try write(writer, reject(also: [second]), raw: Array("a,\"b\"\n,c".utf8))
    try writer.close()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let expected =
      #"{"run":"orders@2024-01-31T12:00:00Z","file":"in.csv","record":3,"line":4,"byte_offset":123,"column":17,"#
      + #""field":"ordered_at","entity":"Order","attribute":"orderedAt","code":"value.date","message":"wrong","#
      + #""also":[{"line":5,"byte_offset":130,"column":1,"code":"validate.missing","message":"no value"}],"#
      + #""raw":"a,\"b\"\n,c"}"# + "\n"
    #expect(text == expected)
    #expect(writer.count == 1)
    #expect(writer.byteCount == text.utf8.count)
    let documentation = try String(contentsOfFile: Locations.repository + "/docs/rejects.md", encoding: .utf8)
    for member in try #require(try lines(path).first).keys {
      #expect(documentation.contains("`\(member)`"), "\(member)")
    }
    #expect(documentation.contains("`raw_base64`"))
  }

  @Test func aPipeWithoutAReaderIsSaidToBeOne() {
    let error = RejectWriterError(code: .cannotOpen, path: "p", number: ENXIO)
    #expect(error.description == "the pipe p for the rejects has no reader")
  }

  @Test func aCleanRunLeavesNoFile() throws {
    let path = folder.file("deep/er/r.ndjson")
    let writer = try RejectWriter(path: path, run: "x")
    try writer.flush()
    try writer.close()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aFileOfAnEarlierRunIsSetAside() throws {
    let old = #"{"run":"o","file":"a.csv","record":1,"code":"value.date","raw":"x"}"# + "\n"
    let path = try folder.write(old, to: "r.ndjson")
    let writer = try RejectWriter(path: path, run: "x")
    let aside = try #require(EarlierRejects(of: path).paths.first)
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == old)
    try write(writer, reject(), raw: [])
    #expect(!FileManager.default.fileExists(atPath: path))
    try writer.flush()
    #expect(try lines(path).count == 1)
    try writer.close()
  }

  @Test func bytesThatAreNotUTF8AreBase64() throws {
    let path = folder.file("r.ndjson")
    let writer = try RejectWriter(path: path, run: "x")
    for length in 0...5 { try write(writer, reject(), raw: [0xFF] + (0..<length).map { UInt8($0) }) }
    try writer.close()
    for (length, line) in try lines(path).enumerated() {
      #expect(line["raw"] == nil)
      let data = Data(base64Encoded: try #require(line["raw_base64"] as? String))
      #expect(data == Data([0xFF] + (0..<length).map { UInt8($0) }))
    }
  }

  @Test func anUnwritablePlaceIsAnErrorAtTheStart() throws {
    let file = try folder.write("", to: "file")
    let error = #expect(throws: RejectWriterError.self) { _ = try RejectWriter(path: file + "/r.ndjson", run: "x") }
    #expect(error?.code == .cannotOpen)
    #expect(error?.description.contains(file) == true)
  }

  @Test func aFullDiskIsAnError() throws {
    let writer = try RejectWriter(path: "/dev/full", run: "x")
    try write(writer, reject(), raw: [])
    let error = #expect(throws: RejectWriterError.self) { try writer.flush() }
    #expect(error?.code == .cannotWrite)
  }

  @Test func everyCharacterSurvives() throws {
    let path = folder.file("r.ndjson")
    let writer = try RejectWriter(path: path, run: "x")
    var text = ""
    for value in (0 as UInt32)...0x2FFF { text.unicodeScalars.append(Unicode.Scalar(value) ?? "x") }
    text += "😀\u{10FFFF}"
    try write(writer, reject(text), raw: Array(text.utf8))
    try writer.close()
    let line = try #require(try lines(path).first)
    #expect(line["raw"] as? String == text)
    #expect(line["message"] as? String == text)
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      !written.unicodeScalars.dropLast().contains { [0x0A, 0x0D, 0x7F, 0x85, 0x2028, 0x2029].contains($0.value) })
  }

  @Test(.enabled(if: Locations.shared != nil))
  func naughtyStringsSurvive() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/encoding/blns.json")))
    let strings = try #require(try JSONSerialization.jsonObject(with: data) as? [String])
    let path = folder.file("r.ndjson")
    let writer = try RejectWriter(path: path, run: "x")
    for string in strings { try write(writer, reject(string), raw: Array(string.utf8)) }
    try writer.close()
    let written = try lines(path)
    #expect(written.count == strings.count)
    for (string, line) in zip(strings, written) {
      #expect((line["raw"] as? String).map { Array($0.utf8) } == Array(string.utf8))
      #expect((line["message"] as? String).map { Array($0.utf8) } == Array(string.utf8))
    }
  }
}
