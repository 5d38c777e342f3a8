/// Files made of the clean tables by the kinds of pollution that the paper "Pollock: A Data Loading Benchmark" (VLDB
/// 2023) counts in open data.
enum CorpusPollutions {
  static let all: [CorpusFile] = CorpusTable.all.flatMap { files($0) }

  private static func files(_ table: CorpusTable) -> [CorpusFile] {
    dialects(table) + structures(table) + records(table) + encodings(table)
  }

  private static func dialects(_ table: CorpusTable) -> [CorpusFile] {
    var files: [CorpusFile] = []
    func add(_ kind: String, _ change: (inout CorpusWriting) -> Void) {
      var writing = CorpusWriting()
      change(&writing)
      files.append(CorpusFile(kind, "\(table.name) \(files.count)", writing.text(table.rows), table.rows))
    }
    add("clean") { _ in }
    add("all quoted") { $0.quoting = .all }
    add("text quoted") { $0.quoting = .text }
    for delimiter in [";", "\t", "|", " ", ":", "^", "~", "\u{1}", "#"] {
      add("delimiter") { $0.delimiter = delimiter }
      add("delimiter, all quoted") {
        $0.delimiter = delimiter
        $0.quoting = .all
      }
    }
    for delimiter in [", ", "; ", " | "] {
      add("padded delimiter") { $0.delimiter = delimiter }
      add("padded delimiter") {
        $0.delimiter = delimiter
        $0.quoting = .text
      }
    }
    for delimiter in ["||", "::", "\t\t", "|~|", "~~", "§", "¦", "→", "\\t", "#|#"] {
      add("long delimiter") { $0.delimiter = delimiter }
      add("long delimiter") {
        $0.delimiter = delimiter
        $0.quoting = .all
      }
    }
    for quoting in [CorpusWriting.Quoting.text, .all] {
      for delimiter in [",", ";"] {
        add("single quotes") {
          $0.quote = "'"
          $0.quoting = quoting
          $0.delimiter = delimiter
        }
        add("backslash escape") {
          $0.escape = "\\"
          $0.quoting = quoting
          $0.delimiter = delimiter
        }
      }
    }
    if !table.needsQuotes { add("no quotes") { $0.quoting = .never } }
    for end in ["\r\n", "\r"] {
      let rows = table.rows.map { $0.map { String($0.map { $0 == "\n" ? Character(end) : $0 }) } }
      var writing = CorpusWriting()
      writing.lineEnd = end
      files.append(CorpusFile("line ends", "\(table.name) \(end == "\r" ? "CR" : "CRLF")", writing.text(rows), rows))
    }
    let lines = table.rows.enumerated().map { CorpusWriting().line($1) + ["\n", "\r\n", "\r"][$0 % 3] }
    files.append(CorpusFile("line ends", "\(table.name) mixed", lines.joined(), table.rows))
    return files
  }

  private static func structures(_ table: CorpusTable) -> [CorpusFile] {
    var files: [CorpusFile] = []
    let rows = table.rows
    let data = Array(rows.dropFirst())
    for delimiter in [",", ";"] {
      var writing = CorpusWriting()
      writing.delimiter = delimiter
      let empty = String(repeating: delimiter, count: table.width - 1)
      func add(_ kind: String, _ text: String, _ expected: [[String]]? = nil) {
        files.append(CorpusFile(kind, "\(table.name) \(delimiter) \(files.count)", text, expected ?? rows))
      }
      let body = writing.text(rows)
      add("no header", writing.text(data), data)
      for count in 2...3 {
        let joined = rows[0].map { Array(repeating: $0, count: count).joined(separator: " ") }
        add("header rows", writing.text(Array(repeating: rows[0], count: count) + data), [joined] + data)
      }
      add("preamble", "Weekly report\n" + body)
      add("preamble", "Weekly report\nprinted 3 May 2024\n\n" + body)
      add("preamble", "Report: sales, all regions\nby: M. Ito\nstate: draft\n" + body)
      if table.width > 2 {
        add("preamble", "PREAMBLE" + empty + "\n" + empty + "\n" + body)
        add("preamble", "Title" + empty + "\nAuthor" + empty + "\n" + empty + "\n" + body)
      }
      add("footer", body + "Total: 40 records\n")
      add("footer", body + "\nSource: the office of things\nmade with care\n")
      add("comments", "# exported by a tool\n# do not edit\n" + body)
      let half = writing.join(rows.prefix(10).map(writing.line))
      add("comments", half + "# second half\n" + writing.join(rows.dropFirst(10).map(writing.line)))
      add("blank lines", "\n\n" + body)
      add("blank lines", body + "\n\n\n")
      writing.endsWithLineEnd = false
      add("no final line end", writing.text(rows))
      writing.endsWithLineEnd = true
      add("one record", writing.text(Array(rows.prefix(2))), Array(rows.prefix(2)))
      add("header only", writing.text([rows[0]]), [rows[0]])
      add("few records", writing.text(Array(rows.prefix(4))), Array(rows.prefix(4)))
      let narrow = rows.map { Array($0.dropLast()) }
      let wider = rows.enumerated().map { $1 + [$0 == 0 ? "extra" : "x\($0)"] }
      for second in [narrow, wider] where !second[0].isEmpty {
        add("several tables", body + "\n" + writing.text(second))
        add("several tables", body + writing.text(second))
        add("several tables", body + "\nSecond part\n" + writing.text(second))
      }
      add("the header again", body + "\n" + body, rows + data)
      add("the header again", body + body, rows + data)
      add("the header again", body + "\u{FEFF}" + body, rows + data)
    }
    files.append(CorpusFile("no payload", table.name, "", []))
    return files
  }

  private static func records(_ table: CorpusTable) -> [CorpusFile] {
    var files: [CorpusFile] = []
    for quoting in [CorpusWriting.Quoting.needed, .text] {
      var writing = CorpusWriting()
      writing.quoting = quoting
      for row in [0, 7, table.rows.count - 1] {
        let cells = table.rows[row].map(writing.cell)
        func add(_ kind: String, _ line: String, _ expected: [String]) {
          var lines = table.rows.map(writing.line)
          lines[row] = line
          var rows = table.rows
          rows[row] = expected
          files.append(CorpusFile(kind, "\(table.name) row \(row) \(files.count)", writing.join(lines), rows))
        }
        for column in stride(from: 0, to: table.width, by: table.width > 12 ? 7 : 3) {
          var longer = table.rows[row]
          longer.insert("", at: column)
          add("extra delimiter", longer.map { $0.isEmpty ? "" : writing.cell($0) }.joined(separator: ","), longer)
          var shorter = table.rows[row]
          shorter.remove(at: column)
          add("missing cell", shorter.map(writing.cell).joined(separator: ","), shorter)
          var stray = cells
          if !stray[column].hasPrefix("\""), stray[column].count > 2 {
            let text = table.rows[row][column]
            stray[column] = String(text.prefix(2)) + "\"" + text.dropFirst(2)
            var expected = table.rows[row]
            expected[column] = stray[column]
            add("stray quote", stray.joined(separator: ","), expected)
          }
          var extra = cells
          extra[column] = extra[column].hasPrefix("\"") ? "\"\(extra[column])" : "\"\"\(extra[column])"
          var expected = table.rows[row]
          expected[column] = "\"\(expected[column])"
          add("extra quote", extra.joined(separator: ","), expected)
        }
        if !cells.contains(where: { $0.contains("\n") }) {
          add("other delimiter in a record", cells.joined(separator: ";"), table.rows[row])
        }
      }
    }
    return files
  }

  private static func encodings(_ table: CorpusTable) -> [CorpusFile] {
    let text = CorpusWriting().text(table.rows)
    func units(_ isLow: Bool) -> [UInt8] {
      text.utf16.flatMap { unit in
        isLow ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      }
    }
    var files = [
      CorpusFile("encoding", "\(table.name) UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(text.utf8), table.rows),
      CorpusFile("encoding", "\(table.name) UTF-16 LE", [0xFF, 0xFE] + units(true), table.rows),
      CorpusFile("encoding", "\(table.name) UTF-16 BE", [0xFE, 0xFF] + units(false), table.rows),
      CorpusFile("encoding", "\(table.name) UTF-16 LE without a mark", units(true), table.rows),
    ]
    if text.unicodeScalars.allSatisfy({ $0.value < 256 }) {
      var signs = CorpusWriting()
      signs.delimiter = "§"
      let section = signs.text(table.rows).unicodeScalars.map { UInt8($0.value) }
      files.append(CorpusFile("encoding", "\(table.name) Latin-1 with signs", section, table.rows))
      files.append(
        CorpusFile("encoding", "\(table.name) Latin-1", text.unicodeScalars.map { UInt8($0.value) }, table.rows))
    }
    return files
  }
}
