import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
@testable import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct TextConversionTests {
  @Test(arguments: ["true", "T", "yes", "Y", "1", "ON", "TRUE"])
  func listedSpellingsAreTrue(text: String) throws { #expect(try convert(text, .boolean) == .integer(1)) }

  @Test(arguments: ["false", "F", "no", "N", "0", "Off"])
  func listedSpellingsAreFalse(text: String) throws { #expect(try convert(text, .boolean) == .integer(0)) }

  @Test(arguments: ["2", "truee", "tru", "ja", " true", "01", "-1", "yes!", "something longer", "\u{131}"])
  func otherSpellingsAreRejected(text: String) throws {
    #expect(try convert(text, .boolean) == .failed(.valueBoolean))
  }

  @Test func ownSpellingsReplaceTheDefaults() throws {
    let fields = ["Ja", "NEIN", "ganz bestimmt", "Auf keinen Fall", "yes", "ÜBER", "über"].map { MadeField($0) }
    let result = try convert(fields, .boolean) {
      $0.conversion.trueSpellings = ["ja", "Ganz Bestimmt", "über"]
      $0.conversion.falseSpellings = ["nein", "auf keinen fall"]
    }
    // Only ASCII letters are compared without case.
    let expected: [Converted] = [
      .integer(1), .integer(0), .integer(1), .integer(0), .failed(.valueBoolean), .failed(.valueBoolean), .integer(1),
    ]
    #expect(result == expected)
  }

  @Test func jsonValuesKeepTheirKind() throws {
    let fields = [
      MadeField("true", .true), MadeField("false", .false), MadeField("12", .number), MadeField("12", .quoted),
      MadeField("{\"a\":1}", .json),
    ]
    #expect(
      try convert(fields, .boolean) == [
        .integer(1), .integer(0), .failed(.valueBoolean), .failed(.valueBoolean), .failed(.valueType),
      ])
    #expect(
      try convert(fields, .integer64) == [
        .failed(.valueType), .failed(.valueType), .integer(12), .integer(12), .failed(.valueType),
      ])
    #expect(
      try convert(fields, .string) == [.text("true"), .text("false"), .text("12"), .text("12"), .text("{\"a\":1}")])
  }

  @Test func textStaysWhereItIs() throws {
    var attribute = AttributeDescription(name: "a", type: .string)
    attribute.isOptional = true
    var field = FieldImport(attributeName: "a", column: "a")
    field.conversion.trim = true
    let compiled = try CompiledField(field, attribute: attribute)
    var batch = makeBatch([MadeField(" \t é\u{3000} "), MadeField("x")])
    let before = batch.bytes
    var cells = CellColumn()
    var failures: [FieldFailure] = []
    compiled.convert(&batch, column: 0, into: &cells, failures: &failures)
    #expect(batch.bytes == before)
    #expect(ByteRange(payload: cells.payloads[0]) == ByteRange(offset: 3, length: 2))
    #expect(ByteRange(payload: cells.payloads[1]) == ByteRange(offset: 10, length: 1))
    #expect(failures.isEmpty)
  }

  @Test(arguments: [
    ("a", "a"), (" a ", "a"), ("\u{A0}a b\u{2003}", "a b"), ("\u{85}\u{1680}a\u{2028}\u{202F}\u{205F}", "a"),
    ("é ", "é"), ("\u{200B}a\u{200B}", "\u{200B}a\u{200B}"), ("\r\n\tü\u{B}\u{C}", "ü"), ("\u{FEFF}x", "\u{FEFF}x"),
  ])
  func trimmingRemovesUnicodeWhiteSpaceAtBothEnds(text: String, expected: String) throws {
    #expect(try convert(text, .string) { $0.conversion.trim = true } == .text(expected))
  }

  @Test func onlyWhiteSpaceIsEmptyAfterTrimming() throws {
    #expect(try convert(" \u{3000}\t", .integer64) { $0.conversion.trim = true } == .null)
    #expect(try convert(" \u{3000}\t", .integer64) == .failed(.valueInteger))
  }

  @Test(arguments: [
    "550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000",
    "{550e8400-e29b-41d4-a716-446655440000}", "550e8400e29b41d4a716446655440000",
  ])
  func uuidsBecomeSixteenBytes(text: String) throws {
    let bytes: [UInt8] = [0x55, 0x0E, 0x84, 0, 0xE2, 0x9B, 0x41, 0xD4, 0xA7, 0x16, 0x44, 0x66, 0x55, 0x44, 0, 0]
    #expect(try convert(text, .uuid) == .blob(bytes))
  }

  @Test(arguments: [
    "550e8400-e29b-41d4-a716-44665544000", "550e8400-e29b-41d4-a716-4466554400000",
    "550e8400e29b-41d4-a716-446655440000-",
    "{550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-44665544000g",
    "{550e8400e29b41d4a716446655440000}", "x",
  ])
  func otherTextsAreNoUUIDs(text: String) throws { #expect(try convert(text, .uuid) == .failed(.valueUUID)) }

  @Test(arguments: [
    "https://example.org/a?b=c#d", "mailto:a@b.c", "urn:isbn:0451450523", "file:///etc/hosts", "a/b/c", "../x", "#top",
    "?q",
    "http://[::1]:8080/", "http://u@[2001:db8::7]/c?d", "https://example.org/%C3%A9", "tel:+1-816-555-1212",
    "//host/path",
  ])
  func uriReferencesAreText(text: String) throws { #expect(try convert(text, .uri) == .text(text)) }

  @Test(arguments: [
    "http://exa mple.org", "http://example.org/é", "http://example.org/%zz", "http://example.org/%2", "a#b#c", ":x",
    "1a:b",
    "http://a/[b]", "<http://a>", "http://[::1", "http://::1]/", "http://[]/", "a\\b", "http://a/\"", "ht*tp://x",
    "[x]",
  ])
  func otherTextsAreNoURIs(text: String) throws { #expect(try convert(text, .uri) == .failed(.valueURI)) }

  @Test(arguments: [
    ("SGVsbG8=", "Hello"), ("SGVsbG8", "Hello"), ("SGk=", "Hi"), ("SGk", "Hi"), ("YWJj", "abc"), ("Pz8_", "???"),
    ("Pz8/", "???"),
    ("fn5-", "~~~"), ("fn5+", "~~~"),
  ])
  func base64IsDecoded(text: String, expected: String) throws {
    #expect(try convert(text, .binary) == .blob(Array(expected.utf8)))
    #expect(try convert(text, .transformable) == .blob(Array(expected.utf8)))
  }

  @Test(arguments: [
    "S", "SGVsbG8==", "SGVsbG8=x", "SGVs bG8=", "SGl=", "=", "==", "====", "SGVsb\nG8=", "SGVsbG9=", "YWJj=",
    "YWJj====", "Y===", "ä",
  ])
  func otherTextsAreNoBase64(text: String) throws {
    #expect(try convert(text, .binary) == .failed(.valueBase64))
  }

  @Test(arguments: [UInt64(41), 42])
  func randomBytesSurviveBase64AndHex(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<300).map { _ in
      (0..<Int.random(in: 1...70, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    let expected = values.map { Converted.blob($0) }
    #expect(
      try convert(values.map { MadeField(Data($0).base64EncodedString()) }, .binary) == expected, "seed \(seed)")
    let hex = values.map { MadeField($0.map { String(format: "%02X", $0) }.joined()) }
    #expect(try convert(hex, .binary) { $0.conversion.binaryEncoding = .hex } == expected, "seed \(seed)")
  }

  @Test func hexAndRawBytes() throws {
    #expect(try convert("00fF", .binary) { $0.conversion.binaryEncoding = .hex } == .blob([0, 255]))
    for text in ["0", "0g", "00 ", "0x00", "é"] {
      #expect(try convert(text, .binary) { $0.conversion.binaryEncoding = .hex } == .failed(.valueHex), "\(text)")
    }
    #expect(try convert("é", .binary) { $0.conversion.binaryEncoding = .raw } == .blob([0xC3, 0xA9]))
  }
}
