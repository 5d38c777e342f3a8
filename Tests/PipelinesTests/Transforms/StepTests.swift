import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Every step from the pipeline's text to the store's row.
@Suite("Steps of transforms") struct StepTests {
  /// Steps, what goes in, what comes out; `-` for nothing, `!code` for a reject.
  static let texts: [(String, String, String)] = [
    ("[trim]", "\"  a b \u{A0}\"", "a b"),
    ("[{ strip: '*_' }]", "*_a*b_*", "a*b"),
    ("[collapse]", "\" a\u{2003} \tb  c \"", "a b c"),
    ("[upper]", "straße é ﬁ", "STRASSE É FI"),
    ("[lower]", "ÀÉ Straße İ", "àé straße i̇"),
    ("[lower]", "ΟΔΟΣ ΣΑΣ. Σ ΑΣ'Α Σ́Σ́ ΣΣ", "οδος σας. σ ασ'α σ́ς́ σς"),
    ("[capitalise]", "ΟΔΟΣ ΣΑΣ ΣΟΦΟΣ3", "Οδος Σας Σοφος3"),
    ("[capitalise]", "o'NEIL van-dYK éCOLE 3rd", "O'neil Van-Dyk École 3rd"),
    ("[unaccent]", "Zürich Ågård ñandú", "Zurich Agard nandu"),
    ("[{ replace: { text: '-', with: '' } }]", "a-b-c-", "abc"),
    ("[{ replace: { text: aa, with: b } }]", "aaaaa", "bba"),
    ("[{ replace: { pattern: '([0-9]+)-([0-9]+)', with: '$2.$1' } }]", "x 12-34 y 5-6", "x 34.12 y 6.5"),
    ("[{ replace: { pattern: 'é+', with: e } }]", "créée 𝄞é", "cree 𝄞e"),
    ("[{ extract: '[0-9]+' }]", "é𝄞 abc 123 456", "123"),
    ("[{ extract: { pattern: '([a-z]+)-([0-9]+)', group: 2 } }]", "ab-77", "77"),
    ("[{ extract: '[0-9]+' }]", "none", "-"),
    ("[{ split: { at: '-', take: 2 } }]", "a-b-c", "b"),
    ("[{ split: { at: '-', take: -1 } }]", "a-b-c", "c"),
    ("[{ split: { at: '-', take: -3 } }]", "a-b-c", "a"),
    ("[{ split: { at: '-', take: 4 } }]", "a-b-c", "-"),
    ("[{ split: { at: '-', take: -4 } }]", "a-b-c", "-"),
    ("[{ substring: { from: 2, length: 2 } }]", "aéüb", "éü"),
    ("[{ substring: { from: -2 } }]", "aéüb", "üb"),
    ("[{ substring: { from: 9 } }]", "abc", ""),
    ("[{ pad: { to: 5, with: '0' } }]", "42", "00042"),
    ("[{ pad: { to: 5, with: 'éx', side: end } }]", "42", "42éxé"),
    ("[{ pad: { to: 5, with: xy } }]", "42", "xyx42"),
    ("[{ pad: { to: 3, with: xyz } }]", "42", "x42"),
    ("[{ pad: { to: 2, with: '0' } }]", "1234", "1234"),
    ("[{ prepend: 'CH-' }, { append: '!' }]", "1", "CH-1!"),
    ("[{ concat: { columns: [other], with: ', ' } }]", "a", "a, second"),
    ("[length]", "aé𝄞", "3"),
    ("[{ map: { values: { D: DE, A: AT } } }]", "A", "AT"),
    ("[{ map: { values: { D: DE }, otherwise: keep } }]", "X", "X"),
    ("[{ map: { values: { D: DE }, otherwise: \"null\" } }]", "X", "-"),
    ("[{ map: { values: { D: DE }, default: '?' } }]", "X", "?"),
    ("[{ map: { values: { D: DE } } }]", "X", "!transform.unmapped"),
    ("[{ map: { values: { D: DE, '': none } } }]", "", "none"),
    ("[{ to: integer }, { add: 1 }]", "41", "42"),
    ("[{ to: integer }]", "4x", "!transform.value"),
    ("[{ to: integer }, { add: 1 }]", "9223372036854775807", "!transform.overflow"),
    ("[{ to: integer }, negate]", "-9223372036854775808", "!transform.overflow"),
    ("[{ add: '0.2' }]", "0.1", "0.3"),
    ("[{ multiply: 3 }]", "1.10", "3.30"),
    ("[{ multiply: '99999999999999999999999999999999999999' }]", "99", "!transform.overflow"),
    ("[{ subtract: { column: other_number } }]", "7.5", "5.5"),
    ("[{ divide: 4 }]", "10", "2.5"),
    ("[{ divide: { by: 3, places: 2 } }]", "10", "3.33"),
    ("[{ divide: { by: -3, places: 0 } }]", "8", "-3"),
    ("[{ divide: { column: zero } }]", "8", "!transform.division"),
    ("[{ modulo: 7 }]", "-10", "-3"),
    ("[abs, { round: 1 }]", "-2.25", "2.3"),
    ("[{ round: { places: 1, mode: half_even } }]", "2.25", "2.2"),
    ("[{ round: { places: 0, mode: floor } }]", "-2.5", "-3"),
    ("[{ round: { places: 0, mode: ceiling } }]", "-2.5", "-2"),
    ("[{ round: { places: -2 } }]", "1250", "1300"),
    ("[{ to: double }, { round: 2 }]", "2.675", "2.68"),
    ("[{ date_add: { months: 1 } }, { format: yyyy-MM-dd }]", "2024-01-31", "2024-02-29"),
    ("[{ date_add: { days: -1, hours: 36 } }, { to: text }]", "2024-03-01", "2024-03-01T12:00:00Z"),
    ("[{ date_add: { years: 9999 } }]", "2024-01-31", "!transform.overflow"),
    ("[{ date_part: week }]", "2021-01-03", "53"),
    ("[{ date_part: { part: hour, zone: \"+02:00\" } }]", "2024-01-01T23:30:00Z", "1"),
    ("[{ start_of: months }, { to: text }]", "2024-02-29T10:00:00Z", "2024-02-01T00:00:00Z"),
    ("[{ start_of: { unit: days, zone: \"+02:00\" } }, { to: text }]", "2024-02-29T23:00:00Z", "2024-02-29T22:00:00Z"),
    ("[{ start_of: weeks }, { format: 'EEE d MMM yyyy' }]", "2024-02-29", "Mon 26 Feb 2024"),
    ("[{ format: \"dd.MM.yy\" }]", "2024-02-29", "lint"),
    ("[{ format: \"hh:mm a 'o''clock' XXX\" }]", "2024-02-29T00:05:00Z", "12:05 AM o'clock Z"),
    ("[{ hash: sha256 }]", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("[{ hash: sha1 }]", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("[{ hash: md5 }]", "abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("[{ hash: stable64 }]", "abc", "-5010229573455851542"),
    ("[{ coalesce: [empty, other] }]", "", "second"),
    ("[{ coalesce: [other] }]", "first", "first"),
    ("[{ default: none }]", "", "none"),
    ("[{ null_if: [n/a, '-'] }]", "n/a", "-"),
    (
      "[{ when: [{ if: 'input == \"a\"', give: A }, { if: 'input == \"b\"', take: other }, { give: rest }] }]", "a", "A"
    ),
    (
      "[{ when: [{ if: 'input == \"a\"', give: A }, { if: 'input == \"b\"', take: other }, { give: rest }] }]", "b",
      "second"
    ),
    (
      "[{ when: [{ if: 'input == \"a\"', give: A }, { if: 'input == \"b\"', take: other }, { give: rest }] }]", "c",
      "rest"
    ),
    ("[{ when: [{ if: 'input BEGINSWITH \"x\"' }] }]", "xy", "-"),
    ("[{ when: [{ if: 'input BEGINSWITH \"x\"' }] }]", "ab", "ab"),
    // A failure counts only where its result is used.
    ("[{ when: [{ if: 'input == \"0\"', give: -1 }, { take: quotient }] }]", "0", "-1"),
    ("[{ when: [{ if: 'input == \"0\"', give: -1 }, { take: quotient }] }]", "4", "25"),
  ]

  @Test("each does what it says", arguments: texts)
  func each(steps: String, input: String, expected: String) throws {
    let folder = try TransformFolder()
    let lines = """
      columns:
        quotient: { value: "100 / divisor" }
        divisor: { from: input, type: integer }
      attributes:
        text: { from: input, do: \(steps) }
      """
    let data = "key,input,other,other_number,zero,empty\n1,\(input),second,2,0,\n"
    if expected == "lint" {
      #expect(try folder.lint(lines, data).contains { $0.contains("[datePattern]") })
      return
    }
    let summary = try folder.run(lines, data)
    if expected.hasPrefix("!") {
      #expect(summary.rejectCounts == [String(expected.dropFirst()): 1], "\(folder.rejectsText)")
      #expect(summary.rejected == 1)
    } else {
      #expect(try folder.rejects() == [])
      #expect(try folder.rows() == [expected])
    }
  }

  @Test("typed results fill attributes of every type") func fillsTypes() throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      """
      attributes:
        number: { from: n, do: [{ multiply: 2 }] }
        amount: { from: price, decimal_mark: comma, do: [{ multiply: '1.1' }, { round: 2 }] }
        real: { from: n, do: [{ to: double }, { divide: 3 }] }
        day: { from: d, date: dd.MM.yyyy, do: [{ date_add: { days: 1 } }] }
        flag: { from: f, 'true': [ja], 'false': [nein] }
        text: { value: "uppercase:(t)" }
      """, "key,n,price,d,f,t\n1,21,\"2,50\",31.12.2023,ja,é\n2,,,,nein,\n")
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(
      try folder.rows("ZNUMBER,ZAMOUNT,ZREAL,ZDAY,ZFLAG,ZTEXT") == ["42|2.75|7.0|725760000|1|É", "-|-|-|-|0|"])
  }

  @Test("decimals that a column does not keep are refused, not rounded without a word") func keepsDigits() throws {
    let folder = try TransformFolder()
    let lines = """
      columns: { total: { from: n, do: [{ to: decimal }] } }
      attributes:
        amount: { from: n, do: [{ add: 1 }] }
      """
    let data =
      "key,n\n1,9223372036854775807\n2,9223372036854775806\n3,12345678901234567.8\n4,0.12345678901234567\n5,0.1\n"
    let summary = try folder.run(lines, data)
    #expect(summary.rejectCounts == ["value.precision": 3], "\(folder.rejectsText)")
    #expect(try folder.rows("ZKEY,ZAMOUNT") == ["2|9223372036854775807", "5|1.1"])
  }

  @Test("a binary number fills a decimal as it is, and a float only when it is not too great") func keepsBinary() throws
  {
    let folder = try TransformFolder()
    let summary = try folder.run(
      """
      columns: { x: { from: n, type: double } }
      attributes:
        amount: { value: "x * 3" }
        short: { value: "x * 1" }
      """, "key,n\n1,0.1\n2,1e39\n")
    #expect(summary.rejectCounts == ["value.range": 1], "\(folder.rejectsText)")
    #expect(try folder.rows("ZAMOUNT,ZSHORT") == ["0.3|0.100000001490116"])
  }

  @Test(
    "a division that names no places gives ten of them, or as many as a column keeps",
    arguments: [
      ("1", "0.3333333333"), ("100000", "33333.3333333333"), ("1000000", "333333.333333333"),
      ("2000000000000", "666666666666.667"), ("20000000000000000", "6666666666666667"), ("9", "3"),
      ("-1000001", "-333333.666666667"),
    ])
  func dividesToWhatIsKept(number: String, expected: String) throws {
    let folder = try TransformFolder()
    let summary = try folder.run(
      """
      columns: { x: { from: n, type: decimal } }
      attributes:
        amount: { from: n, do: [{ divide: 3 }] }
        text: { value: "x / 3" }
      """, "key,n\n1,\(number)\n")
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(try folder.rows("ZTEXT,ZAMOUNT") == ["\(expected)|\(expected)"])
  }

  @Test("a table comes from a file") func readsTables() throws {
    let folder = try TransformFolder()
    try folder.folder.write("code,name\nCH,Schweiz\nDE,\"Land, das\"\n", to: "table.csv")
    try folder.run(
      "attributes: { text: { from: c, do: [upper, { map: { file: table.csv, otherwise: keep } }] } }",
      "key,c\n1,ch\n2,de\n3,fr\n")
    #expect(try folder.rows() == ["Schweiz", "Land, das", "FR"])
  }

  @Test("the options of all fields hold for columns, too, so that a text means one thing")
  func defaultsOfColumns() throws {
    let folder = try TransformFolder()
    let fields = "fields: { decimal_mark: comma, group_mark: point, zone: \"+01:00\", null_tokens: [none] }"
    let summary = try folder.run(
      """
      columns:
        p: { type: decimal }
        q: { type: decimal, decimal_mark: point, group_mark: comma }
        t: { type: date }
      attributes:
        amount: p
        text: { value: "CAST(p * 2, 'NSString')" }
        number: { from: t, do: [{ date_part: hour }] }
        short: { value: "q * 2" }
      """, "key,p,q,t\n1,1.250,1.250,2024-01-01 00:30\n2,none,none,none\n", more: fields)
    #expect(summary.rejected == 0, "\(folder.rejectsText)")
    #expect(try folder.rows("ZAMOUNT,ZTEXT,ZNUMBER,ZSHORT") == ["1250|2500|23|2.5", "-|-|-|-"])
  }

  @Test("a table has one entry for a value") func refusesTwoEntries() throws {
    let folder = try TransformFolder()
    let lines = "attributes: { text: { from: c, do: [{ map: { file: table.csv } }] } }"
    try folder.folder.write("code,name\nCH,Schweiz\nDE,Land\nCH,Schweiz\n", to: "table.csv")
    try folder.run(lines, "key,c\n1,CH\n")
    #expect(try folder.rows() == ["Schweiz"])
    try folder.folder.write("code,name\nCH,Schweiz\nDE,Land\nCH,Suisse\n", to: "table.csv")
    let findings = try folder.lint(lines, "key,c\n1,CH\n")
    #expect(findings.contains { $0.contains("line 4: “CH” also occurs on line 2, with another value") }, "\(findings)")
  }

  @Test("a value that several objects have which differ is not looked up") func refusesSeveralObjects() throws {
    let folder = try TransformFolder()
    try folder.folder.write("code,name,size\nA,same,1\nB,same,1\nC,other,2\nD,third,2\n", to: "countries.csv")
    try folder.folder.write("key,c\n1,1\n2,2\n", to: "data.csv")
    let text = """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      imports:
        - source: countries.csv
          import: { entity: Country, find_by: [code], attributes: [name, size] }
        - source: data.csv
          import:
            entity: Thing
            find_by: [key]
            attributes:
              text: { from: c, do: [{ lookup: { entity: Country, find_by: size, take: name, otherwise: keep } }] }
      """
    let summary = try ImportSession(folder.read(text)).run()
    #expect(try folder.rows() == ["same"])
    #expect(summary.rejectCounts == ["transform.lookup": 1])
    #expect(
      try folder.rejects() == ["2 transform.lookup lookup: the store has several objects for \"2\", which differ"])
  }

  @Test("objects of the store are looked up") func looksUp() throws {
    let folder = try TransformFolder()
    try folder.folder.write("code,name,size\nCH,Schweiz,41\nDE,Deutschland,357\n", to: "countries.csv")
    try folder.folder.write("key,c\n1,CH\n2,DE\n3,FR\n4,\n", to: "data.csv")
    let text = """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      imports:
        - source: countries.csv
          import: { entity: Country, find_by: [code], attributes: [name, size] }
        - source: data.csv
          import:
            entity: Thing
            find_by: [key]
            attributes:
              text: { from: c, do: [{ lookup: { entity: Country, find_by: code, take: name } }] }
              number:
                from: c
                do: [{ lookup: { entity: Country, find_by: code, take: size, otherwise: "null" } }, { multiply: 10 }]
      """
    let summary = try ImportSession(folder.read(text)).run()
    #expect(try folder.rows("ZKEY,ZTEXT,ZNUMBER") == ["1|Schweiz|410", "2|Deutschland|3570", "4|-|-"])
    #expect(summary.rejectCounts == ["transform.lookup": 1])
    #expect(try folder.rejects() == ["3 transform.lookup lookup: the store has no object for \"FR\""])
  }

  @Test("a run that resumes has the moment at which it began") func now() throws {
    let folder = try TransformFolder()
    try folder.run("attributes: [text]", "key,text\nz,Z\n")
    try folder.folder.write("key\na\nb\nc\n", to: "data.csv")
    let lines = "attributes: { day: { value: \"now()\" } }"
    let definition = try folder.read(TransformFolder.text(lines, more: "batch: { records: 1 }"))
    #expect(try definition.run(stop: 1).resumedAfter == 1)
    let moments = try folder.rows("ZDAY").filter { $0 != "-" }
    #expect(moments.count == 3 && Set(moments).count == 1, "\(moments)")
  }

  @Test("absent and null stay what they are") func keepsNothing() throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      "{\"key\":\"1\",\"a\":\"x\"}\n{\"key\":\"2\",\"a\":null}\n{\"key\":\"3\"}\n{\"key\":\"4\",\"a\":\"\"}\n",
      to: "data.ndjson")
    let text = TransformFolder.text(
      "attributes: { text: { from: a, do: [upper], absent_value: gone, null_value: none, empty_value: void } }",
      source: "data.ndjson")
    _ = try ImportSession(folder.read(text)).run()
    #expect(try folder.rows() == ["X", "none", "gone", "void"])
  }
}
