import MergewalkRecordFormats
import Testing

@Suite struct CSVDelimiterTests {
  private static func `case`(
    _ name: String, _ delimiter: CSVDelimiter, _ text: String, _ expected: [String],
    _ change: (inout CSVOptions) -> Void = { _ in }
  ) -> CSVCase {
    CSVCase(name, text, expected) {
      $0.header = .none
      $0.delimiter = delimiter
      change(&$0)
    }
  }

  static let cases: [CSVCase] = [
    `case`("two pipes", "||", "a||b|c\n1||2\n", ["a|b|c", "1|2"]),
    `case`("the leftmost place counts", "||", "a|||b\n||||\n", ["a||b", "fieldCount@2:1"]),
    `case`("a part of a delimiter at the end is text", "||", "a||b|\nc||d\n\"e\"||f|", ["a|b|", "c|d", "«e»|f|"]),
    `case`("beyond ASCII", "§", "a§b\n\"c§\"§¢\n", ["a|b", "«c§»|¢"]),
    `case`("a part of a delimiter behind a quote", "||", "\"a\"|b||c\n1||2", ["textAfterQuote@1:4", "1|2"]),
    `case`("the same, leniently", "||", "\"a\"|b||c\n1||2", ["«a|b»|c", "1|2"]) { $0.lenientQuotes = true },
    `case`("a comma and a blank", ", ", "1,5, 2,5\n\"a, b\", c\n", ["1,5|2,5", "«a, b»|c"]),
    `case`(
      "blanks around are trimmed, those of the delimiter are none", " | ", "\"a\"  |  b \n c |  \"d\"",
      ["«a»|b", "c|«d»"]
    ) {
      $0.trim = true
    },
    `case`("two tabs", "\t\t", "a\t\tb\tc\n\"d\"\t\t\te\n", ["a|b\tc", "«d»|\te"]),
    `case`("a backslash and a t", "\\t", "a\\tb\\n\n\"c\\td\"\\t\n", ["a|b\\n", "«c\\td»|"]),
    `case`("an escape before a part of it", "||", "a\\|||b\nc\\||d||e\n", ["a||b", "c||d|e"]) {
      $0.escape = UInt8(ascii: "\\")
    },
    `case`("eight bytes", "||||||||", "a||||||||b\nc|||||||\n", ["a|b", "fieldCount@2:9"]),
    `case`("no quote at all", "\",\"", "a\",\"b\n\"c\",\"d\n", ["a|b", "\"c|d"]) { $0.quote = nil },
  ]

  @Test("files with long delimiters are read the same in one piece and byte by byte", arguments: cases)
  func reads(_ example: CSVCase) {
    for sizes in [[Int.max], [1], [2, 3]] {
      let reading = Reading.of { () throws(ReadError) in
        try CSVReader(source: ByteSource(bytes: example.bytes, chunkSizes: sizes), options: example.options)
      }
      #expect(reading.lines == example.expected && reading.failure == nil, "pieces of \(sizes)")
    }
  }

  @Test("what cannot be a delimiter is none")
  func refuses() {
    for text in ["", "123456789", "a\nb", "\r", "\0", "€€€"] { #expect(CSVDelimiter(text) == nil, "\(text)") }
    #expect(CSVDelimiter("€€").bytes == Array("€€".utf8))
    #expect(CSVDelimiter("||").text == "||" && CSVDelimiter("||") != "|")
  }

  @Test("a delimiter that could be something else is refused")
  func conflicts() {
    func failure(_ change: (inout CSVOptions) -> Void) -> String? {
      var options = CSVOptions()
      change(&options)
      do throws(ReadError) {
        _ = try CSVReader(source: ByteSource(bytes: "a".utf8), options: options)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(failure { $0.delimiter = "|\"|" } == "the delimiter and the quote must have nothing in common")
    #expect(
      failure {
        $0.delimiter = "\\t"
        $0.escape = UInt8(ascii: "\\")
      } == "the delimiter and the escape must have nothing in common")
    for (delimiter, comment) in [("##", "#"), ("#", "##"), ("#|", "#|#")] as [(CSVDelimiter, String)] {
      #expect(
        failure {
          $0.delimiter = delimiter
          $0.comment = comment
        } != nil)
    }
    #expect(
      failure {
        $0.delimiter = "/|"
        $0.comment = "//"
      } == nil)
  }

  @Test("a Latin-1 file has the delimiter in its own bytes")
  func otherEncodings() {
    var options = CSVOptions()
    options.header = .none
    options.delimiter = "§"
    options.encoding = .latin1
    let reading = Reading.of { () throws(ReadError) in
      try CSVReader(source: ByteSource(bytes: [97, 0xA7, 0xE9, 10, 0xA7, 10], chunkSize: 1), options: options)
    }
    #expect(reading.lines == ["a|é", "|"])
  }
}
