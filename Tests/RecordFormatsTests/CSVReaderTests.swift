import MergewalkRecordFormats
import Testing

/// One input and what must come of it.
struct CSVCase: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var options: CSVOptions
  var columns: ColumnRequest
  var expected: [String]
  var failure: String?

  init(
    _ name: String, _ text: String, _ expected: [String], failure: String? = nil, columns: ColumnRequest = .all,
    _ change: (inout CSVOptions) -> Void = { $0.header = .none }
  ) {
    self.init(name, Array(text.utf8), expected, failure: failure, columns: columns, change)
  }

  init(
    _ name: String, _ bytes: [UInt8], _ expected: [String], failure: String? = nil, columns: ColumnRequest = .all,
    _ change: (inout CSVOptions) -> Void = { $0.header = .none }
  ) {
    self.name = name
    self.bytes = bytes
    self.columns = columns
    self.expected = expected
    self.failure = failure
    options = CSVOptions()
    change(&options)
  }

  var testDescription: String { name }

  static let all: [CSVCase] = [
    CSVCase("plain", "a,b\nc,d\n", ["a|b", "c|d"]),
    CSVCase("no final line end", "a,b\nc,d", ["a|b", "c|d"]),
    CSVCase("CRLF", "a,b\r\nc,d\r\n", ["a|b", "c|d"]),
    CSVCase("CR", "a,b\rc,d\r", ["a|b", "c|d"]),
    CSVCase("mixed line ends", "a,b\rc,d\r\ne,f\n\ng,h", ["a|b", "c|d", "e|f", "g|h"]),
    CSVCase("nothing", "", []),
    CSVCase("blank lines only", "\n\r\n\r", []),
    CSVCase("empty fields", ",\n,,\n", ["|", "fieldCount@2:1"]),
    CSVCase("a last field that is empty at the end", "a,b\nc,", ["a|b", "c|"]),
    CSVCase("blank lines as records", "a\n\nb\n\n", ["a", "", "b", ""]) {
      $0.header = .none
      $0.blankLines = .record
    },
    CSVCase("quoted", "\"a\",\"b,c\"\n\"d\ne\",\"\"\n", ["«a»|«b,c»", "«d⏎e»|«»"]),
    CSVCase("quoted with every line end", "\"a\r\nb\",\"c\rd\"\n1,x\"\n", ["«a␍⏎b»|«c␍d»", "strayQuote@4:4"]),
    CSVCase("doubled quotes", "\"a\"\"b\",\"\"\"\"\n\"\"\"x\",y", ["«a\"b»|«\"»", "«\"x»|y"]),
    CSVCase(
      "line of a record behind doubled quotes and newlines", "\"a\n\"\"\n\",b\nx,\"\n",
      ["«a⏎\"⏎»|b", "unterminatedQuote@4:3"]),
    CSVCase(
      "lines behind a newline in one field and an escape in the last", "\"1\n2\",\"a\"\nx,y,z",
      ["«1⏎2»|«a»", "fieldCount@3:1"]),
    CSVCase("lines behind a newline and a quote at the end of the text", "\"1\n2\",\"a\"", ["«1⏎2»|«a»"]),
    CSVCase("stray quote", "a\"b,c\nd,e\n", ["strayQuote@1:2", "d|e"]),
    CSVCase("stray quote, leniently", "a\"b,c\nd,e\"\n", ["a\"b|c", "d|e\""]) {
      $0.header = .none
      $0.lenientQuotes = true
    },
    CSVCase("text behind a quote", "\"a\"b,c\nd,e\n", ["textAfterQuote@1:4", "d|e"]),
    CSVCase("text behind a quote, leniently", "\"a\"\"x\"b\"c\",c\nd,\"e\" \n", ["«a\"xb\"c\"»|c", "d|«e»"]) {
      $0.header = .none
      $0.lenientQuotes = true
    },
    CSVCase("unterminated quote", "a,b\nc,\"d\ne,f\n", ["a|b", "unterminatedQuote@2:3"]),
    CSVCase("unterminated quote at the very end", "a,b\nc,\"", ["a|b", "unterminatedQuote@2:3"]),
    CSVCase("ragged", "a,b\nc\nd,e,f\ng,h\n", ["a|b", "fieldCount@2:2", "fieldCount@3:1", "g|h"]),
    CSVCase("padded", "a,b\nc\nd,e,f\n", ["a|b", "c|·", "fieldCount@3:1"]) {
      $0.header = .none
      $0.padShortRecords = true
    },
    CSVCase("truncated", "a,b\nc\nd,e,f\n", ["a|b", "fieldCount@2:2", "d|e"]) {
      $0.header = .none
      $0.longRecords = .truncate
    },
    CSVCase("semicolons and single quotes", "'a;b';c\n'it''s';\"d\"\n", ["«a;b»|c", "«it's»|\"d\""]) {
      $0.header = .none
      $0.delimiter = ";"
      $0.quote = UInt8(ascii: "'")
    },
    CSVCase("no quotes", "\"a\",b\n\"c,d\"\n", ["\"a\"|b", "\"c|d\""]) {
      $0.header = .none
      $0.quote = nil
    },
    CSVCase("tabs", "a\tb\n\"c\td\"\t\n", ["a|b", "«c\td»|"]) {
      $0 = .tabSeparated
      $0.header = .none
    },
    CSVCase(
      "escapes", "\"a\\\"b\",c\\,d\ne\\\nf,\"\\\\\"\n\\N,\"\"\"\\\"\"\"\"\n", ["«a\"b»|c,d", "e⏎f|«\\»", "∅|«\"\"\"»"]
    ) {
      $0.header = .none
      $0.escape = UInt8(ascii: "\\")
      $0.nullTokens = ["\\N"]
    },
    CSVCase("an escaped CRLF and a dangling escape", "a\\\r\nb,c\r\nd,e\\", ["a␍⏎b|c", "danglingEscape@3:4"]) {
      $0.header = .none
      $0.escape = UInt8(ascii: "\\")
    },
    CSVCase("escapes without quotes", "a\\,\"b,\\\\\n", ["a,\"b|\\"]) {
      $0.header = .none
      $0.escape = UInt8(ascii: "\\")
      $0.quote = nil
    },
    CSVCase("trimmed", " a ,\t\"b\" , c d \n\" e \",,\"f\"\t\n", ["a|«b»|c d", "« e »||«f»"]) {
      $0.header = .none
      $0.trim = true
    },
    CSVCase("trimmed with tabs between", "a \t\"b\" \t c\n", ["a|«b»|c"]) {
      $0 = .tabSeparated
      $0.header = .none
      $0.trim = true
    },
    CSVCase("trimmed, but text behind a quote", "\"a\" b,c\nd,e", ["textAfterQuote@1:5", "d|e"]) {
      $0.header = .none
      $0.trim = true
    },
    CSVCase("null tokens", "NULL,\"NULL\",,x\n\\N,null,\"\",NULLS\n", ["∅|«NULL»|∅|x", "∅|null|«»|NULLS"]) {
      $0.header = .none
      $0.nullTokens = ["NULL", "", "\\N"]
    },
    CSVCase("null tokens in quotes", "\"NULL\",NULL,\"N\"\n", ["∅|∅|«N»"]) {
      $0.header = .none
      $0.nullTokens = ["NULL"]
      $0.quotedNulls = true
    },
    CSVCase("comments", "# one, \"two\n\n#\na,#b\n#c\n d,#\n#end", ["a|#b", " d|#"]) {
      $0.header = .none
      $0.comment = "#"
    },
    CSVCase("long comment prefixes", "//x\n/a,b\n//", ["/a|b"]) {
      $0.header = .none
      $0.comment = "//"
    },
    CSVCase("skipped lines", "Report \"x\n\n\r\na,b\n1,2\n", ["1|2"]) { $0.skippedLines = 3 },
    CSVCase("skipped lines up to the end", "one\ntwo", []) {
      $0.header = .none
      $0.skippedLines = 5
    },
    CSVCase("header", "a,b\n1,2\n", ["1|2"], { _ in }),
    CSVCase("chosen columns", "a,b,c\n1,2,\"3\"\"\"\n", ["«3\"»|1|«3\"»"], columns: .named(["c", "a", "c"]), { _ in }),
    CSVCase("chosen numbers", "1,2,3\n", ["3|1"], columns: .named(["3", "1"])),
    CSVCase("given names", "1,2\n", ["2"], columns: .named(["y"])) { $0.header = .names(["x", "y"]) },
    CSVCase("given names, other width", "1,2,3\n", ["fieldCount@1:1"]) { $0.header = .names(["x", "y"]) },
    CSVCase("quoted header names", "\"a\"\"b\",\"c,d\"\n1,2\n", ["2|1"], columns: .named(["c,d", "a\"b"]), { _ in }),
    CSVCase("missing column", "id,name\n1,2\n", [], failure: "missingColumn@1:1", columns: .named(["nam"]), { _ in }),
    CSVCase("missing header", "\n\n", [], failure: "missingHeader", { _ in }),
    CSVCase("blanks only", " \n  \n", [], failure: "missingHeader@1:1", { _ in }),
    CSVCase("empty header name", "a,,c\n", [], failure: "emptyHeader@1:1", { _ in }),
    CSVCase("duplicate header", "\na,b,a\n", [], failure: "duplicateHeader@2:1", { _ in }),
    CSVCase("header differing in case", "a,b,A\n", [], failure: "duplicateHeader@1:1", { _ in }),
    CSVCase("malformed header", "a,b\"\n1,2\n", [], failure: "invalidHeader@1:4", { _ in }),
    CSVCase("header that is not text", [0x61, 0x2C, 0xFF, 0x0A], [], failure: "invalidHeader@1:3", { _ in }),
    CSVCase("byte order mark", [0xEF, 0xBB, 0xBF] + Array("a,b\n1,2\"\n".utf8), ["strayQuote@2:4"], { _ in }),
    CSVCase("byte order mark only", [0xEF, 0xBB, 0xBF], []),
    CSVCase("half a byte order mark", [0xEF, 0xBB], ["invalidText@1:1"]),
    CSVCase("NUL", Array("a,b\nc,\0\nd,e\n".utf8), ["a|b", "nulByte@2:3", "d|e"]),
    CSVCase(
      "invalid UTF-8", Array("a,ä\nb,".utf8) + [0xC3] + Array("\nc,d\n".utf8) + [0x80] + Array(",\ne,€😀".utf8),
      ["a|ä", "invalidText@2:3", "c|d", "invalidText@4:1", "e|€😀"]),
    CSVCase("cut UTF-8 at the end", Array("a,b\nc,".utf8) + [0xF0, 0x9F, 0x98], ["a|b", "invalidText@2:3"]),
    CSVCase(
      "two faults in one record", Array("a,b\n\"".utf8) + [0xFF] + Array("\"x,".utf8) + [0xFE, 10],
      ["a|b", "invalidText@2:2"]),
    CSVCase("invalid UTF-8 in a comment", Array("#".utf8) + [0xFF] + Array("\na,b\n".utf8), ["a|b"]) {
      $0.header = .none
      $0.comment = "#"
    },
    CSVCase("too long", "a,b\nccccccccccccccc,d\ne,f\n", ["a|b"], failure: "recordTooLong@2:1") {
      $0.header = .none
      $0.maxRecordBytes = 10
    },
    CSVCase("invalid options", "a", [], failure: "invalidOption") { $0.quote = UInt8(ascii: ",") },
    CSVCase("Latin-1", [0xE9, 0x2C, 0x80, 0x0A], ["é|\u{80}"]) {
      $0.header = .none
      $0.encoding = .latin1
    },
    CSVCase("Windows-1252", [0x80, 0x2C, 0x93, 0x0A, 0x81, 0x2C, 0x0A], ["€|“", "invalidText@2:1"]) {
      $0.header = .none
      $0.encoding = .windows1252
    },
    CSVCase("UTF-16 by its mark", [0xFF, 0xFE, 0x61, 0, 0x2C, 0, 0x3D, 0xD8, 0x00, 0xDE, 10, 0], ["a|😀"]),
    CSVCase("UTF-16, high byte first", [0, 0x61, 0, 0x2C, 0x20, 0xAC], ["a|€"]) {
      $0.header = .none
      $0.encoding = .utf16BigEndian
    },
    CSVCase("a lone surrogate", [0x61, 0, 0x2C, 0, 0x3D, 0xD8, 10, 0, 0x62, 0, 0x2C, 0], ["invalidText@1:3", "b|"]) {
      $0.header = .none
      $0.encoding = .utf16LittleEndian
    },
    CSVCase("half a UTF-16 unit", [0x61, 0, 0x2C, 0, 0x3D], ["invalidText@1:3"]) {
      $0.header = .none
      $0.encoding = .utf16LittleEndian
    },
  ]
}

extension CSVCase {
  /// Holds what is read against what is expected, however the bytes arrive and however large batches are.
  func check() {
    for sizes in arrivals(bytes) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 2), BatchLimit(records: .max, bytes: 1)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try CSVReader(source: ByteSource(bytes: bytes, chunkSizes: sizes), options: options, columns: columns)
          }, limit: limit)
        #expect(reading.lines == expected, "pieces of \(sizes), \(limit)")
        #expect(reading.failure == failure, "pieces of \(sizes), \(limit)")
        if reading.lines != expected || reading.failure != failure { return }
      }
    }
  }
}

@Suite struct CSVReaderTests {
  @Test("CSV is read as expected however it arrives and however large batches are", arguments: CSVCase.all)
  func reads(_ test: CSVCase) { test.check() }
}
