import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("To-many relationships from lists") struct ListTests {
  let folder: RelationFolder

  init() throws { folder = try RelationFolder() }

  @Test(
    "a text with separators is a list: pieces are trimmed, empty ones skipped, repeated ones folded",
    arguments: [1, 2, 100])
  func split(batch: Int) throws {
    try folder.pipeline("tags: { split: \";\", find_by: { name: tags } }", file: "in.csv")
    try folder.run("number,tags\n1,red; green;;blue;red\n2,\n3,green", file: "in.csv", batch: batch)
    #expect(try folder.linked("tags") == ["1 red,green,blue", "2 -", "3 green"])
    try folder.verify()
    // The list is the truth: what is not in it is no longer related.
    let summary = try folder.run("number,tags\n1,blue;yellow\n3,\n2,red", file: "in.csv", batch: batch)
    #expect((summary.inserted, summary.updated, summary.unchanged) == (0, 3, 0))
    #expect(try folder.linked("tags") == ["1 blue,yellow", "2 red", "3 -"])
    #expect(try folder.rows("SELECT count(*) FROM ZTAG") == ["4"])
    try folder.verify()
  }

  @Test(
    "what one list has let go another one takes again, with the same content", arguments: [1, 2, 100], [false, true])
  func takenAgain(batch: Int, isThere: Bool) throws {
    try folder.pipeline("notes: { each: notes, find_by: [code], attributes: [text] }")
    let note = #"[{"code":"n","text":"t"}]"#
    if isThere { try folder.run("{\"number\":1,\"notes\":\(note)}") }
    try folder.run(
      "{\"number\":1,\"notes\":\(note)}\n{\"number\":1,\"notes\":[]}\n{\"number\":1,\"notes\":\(note)}", batch: batch)
    #expect(try folder.rows("SELECT a.ZNUMBER FROM ZNOTE AS n LEFT JOIN ZARTICLE AS a ON a.Z_PK = n.ZARTICLE") == ["1"])
    try folder.verify()
  }

  @Test("a value that is no object has no members, alone as in an array", arguments: ["\"n\"", "5", "true", "[\"n\"]"])
  func scalars(_ value: String) throws {
    try folder.pipeline("notes: { each: notes, find_by: [code], attributes: [text] }")
    let summary = try folder.run("{\"number\":1,\"notes\":\(value)}\n{\"number\":2,\"notes\":{\"code\":\"c\"}}")
    #expect(summary.rejectCounts == ["read.notAnObject": 1])
    #expect(try folder.rows("SELECT ZCODE FROM ZNOTE") == ["c"])
    // Where the element itself is asked for, its members are absent.
    try folder.pipeline("notes: { each: notes, find_by: { code: . }, attributes: [text] }")
    try folder.run("{\"number\":3,\"notes\":\"d\"}")
    #expect(try folder.rows("SELECT ZCODE || ifnull(ZTEXT, '-') FROM ZNOTE WHERE ZCODE = 'd'") == ["d-"])
  }

  @Test("a target with one object at both ends is taken and taken back", arguments: [1, 2, 100], [false, true])
  func takenBack(batch: Int, isThere: Bool) throws {
    let folder = try RelationFolder(
      model: """
        model: Trips
        entities:
          Person:
            attributes: { name: string! }
            relationships: { pass: { to_one: Pass, inverse: holder } }
            unique: [name]
          Pass:
            attributes: { code: string! }
            relationships: { holder: { to_one: Person, inverse: pass } }
            unique: [code]
        """)
    try folder.folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: in.csv
      import: { entity: Person, find_by: [name], relationships: { pass: { find_by: { code: pass } } } }
      """, to: "pipeline.yaml")
    if isThere { try folder.run("name,pass\na,p\nb,", file: "in.csv") }
    try folder.run("name,pass\na,p\nb,p\na,p", file: "in.csv", batch: batch)
    let held = try folder.rows(
      "SELECT n.ZNAME, p.ZCODE FROM ZPERSON AS n LEFT JOIN ZPASS AS p ON p.Z_PK = n.ZPASS ORDER BY 1")
    #expect(held == ["a p", "b -"])
  }

  @Test("a list that says what is there writes nothing") func unchanged() throws {
    try folder.pipeline(
      """
      tags: { split: ";", find_by: { name: tags } }
      topics: { each: topics, find_by: { name: . } }
      lines: { each: lines, find_by: [number], attributes: [text], orphans: delete }
      """)
    let records = (1...50).map {
      "{\"number\":\($0),\"tags\":\"t\($0 % 7);t\($0 % 3)\",\"topics\":[\"b\($0 % 5)\",\"a\($0 % 2)\"],\"lines\":[{\"number\":2,\"text\":\"x\"},{\"number\":1}]}"
    }.joined(separator: "\n")
    try folder.run(records, batch: 7)
    let before = try folder.everything()
    for batch in [1, 7, 1000] {
      let summary = try folder.run(records, batch: batch)
      #expect((summary.inserted, summary.updated, summary.unchanged) == (0, 0, 50))
      #expect(try folder.everything() == before)
    }
    try folder.verify()
  }

  @Test("JSON arrays of scalars keep their order in an ordered relationship") func ordered() throws {
    try folder.pipeline("topics: { each: topics, find_by: { name: . } }")
    try folder.run(#"{"number":1,"topics":["c","a","b"]}"# + "\n" + #"{"number":2,"topics":["b","c","",null,"b"]}"#)
    #expect(try folder.linked("topics") == ["1 c,a,b", "2 b,c"])
    try folder.run(#"{"number":1,"topics":["b","c","d","a"]}"#)
    #expect(try folder.linked("topics") == ["1 b,c,d,a", "2 b,c"])
    // A single value is a list of one, and a number can be a key's text.
    try folder.run(#"{"number":2,"topics":"z"}"#)
    #expect(try folder.linked("topics") == ["1 b,c,d,a", "2 z"])
    try folder.verify()
  }

  @Test("a record without the column keeps what is there; a null clears it, or as the policy says") func absentAndNull()
    throws
  {
    for (policy, expected) in [("clear", "1 -"), ("keep", "1 a,b"), ("reject", "1 a,b")] {
      let folder = try RelationFolder()
      try folder.pipeline("tags: { split: \",\", find_by: { name: tags }, empty: \(policy) }")
      try folder.run(#"{"number":1,"tags":"a,b"}"#)
      let absent = try folder.run(#"{"number":1}"#)
      #expect(absent.unchanged == 1)
      #expect(try folder.linked("tags") == ["1 a,b"])
      for empty in ["null", "\"\"", "[]", "\" , \""] {
        let summary = try folder.run("{\"number\":1,\"tags\":\(empty)}")
        #expect(summary.rejected == (policy == "reject" ? 1 : 0), "\(policy) \(empty)")
        #expect(try folder.linked("tags") == [expected], "\(policy) \(empty)")
        if policy == "clear" { try folder.run(#"{"number":1,"tags":"a,b"}"#) }
      }
    }
  }

  @Test("links: add leaves what is there") func add() throws {
    try folder.pipeline(
      """
      tags: { split: ",", find_by: { name: tags }, links: add }
      lines: { each: lines, find_by: [number], links: add }
      """)
    try folder.run(#"{"number":1,"tags":"a,b","lines":[{"number":1}]}"#)
    try folder.run(#"{"number":1,"tags":"b,c","lines":[{"number":2},{"number":1}]}"#)
    #expect(try folder.linked("tags") == ["1 a,b,c"])
    #expect(try folder.rows("SELECT ZNUMBER FROM ZLINE ORDER BY Z_FOK_ARTICLE") == ["1", "2"])
    let again = try folder.run(#"{"number":1,"tags":"c","lines":[]}"#)
    #expect(again.unchanged == 1)
    try folder.verify()
  }

  @Test("child records belong to their owner: their keys are those within it", arguments: [1, 2, 100])
  func children(batch: Int) throws {
    try folder.pipeline(
      """
      lines:
        each: lines
        find_by: [number]
        attributes: { text: detail.text }
        orphans: delete
        relationships:
          product: { find_by: { sku: sku } }
          parts: { each: parts, find_by: [letter], attributes: [amount], orphans: delete }
      """)
    let first = """
      {"number":1,"lines":[{"number":1,"detail":{"text":"one"},"sku":"s","parts":[{"letter":"a","amount":1},{"letter":"b"}]},{"number":2,"sku":"t"}]}
      {"number":2,"lines":[{"number":1,"sku":"s","parts":[{"letter":"a","amount":9}]}]}
      """
    let all =
      "SELECT a.ZNUMBER, l.ZNUMBER, l.ZTEXT, p.ZSKU, (SELECT group_concat(ZLETTER || ifnull(ZAMOUNT, '')) FROM (SELECT * FROM ZPART WHERE ZLINE = l.Z_PK ORDER BY ZLETTER)) "
      + "FROM ZLINE AS l JOIN ZARTICLE AS a ON a.Z_PK = l.ZARTICLE LEFT JOIN ZPRODUCT AS p ON p.Z_PK = l.ZPRODUCT ORDER BY 1, l.Z_FOK_ARTICLE"
    let made = try folder.run(first, batch: batch)
    #expect(made.rejected == 0)
    #expect(try folder.rows(all) == ["1 1 one s a1,b", "1 2 - t -", "2 1 - s a9"])
    try folder.verify()
    // Line 2 comes first and has parts, part b of line 1 goes; the other article loses its line.
    let second = """
      {"number":1,"lines":[{"number":2,"sku":"t","parts":[{"letter":"z"}]},{"number":1,"detail":{"text":"uno"},"sku":"s","parts":[{"letter":"a","amount":2}]}]}
      {"number":2,"lines":[]}
      """
    let summary = try folder.run(second, batch: batch)
    // Line 2 has another list of parts, and line 1 another text.
    #expect(summary.entities["Line"]?.updated == 2)
    #expect(try folder.rows(all) == ["1 2 - t z", "1 1 uno s a2"])
    #expect(try folder.rows("SELECT count(*) FROM ZPART") == ["2"])
    try folder.verify()
    let before = try folder.everything()
    let again = try folder.run(second, batch: batch)
    #expect(again.unchanged == 2)
    #expect(try folder.everything() == before)
  }

  @Test("objects with a key of their own move from one owner to another; who is left out stays without one")
  func moving() throws {
    try folder.pipeline("notes: { each: notes, find_by: [code], attributes: [text] }")
    try folder.run(
      """
      {"number":1,"notes":[{"code":"a","text":"x"},{"code":"b"}]}
      {"number":2,"notes":[{"code":"c"}]}
      """)
    let all = "SELECT n.ZCODE, a.ZNUMBER FROM ZNOTE AS n LEFT JOIN ZARTICLE AS a ON a.Z_PK = n.ZARTICLE ORDER BY 1"
    try folder.run(
      """
      {"number":1,"notes":[{"code":"c"}]}
      {"number":2,"notes":[{"code":"a"}]}
      """)
    #expect(try folder.rows(all) == ["a 2", "b -", "c 1"])
    try folder.verify()
  }

  @Test("a relationship that is its own inverse takes lists") func reflexive() throws {
    try folder.pipeline("related: { split: \" \", find_by: { number: related } }")
    try folder.run("{\"number\":1,\"related\":\"2 3\"}\n{\"number\":3}\n{\"number\":2}")
    let all =
      "SELECT a.ZNUMBER, b.ZNUMBER FROM Z_1RELATED AS j JOIN ZARTICLE AS a ON a.Z_PK = j.Z_1RELATED "
      + "JOIN ZARTICLE AS b ON b.Z_PK = j.Z_1RELATED1 ORDER BY 1, 2"
    let columns = try folder.rows("SELECT name FROM pragma_table_info('Z_1RELATED')")
    let sql = all.replacingOccurrences(of: "j.Z_1RELATED ", with: "j.\(columns[0]) ").replacingOccurrences(
      of: "j.Z_1RELATED1", with: "j.\(columns[1])")
    #expect(try folder.rows(sql) == ["1 2", "1 3", "2 1", "3 1"])
    #expect(try folder.rows("SELECT count(*) FROM ZARTICLE") == ["3"])
    try folder.run("{\"number\":3,\"related\":\"2\"}")
    #expect(try folder.rows(sql) == ["1 2", "2 1", "2 3", "3 2"])
    try folder.verify()
  }

  @Test("two records of one batch with the same object: the later list is the truth") func repeated() throws {
    try folder.pipeline(
      """
      tags: { split: ",", find_by: { name: tags } }
      lines: { each: lines, find_by: [number], orphans: delete }
      """)
    for batch in [1, 100] {
      try folder.run(
        """
        {"number":\(batch),"tags":"a,b","lines":[{"number":1},{"number":2}]}
        {"number":7,"tags":"a"}
        {"number":\(batch),"tags":"b,c","lines":[{"number":2},{"number":3}]}
        """, batch: batch)
    }
    #expect(try folder.linked("tags") == ["1 b,c", "7 a", "100 b,c"])
    #expect(try folder.rows("SELECT ZNUMBER FROM ZLINE ORDER BY ZARTICLE, 1") == ["2", "3", "2", "3"])
    try folder.verify()
  }

  @Test("a record that comes twice in a batch does not touch the lists of the others", arguments: [1, 100])
  func repeatedBesideOthers(batch: Int) throws {
    try folder.pipeline("lines: { each: lines, find_by: [number], attributes: [text], orphans: delete }")
    let records = """
      {"number":4,"lines":[{"number":5,"text":"x"}]}
      {"number":8,"lines":[]}
      {"number":8,"lines":[]}
      """
    let summary = try folder.run(records, batch: batch)
    #expect(try folder.rows("SELECT ZNUMBER, ZTEXT FROM ZLINE") == ["5 x"])
    #expect(summary.entities["Line"]?.inserted == 1)
    #expect((summary.inserted, summary.unchanged) == (2, 1))
    let again = try folder.run(records, batch: batch)
    #expect(again.entities["Line"]?.unchanged == 1 && again.entities["Line"]?.inserted == 0)
    #expect(try folder.rows("SELECT count(*) FROM ZLINE") == ["1"])
    try folder.verify()
  }

  @Test("one bad element rejects its record whole, and says which", arguments: [1, 100]) func badElements(batch: Int)
    throws
  {
    try folder.pipeline(
      """
      lines:
        each: lines
        find_by: [number]
        orphans: delete
        relationships: { product: { find_by: { sku: sku }, missing: reject } }
      tags: { split: ";", find_by: { name: tags }, empty_elements: reject }
      """)
    let summary = try folder.run(
      """
      {"number":1,"lines":[{"number":1},{"number":"x"}]}
      {"number":2,"lines":[{"number":1,"sku":"nowhere"}],"tags":"n"}
      {"number":3,"lines":[1]}
      {"number":4,"lines":"[{"}
      {"number":5,"tags":"a;;b"}
      {"number":6,"lines":[{"number":1}],"tags":"a"}
      """, batch: batch)
    #expect((summary.inserted, summary.rejected) == (1, 5))
    #expect(try folder.rows("SELECT ZNUMBER FROM ZARTICLE") == ["6"])
    #expect(try folder.rows("SELECT count(*) FROM ZLINE") == ["1"])
    #expect(try folder.rows("SELECT ZNAME FROM ZTAG") == ["a"])
    let rejects = try folder.rejects()
    #expect(rejects.count == 5)
    for (index, parts) in [
      [#""field":"lines[2].number""#, "value.integer", #""column":35"#],
      [#""field":"lines[1].sku""#, "missingTarget", "nowhere"],
      [#""field":"lines[1]""#, "read.notAnObject"], [#""field":"lines""#, "read.invalidJSON"],
      [#""field":"tags""#, "value.empty", "element 2"],
    ].enumerated() {
      for part in parts { #expect(rejects[index].contains(part), "\(rejects[index]) lacks \(part)") }
    }
    try folder.verify()
  }

  @Test("the number of a bad element counts the empty ones before it") func numbersOfElements() throws {
    try folder.pipeline(
      """
      lines:
        each: lines
        find_by: [number]
        orphans: delete
        relationships: { product: { find_by: { sku: sku }, missing: reject } }
      """)
    let summary = try folder.run(
      """
      {"number":1,"lines":[null,{"number":1},"",{"number":"x"}]}
      {"number":2,"lines":[]}
      {"number":3,"lines":["",null,1]}
      {"number":4,"lines":[{"number":1},null,{"number":2,"sku":"nowhere"}]}
      """)
    #expect((summary.inserted, summary.rejected) == (1, 3))
    let rejects = try folder.rejects()
    #expect(rejects.count == 3)
    for (reject, field) in zip(rejects, ["lines[4].number", "lines[3]", "lines[3].sku"]) {
      #expect(reject.contains("\"field\":\"\(field)\""), "\(reject)")
    }
    try folder.verify()
  }

  @Test("elements that are not there: rejected or passed over") func missing() throws {
    try folder.pipeline("tags: { split: \",\", find_by: { name: tags } }")
    try folder.run(#"{"number":1,"tags":"a,b"}"#)
    try folder.pipeline("tags: { split: \",\", find_by: { name: tags }, missing: null }")
    try folder.run(#"{"number":2,"tags":"b,c"}"#)
    try folder.pipeline("tags: { split: \",\", find_by: { name: tags }, missing: reject }")
    let summary = try folder.run("{\"number\":3,\"tags\":\"b,c\"}\n{\"number\":4,\"tags\":\"b\"}")
    #expect(summary.rejected == 1)
    #expect(try folder.linked("tags") == ["1 a,b", "2 b", "4 b"])
    #expect(try folder.rows("SELECT count(*) FROM ZTAG") == ["2"])
    try folder.verify()
  }

  @Test("XML and YAML: repeated children and sequences are lists") func otherFormats() throws {
    try folder.pipeline(
      """
      tags: { each: tag, find_by: { name: . } }
      lines: { each: line, find_by: [number], attributes: [text], orphans: delete }
      """, file: "{ files: in.xml, records: /articles/article }")
    try folder.folder.write(
      "<articles><article><number>1</number><tag>a</tag><tag>b</tag><line><number>1</number><text>x</text></line></article>"
        + "<article><number>2</number><tag>b</tag><line><number>1</number></line><line><number>2</number></line></article></articles>",
      to: "in.xml")
    _ = try ImportSession(Pipeline.read(folder.folder.file("pipeline.yaml")).definition).run()
    #expect(try folder.linked("tags") == ["1 a,b", "2 b"])
    #expect(try folder.rows("SELECT ZNUMBER, ZTEXT FROM ZLINE ORDER BY ZARTICLE, 1") == ["1 x", "1 -", "2 -"])
    try folder.pipeline(
      """
      tags: { each: tags, find_by: { name: . } }
      lines: { each: lines, find_by: [number], attributes: [text], orphans: delete }
      """, file: "in.yaml")
    try folder.run("- { number: 1, tags: [b], lines: [{ number: 1, text: y }, { number: 4 }] }", file: "in.yaml")
    #expect(try folder.linked("tags") == ["1 b", "2 b"])
    #expect(try folder.rows("SELECT ZNUMBER, ZTEXT FROM ZLINE ORDER BY ZARTICLE, 1") == ["1 y", "4 -", "1 -", "2 -"])
    try folder.verify()
  }

  @Test("an unchanged batch asks one question for each list, whatever it holds") func statements() throws {
    try folder.pipeline(
      """
      tags: { split: ";", find_by: { name: tags } }
      lines: { each: lines, find_by: [number], orphans: delete }
      """)
    func records(_ count: Int) -> String {
      (1...count).map { "{\"number\":\($0),\"tags\":\"a;b\",\"lines\":[{\"number\":1},{\"number\":2}]}" }.joined(
        separator: "\n")
    }
    try folder.run(records(300))
    let few = try folder.run(records(100))
    let many = try folder.run(records(300))
    #expect(few.unchanged == 100 && many.unchanged == 300)
    #expect(few.statements == many.statements)
  }
}
