import MergewalkRecordFormats
import Testing

@Suite("Rows as a table")
struct TableTests {
  private func table(_ columns: [String], width: Int? = nil, sample: Int = 512, _ rows: [[String?]]) throws -> String {
    var options = TableOptions(width: width)
    options.sampleRows = sample
    return try written(.table(options), columns) { writer in
      for row in rows {
        for cell in row {
          if let cell {
            if let number = Int64(cell) { writer.integer(number) } else { writer.text(cell) }
          } else {
            writer.null()
          }
        }
        try writer.endRow()
      }
    }
  }

  @Test("texts stand on the left, numbers on the right, nothing for no value")
  func alignment() throws {
    #expect(
      try table(["name", "n", "x"], [["Ada", "1", ""], ["Grace", "1000", nil]]) == """
        name      n  x
        ─────  ────  ──
        Ada       1  ""
        Grace  1000

        """)
  }

  @Test("wide and combining characters, emoji and flags keep the columns in line")
  func widths() throws {
    let lines = try table(
      ["a", "b"],
      [["日本", "|"], ["e\u{301}", "|"], ["👩‍👩‍👧", "|"], ["🇩🇪", "|"], ["👍🏽", "|"], ["❤️", "|"], ["한글", "|"], ["各", "|"]]
    ).split(separator: "\n").dropFirst(2)
    #expect(
      Array(lines) == [
        "日本  |", "e\u{301}     |", "👩‍👩‍👧    |", "🇩🇪    |", "👍🏽    |", "❤️    |", "한글  |", "各    |",
      ])
  }

  @Test("texts are cut to the width, numbers stay whole as long as they can")
  func cuts() throws {
    let rows = [["abcdefghijklmnopqrstuvwxyz", "1234567890", "short"], ["日本語日本語日本語", "2", "s"]]
    #expect(
      try table(["name", "number", "word"], width: 30, rows)
        == """
        name             number  word
        ───────────  ──────────  ─────
        abcdefghij…  1234567890  short
        日本語日本…           2  s

        """)
    for line in try table(["name", "number", "word"], width: 22, rows).split(separator: "\n") {
      #expect(line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) } <= 22, "\(line)")
    }
  }

  @Test("columns that cannot stand side by side become lines")
  func blocks() throws {
    #expect(
      try table(
        ["a", "bb", "a long title of a column", "d"], width: 16, [["1", "text that is too long for it", "", nil]])
          == """
          ── 1 ───────────
          a       1
          bb      text th…
          a lon…  ""
          d

          """)
  }

  @Test("after the sample longer cells are cut, or push the line when there is no width")
  func afterSample() throws {
    let rows = [["ab", "x"], ["abcdefgh", "y"]]
    #expect(try table(["a", "b"], width: 80, sample: 1, rows) == "a   b\n──  ─\nab  x\na…  y\n")
    #expect(try table(["a", "b"], sample: 1, rows) == "a   b\n──  ─\nab  x\nabcdefgh  y\n")
  }

  @Test("without a width a very long text is cut, too, and a long title is not", arguments: ["x", "é", "日"])
  func widest(character: String) throws {
    let (long, title) = (String(repeating: character, count: 1_000_000), String(repeating: "t", count: 1200))
    // A wide character does not fit beside the mark.
    let shown = character == "日" ? String(long.prefix(499)) + "… " : String(long.prefix(999)) + "…"
    let lines = try table(["a", "b", title], [[long, "|", ""], ["short", long, ""]]).split(separator: "\n")
    #expect(lines.count == 4 && lines[0].hasSuffix("  " + title) && lines.allSatisfy { $0.unicodeScalars.count < 3300 })
    #expect(lines[2].hasPrefix(shown + " ") && lines[3].hasPrefix("short ") && lines[3].contains(" " + shown + " "))
    // Behind the sample it pushes its line as other cells do.
    #expect(try table(["a", "b"], sample: 1, [["ab", "x"], [long, "y"]]).hasSuffix("\n" + shown + "  y\n"))
  }

  @Test("nothing in a cell or a title reaches the terminal as a command")
  func escapes() throws {
    let text = try table(
      ["t\u{1B}[2J"], [["\u{1B}[31mred\u{7}\n\t\u{7F}"], ["a\u{202E}b\u{9B}"], ["\u{2066}\u{FEFF}"]])
    #expect(
      Array(text.split(separator: "\n").map(String.init).enumerated().filter { $0.offset != 1 }.map(\.element)) == [
        "t␛[2J", "␛[31mred␇␊␉␡", "a<U+202E>b<U+009B>", "<U+2066><U+FEFF>",
      ])
  }

  @Test("text that is not UTF-8 is shown as far as it is")
  func notUTF8() throws {
    let text = try written(.table(TableOptions(width: 80)), ["a"]) { writer in
      writer.text(bytes: [0x61, 0xFF, 0xE2, 0x82, 0x62])
      try writer.endRow()
    }
    #expect(text == "a\n────\na\u{FFFD}\u{FFFD}b\n")
  }

  @Test("binaries show their size, and long texts cost no more than their visible part")
  func long() throws {
    let text = try written(.table(TableOptions(width: 40)), ["a", "b"]) { writer in
      writer.binary(bytes: [1, 2, 3])
      writer.text(String(repeating: "é", count: 1_000_000))
      try writer.endRow()
    }
    #expect(text.hasSuffix("<3 bytes>  " + String(repeating: "é", count: 28) + "…\n"))
  }
}
