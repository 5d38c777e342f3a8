import Testing

@testable import MergewalkRecordFormats

@Suite("What is said of faults of JSON") struct JSONFaultTextTests {
  @Test(
    "what is expected and what stands there is said",
    arguments: [
      (#"{"a":1,}"#, "the name of a member in double quotes is expected, but there is “}”"),
      (#"{"a" 1}"#, "“:” is expected, but there is “1”"), (#"{"a":}"#, "a value is expected, but there is “}”"),
      (#"{"a":[1,]}"#, "a value is expected, but there is “]”"),
      (#"{"a":[1 2]}"#, "“,” or “]” is expected, but there is “2”"),
      (#"{a:1}"#, "the name of a member in double quotes or “}” is expected, but there is “a”"),
      (#"{"a":"x" "b":2}"#, "“,” or “}” is expected, but there is “\"”"),
      (#"{"a":tru}"#, "a value is expected, but there is “t”"),
      (#"{"a":01}"#, "“1” cannot continue a number"), (#"{"a":'x'}"#, "a value is expected, but there is “'”"),
      (#"{"a":é}"#, "a value is expected, but there is “é”"), (#"{"a":"\x"}"#, "this escape is not one of JSON's"),
      ("{\"a\":\"x\ty\"}", "the control character 9 is in a string"),
      (#"{"a":1}}"#, "the end is expected, but there is “}”"),
      (#"{"a":NaN}"#, "a value is expected, but there is “N”"),
    ])
  func words(_ text: String, _ words: String) throws {
    var reader = try NDJSONReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["a"]))
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    #expect(batch.errors.first?.code == .invalidJSON)
    #expect(batch.errors.first?.message.hasPrefix("not JSON: " + words) == true, "\(batch.errors)")
    // In a document too, except for what only a line ends.
    if text.hasSuffix("}}") { return }
    let error = #expect(throws: ReadError.self) {
      var reader = try JSONReader(source: ByteSource(bytes: Array("[\(text)]".utf8)), columns: .named(["a"]))
      while try reader.read(into: &batch, limit: BatchLimit()) {}
    }
    #expect(error?.message.hasPrefix("not JSON: " + words) == true, "\(String(describing: error))")
  }

  @Test("a text between record separators that is cut ends too early")
  func cutSequence() throws {
    let text = "\u{1E}{\"a\":1}\n\u{1E}{\"a\":"
    var reader = try JSONSequenceReader(source: ByteSource(bytes: Array(text.utf8)), columns: .named(["a"]))
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    #expect(batch.recordCount == 1)
    #expect(batch.errors.map(\.message) == ["the JSON text ends too early"])
  }
}
