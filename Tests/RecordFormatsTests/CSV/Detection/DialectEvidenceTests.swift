import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct DialectEvidenceTests {
  private func detect(
    _ text: String, isWhole: Bool = true, base: CSVOptions = CSVOptions(), known: CSVKnownOptions = []
  ) throws -> CSVDialect {
    try #require(CSVDialectDetector.detect(sample: Array(text.utf8), isWhole: isWhole, base: base, known: known))
  }

  @Test func `the delimiter comes with counts, and with what fits less`() throws {
    let dialect = try detect("id;sum\n1;1,5\n2;2,25\n3;4,5\n")
    #expect(dialect.options.delimiter == ";" && dialect.isCertain)
    #expect(
      dialect.evidence == [
        "delimiter “;”: 4 of 4 records have 2 fields",
        "header yes: the first record has text above 2 columns of numbers, dates or the like", "line ends: 4 LF",
      ])
  }

  @Test func `what could be something else is uncertain`() throws {
    #expect(try !detect("It was late.\n").isCertain)
    #expect(try !detect("a,b\nc,d\n").isCertain)
    let log = try detect("2024-01-01 12:00 a b\n2024-01-02 12:30 c d\n2024-01-03 13:00 e f\n2024-01-04 13:30 g h\n")
    #expect(log.options.delimiter == " ")
  }

  @Test func `lines with a mark and too few fields are proposed as comments, others to be padded`() throws {
    // So many records that the table is as good with the line as without it.
    let rows = (1...900).map { "\($0),x\($0),\($0 * 3)\n" }
    func text(_ line: String) -> String { "id,name,sum\n" + rows[..<20].joined() + line + rows[20...].joined() }
    let remarks = try detect(text("## second part ##\n"))
    #expect(remarks.options.comment == nil)
    #expect(remarks.proposals.map(\.option) == ["comment"] && remarks.proposals.map(\.value) == ["\"#\""])
    #expect(
      remarks.proposals.first?.reason
        == "1 line begins with “#” and has fewer than 3 fields (line 22); it would be rejected as a record")
    #expect(try detect(text("## part ##\n7,short\n")).proposals.map(\.option) == ["short_records"])
  }

  @Test(
    "an encoding that few characters tell is not certain",
    arguments: [
      ("shift_jis", [0x93, 0x8C, 0x8B, 0x9E] as [UInt8]), ("macintosh", [0x4D, 0x9F, 0x6C, 0x6C, 0x65, 0x72]),
    ])
  func encodings(name: String, word: [UInt8]) throws {
    var sample = Array("id,name\n".utf8)
    for number in 1...40 { sample += Array("\(number),".utf8) + word + [10] }
    let dialect = try #require(CSVDialectDetector.detect(sample: sample, isWhole: true))
    #expect(!dialect.isCertain || dialect.options.encoding == TextEncoding(named: name), "\(dialect.evidence)")
  }

  @Test func `known options are kept and help to find the others`() throws {
    var base = CSVOptions()
    base.delimiter = ":"
    base.header = .none
    base.nullTokens = ["x"]
    let dialect = try detect(
      "a,1:b,2\nc,3:d,4\ne,NULL:f,NULL\n", base: base, known: [.delimiter, .header, .nullTokens])
    #expect(dialect.options.delimiter == ":" && dialect.options.header == .none)
    #expect(dialect.options.nullTokens == ["x"] && dialect.nullWords == [])
    #expect(dialect.evidence.first == "delimiter “:”: as given; 3 of 3 records have 2 fields")
  }

  @Test func `quotes, escapes and stray quotes are told apart`() throws {
    let single = try detect("'a','b'\n'1','x, y'\n'2','z'\n").options
    #expect(single.quote == UInt8(ascii: "'") && single.escape == nil && !single.lenientQuotes)
    let escaped = try detect("a,b\n1,\"x \\\"y\\\", z\"\n2,\"\\\"\"\n").options
    #expect(escaped.quote == UInt8(ascii: "\"") && escaped.escape == UInt8(ascii: "\\"))
    let path = try detect("a,b\n1,\"C:\\x\\\"\n2,\"D:\\y\\\"\n").options
    #expect(path.escape == nil)
    let stray = try detect("size,n\n5\" disk,1\n3\" tube,2\n")
    #expect(stray.options.lenientQuotes && stray.evidence.contains { $0.hasPrefix("lenient quotes: 2 fields") })
    let none = try detect("a\tb\n\"x\t1\ny\t2\nz\"\t3\n\"w\t4\n").options
    #expect(none.quote == nil)
  }

  @Test(
    "a header in which names are empty or the same is no record",
    arguments: [
      (",name,sum\n0,a,1.5\n1,b,2.5\n2,c,3.5\n", ["1", "name", "sum"]),
      ("id,name,\n1,a,\n2,b,\n3,c,\n", ["id", "name", "3"]),
      ("id,name,Name,name 2,x,\n1,a,b,c,d,e\n2,b,c,d,e,f\n", ["id", "name", "Name 3", "name 2", "x", "6"]),
      (",Na,K\n1,5,2.5\n2,6,4.5\n3,7,7\n", ["1", "Na", "K"]), (",NO,NO2\n1,5,25\n2,6,45\n3,7,7\n", ["1", "NO", "NO2"]),
      (",No,SG\n1,A,50.8\n2,B,40.5\n3,C,38.1\n", ["1", "No", "SG"]),
    ])
  func faultyHeaders(_ text: String, _ names: [String]) throws {
    let dialect = try detect(text)
    #expect(dialect.options.header == .names(names) && dialect.options.skippedLines == 1, "\(dialect)")
    let lines = text.split(separator: "\n").dropFirst()
    var expected: [[String]?] = [names]
    for line in lines { expected.append(line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)) }
    #expect(CorpusFile.read(Array(text.utf8), dialect.options) == expected)
    // Another file without that header loses no record.
    #expect(CorpusFile.read(Array(lines.joined(separator: "\n").utf8), dialect.options) == expected)
  }

  @Test func `a first record with gaps is one where nothing says that it is names`() throws {
    for text in ["Bob,,x\nAl,3,y\nEve,4,z\n", "a,,b\nc,d,e\nf,g,h\n", "x,x,1\ny,z,2\nv,w,3\n"] {
      let dialect = try detect(text)
      #expect(dialect.options.header == .none && dialect.options.skippedLines == 0, "\(dialect)")
    }
    // Options that are given stay.
    var base = CSVOptions()
    base.skippedLines = 0
    #expect(try detect("id,name,\n1,a,\n2,b,\n", base: base, known: .skippedLines).options.header == .none)
    let stacked = try detect("id,mean,mean,std\n,a,b,a\n0,1.5,2.5,3\n1,2.5,3.5,4\n").options
    #expect(stacked.header == .firstRecord && stacked.headerRows == 2)
  }

  @Test func `numbers with their sign behind them are numbers`() throws {
    let dialect = try detect("item;count;sum\n0001;1.000,00-;1,5-\n0002;2.000,00-;2,5-\n0003;3.000,00-;3,5-\n")
    #expect(dialect.options.delimiter == ";" && dialect.options.header == .firstRecord)
  }

  @Test func `lines above and below the table are told`() throws {
    let dialect = try detect("Report\nof May\n\nid,sum\n1,2\n3,4\n5,6\n\nmade with care\n")
    #expect(dialect.options.skippedLines == 3 && dialect.options.header == .firstRecord)
    #expect(dialect.evidence.contains("skip_lines 3: 2 records are above the table"))
    #expect(dialect.evidence.contains("1 record below the table, from line 9 on, will be rejected"))
  }

  @Test func `remarks above the table are lines to skip, remarks inside it are comments with caution`() throws {
    let above = try detect("# x\nid,n\n1,2\n3,4\n").options
    #expect(above.comment == nil && above.skippedLines == 1 && above.caution?.header == Array("id,n".utf8))
    #expect(try detect("// x\nid,n\n1,2\n3,4\n").options.skippedLines == 1)
    let inside = try detect("# x\nid,n\n1,2\n# y, z, w\n3,4\n").options
    #expect(inside.comment == "#" && inside.caution?.doubtsComments == true)
    let one = try detect("id,n\n1,2\n# y, z, w\n3,4\n")
    #expect(one.options.comment == nil)
    withKnownIssue("a single remark inside a small table is refused, and nothing proposes a comment mark") {
      #expect(one.proposals.map(\.option) == ["comment"] && !one.isCertain)
    }
    // What is as wide as the table is a part of it.
    #expect(try detect("#1,lamp\n#2,quilt\n3,sail\n").options.comment == nil)
  }

  @Test("no remark at the top is a header: above one column, above records that became remarks, and with a word")
  func remarksAtTheTop() throws {
    let one = try detect("# This list gives all names\nAndromeda\nAntlia\nApus\nAquarius\n")
    #expect(one.options.skippedLines == 1 && one.options.comment == nil && one.options.header == .none)
    #expect(!one.isCertain)
    let services = try detect("# Services, by name\n#\n# New ones follow.\n\necho\nftp\n# unofficial\nssh\ntelnet\n")
    #expect(services.options.comment == "#" && services.options.header == .none)
    #expect(services.options.caution?.doubtsComments == true)
    #expect(try detect("# value\n1.5\n2.5\n3.5\n").options.header == .firstRecord)
    // Of tags the first is one.
    #expect(try detect("#red\n#green\nblue\n").options.comment == nil)
    let codes = ["0028", "003C", "005B", "007B", "00AB", "0F3A"]
    let taken = (0..<9).map { "# 220\($0); SIGN \($0)\n" }.joined()
    let mirrors = try detect(
      "# Mirrors\n# of 2022\n# Each line has two fields, separated by a semicolon (';').\n#\n# More\n\n"
        + codes.map { "\($0); 1\($0) # LEFT\n1\($0); \($0) # RIGHT\n" }.joined() + "# Without\n" + taken)
    #expect(mirrors.options.delimiter == ";" && mirrors.options.header == .none, "\(mirrors.evidence)")
    #expect(mirrors.options.comment == "#" && mirrors.options.caution?.doubtsComments == true)
    let keys = try detect(
      "@version 15.0\n\n@weights 17000; FB00 # A\n@weights 18D00; FB00 # B\n0000  ; [.01] # C\n0001  ; [.02] # D\n"
        + "0002  ; [.03] # E\n0003  ; [.04] # F\n")
    #expect(keys.options.header == .none && !keys.isCertain, "\(keys.evidence)")
  }

  @Test func `null tokens need evidence`() throws {
    // A token holds for all columns, a word for numbers and the like only: what was detected alters no text.
    let number = try detect("a,b\n1,NA\n2,3.5\n3,4.5\n4,5.5\n5,7\n")
    #expect(number.nullWords == ["NA"] && number.options.nullTokens == [])
    let both = try detect("a,b\nNA,NA\nFR,3.5\nIE,4.5\nDE,5.5\nES,7\n")
    #expect(both.nullWords == ["NA"] && both.options.nullTokens == [] && both.nullDoubt == nil)
    #expect(
      both.evidence.contains(
        "null: 2 fields are “NA”, 1 of them in columns of numbers, dates or the like; elsewhere it stays text"))
    let country = try detect("a,b\nNamibia,NA\nFrance,FR\nIreland,IE\n")
    #expect(country.nullWords == [] && country.options.nullTokens == [])
    let dump = try detect("a,b\nx,NULL\ny,\\N\nz,w\n")
    #expect(dump.nullWords == ["NULL"] && dump.options.nullTokens == ["\\N"])
    #expect(dump.nullDoubt?.reason == "in columns of text one field is “NULL”, on line 2: it stays text")
    let several = try detect("a,b\nx,NULL\ny,NULL\nz,#N/A\nw,v\n")
    #expect(
      several.nullDoubt?.reason
        == "in columns of text 2 fields are “NULL”, first on line 2; one field is “#N/A”, on line 4: they stay text")
    // In quotes it is text.
    let quoted = try detect("a,b\n\"NULL\",1\n\"x\",2\n")
    #expect(quoted.nullWords == [] && quoted.options.nullTokens == [])
  }

  @Test func `padding is told from blanks that belong to a value`() throws {
    #expect(try detect("a, b\n1, 2\n3, 4\n").options.trim)
    #expect(try detect("a ;b \n1 ;2 \n3 ;4 \n").options.trim)
    #expect(try !detect("a,b\n1, x\n3,y\n4,z\n").options.trim)
  }

  @Test func `the strokes of a rule delimit nothing where there is one column`() throws {
    let text = "Col1      Col2\n---- ---------\n 1.2   a\n 2.4   b\n"
    let dialect = try detect(text)
    #expect(dialect.options.delimiter == ",", "\(dialect.evidence)")
    let rows = CorpusFile.read(Array(text.utf8), dialect.options)
    #expect(rows.count == 4 && rows.allSatisfy { $0?.count == 1 }, "\(rows)")
  }

  @Test func `signs and digits that few numbers have are no part of the column before`() throws {
    let rows = (0..<60).map { "x\(10 + $0)   \($0 == 50 ? "1234.5   -12.50" : "   4.5     2.50")\n" }
    let aligned = try #require(try detect(rows.joined()).aligned)
    #expect(aligned.columns.map(\.width) == [6, 9, 6] && aligned.lines == 60)
    // What goes on from the column before is none of it.
    let names = (0..<60).map { "x\(10 + $0)\($0 == 50 ? "-1234567" : "        ")4.5\n" }
    #expect(try detect(names.joined()).aligned?.columns.map(\.width) == [11, 3])
  }

  @Test func `a header needs names that are there and differ`() throws {
    #expect(try detect("1,2\n3,4\n5,6\n").options.header == .none)
    for (text, names) in [
      (",a,b\n0,1,2\n1,3,4\n", ["1", "a", "b"]), ("a,A,b\n0,1,2\n1,3,4\n", ["a", "A 2", "b"]),
      ("a,a,b\n0,1,2\n1,3,4\n", ["a", "a 2", "b"]),
    ] {
      #expect(try detect(text).options.header == .names(names), "\(text)")
    }
    for text in ["a,b\n0,1\n1,3\n", "a,b\nx,y\nz,w\n", "id,2020,2021\nx,5,6\ny,7,8\n", "name,id\n"] {
      #expect(try detect(text).options.header == .firstRecord, "\(text)")
    }
    // What is true or false elsewhere is a name where nothing below is.
    for text in [
      "No,Name\n1,Ada\n2,Bob\n3,Cy\n", "NO,NO2\n1,5\n2,3\n3,8\n",
      "party,Yes,No\nA,100,500\nB,200,600\nC,300,700\n",
    ] {
      let dialect = try detect(text)
      #expect(dialect.options.header == .firstRecord && dialect.isCertain, "\(text)")
    }
    for text in ["no,1\nyes,2\nno,3\n", "5,no\n6,yes\n7,no\n", "NA,5\n1,6\n2,7\n"] {
      #expect(try detect(text).options.header == .none, "\(text)")
    }
    // Codes of one length are no names.
    let codes = (0..<12).map { "q\(10 + $0),AB\(20 + $0)" }.joined(separator: "\n")
    #expect(try detect(codes).options.header == .none)
    let stacked = try detect("day,mass\nUTC,kg\n2024-01-01,1.5\n2024-01-02,2.5\n").options
    #expect(stacked.header == .firstRecord && stacked.headerRows == 2)
  }

  @Test func `years, days and hours that count on are names, however few of the records are like them`() throws {
    func names(_ header: String, _ row: (Int) -> String) throws -> (CSVDialect, CSVOptions.Header) {
      let dialect = try detect(header + "\n" + (0..<40).map { row($0) + "\n" }.joined())
      return (dialect, dialect.options.header)
    }
    // Every fifth year; years whose cells have flags; a delimiter behind the last one; the same year twice.
    let steps = try names("country,1952,1957,1962") { "x\($0),\($0 * 700),\($0 * 31 + 5),\(9 + $0)" }
    #expect(steps.1 == .firstRecord && steps.0.isCertain, "\(steps.0.evidence)")
    let flags = try names("geo\\time\t2019 \t2020 \t2021 ") { "A\($0)\t\($0 * 7).5 b\t: \t\($0 + 1).1 ep" }
    #expect(flags.1 == .firstRecord, "\(flags.0.evidence)")
    let behind = try names("name,2019,2020,") { "x\($0),\($0 * 3).5,\($0 * 9)," }
    #expect(behind.1 == .names(["name", "2019", "2020", "4"]), "\(behind.0.evidence)")
    let twice = try names("name,2019,2020,2021,2021") { "x\($0),\($0 * 3).5,\($0 * 9),1,2" }
    #expect(twice.1 == .names(["name", "2019", "2020", "2021", "2021 2"]), "\(twice.0.evidence)")
    let words = try names("name,2019,2020") { "x\($0),\($0 % 2 == 0 ? "high" : "low"),\($0 % 3 == 0 ? "low" : "none")" }
    #expect(words.1 == .firstRecord, "\(words.0.evidence)")
    // Days above numbers, whatever their step is.
    let days = try names("state,lat,1/22/20,1/23/20,1/30/20") { "x\($0),\($0).5,\($0 * 2),\($0),0" }
    #expect(days.1 == .firstRecord && days.0.isCertain, "\(days.0.evidence)")
    // Hours could be values of one record: a person is asked.
    let hours = try names("station,0,1,2,3,4,5") { "x\($0),\($0 * 5 % 7),\($0 % 4),7,\($0 % 3),1,\($0)" }
    #expect(hours.1 == .firstRecord && !hours.0.isCertain, "\(hours.0.evidence)")
    // Where other records count on as well, the first one is one of them, and so are two years beside unknown ones.
    let ranges = try names("a,0,1,2,3") { "x\($0),\($0),\($0 + 1),\($0 + 2),\($0 + 3)" }
    #expect(ranges.1 == .none, "\(ranges.0.evidence)")
    let years = try names("t0,1894,1895") { "t\($0 + 1),\(1900 + $0),\($0 % 2 == 0 ? "\\N" : "\(1905 + $0)")" }
    #expect(years.1 == .none, "\(years.0.evidence)")
    let dates = try names("t0,2024-01-01,2024-01-02") {
      "t\($0 + 1),2024-02-0\(1 + $0 % 9),\($0 % 2 == 0 ? "" : "2024-03-01")"
    }
    #expect(dates.1 == .none, "\(dates.0.evidence)")
  }

  @Test func `a delimiter behind the last name only, or behind all records only, makes no column`() throws {
    let rows = (0..<30).map { "\($0),n\($0),2024-01-0\(1 + $0 % 9)" }
    let above = try detect("id,name,day,\n" + rows.map { $0 + "\n" }.joined())
    #expect(above.options.header == .names(["id", "name", "day"]) && above.options.skippedLines == 1)
    #expect(above.options.longRecords == .refuse && above.isCertain, "\(above.evidence)")
    let below = try detect("id,name,day\n" + rows.map { $0 + ",\n" }.joined())
    #expect(below.options.header == .firstRecord && below.options.longRecords == .dropEmpty, "\(below.evidence)")
    #expect(below.isCertain && below.proposals.isEmpty, "\(below.proposals)")
    // A value behind the names, once, is none to drop.
    let value = try detect("id,name,day\n" + rows.map { $0 + ",\n" }.joined() + "7,n,2024-01-01,x\n")
    #expect(!value.isCertain, "\(value.evidence)")
  }

  @Test func `what is above an empty record and names is no part of the table`() throws {
    let rows = (1...30).map { "\($0),n\($0),\($0).5,2024-01-0\(1 + $0 % 9)\n" }.joined()
    for above in [
      "Sales report,,,\nAs of,2023-01-01,,\n,,,\n", "Company:,ACME,Period:,2023\n,,,\n",
      "Company:,ACME,Period:,2023\n,,,\n,,,\n",
    ] {
      let dialect = try detect(above + "id,name,amount,day\n" + rows)
      #expect(dialect.options.skippedLines == above.split(separator: "\n").count, "\(dialect.evidence)")
      #expect(dialect.options.header == .firstRecord && dialect.isCertain, "\(dialect.evidence)")
    }
    for above in ["Population,,,\n,,,\n", "Population,,,\n", "As of,2023-01-01,,\n,,,\n"] {
      let years = (1...30).map { "n\($0),\($0).5,\($0 * 7),\($0 * 3)\n" }.joined()
      let dialect = try detect(above + "country,2019,2020,2021\n" + years)
      #expect(dialect.options.skippedLines == above.split(separator: "\n").count, "\(dialect.evidence)")
      #expect(dialect.options.header == .firstRecord, "\(dialect.evidence)")
    }
    // Records above an empty one and names are records, and so is a table with a header of its own.
    let records = try detect("7,x,1.5,2024-01-01\n,,,\nid,name,amount,day\n" + rows)
    #expect(records.options.skippedLines == 0, "\(records.evidence)")
    let table = try detect("a,b,c,d\nw,1,2,x\nv,1,3,y\n,,,\nid,name,amount,day\n" + rows)
    #expect(table.options.skippedLines == 0, "\(table.evidence)")
  }

  @Test func `numbers in groups of two digits and three are numbers`() throws {
    let text = "id;amount\n" + (0..<40).map { "\($0);12,34,\(100 + $0)\n" }.joined()
    let dialect = try detect(text)
    #expect(dialect.options.delimiter == ";" && dialect.options.header == .firstRecord, "\(dialect.evidence)")
    let points = try detect("id;amount\n" + (0..<40).map { "\($0);1,23,45,\(100 + $0).5\n" }.joined())
    #expect(points.options.delimiter == ";" && points.options.header == .firstRecord, "\(points.evidence)")
    // Three fields of one comma each are none.
    #expect(try detect((0..<40).map { "12,34,\(10 + $0)\n" }.joined()).options.delimiter == ",")
  }

  @Test func `records of other widths are refused, and the options that read them are proposed`() throws {
    let rows = (0..<20).map { "\($0),b,c" }.joined(separator: "\n")
    let short = try detect("x,y,z\n\(rows)\n1,2\n3,4,5\n")
    #expect(!short.options.padShortRecords && short.options.longRecords == .refuse)
    #expect(short.proposals.map(\.option) == ["short_records"] && short.proposals.map(\.value) == ["pad"])
    #expect(
      short.evidence.contains { $0.hasPrefix("short_records: 1 of 23 records has fewer than 3 fields (line 22)") })
    for isWhole in [true, false] {
      let long = try detect("x,y,z\n\(rows)\n1,2,3,4\n3,4,5\n", isWhole: isWhole)
      #expect(long.options.longRecords == .refuse && !long.isCertain)
      #expect(long.proposals.map(\.option) == ["long_records"] && long.proposals.map(\.value) == ["truncate"])
    }
    let empty = try detect("x,y,z\n\(rows)\n1,2,3,\n3,4,5\n", isWhole: false)
    #expect(empty.options.longRecords == .dropEmpty && empty.isCertain && empty.proposals.isEmpty)
    let both = try detect("x,y,z\n\(rows)\n1,2,3,\n3,4,5,6\n", isWhole: false)
    #expect(both.options.longRecords == .dropEmpty && !both.isCertain && both.proposals.count == 1)
  }

  @Test func `line ends and encodings are said`() throws {
    #expect(try detect("a,b\r\n1,2\r\n3,4\n").evidence.contains("line ends: 1 LF, 2 CRLF"))
    let latin = "name,city\nJürgen,Köln\nZoë,Malmö\nÉlodie,Orléans\n".unicodeScalars.map { UInt8($0.value) }
    let dialect = try #require(CSVDialectDetector.detect(sample: latin, isWhole: true))
    let encoding = try #require(dialect.evidence.first { $0.hasPrefix("encoding: ") })
    #expect(encoding.contains(", because of its letters beyond ASCII, which are those of "), "\(encoding)")
    #expect(CorpusFile.read(latin, dialect.options)[1] == ["Jürgen", "Köln"])
    // A single bad byte in UTF-8 is no other encoding.
    var broken = Array("name,city\nJürgen,Köln\nZoë,Malmö\nÉlodie,Orléans\n".utf8)
    broken.append(contentsOf: [0x78, 0xFF, 0x2C, 0x79, 10])
    let kept = try #require(CSVDialectDetector.detect(sample: broken, isWhole: true))
    #expect(kept.options.encoding == .automatic && !kept.isCertain)
  }

  @Test func `an empty file has no header, and what is no text has no dialect`() throws {
    #expect(try detect("").options.header == .none)
    #expect(try detect("\n\n").evidence.contains("there is no record"))
    #expect(
      CSVDialectDetector.detect(
        sample: (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7919 >> 5) }, isWhole: true) == nil)
  }

  @Test func `of several tables the first is read, or the one that is asked for`() throws {
    let text =
      "Report\nof May\n\nid,name\n1,lamp\n2,sail\n\nday,sum,n\n2024-01-01,2.5,NA\n2024-01-02,3.5,4\n2024-01-03,3.5,5\n"
    let first = try detect(text)
    #expect(first.options.table == 1 && first.options.skippedLines == 3 && !first.isCertain)
    #expect(
      first.evidence.contains(
        "table: 2 tables begin on the lines 4, 8; only the first is read, and the records of the others are rejected"))
    #expect(first.options.caution?.refusesOtherTables == true && first.proposals.map(\.option) == ["table"])
    #expect(
      CorpusFile.read(Array(text.utf8), first.options)
        == [["id", "name"], ["1", "lamp"], ["2", "sail"], nil, nil, nil, nil])
    var base = CSVOptions()
    base.table = 2
    let second = try detect(text, base: base, known: .table).options
    #expect(second.table == 2 && second.skippedLines == 3 && !second.padShortRecords && second.nullWords == ["NA"])
    #expect(CorpusFile.read(Array(text.utf8), second)[1] == ["2024-01-01", "2.5", "NA"])
    base.table = 3
    #expect(
      try detect(text, base: base, known: .table).evidence.contains("table 3: 2 tables are in the sample"))
  }

  @Test func `a sample that is cut ends with its last whole line`() throws {
    let rows = (0..<50).map { "\($0),lamp \($0),2024-01-0\(1 + $0 % 9)" }.joined(separator: "\n")
    let dialect = try detect("id,name,day\n" + rows + "\n51,lam", isWhole: false)
    #expect(dialect.evidence.first == "delimiter “,”: 51 of 51 records have 3 fields" && dialect.isCertain)
    #expect(!dialect.options.padShortRecords)
  }

  @Test func `a sample that is cut inside quotes ends with the record before`() throws {
    let rows = (0..<50).map { "\($0),\"one\ntwo, \($0)\",2024-01-0\(1 + $0 % 9)" }.joined(separator: "\n")
    let dialect = try detect("id,text,day\n" + rows + "\n51,\"one\n", isWhole: false)
    #expect(dialect.evidence.first == "delimiter “,”: 51 of 51 records have 3 fields" && dialect.isCertain)
    #expect(!dialect.options.padShortRecords && !dialect.options.lenientQuotes)
  }

  @Test func `the delimiter of Excel's first line is believed`() throws {
    let options = try detect("sep=|\na,b|c\n1,5|2\n2,5|3\n").options
    #expect(options.delimiter == "|" && options.skippedLines == 1)
  }

  @Test func `a source is looked at through its container, and only when it can be read again`() throws {
    let folder = TemporaryFolder()
    let path = try folder.write("a;b\n1;2\n3;4\n", to: "x.csv")
    let dialect = try #require(try CSVDialectDetector.detect(ByteSource(path: path)))
    #expect(dialect.options.delimiter == ";")
    #expect(try CSVDialectDetector.detect(ByteSource(path: "-")) == nil)
    #expect(throws: ReadError.self) { try CSVDialectDetector.detect(ByteSource(path: path + ".none")) }
  }

  @Test func `a delimiter in every record but the header is escaped or quoted text`() throws {
    let escaped = try detect("item,price,n\nred lamp,27\\,03,5\nold quilt,113\\,24,9\nnew sail,9\\,50,7\n").options
    #expect(escaped.escape == UInt8(ascii: "\\") && escaped.header == .firstRecord)
    let grouped = try detect("city,people,founded\nA,2\\,863\\,611,1269\nB,6\\,722\\,699,1121\nC,987\\,611,1801\n")
      .options
    #expect(grouped.escape == UInt8(ascii: "\\") && grouped.header == .firstRecord)
    let quoted = try detect("sku;title;tags\nA-1;Oak;'table;small'\nA-2;Kit;'heavy;set'\nA-3;Rug;'red;old'\n").options
    #expect(quoted.quote == UInt8(ascii: "'") && quoted.header == .firstRecord)
    let one = try detect("id,\"Comments, if any\"\nR0,a,\nR1,b,\n").options
    #expect(one.quote == UInt8(ascii: "\""))
  }

  @Test func `a last record that is cut is one of the table, and a sum is not`() throws {
    let cut = try detect("x,y,z,w\n-0.3,0.2,0.1,57\n0.8,0.1,0.5,50\n0.7,0.2,0.5,50\n-0.2,-0.2\n").options
    #expect(!cut.padShortRecords)
    let sum = try detect("day,a,b,c\n2024-01-01,2,1,57\n2024-01-02,1,5,50\n2024-01-03,2,5,50\nTotal,5\n").options
    #expect(!sum.padShortRecords)
  }

  @Test func `few records of all widths below a header are its records`() throws {
    let options = try detect("id,day,name,item,n\n100\n101,29/03/2015,Ada Lind,lamp,5\n102,24/10/2015,Bo Quist\n")
      .options
    #expect(options.delimiter == "," && options.header == .firstRecord && !options.padShortRecords)
  }

  @Test func `titles of three words below a title of one are one column`() throws {
    let dialect = try detect("title\nTable Blue Fast\nMini Set Quick\nOak Lamp Red\nTable Kit Old\nSteel Pack Pro\n")
    #expect(dialect.options.skippedLines == 0 && dialect.options.delimiter != " ")
  }

  @Test func `a header that is wider than most records is one, and the short ones are proposed to be padded`() throws {
    let text =
      "version,name,created,eol,eol_lts\n1.1,Buzz,1993-08-16,1997-06-05\n1.2,Rex,1996-06-17,1998-06-05\n"
      + "2.0,Hamm,1998-07-24,2000-03-09\n9,Stretch,2015-04-25,2020-07-18,2022-06-30\n"
    let dialect = try detect(text)
    #expect(dialect.options.header == .firstRecord && !dialect.options.padShortRecords)
    #expect(dialect.proposals.map(\.option) == ["short_records"])
    // Text above text proves nothing.
    let texts = try detect("a,b,c\nx,y\nz,w\nu,v\n").options
    #expect(texts.header == .none)
  }

  @Test func `the remark above the first record is the header if it has a name for each field`() throws {
    let text = """
      # A table of zones
      #
      #code\tplace\tzone\tcomments
      AD\t+4230+00131\tEurope/Andorra
      AE\t+2518+05518\tAsia/Dubai\tCrozet
      AF\t+3431+06912\tAsia/Kabul
      # the next one is new
      AL\t+4120+01950\tEurope/Tirane\tall
      AM\t+4011+04430\tAsia/Yerevan

      """
    let options = try detect(text).options
    #expect(options.header == .names(["code", "place", "zone", "comments"]))
    #expect(options.skippedLines == 3 && options.delimiter == "\t")
    // A sentence with commas is none.
    let sentence = try detect("# made by x\n# first, second one\na,b\nc,d\ne,f\ng,h\n").options
    #expect(sentence.header != .names(["first", "second one"]))
  }

  @Test func `records that begin with digits as those below do, and the code ID, are told from names`() throws {
    let blocks = try detect(
      "0000..007F; Basic Latin\n0080..00FF; Latin One\n0100..017F; Latin A\n0180..024F; Latin B\n")
    #expect(blocks.options.header == .none)
    let codes = try detect("Country,Group,ID\nAngola,Africa,AO\nIndonesia,Asia,ID\nIndia,Asia,IN\nIran,Asia,IR\n")
    #expect(codes.options.header == .firstRecord)
  }

  @Test(
    "a first record of text that may be one with its values missing is doubted",
    arguments: [
      // Words for missing values, a series, a value that recurs, a value in a column of text.
      "x1,Cordoba,n/a,unknown\nx2,Ulm,5,2023-01-02\nx3,Bonn,7,2023-01-03\nx4,Ulm,8,2023-01-04\n",
      "key,Cordoba,unknown\nb,Ulm,5\nc,Bonn,7\nd,Bern,8\n",
      "x1,Cordoba,many\nx2,Ulm,5\nx3,Bonn,7\nx4,Bern,8\n",
      "A-001/b,Cordoba,many\nA-002/b,Ulm,5\nA-003/b,Bonn,7\n",
      "name,Ulm,many\nb,Ulm,5\nc,Bonn,7\nd,Bern,8\n",
      "c0ffee1234,Cordoba,many\n12cc0de567,Ulm,5\nab4321ab88,Bonn,7\n9f8e7d6c5b,Bern,8\n",
      "17,Cordoba,many\nb,Ulm,5\nc,Bonn,7\nd,Bern,8\n",
    ])
  func doubtfulHeader(_ text: String) throws {
    let dialect = try detect(text)
    #expect(dialect.options.header != .firstRecord || !dialect.isCertain, "\(dialect.evidence)")
    #expect(dialect.options.header != .firstRecord || !dialect.isTableCertain, "guess asks")
  }

  @Test(
    "names above values are not doubted for digits, missing values below or units",
    arguments: [
      "q1,city,n\nn/a,Ulm,5\nyes,Bonn,n/a\nno,Bern,8\n", "sample,Na,K\na,1,2\nb,3,4\nc,5,6\n",
      "id2,city,sum\nA1,Ulm,5\nA2,Bonn,7\nA3,Bern,8\n", "ID,city,n\nID,Ulm,5\nIN,Bonn,7\nIR,Bern,8\n",
      "time,speed,mass\ns,m/s,-\n1,2.5,3\n2,3.5,4\n3,4.5,5\n",
    ])
  func plainHeader(_ text: String) throws {
    let dialect = try detect(text)
    #expect(dialect.options.header == .firstRecord && dialect.isCertain, "\(dialect.evidence)")
  }
}
