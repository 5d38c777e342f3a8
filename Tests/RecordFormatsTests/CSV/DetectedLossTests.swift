import CMergewalkScan
import Testing

@testable import MergewalkRecordFormats

/// What was detected never drops, joins or pads text: each case lost some, with nothing said.
@Suite struct DetectedLossTests {
  private static func detected(_ sample: String) throws -> CSVOptions {
    try #require(CSVDialectDetector.detect(sample: Array(sample.utf8), isWhole: true)).options
  }

  /// The records with `|` between their fields, and the codes of those that are refused, in the file's order; all
  /// arrivals and batches give the same, and every byte is accounted for.
  private static func read(
    _ text: String, _ options: CSVOptions, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [String] {
    var readings: [Reading] = []
    for sizes in arrivals(Array(text.utf8)) {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 3, bytes: 7)] {
        for level in [cscan_level.current, CSCAN_NONE] {
          readings.append(
            Reading.of(
              { () throws(ReadError) in
                try CSVReader(
                  stream: try ByteSource(bytes: Array(text.utf8), chunkSizes: sizes).open(), options: options,
                  columns: .all, index: 0, level: level)
              }, limit: limit))
          #expect(
            readings.last == readings[0], "pieces of \(sizes), \(limit), \(level)", sourceLocation: sourceLocation)
        }
      }
    }
    return readings[0].lines.map { $0.split(separator: "@").first.map(String.init) ?? "" }
      + (readings[0].failure.map { ["failed: " + $0] } ?? [])
  }

  private static let rows = (1...20).map { "\($0),lamp \($0),\($0 * 3)\n" }.joined()
  private static let records = (1...20).map { "\($0)|lamp \($0)|\($0 * 3)" }

  @Test(
    "a header that stands again is passed over and counted, its records are read", arguments: ["", "\u{FEFF}", "\n"])
  func headerAgain(_ between: String) throws {
    let text = "id,name,n\n" + Self.rows + between + "id,name,n\n" + Self.rows
    let options = try Self.detected(text)
    #expect(options.table == nil && options.header == .firstRecord)
    #expect(Self.read(text, options) == Self.records + Self.records)
    // It needs no detection.
    #expect(Self.read(text, CSVOptions()) == Self.records + Self.records)
    var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)))
    var batch = RecordBatch()
    var account = TextAccount()
    while try reader.read(into: &batch, limit: BatchLimit()) { account += batch.account }
    #expect(account.skipped[.repeatedHeader].lines == 1 && account.skipped[.header].lines == 1)
    var kept = CSVOptions()
    kept.repeatedHeaders = .record
    #expect(Self.read(text, kept).count == 41)
  }

  @Test(
    "a header stands again in whatever quotes",
    arguments: ["id,name,n", "\"id\",\"name\",\"n\"", "id,\"name\",n", "\"id\",name,\"n\""],
    ["id,name,n", "\"id\",\"name\",\"n\"", "\"id\",name,n", "\u{FEFF}\"id\",\"name\",n"])
  func headerInOtherQuotes(_ first: String, _ again: String) throws {
    let text = first + "\n" + Self.rows + again + "\n" + Self.rows
    #expect(Self.read(text, CSVOptions()) == Self.records + Self.records)
    let detected = try Self.detected(text)
    #expect(detected.table == nil && detected.header == .firstRecord)
    #expect(Self.read(text, detected) == Self.records + Self.records)
    var slow = CSVOptions()
    slow.trim = true
    slow.escape = UInt8(ascii: "\\")
    #expect(Self.read(text.split(separator: ",").joined(separator: " ,"), slow) == Self.records + Self.records)
    slow.delimiter = "||"
    #expect(Self.read(text.split(separator: ",").joined(separator: "||"), slow) == Self.records + Self.records)
    var account = TextAccount()
    var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)))
    var batch = RecordBatch()
    while try reader.read(into: &batch, limit: BatchLimit()) { account += batch.account }
    let mark = again.hasPrefix("\u{FEFF}") ? 3 : 0
    #expect(account.skipped[.repeatedHeader] == SkippedText.Amount(lines: 1, bytes: again.utf8.count + 1 - mark))
    #expect(account.skipped[.byteOrderMark].bytes == mark)
  }

  @Test(
    "a header that stands again in another order ends the reading before a value is swapped",
    arguments: ["n,id,name", "name,id,n", "id,n,name", "\"name\",id,\"n\"", "\u{FEFF}n,name,id"])
  func headerReordered(_ again: String) throws {
    let text = "id,name,n\n" + Self.rows + again + "\n3,1,lamp\n"
    let expected = Self.records + ["failed: reorderedHeader@22:1"]
    #expect(Self.read(text, CSVOptions()) == expected)
    #expect(Self.read(text, try Self.detected(text)) == expected)
    // Fields with doubled quotes stand before it.
    let quoted = "id,name,n\n" + "1,\"a \"\"b\"\"\",2\n" + again + "\n1,\"a \"\"b\"\"\",2\n"
    #expect(Self.read(quoted, CSVOptions()) == ["1|«a \"b\"»|2", "failed: reorderedHeader@3:1"])
    var slow = CSVOptions()
    slow.trim = true
    slow.escape = UInt8(ascii: "\\")
    #expect(Self.read(text.split(separator: ",").joined(separator: " ,"), slow) == expected)
    for level in [cscan_level.current, CSCAN_NONE] {
      var reader = try CSVReader(
        stream: try ByteSource(bytes: Array(text.utf8)).open(), options: CSVOptions(), columns: .named(["n"]), index: 0,
        level: level)
      var batch = RecordBatch()
      let error = #expect(throws: ReadError.self) {
        while try reader.read(into: &batch, limit: BatchLimit()) { #expect(batch.recordCount == 20) }
      }
      #expect(error?.code == .reorderedHeader)
      #expect(error?.description.contains("repeated_headers: record") == true)
    }
    // A table in which it is a record says so.
    var kept = CSVOptions()
    kept.repeatedHeaders = .record
    #expect(Self.read(text, kept).count == 22)
  }

  @Test("what has some names of the header in other places is a record") func nearlyReordered() {
    let rows = ["name,id,x", "name,name,id", "n,id,Name", "x,id,name", "n,\"id \",name"]
    #expect(
      Self.read("id,name,n\n" + rows.joined(separator: "\n") + "\n", CSVOptions()) == [
        "name|id|x", "name|name|id", "n|id|Name", "x|id|name", "n|«id »|name",
      ])
    #expect(Self.read("id,name,n\nname,id\nn,name,id,x\n", CSVOptions()) == ["fieldCount", "fieldCount"])
  }

  @Test(
    "a header that stands again with a column of another name ends the reading",
    arguments: [("id,name,town,n", 3), ("id,\"label\",city,n", 2), ("\u{FEFF}id,name,city,count", 4)])
  func headerRenamed(_ again: String, _ column: Int) throws {
    let rows = (1...20).map { "\($0),lamp \($0),ulm,\($0 * 3)\n" }.joined()
    let text = "id,name,city,n\n" + rows + again + "\n3,lamp,rome,1\n"
    #expect(Self.read(text, CSVOptions()).last == "failed: reorderedHeader@22:1")
    #expect(Self.read(text, try Self.detected(text)).last == "failed: reorderedHeader@22:1")
    var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)))
    var batch = RecordBatch()
    let error = #expect(throws: ReadError.self) { while try reader.read(into: &batch, limit: BatchLimit()) {} }
    #expect(error?.description.contains("with a column of another name: column \(column) is") == true)
    var options = CSVOptions()
    options.trim = true
    options.delimiter = "||"
    let long = text.split(separator: ",").joined(separator: " ||")
    #expect(Self.read(long, options).last == "failed: reorderedHeader@22:1")
    options = CSVOptions()
    options.repeatedHeaders = .record
    #expect(Self.read(text, options).count == 22)
    // What is moved too, has a value or several other names, or is one of three, is a record.
    let records = ["id,city,town,n", "id,name,7,n", "id,name,,n", "id,label,town,n", "number,name,city,n"]
    #expect(Self.read("id,name,city,n\n" + records.map { $0 + "\n" }.joined(), CSVOptions()).count == records.count)
  }

  @Test(
    "a header that stands again with more columns, or fewer, ends the reading where records are padded or cut",
    arguments: [
      ("id,name,city,n", "with “city” besides"), ("city,id,name,n", "with “city” besides"),
      ("\"id\",n,name,2024", "with “2024” besides"), ("id,n", "without “name”"), ("n,name", "without “id”"),
      ("\u{FEFF}id,name,town,zip", "without “n” and with “town”, “zip” besides"),
      ("n,id,a,b,c,d,name", "with “a”, “b”, “c” and 1 more besides"), ("id,name,n,id", "with a name twice"),
    ])
  func headerWithOtherColumns(_ again: String, _ difference: String) throws {
    let text = "id,name,n\n" + Self.rows + again + "\n3,1,lamp\n"
    var options = CSVOptions()
    (options.padShortRecords, options.longRecords) = (true, .truncate)
    #expect(Self.read(text, options) == Self.records + ["failed: reorderedHeader@22:1"])
    options.trim = true
    options.delimiter = "||"
    let long = text.split(separator: ",").joined(separator: " ||")
    #expect(Self.read(long, options) == Self.records + ["failed: reorderedHeader@22:1"])
    options = CSVOptions()
    (options.padShortRecords, options.longRecords) = (true, .truncate)
    var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)), options: options)
    var batch = RecordBatch()
    let error = #expect(throws: ReadError.self) { while try reader.read(into: &batch, limit: BatchLimit()) {} }
    #expect(error?.description.contains("with other columns: \(difference);") == true, "\(String(describing: error))")
    // A record of another width is refused where nobody said that it is to be padded or cut.
    let refused = Self.read(text, CSVOptions())
    #expect(refused == Self.records + ["fieldCount", "3|1|lamp"])
    options.repeatedHeaders = .record
    #expect(Self.read(text, options).count == 22)
  }

  @Test("a short or a long record with some names of the header is a record") func nearlyOtherColumns() {
    var options = CSVOptions()
    (options.padShortRecords, options.longRecords) = (true, .truncate)
    let rows = ["id", "1,name", "id,x", "id,name,3,4,5", "id,1,x,n,2024-01-01", "ID,Name,N,x"]
    #expect(
      Self.read("id,name,n,m\n" + rows.joined(separator: "\n") + "\n", options).filter { $0.hasPrefix("failed") } == [])
  }

  @Test("a header again with delimiters behind it is the header, where surplus fields are dropped")
  func headerWithTrailingDelimiters() {
    var options = CSVOptions()
    for policy in [CSVOptions.LongRecords.dropEmpty, .truncate] {
      options.longRecords = policy
      #expect(Self.read("id,name\n1,a\nid,name,,\n2,b,,\n", options) == ["1|a", "2|b"])
    }
    #expect(Self.read("id,name\n1,a\nid,name,,\n2,b\n", CSVOptions()) == ["1|a", "fieldCount", "2|b"])
  }

  @Test(
    "the mark of a file that was put behind another is no part of a record",
    arguments: ["13,a,1\n", "\"13\",a,1\n", "\u{FEFF}13,a,1\n", "\n13,a,1\n", "13,a,1"], [true, false])
  func markInside(_ rest: String, hasHeader: Bool) throws {
    let text = (hasHeader ? "id,name,n\n" : "") + Self.rows + "\u{FEFF}" + rest
    var options = CSVOptions()
    if !hasHeader { options.header = .none }
    let last = rest.contains("\"") ? "«13»|a|1" : "13|a|1"
    #expect(Self.read(text, options) == Self.records + [last])
    options.trim = true
    options.delimiter = "||"
    #expect(Self.read(text.split(separator: ",").joined(separator: "||"), options) == Self.records + [last])
    options.delimiter = "\u{FF5C}"
    #expect(Self.read(text.split(separator: ",").joined(separator: "\u{FF5C}"), options) == Self.records + [last])
    // Inside a record it is text.
    var plain = CSVOptions()
    plain.header = .none
    #expect(Self.read("1,\u{FEFF}a\n", plain) == ["1|\u{FEFF}a"])
  }

  @Test(
    "a record that is nearly the header is a record, and noted",
    arguments: [
      ("id,name,mail", true), ("ID,Name,N", true), ("ident,name,n", true), ("N,Id,name", true),
      ("\"id\",title,\"n\"", true),
      ("name,id,x", false), ("id,name,7", false), ("id,name,", false), ("id,x,y", false), ("x,id,name", false),
    ])
  func nearHeader(_ again: String, isNoted: Bool) throws {
    let text = "id,name,n\n" + Self.rows + again + "\n" + Self.rows + "id,name,other\n"
    for (trims, level) in [(false, cscan_level.current), (false, CSCAN_NONE), (true, CSCAN_NONE)] {
      for limit in [BatchLimit(), BatchLimit(records: 1), BatchLimit(records: 3, bytes: 7)] {
        var options = CSVOptions()
        options.trim = trims
        var reader = try CSVReader(
          stream: try ByteSource(bytes: Array(text.utf8)).open(), options: options, columns: .all, index: 0,
          level: level)
        var batch = RecordBatch()
        var lines: [Int] = []
        var count = 0
        while try reader.read(into: &batch, limit: limit) {
          count += batch.recordCount
          if let place = batch.doubtfulHeader { lines.append(place.line) }
        }
        #expect(count == 42)
        // The first one of a file only.
        #expect(lines == [isNoted ? 22 : 43], "\(again), \(trims), \(limit)")
      }
    }
    if isNoted { #expect(try Self.detected(text).header == .firstRecord) }
  }

  @Test(
    "the case of all letters is ignored when a header is recognised",
    arguments: [
      ("größe,état,n", "GRÖSSE,ÉTAT,N", true), ("größe,état,n", "GRÖẞE,État,n", true),
      ("ЦВЕТ,Имя,id", "цвет,имя,ID", true), ("état,name,n", "ÉTAT,7,n", false),
      ("état,été,n", "ÉTAT,ÉTÉ,Nr", true), ("İd,name,n", "i\u{307}d,NAME,N", true),
      ("e\u{301}tat,nom,n", "\u{C9}TAT,NOM,N", true), ("été,nom,n", "ETE,7,n", false),
    ])
  func nearHeaderOfAllLetters(_ header: String, _ again: String, isNoted: Bool) throws {
    let text = header + "\n" + Self.rows + again + "\n" + Self.rows
    for limit in [BatchLimit(), BatchLimit(records: 1)] {
      for level in [cscan_level.current, CSCAN_NONE] {
        var reader = try CSVReader(
          stream: try ByteSource(bytes: Array(text.utf8)).open(), options: CSVOptions(), columns: .all, index: 0,
          level: level)
        var batch = RecordBatch()
        var lines: [Int] = []
        while try reader.read(into: &batch, limit: limit) {
          if let place = batch.doubtfulHeader { lines.append(place.line) }
        }
        #expect(lines == (isNoted ? [22] : []), "\(again), \(limit)")
      }
    }
  }

  @Test("a record above a rule is the header, also where the records below have another width")
  func ruledHeader() throws {
    let text = "code;name;n\n----;----;----\n\"1\";\"a\";2;x\n\"3\";\"b\";4;y\n"
    #expect(try Self.detected(text).header == .firstRecord)
    #expect(try Self.detected(text).delimiter == ";")
    #expect(try Self.detected("1;a;2\n3;b;4\n5;c;6\n").header == .none)
  }

  @Test("all records of a header are counted as lines, whatever stands above it") func headerLines() throws {
    var options = CSVOptions()
    options.headerRows = 2
    for skipped in 0...3 {
      options.skippedLines = skipped
      let text = String(repeating: "above\n", count: skipped) + "\na,\"b\n1\"\n\nc,d\n1,2\n"
      var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)), options: options)
      var batch = RecordBatch()
      var account = TextAccount()
      while try reader.read(into: &batch, limit: BatchLimit()) { account += batch.account }
      account += batch.account
      #expect(account.skipped[.preamble].lines == skipped)
      #expect(account.skipped[.header].lines == 3 && account.skipped[.blankLine].lines == 2, "\(skipped)")
      #expect(account.isBalanced)
    }
  }

  @Test("what is nearly a header is a record") func nearlyHeaders() {
    let rows = ["ID,name,n", "\"id \",name,n", "id,name,\"\"", "\"id,name\",n,n", "\"\"\"id\"\"\",name,n", "i,name,n"]
    #expect(
      Self.read("id,name,n\n" + rows.joined(separator: "\n") + "\n", CSVOptions()) == [
        "ID|name|n", "«id »|name|n", "id|name|«»", "«id,name»|n|n", "«\"id\"»|name|n", "i|name|n",
      ])
    // A name with quotes is told by its text.
    #expect(Self.read("\"a \"\"b\"\"\",c\n1,2\n\"a \"\"b\"\"\",\"c\"\n3,4\n", CSVOptions()) == ["1|2", "3|4"])
  }

  @Test("a value that is the name of the only column is a record") func oneColumn() {
    #expect(Self.read("word\na\nword\nb\n", CSVOptions()) == ["a", "word", "b"])
  }

  @Test("each record of a header of two is passed over where it stands again") func headerOfTwo() {
    var options = CSVOptions()
    options.headerRows = 2
    let head = "shop,sales\nname,first\n"
    #expect(Self.read(head + "a,1\nb,2\n" + head + "c,3\n", options) == ["a|1", "b|2", "c|3"])
    let quoted = "\"shop\",sales\n\"name\",\"first\"\n"
    #expect(Self.read(head + "a,1\nb,2\n" + quoted + "c,3\n", options) == ["a|1", "b|2", "c|3"])
    // An empty record of the header is none again.
    #expect(Self.read(",\nname,first\na,1\n,\nb,2\n", options) == ["a|1", "|", "b|2"])
  }

  @Test("one remark above a table makes no comments of other lines") func oneRemark() throws {
    let options = try Self.detected("# made by X\nid,name,n\n" + Self.rows)
    #expect(Self.read("# made by Y\nid,name,n\n1,a,2\n#3,c,6\n", options) == ["1|a|2", "#3|c|6"])
    // Another file may have no remark.
    #expect(Self.read("id,name,n\n1,a,2\n#3,c,6\n", options) == ["1|a|2", "#3|c|6"])
  }

  @Test("lines to skip that were detected are none of a table without a header") func noPreamble() throws {
    let options = try Self.detected("Report\nof May\n" + Self.rows)
    #expect(options.skippedLines == 2 && options.header == .none)
    #expect(Self.read("Report\nof June\n5,x,7\n", options) == ["5|x|7"])
    #expect(Self.read("5,x,7\n6,y,8\n7,z,9\n", options) == ["5|x|7", "6|y|8", "7|z|9"])
  }

  @Test("a line that could be a record is no comment where comments were detected") func doubtfulComments() throws {
    let options = try Self.detected("id,name,n\n# a\n" + Self.rows + "# b\n")
    #expect(options.comment == "#")
    #expect(
      Self.read("id,name,n\n1,a,2\n# c\n#3,c,6\n#4,\"x,y\",1\n", options) == [
        "1|a|2", "doubtfulComment", "doubtfulComment",
      ])
    var said = options
    said.caution = nil
    #expect(Self.read("id,name,n\n1,a,2\n# c\n#3,c,6\n", said) == ["1|a|2"])
  }

  @Test("a backslash that was taken for an escape is not dropped before something ordinary")
  func doubtfulEscapes() throws {
    let text = "id,name,n\n" + (1...8).map { "\($0),\"say \\\"a\\\"\",3\n" }.joined()
    let options = try Self.detected(text)
    #expect(options.escape == UInt8(ascii: "\\"))
    let rows = "1,\"C:\\temp\",2\n2,a\\tb,2\n3,\"x\\\\y\\\"\",2\n4,\\N,2\n5,a\\,b,2\n6,\\Nx,2\n"
    #expect(
      Self.read("id,name,n\n" + rows, options)
        == ["doubtfulEscape", "doubtfulEscape", "3|«x\\y\"»|2", "doubtfulEscape", "5|a,b|2", "doubtfulEscape"])
    // It stands for nothing where it was seen to.
    let nulls = try Self.detected(text + (10...20).map { "\($0),\\N,\\N\n" }.joined())
    #expect(nulls.nullTokens == ["\\N"] && nulls.escape == options.escape)
    let found = Self.read("id,name,n\n4,\\N,2\n6,\\Nx,2\n7,8,\\N\n", nulls)
    #expect(found.count == 3 && found[0] != "doubtfulEscape" && found[1] == "doubtfulEscape", "\(found)")
    #expect(found[2] != "doubtfulEscape", "\(found)")
    var said = options
    said.caution = nil
    #expect(Self.read("id,name,n\n1,\"C:\\temp\",2\n", said) == ["1|«C:temp»|2"])
  }

  @Test("one delimiter at the end of a record does not cut others") func trailingDelimiter() throws {
    let options = try Self.detected("id,name,n\n" + Self.rows + "21,x,63,\n")
    #expect(
      Self.read("id,name,n\n1,a,2,\n50010,Smith, John,50010\n2,b,3,,\n3,c,4,\"\"\n", options)
        == ["1|a|2", "fieldCount", "2|b|3", "fieldCount"])
  }

  @Test("a last record that is cut is refused and not padded", arguments: ["9,x", "9", "9,"])
  func cutRecord(_ last: String) throws {
    let text = "id,name,n,m\n" + (1...20).map { "\($0),lamp,1,2\n" }.joined() + last
    #expect(Self.read(text, try Self.detected(text)).last == "fieldCount")
  }

  @Test("records of another table are refused, whatever their width") func otherTables() throws {
    let text = "id,name,n\n" + Self.rows + "\nday,kind,sum\n2024-01-01,x,5\n2024-01-02,y,6\n2024-01-03,z,7\n\n"
    let options = try Self.detected(text)
    #expect(options.table == 1)
    #expect(Self.read(text, options) == Self.records + Array(repeating: "otherTable", count: 4))
    var said = options
    said.caution = nil
    #expect(Self.read(text, said) == Self.records)
  }

  @Test("a quote that is not closed takes no other record in", arguments: ["\"oops", "\"", "\"a\"b \"c"])
  func strayQuote(_ last: String) throws {
    let head = "id,n,name\n" + (1...20).map { "\($0),\($0),lamp\n" }.joined()
    for rest in ["3,4,x\n5,6,\"y\"\n", "3,4,x\n5,6,y\n", "3,4,\"x\"\n5,6,y", "3,4,x\n5,6,y\"\n"] {
      let text = "id,n,name\n1,2,\(last)\n" + rest
      var options = try Self.detected(head + "21,5,5\" tube\n")
      #expect(options.lenientQuotes)
      let found = Self.read(text, options)
      #expect(found.first?.hasPrefix("1|") == true || found.first == "unterminatedQuote", "\(found)")
      #expect(found.dropFirst().first?.hasPrefix("3|4|") == true, "\(found), \(text)")
      #expect(found.dropFirst(2).first?.hasPrefix("5|6|") == true, "\(found), \(text)")
      // Where no stray quote was in the sample.
      options = try Self.detected(head + "21,5,\"a, b\"\n")
      #expect(!options.lenientQuotes)
      #expect(Self.read(text, options).dropFirst().first?.hasPrefix("3|4|") == true, "\(text)")
    }
  }

  @Test("quoted fields of several lines are read where they are right") func quotedLines() throws {
    let text = "id,name,n\n1,\"Dear Sir,\n1, 2 and 3\nthanks, bye\",5\n2,\"a\n\nb\",6\n" + Self.rows
    let found = Self.read(text, try Self.detected(text))
    #expect(found.count == 22 && found[0] == "1|«Dear Sir,⏎1, 2 and 3⏎thanks, bye»|5")
  }

  @Test("a quoted field longer than the sample does not keep a file from being read") func longField() throws {
    for first in [0, 5] {
      let before = (0..<first).map { "\($0),lamp,\($0 * 3)\n" }.joined()
      let long = (0..<9000).map { "line \($0), with a comma; and \"\"words\"\" of a letter\n" }.joined()
      let text = "id,name,n\n" + before + "7,\"" + long + "\",21\n" + Self.rows
      let sample = Array(text.utf8.prefix(1 << 18))
      let dialect = try #require(CSVDialectDetector.detect(sample: sample, isWhole: false))
      var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)), options: dialect.options)
      var batch = RecordBatch()
      var count = 0
      while try reader.read(into: &batch, limit: BatchLimit()) {
        count += batch.recordCount
        #expect(batch.errors == [])
      }
      #expect(count == first + 21 && reader.header == ["id", "name", "n"], "\(dialect.evidence)")
    }
  }
}
