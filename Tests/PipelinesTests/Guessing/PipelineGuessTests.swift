import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

@Suite("Guessed pipelines")
struct PipelineGuessTests: GuessTests {
  let folder = TemporaryFolder()

  /// A file with each question on one line.
  private func text(_ guess: PipelineGuess, _ file: Int) -> String {
    guess.files[file].text.replacing(#/\n *#   /#, with: " ")
  }

  /// Takes the first line that the pipeline proposes for each attribute, and its type, as a person would.
  private func takeFirstAnswers(_ guess: PipelineGuess) throws {
    var (model, pipeline) = (guess.files[0].text, guess.files[1].text)
    var taken: Set<Substring> = []
    for line in guess.files[1].text.split(separator: "\n") {
      guard let answer = line.wholeMatch(of: #/    # (\w+): .*  # (\w+).*/#), taken.insert(answer.1).inserted else {
        continue
      }
      let (field, attribute) = (
        try Regex("\n    \(answer.1): .*"),
        try Regex("      \(answer.1): \\w+\(line.contains("without “!”") ? "!" : "")")
      )
      pipeline = pipeline.replacing(field, with: "\n    \(line.dropFirst(6))")
      model = model.replacing(attribute, with: "      \(answer.1): \(answer.2)")
    }
    try model.write(toFile: guess.files[0].path, atomically: true, encoding: .utf8)
    try pipeline.write(toFile: guess.files[1].path, atomically: true, encoding: .utf8)
  }

  @Test("files whose names differ in numbers only, with the same columns, are one source")
  func parts() throws {
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "people-1.csv")
    try folder.write("id,name\n3,Edsger\n", to: "people-2.csv")
    let guess = try guess("people-1.csv", "people-2.csv")
    #expect(guess.summaries.map(\.entity) == ["People"])
    #expect(guess.summaries[0].records == 3)
    #expect(guess.files.map { $0.path.split(separator: "/").last } == ["model.yaml", "people.yaml"])
    #expect(text(guess, 1).contains("files: [\(folder.file("people-1.csv")), \(folder.file("people-2.csv"))]"))
    #expect(try run(guess) == [3])
  }

  @Test(
    "files with other columns, other names or another dialect stay apart",
    arguments: [
      ("people-2.csv", "id,name,born\n3,Edsger,1930-05-11\n", ["People", "People2"]),
      ("persons.csv", "id,name\n3,Edsger\n", ["People", "Person"]),
      ("people-2.tsv", "id\tname\n3\tEdsger\n", ["People", "People2"]),
      ("people-2.csv", "id;name\n3;Edsger\n4;Barbara, L\n", ["People", "People2"]),
    ])
  func apart(name: String, content: String, entities: [String]) throws {
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "people-1.csv")
    try folder.write(content, to: name)
    let guess = try guess("people-1.csv", name)
    #expect(guess.summaries.map(\.entity).sorted() == entities)
    #expect(try run(guess).reduce(0, +) == 2 + content.split(separator: "\n").count - 1)
  }

  @Test("a file becomes an entity with a key, types and what speaks for them")
  func customers() throws {
    try folder.write(
      """
      customer_id,name,born,zip,balance
      1,Ada,1815-12-10,01234,1.50
      2,Grace,,54321,-2
      3,,1912-06-23,99999,0.25

      """, to: "customers.csv")
    let guess = try guess("customers.csv")
    #expect(
      text(guess, 0).hasSuffix(
        """
        entities:
          Customer:
            attributes:
              customerId: integer64!
              name: string
              born: date
              zip: string!
              balance: decimal!
            unique: [customerId]

        """))
    let pipeline = text(guess, 1)
    #expect(pipeline.contains("find_by: [customerId]  # 3 values, all different, none missing\n"))
    #expect(pipeline.contains("    customerId: customer_id  # integer: 3 values, 1 to 3, all different\n"))
    #expect(pipeline.contains("    zip: zip  # text: 3 values, 1 value with leading zeros (01234), all different\n"))
    #expect(pipeline.contains("    born: born  # date: 2 values, ISO 8601, 1 missing\n"))
    #expect(pipeline.contains("  \"null\": [\"\"]  # 1 empty field without quotes in columns of text\n"))
    #expect(try run(guess) == [3])
    let summary = guess.summaries[0]
    #expect(summary.entity == "Customer" && summary.key == ["customerId"] && summary.isWhole && summary.records == 3)
  }

  @Test("what only a further file has, records of several elements, and envelopes are asked about")
  func kindsOfRecords() throws {
    try folder.write("id,n\n1,a\n2,b\n", to: "part-1.csv")
    try folder.write("id,n,z\n3,c,9\n", to: "part-2.csv")
    let parts = try guess("part-*.csv")
    #expect(
      text(parts, 1).contains("part-2.csv” has columns that the first file does not have: z"),
      "\(text(parts, 1))")
    #expect(try run(parts) == [3])
    try folder.write(
      "<gpx><metadata><name>x</name></metadata><wpt lat='1'><name>a</name></wpt><wpt lat='2'><name>b</name></wpt></gpx>",
      to: "a.gpx")
    let kinds = try guess("a.gpx")
    #expect(
      text(kinds, 1).contains(
        "# QUESTION: the records are elements of 2 names (metadata 1, wpt 2). Are only some of them records? Then guess"
          + " again with --option 'records=/*/wpt'"), "\(text(kinds, 1))")
    let chosen = try guess("a.gpx", options: [("records", "/*/wpt")])
    #expect(!text(chosen, 1).contains("elements of"))
    try folder.write(
      "<rss><channel><title>t</title><item><guid>1</guid></item><item><guid>2</guid></item></channel></rss>",
      to: "a.rss")
    #expect(text(try guess("a.rss"), 1).contains("--option 'records=/*/channel/item'"))
    #expect(
      text(try guess("a.rss", options: [("records", "/*/channel/item")]), 1).contains("guid: guid  # integer: 2 values")
    )
  }

  @Test("a header that stands again with another name is asked about") func nearHeader() throws {
    try folder.write("code,name,city\nC1,a,x\nC2,b,y\nC3,c,z\nC4,d,w\ncode,name,town\nD1,a,x\n", to: "towns.csv")
    let guess = try guess("towns.csv")
    #expect(
      text(guess, 1).contains("# QUESTION: is the record on line 6 the header of another file"), "\(text(guess, 1))")
    #expect(try run(guess) == [6])
  }

  @Test("columns with keys of another source become relationships, and pipelines run in their order")
  func relationships() throws {
    try folder.write("order_id,customer_id,amount\n10,1,5\n11,2,6\n12,1,7\n", to: "orders.csv")
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "customers.csv")
    try folder.write("OrderID,Line,BillingCustomerId\n10,1,2\n10,2,\n11,1,1\n", to: "order_lines.csv")
    let guess = try guess("order_lines.csv", "orders.csv", "customers.csv")
    #expect(guess.summaries.map(\.entity) == ["Customer", "Order", "OrderLine"])
    #expect(
      text(guess, 2).hasSuffix(
        """
          relationships:
            # all 3 values are found in Customer.id
            customer: { find_by: { id: customer_id }, mode: update }
        rejects: { file: orders.rejects.ndjson }

        """))
    #expect(text(guess, 0).contains("customer: { to_one: Customer, inverse: orders, required: true }"))
    #expect(text(guess, 0).contains("orders: { to_many: Order, inverse: customer }"))
    #expect(text(guess, 0).contains("billingCustomer: { to_one: Customer, inverse: orderLinesAsBillingCustomer }"))
    #expect(!text(guess, 2).contains("customerId:"))
    #expect(try run(guess) == [2, 3, 3])
  }

  @Test("keys that the other source does not have are a question, not a relationship")
  func missingKeys() throws {
    try folder.write("id,customer_id\n1,1\n2,2\n3,9\n", to: "orders.csv")
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "customers.csv")
    let guess = try guess("orders.csv", "customers.csv")
    let orders = try #require(guess.files.first { $0.path.hasSuffix("orders.yaml") }).text
    #expect(orders.contains("# QUESTION: customer_id looks like Customer.id, but 1 of 3 values is not in the sample"))
    #expect(orders.contains("customerId: customer_id"))
    #expect(try run(guess).reduce(0, +) == 5)
  }

  @Test("references to the own entity and circles are questions")
  func circles() throws {
    try folder.write("id,manager_id,team_id\n1,,1\n2,1,1\n", to: "people.csv")
    try folder.write("id,people_id\n1,2\n2,1\n", to: "teams.csv")
    let guess = try guess("people.csv", "teams.csv")
    let texts = guess.files.indices.map { text(guess, $0) }.joined()
    #expect(texts.contains("to the same entity needs its objects to be there"))
    #expect(texts.contains("would form a cycle"))
    #expect(try run(guess) == [2, 2])
  }

  @Test("what no column identifies is inserted, and a repeated key is asked about")
  func noKey() throws {
    try folder.write("id,x\n1,a\n1,b\n2,a\n", to: "things.csv")
    let guess = try guess("things.csv")
    #expect(text(guess, 1).contains("  mode: insert\n"))
    #expect(text(guess, 1).contains("id has 2 different values in 3 records: is it the key?"))
    #expect(try run(guess) == [3])
  }

  @Test("records that cannot be read are none of those that a key is counted in")
  func rejectedKeys() throws {
    let rows = (0..<12).map { "\($0 / 2),a,b\n" }.joined()
    try folder.write("id,x,y\n\(rows)7,c\n8,d\n", to: "things.csv")
    let pipeline = text(try guess("things.csv"), 1)
    #expect(pipeline.contains("id has 6 different values in 12 records: is it the key?"), "\(pipeline)")
  }

  @Test("the key of another source is no key here, however few records have it once each")
  func foreignKey() throws {
    try folder.write("customer_id,name\n1,Ada\n2,Bob\n3,Cy\n4,Di\n", to: "customers.csv")
    try folder.write("order_no,customer_id\nA1,1\nA2,2\nA3,9\nA2,3\n", to: "orders.csv")
    let guess = try guess("customers.csv", "orders.csv")
    let orders = text(guess, 2)
    #expect(orders.contains("  mode: insert\n"), "\(orders)")
    #expect(orders.contains("# QUESTION: orderNo has 3 different values in 4 records: is it the key?"), "\(orders)")
    #expect(orders.contains("customer_id looks like Customer.customerId, but 1 of 4 values"), "\(orders)")
    #expect(try run(guess) == [4, 4])
  }

  @Test("a few values that are not of the kind of all others are asked about, and the answer works")
  func exceptions() throws {
    let rows = (1...30).map {
      "\($0),\($0 == 7 ? "oops" : "\($0).5"),\($0 == 9 ? "31.02.2026" : "\($0 % 9 + 20).01.2026"),a\($0)"
    }
    try folder.write("id,amount,day,text\n" + rows.joined(separator: "\n") + "\n", to: "items.csv")
    let guess = try guess("items.csv")
    let pipeline = text(guess, 1)
    #expect(
      pipeline.contains(
        "# QUESTION: 29 of 30 values are numbers; is the other one, “oops”, a mistake? Then write this line, and its type in"
          + " model.yaml:\n    # amount: amount  # decimal, and a run rejects it\n"), "\(pipeline)")
    #expect(
      pipeline.contains(
        "# QUESTION: 29 of 30 values are dates; is the other one, “31.02.2026”, a mistake? Then write this line, and its type"
          + " in model.yaml:\n    # day: { from: day, date: \"dd.MM.yyyy\" }  # date, and a run rejects it\n"),
      "\(pipeline)")
    #expect(guess.summaries[0].questions == 2, "\(pipeline)")
    try takeFirstAnswers(guess)
    let summary = try ImportSession(try Pipeline.read(folder.file("out/items.yaml")).definition).run()
    #expect(summary.inserted == 28 && summary.rejected == 2)
  }

  @Test("pairs of keys identify what no single column does")
  func compositeKey() throws {
    try folder.write("playlist_id,track_id\n1,1\n1,2\n2,1\n", to: "entries.csv")
    let guess = try guess("entries.csv")
    #expect(text(guess, 1).contains("find_by: [playlistId, trackId]  #"))
    #expect(text(guess, 0).contains("unique: [[playlistId, trackId]]"))
    #expect(try run(guess) == [3])
  }

  @Test("objects inside objects become attributes, lists stay JSON with a question")
  func nested() throws {
    try folder.write(
      """
      {"id": 1, "customer": {"email": "a@b", "address": {"city": "Berlin", "zip": "01234"}}, "lines": [1, 2], "at": 1.5}
      {"id": 2, "customer": null, "lines": []}
      {"id": 3, "customer": {"email": "c\\nd", "address": {}}, "a.b": true}

      """, to: "orders.ndjson")
    let guess = try guess("orders.ndjson")
    let pipeline = text(guess, 1)
    #expect(
      pipeline.contains("    customerAddressCity: customer.address.city  # text: 1 value, up to 6 bytes, 2 missing\n"))
    #expect(pipeline.contains("lines: lines  # json: 2 values, objects or lists, 1 missing\n"))
    #expect(pipeline.contains("with each: lines"))
    #expect(pipeline.contains("aB: { from: a\\.b, \"true\": [\"true\"], \"false\": [\"false\"] }"))
    #expect(try run(guess) == [3])
  }

  @Test(
    "a text beside objects is no absent object in silence",
    arguments: [
      ("", "who is an object in 2 records and an empty text in 1, where its members are absent."),
      (" ", "who is an object in 2 records and an empty text in 1, where its members are absent."),
      ("text", "who: who  # text: 3 values, mixed: 2 objects or lists, 1 string"),
      ("2024-05-01", "who: who  # text: 3 values, mixed: 2 objects or lists, 1 string"),
    ])
  func textsBesideObjects(_ value: String, _ said: String) throws {
    let records = ["{\"a\": 1}", "\"\(value)\"", "{\"a\": 3}"].enumerated().map {
      "{\"id\": \($0.offset), \"who\": \($0.element)}\n"
    }
    try folder.write(records.joined(), to: "people.ndjson")
    let guess = try guess("people.ndjson")
    #expect(text(guess, 1).contains(said), "\(text(guess, 1))")
    #expect(try run(guess) == [3])
    try folder.write(records.joined().replacing("\"\(value)\"", with: "null"), to: "nulls.ndjson")
    #expect(!text(try self.guess("nulls.ndjson"), 1).contains("empty text"))
  }

  @Test("only a source that lies where the pipelines go keeps its name for itself")
  func namesOfSources() throws {
    try folder.write("- {id: 1, n: a}\n- {id: 2, n: b}\n", to: "late.yaml")
    #expect(try guess("late.yaml").summaries[0].pipeline.hasSuffix("/out/late.yaml"))
    for source in ["late.yaml", "late*.yaml"] {
      var request = PipelineGuess.Request(sources: [folder.file(source)])
      request.folder = folder.path
      #expect(try PipelineGuess.make(request).summaries[0].pipeline == folder.file("late-2.yaml"))
    }
  }

  @Test("members that only later records have become attributes, too")
  func lateMembers() throws {
    let early = (1...3_000).map { "{\"id\": \($0), \"part\": {\"a\": \"some text\"}}" }
    let late = ["{\"id\": 3001, \"late\": 1.5, \"part\": {\"b\": 2}}", "{\"id\": 3002}"]
    try folder.write((early + late).joined(separator: "\n"), to: "things.ndjson")
    let guess = try guess("things.ndjson")
    #expect(text(guess, 1).contains("    partB: part.b  # integer: 1 value, only 2, 3,001 missing\n"))
    #expect(text(guess, 1).contains("    late: late  # decimal: 1 value, up to 2 digits, 3,001 missing\n"))
    #expect(try run(guess) == [3_002])
  }

  @Test("marks of numbers and forms of dates are written down where a value decides, else asked")
  func marks() throws {
    try folder.write(
      """
      id;price;born;us;sum
      1;1.234,50;31.12.2024;01/02/2024;1,234
      2;2,25;01.02.2024;03/04/2024;5,678

      """, to: "odd.csv")
    let guess = try guess("odd.csv", options: [("delimiter", "semicolon")])
    let pipeline = text(guess, 1)
    #expect(pipeline.contains("price: { from: price, decimal_mark: comma, group_mark: point }  # decimal: "))
    #expect(pipeline.contains("born: { from: born, date: \"dd.MM.yyyy\" }  # date: "))
    #expect(
      pipeline.contains(
        "    # QUESTION: does the day or the month come first? Then write one of these lines, and its type in model.yaml:\n"
          + "    # us: { from: us, date: \"dd/MM/yyyy\" }  # date, if the day comes first\n"
          + "    # us: { from: us, date: \"MM/dd/yyyy\" }  # date, if the month comes first\n"
          + "    us: us  # text: 2 values"))
    #expect(pipeline.contains("    sum: { from: sum, decimal_mark: comma }  # decimal: 2 values, "))
    #expect(pipeline.contains("the decimal mark is a comma as in price"))
    #expect(pipeline.contains("  delimiter: semicolon  # as given\n"))
    #expect(try run(guess) == [2])
  }

  @Test("a value that contradicts the guess later is rejected with its place")
  func contradiction() throws {
    let rows = (1...50).map { "\($0),\($0 * 2)" } + ["51,x"]
    try folder.write("id,n\n" + rows.joined(separator: "\n") + "\n", to: "things.csv")
    let guess = try guess("things.csv", records: 20)
    #expect(!guess.summaries[0].isWhole)
    #expect(text(guess, 0).contains("n: integer64\n"))
    let result = try ImportSession(try Pipeline.read(guess.summaries[0].pipeline).definition).run()
    #expect(result.inserted == 50 && result.rejected == 1)
    let reject = try String(contentsOfFile: folder.file("out/things.rejects.ndjson"), encoding: .utf8)
    #expect(reject.contains("\"line\":52") && reject.contains("value.integer"))
  }

  @Test("names of files and columns become names of entities and attributes")
  func names() throws {
    for (file, entity) in [
      ("orders-2024-05.csv", "Order"), ("Companies.csv", "Company"), ("boxes.csv", "Box"), ("2024.csv", "Record"),
      ("2024-01-01.csv", "Record"), ("3com.csv", "Record3com"),
      ("MediaTypes.csv", "MediaType"), ("address.csv", "Address"), ("daily_sales.csv", "DailySale"),
    ] {
      try folder.write("Order ID,URL,class,2nd,camelCase,Ünï çödé,a,A!\n1,2,3,4,5,6,7,8\n", to: file)
      var request = PipelineGuess.Request(sources: [folder.file(file)])
      request.folder = folder.path
      let guess = try PipelineGuess.make(request)
      #expect(guess.summaries[0].entity == entity, "\(file)")
      let names = guess.files[0].text.split(separator: "\n").filter { $0.hasPrefix("      ") }.map {
        $0.drop { $0 == " " }.prefix { $0 != ":" }
      }
      let own = entity.prefix(1).lowercased() + entity.dropFirst() + "Class"
      #expect(
        names == ["orderId", "url", Substring(own), "column2nd", "camelCase", "ünïÇödé", "a", "a2"], "\(file): \(names)"
      )
    }
  }

  @Test(
    "an entity is called after the records, else the file, never after numbers",
    arguments: [
      ("shop.xml", "/data/31661", "Shop"), ("2024.xml", "/data/31661", "Record"), ("a.json", "$.data.items", "Item"),
      ("-", nil, "Record"), ("shop.xml", "/shop/_1", "Shop"),
    ] as [(String, String?, String)])
  func entity(file: String, records: String?, name: String) {
    #expect(GuessedNames.entity(ofPath: file, records: records) == name)
  }

  @Test("a document with one record and a list asks whether the elements are the records") func envelope() throws {
    try folder.write("{\"meta\":{\"n\":2},\"data\":{\"items\":[{\"id\":1},{\"id\":2}]}}\n", to: "e.json")
    let guess = try guess("e.json")
    #expect(text(guess, 1).contains("guess again with --option 'records=$.data.items'"), "\(text(guess, 1))")
    #expect(guess.summaries[0].looked.hasPrefix("the one record of "))
  }

  @Test("columns that only a later member of an archive has are asked about, as those of a file of a glob are")
  func members() throws {
    let members = [("1.csv", "id,n\n1,2\n"), ("2.csv", "id,n,extra\n2,3,x\n")]
    try folder.write(ContractTests.tar(members.map { (name: $0.0, text: $0.1) }), to: "things.tar")
    let pipeline = text(try guess("things.tar", options: [("member", "*")]), 1)
    #expect(pipeline.contains("2.csv” has columns that the first file does not have: extra"), "\(pipeline)")
    try folder.write(ContractTests.tar([("1.csv", members[0].1), ("2.csv", members[0].1)]), to: "same.tar")
    let same = text(try guess("same.tar", options: [("member", "*")]), 1)
    #expect(!same.contains("that the first file does not have"), "\(same)")
  }

  @Test(
    "content that is no table under the name of one is asked about",
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n", "looks like ndjson"), ("[{\"a\":1,\"b\":2},{\"a\":2}]", "--option format=json"),
      ("<?xml version=\"1.0\"?>\n<r><i><n>1</n></i>\n<i><n>2</n></i></r>\n", "--option format=xml"),
      ("<!DOCTYPE html>\n<html>\n<p>Service, unavailable</p>\n</html>\n", "looks like a web page"), ("a,b\n1,2\n", nil),
    ])
  func otherContent(_ content: String, _ question: String?) throws {
    try folder.write(content, to: "table.csv")
    let asked = text(try guess("table.csv"), 1)
    #expect(question.map(asked.contains) ?? !asked.contains("looks like"), "\(asked)")
  }

  @Test("records with nothing in them are asked about")
  func blankRecords() throws {
    try folder.write("id,name,note\n1,a,\n2,b,x\n,,\n3,,\n , ,\n", to: "rows.csv")
    let rows = text(try guess("rows.csv"), 1)
    #expect(rows.contains("2 records have nothing in any column, the first on line 4"), "\(rows)")
    #expect(rows.contains("such as where: id != nil"), "\(rows)")
    try folder.write("id,name,note\n1,a,\n2,b,x\n3,,\n", to: "rows.csv")
    #expect(!text(try guess("rows.csv"), 1).contains("nothing in any column"))
    // A word of the language is written so that it is a name; a text of blanks is a value.
    try folder.write("No,Last Name\n1,a\n,\n2,b\n", to: "rows.csv")
    #expect(text(try guess("rows.csv"), 1).contains(##"where: "#No != nil""##))
    try folder.write("name,note\nann,x\n , \nbob,\n", to: "rows.csv")
    let blanks = text(try guess("rows.csv"), 1)
    #expect(blanks.contains("1 record has nothing in any column") && !blanks.contains("such as where"), "\(blanks)")
  }

  @Test("a document that is one object is one record, on how many lines it stands")
  func prettyDocument() throws {
    try folder.write("{\n  \"items\": 5,\n  \"bc\": [{\"q\": 1}]\n}\n", to: "pretty.json")
    try folder.write("{\"items\": 5, \"bc\": [{\"q\": 1}]}\n", to: "plain.json")
    for file in ["pretty.json", "plain.json"] {
      let guess = try guess(file)
      #expect(text(guess, 1).contains("guess again with --option 'records=$.bc'"), "\(text(guess, 1))")
      #expect(guess.summaries[0].looked.hasPrefix("the one record of "))
      // One store is not for the models of both.
      if file == "pretty.json" { #expect(try run(guess) == [1]) }
    }
    let map = "{\n" + ["CH", "DE", "FR"].map { "\"\($0)\": {\"n\": 1}" }.joined(separator: ",\n") + "\n}\n"
    try folder.write(map, to: "map.json")
    let asked = text(try guess("map.json"), 1)
    #expect(asked.contains("the record is an object with 3 objects in it"))
    #expect(asked.contains("| {key} + .value"), "\(asked)")
    // The member for the name is none that the objects have: theirs would take its place.
    try folder.write(map.replacingOccurrences(of: "\"n\"", with: "\"key\""), to: "keys.json")
    #expect(text(try guess("keys.json"), 1).contains("| {key2: .key} + .value"))
    // So is one inside a document, in other formats, too; what has nothing in common is none.
    try folder.write("{\n\"n\": 1, \"data\": {\"by code\": \(map)}}\n", to: "inside.json")
    let inside = text(try guess("inside.json"), 1)
    #expect(inside.contains("“data.by code” is an object with 3 objects in it"), "\(inside)")
    #expect(inside.contains("to_entries[] | {key} + .value'") && inside.contains("by code"), "\(inside)")
    // Dots are part of names, and nothing in a name ends the quotes of jq or of the shell.
    let versions = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"].map { "\"\($0)\": {\"n\": 1}" }.joined(separator: ", ")
    try folder.write("{\n\"n\": 1, \"it's v1.0\": {\(versions)}}\n", to: "versions.json")
    let dotted = text(try guess("versions.json"), 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(dotted.contains("is an object with 4 objects in it"), "\(dotted)")
    #expect(dotted.contains(#"."it\u0027s v1.0" | to_entries[]"#), "\(dotted)")
    try folder.write("n: 1\ndata:\n  CH: {n: 1}\n  DE: {n: 2}\n  FR: {n: 3}\n", to: "inside.yaml")
    #expect(text(try guess("inside.yaml"), 1).contains("“data” is an object with 3 objects in it"))
    try folder.write(
      "{\n\"n\": 1, \"data\": {\"a\": {\"b\": 1}, \"c\": {\"d\": 1}, \"e\": {\"f\": 1}}}\n", to: "config.json")
    #expect(!text(try guess("config.json"), 1).contains("objects in it"))
    // With a place for the records, or broken, it is an error as before.
    #expect(throws: DiagnosticList.self) { try guess("pretty.json", options: [("records", "$.none")]) }
    try folder.write("{\n  \"items\": 5,\n  \"bc\": [{\"q\": 1}\n", to: "broken.json")
    #expect(throws: DiagnosticList.self) { try guess("broken.json") }
  }

  @Test("a guessed pipeline reads all of its file, whatever is in it", arguments: Soak.seeds(60))
  func random(_ seed: UInt64) throws {
    let data = GuessedData(seed: seed)
    try folder.write(data.text, to: "data.csv")
    let guess = try guess("data.csv")
    let summary = guess.summaries[0]
    #expect(summary.rejects == 0 && summary.isWhole, "seed \(seed)")
    // A first record may look like names or not, and a line of blanks like nothing.
    #expect(summary.records <= data.records + 1, "seed \(seed)")
    #expect(try run(guess, "seed \(seed)") == [summary.records], "seed \(seed): \(summary)")
  }

  @Test("nothing to guess from is an error")
  func empty() throws {
    try folder.write("", to: "empty.csv")
    try folder.write("\n\n", to: "empty.ndjson")
    for file in ["empty.csv", "empty.ndjson", "none.csv"] {
      #expect(throws: DiagnosticList.self) {
        _ = try PipelineGuess.make(PipelineGuess.Request(sources: [folder.file(file)]))
      }
    }
  }

  @Test(
    "a footer that has all fields is asked about",
    arguments: [
      ("Total,,51", "its “n” is the sum of all others"), ("Summe,x,51", "its “n” is the sum of all others"),
      ("Count,,6000", "it alone has nothing in “code”, and its “n” is the greatest"), ("g,gx,19", ""), ("g,,9", ""),
    ])
  func footer(_ last: String, _ reason: String) throws {
    let rows = ["a,ax,1", "b,bx,4", "c,cx,7", "d,dx,10", "e,ex,13", "f,fx,16", last]
    try folder.write("name,code,n\n" + rows.joined(separator: "\n") + "\n", to: "sums.csv")
    let found = text(try guess("sums.csv"), 1)
    let question = "# QUESTION: is the last record, on line 8, a footer"
    #expect(found.contains(question) == !reason.isEmpty)
    #expect(reason.isEmpty || found.contains(question + ", because " + reason + "? "), "\(found)")
  }

  @Test("a key is looked for in the whole source, and the pipeline rejects duplicates")
  func wholeKey() throws {
    func rows(_ last: String) -> String { "id,name\n" + (1...500).map { "\($0),n\($0 % 7)\n" }.joined() + last }
    try folder.write(rows("501,x\n"), to: "good.csv")
    let good = try guess("good.csv", records: 50)
    #expect(good.summaries[0].key == ["id"])
    #expect(
      text(good, 1).contains("find_by: [id]  # 501 records, which are all, have different values, none is missing\n"))
    #expect(text(good, 1).contains("\n  duplicates: reject"))
    try folder.write(rows("17,x\n"), to: "twice.csv")
    let twice = try guess("twice.csv", records: 50)
    #expect(twice.summaries[0].key.isEmpty)
    #expect(
      text(twice, 1).contains("# QUESTION: id looks like a key, but the record on line 502 has the value of an earlier")
    )
    try folder.write(rows(",x\n"), to: "missing.csv")
    let missing = try guess("missing.csv", records: 50)
    #expect(missing.summaries[0].key.isEmpty && text(missing, 1).contains("the record on line 502 has no value"))
  }

  @Test("keys are looked for in several readings where memory does not hold them", arguments: [1 << 10, 3000])
  func boundedKeys(_ most: Int) throws {
    func definition(_ last: String) throws -> SourceDefinition {
      try folder.write("id,b\n" + (0..<9000).map { "\($0),x\n" }.joined() + last, to: "keys.csv")
      return try SourceDefinition.read(paths: [folder.file("keys.csv")], options: [])
    }
    for id in [0, 4000, 8999] {
      #expect(
        KeySearch(definition: try definition("\(id),y\n"), mostHashes: most).look(["id"]) == .repeated(line: 9002))
    }
    let search = KeySearch(definition: try definition("9000,y\n"), mostHashes: most)
    #expect(search.look(["id"]) == .unique(records: 9001))
    #expect(search.look(["id", "b"]) == .unique(records: 9001))
    #expect(search.look(["b"]) == .repeated(line: 3))
  }

  @Test("a header with gaps names columns, and the only record of a document may hold the records")
  func gapsAndDocuments() throws {
    try folder.write(",name,sum\n" + (0..<9).map { "\($0),lamp \($0),1.5\n" }.joined(), to: "frame.csv")
    let pipeline = text(try guess("frame.csv"), 1)
    #expect(pipeline.contains("columns: [\"1\", name, sum]\n  skip_lines: 1\n"), "\(pipeline)")
    try folder.write("{\"type\":\"list\",\"items\":[{\"id\":1},{\"id\":2}]}\n", to: "whole.json")
    #expect(text(try guess("whole.json"), 1).contains("guess again with --option 'records=$.items'"))
    let items = try guess("whole.json", options: [("records", "$.items")])
    #expect(text(items, 1).contains("from all 2 records"), "\(text(items, 1))")
  }

  @Test("options that lose text are proposed and not set")
  func proposals() throws {
    let rows = (1...30).map { "\($0),lamp,\($0 * 2)\n" }.joined()
    try folder.write("id,name,n\n# a\n" + rows + "# b\n31,x\n32,y,64,z\n", to: "odd.csv")
    let made = try guess("odd.csv")
    let pipeline = text(made, 1)
    for option in ["short_records: pad", "long_records: truncate", "comment: \"#\""] {
      let parts = option.split(separator: ": ")
      let then =
        option.hasPrefix("comment")
        ? "set:"
        : "guess again with --option \(parts[0])=\(parts[1]), because the types and the key below come from the other"
          + " records only; that sets:"
      #expect(pipeline.contains("Is that right? Then \(then)\n  # \(option)\n"), "\(option), \(pipeline)")
      #expect(!pipeline.contains("\n  \(option)\n"), "\(option)")
    }
    // What the summary says is what a run rejects.
    #expect((made.summaries[0].records, made.summaries[0].rejects) == (34, 4))
    #expect(try ImportSession(try Pipeline.read(made.summaries[0].pipeline).definition).run().rejected == 4)
    try FileManager.default.removeItem(atPath: folder.file("out"))
    _ = try guess("odd.csv")
    // Whoever takes the proposals loses no record: what is padded is not required.
    let file = made.summaries[0].pipeline
    var lines = try String(contentsOfFile: file, encoding: .utf8)
    for option in ["short_records: pad", "long_records: truncate", "comment: \"#\""] {
      lines = lines.replacingOccurrences(of: "\n  # \(option)\n", with: "\n  \(option)\n")
    }
    try lines.write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try run(made) == [32])
  }

  @Test("a guessed pipeline has no question about members that only later records of the sample have")
  func membersOfItsSample() throws {
    let rows = (0..<3000).map { row in
      "{\"id\": \(row), \"name\": \"what takes up some room in a file\"\(row > 2500 && row % 7 == 0 ? ", \"opt\": 1, \"sub\": {\"x\": 2}" : "")}\n"
    }
    try folder.write(rows.joined(), to: "late.ndjson")
    let guess = try guess("late.ndjson")
    #expect(text(guess, 1).contains("subX: sub.x"))
    let path = guess.summaries[0].pipeline
    #expect(Pipeline.lint(path) == [])
    // A member that no record has is one.
    let other = text(guess, 1).replacingOccurrences(of: "opt: opt", with: "opt: other")
    try other.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(Pipeline.lint(path).map(\.code) == ["absentMember"])
  }

  @Test("what the question about short records says to do judges the types with them")
  func guessAgain() throws {
    let short = (1...9).map { "\($0),\($0 < 9 ? "\($0)" : "x")\n" }.joined()
    try folder.write("id,n,sum,day\n1,1,2,3\n2,2,3,4\n3,3,4,5\n4,4,5,6\n5,5,6,7\n6,6,7,8\n" + short, to: "few.csv")
    let first = text(try guess("few.csv"), 1)
    #expect(first.contains("\n    n: n  # integer: 6 values"), "\(first)")
    #expect(first.contains("guess again with --option short_records=pad, because"), "\(first)")
    try FileManager.default.removeItem(atPath: folder.file("out"))
    let again = text(try guess("few.csv", options: [("short_records", "pad")]), 1)
    #expect(again.contains("\n    n: n  # text: 15 values, mixed"), "\(again)")
  }

  @Test("an escape that would drop text is asked about and not set") func doubtfulEscape() throws {
    let rows = (1...8).map { "\($0),\"say \\\"a\\\"\",3\n" }.joined()
    try folder.write("id,name,n\n" + rows, to: "proven.csv")
    let proven = try guess("proven.csv")
    #expect(text(proven, 1).contains("\n  escape: backslash\n") && !text(proven, 1).contains("QUESTION"))
    #expect(try run(proven) == [8])
    try folder.write("id,name,n\n" + rows + "9,C:\\temp,3\n", to: "doubted.csv")
    let doubted = text(try guess("doubted.csv"), 1)
    #expect(doubted.contains("# QUESTION: in 1 record it precedes an ordinary character"), "\(doubted)")
    #expect(doubted.contains("Then set:\n  # escape: backslash\n") && !doubted.contains("\n  escape:"), "\(doubted)")
    // What a person said is not asked about.
    try folder.write("id,name,n\n" + rows + "9,C:\\temp,3\n", to: "said.csv")
    let said = text(try guess("said.csv", options: [(name: "escape", value: "backslash")]), 1)
    #expect(said.contains("\n  escape: backslash  # as given\n") && !said.contains("ordinary"), "\(said)")
  }

  @Test("remarks above and within a table do not hide its columns", arguments: ["", "code\tplace\tzone\n"])
  func remarks(_ header: String) throws {
    let zones = (1...40).map { "Z\($0)\t+\($0 * 7)\tEurope/Town\($0)\n" }
    let text = "# zones\n#\n" + header + zones[..<30].joined() + "# more\n# of\tthem\tall\n" + zones[30...].joined()
    try folder.write(text, to: "zone.tab")
    let guess = try guess("zone.tab")
    #expect((guess.summaries[0].records, guess.summaries[0].rejects) == (40, 0))
    #expect(self.text(guess, 1).contains("Is that right?\n  comment: \"#\"\n"))
    #expect(try run(guess) == [40])
  }

  @Test("columns of one source are judged together, and empty files of a glob are warned of")
  func together() throws {
    try folder.write("", to: "a1.csv")
    try folder.write("ort;preis;menge\nLund;2,5;1.100\nCork;3,75;2.250\n", to: "a2.csv")
    let guess = try guess("a*.csv")
    #expect(guess.warnings.contains { $0.code == "emptyFile" && $0.path.hasSuffix("a1.csv") })
    #expect(text(guess, 0).contains("      menge: integer64!\n"))
    #expect(text(guess, 1).contains("the decimal mark is a comma as in preis"))
    try folder.write("ort;menge\nLund;1.100\nCork;2.250\n", to: "b.csv")
    let other = try self.guess("b.csv")
    #expect(text(other, 0).contains("      menge: string!\n"))
    #expect(
      text(other, 1).contains(
        "# QUESTION: does 1.100 have a decimal mark, or a mark between groups? Then write one of these lines, and its type"
          + " in model.yaml:\n    # menge: menge  # decimal, if it is the decimal mark\n"
          + "    # menge: { from: menge, decimal_mark: comma, group_mark: point }  # integer64, if it is between groups"
      ), "\(text(other, 1))")
  }

  @Test("what may be of another type is text with a question, and the lines that answer it work")
  func meanings() throws {
    let lines = [
      "id;flag;price;share;loss;debit;day;when;half;code;zip;wide;swiss;kind",
      "1;Ja;1.200,12 €;5%;($3.00);12,50-;01.02.24;Jan 5, 2024;1/2/2024 3:04 PM;007;01234;1\u{A0}200,5;1’200.5;S1",
      "2;nein;0,12 €;7%;$1,200.00;3,00;31.12.23;Feb 26, 2024;12/31/2024 12:00 AM;12;12345;7,25;2.5;S2",
      "3;ja;;n/a;$2.00;4,00;;;;;;;;S3",
    ]
    try folder.write(lines.joined(separator: "\n") + "\n", to: "odd.csv")
    let guess = try guess("odd.csv", options: [("delimiter", "semicolon")])
    let pipeline = text(guess, 1)
    let then = "? Then write this line, and its type in model.yaml:\n    # "
    func steps(_ steps: String...) -> String {
      "do: [" + steps.map { "{ replace: { " + $0 + " } }" }.joined(separator: ", ") + "]"
    }
    let euros = steps("text: \" €\", with: \"\"") + ", decimal_mark: comma, group_mark: point"
    let shares = steps("text: \"%\", with: \"\"")
    let losses = steps("text: \"$\", with: \"\"", "pattern: '^\\((.*)\\)$', with: '-$1'") + ", group_mark: comma"
    let debits = steps("pattern: '^(.*)-$', with: '-$1'") + ", decimal_mark: comma"
    let days = steps("pattern: '(?<=[./-])(\\d\\d)(?!\\S)', with: '20$1'") + ", date: \"dd.MM.yyyy\""
    for expected in [
      "does “ja” mean true, and “nein” false\(then)flag: { from: flag, \"true\": [\"ja\"], \"false\": [\"nein\"] }  # ",
      "are these numbers, such as “1.200,12 €”\(then)price: { from: price, \(euros) }  # decimal, without “€”\n",
      "are these numbers, such as “5%”\(then)share: { from: share, \(shares), null_tokens: [\"n/a\"] }"
        + "  # integer64, without “!”, without “%”\n",
      "such as “($3.00)”\(then)loss: { from: loss, \(losses) }  # decimal, without “$”, (5) is -5\n",
      "are these numbers, such as “12,50-”\(then)debit: { from: debit, \(debits) }  # decimal, 5- is -5\n",
      "are these dates, such as “01.02.24”\(then)day: { from: day, \(days) }  # date, if no year is before 2000\n",
      "are these dates, such as “Jan 5, 2024”\(then)when: { from: when, date: \"MMM d, yyyy\" }  # date\n",
      "are these numbers, not codes\(then)code: { from: code, plain_numbers: false }  # integer64\n",
      "half: { from: half, date: \"M/d/yyyy h:mm a\" }  # date: 2 values, the month comes first",
    ] { #expect(pipeline.contains(expected), "\(expected) in \(pipeline)") }
    #expect(pipeline.contains("\n    zip: zip  # text") && pipeline.contains("\n    kind: kind  # text"), "\(pipeline)")
    #expect(guess.summaries[0].questions == 10, "\(pipeline)")
    try takeFirstAnswers(guess)
    #expect(try run(guess) == [3])
  }

  @Test("a negative number with the minus behind is asked about, however late it comes") func lateMinus() throws {
    try folder.write("id,n\n" + (1...40).map { "\($0),\($0).5\($0 == 30 ? "-" : "")\n" }.joined(), to: "late.csv")
    let guess = try guess("late.csv")
    #expect(text(guess, 1).contains("# QUESTION: are these numbers, such as “30.5-”?"), "\(text(guess, 1))")
    try takeFirstAnswers(guess)
    #expect(try run(guess) == [40])
  }

  @Test(
    "codes and names are not asked about",
    arguments: [
      ["A1", "A2"], ["dev-1", "dev-2"], ["1-X", "2-X"], ["12", "12a"], ["F"], ["NO"], ["ja"], ["#1", "#2"], ["1.2.3"],
    ])
  func noMeaning(_ texts: [String]) { #expect(TextMeaning.question(texts) == nil) }

  @Test("the digits of codes are counted without the marks between them, and what is negative is no code")
  func digitsOfCodes() throws {
    try folder.write("id,org,sum\n1,923 609 016,-12345\n2,974 760 673,-23456\n", to: "firms.csv")
    let guess = try guess("firms.csv")
    #expect(text(guess, 1).contains("# QUESTION: all have 9 digits: are they codes"), "\(text(guess, 1))")
    #expect(guess.summaries[0].questions == 1, "\(text(guess, 1))")
  }

  @Test("fractions as versions have them are asked about, those of prices and of programs are not")
  func versions() throws {
    try folder.write("id,version,price,ratio\n1,1.1,2.50,1.0\n2,1.9,10.00,2.25\n3,1.10,0.75,0.5\n", to: "apps.csv")
    let guess = try guess("apps.csv")
    let pipeline = text(guess, 1)
    #expect(
      pipeline.contains(
        "# QUESTION: are these versions or the like, of which 1.1 and 1.10 are two? Then write this line, and its type in"
          + " model.yaml:\n    # version: version  # string\n"), "\(pipeline)")
    #expect(guess.summaries[0].questions == 1, "\(pipeline)")
    try takeFirstAnswers(guess)
    #expect(try run(guess) == [3])
  }

  @Test("numbers that all have as many points are asked about as versions are, those of several sizes are not")
  func versionsWithGroups() throws {
    try folder.write(
      "id,build,sum\n1,1.101.201,950\n2,10.300.410,12.345\n3,2.200.300,1.234.567\n", to: "builds.csv")
    let guess = try guess("builds.csv")
    let pipeline = text(guess, 1)
    #expect(
      pipeline.contains("# QUESTION: all have 2 points: are these versions or the like? Then write this line"),
      "\(pipeline)")
    #expect(guess.summaries[0].questions == 1, "\(pipeline)")
    try takeFirstAnswers(guess)
    #expect(try run(guess) == [3])
  }

  @Test("words for true and false of several pairs are asked about, also of JSON")
  func severalWords() throws {
    let records = ["yes", "false", "N/A"].enumerated().map { "{\"id\": \($0.offset), \"on\": \"\($0.element)\"}\n" }
    try folder.write(records.joined(), to: "flags.ndjson")
    let guess = try guess("flags.ndjson")
    let pipeline = text(guess, 1)
    #expect(pipeline.contains("# QUESTION: does “yes” mean true, and “false” false?"), "\(pipeline)")
    #expect(
      pipeline.contains("\"false\": [\"false\"], null_tokens: [\"N/A\"] }  # boolean, without “!”\n"), "\(pipeline)")
    try takeFirstAnswers(guess)
    #expect(try run(guess) == [3])
  }

  @Test("questions have at most 120 columns, and what is for a shell stays on one line")
  func widths() throws {
    #expect(
      GuessWords.question(String(repeating: "word ", count: 30) + "--option 'a b', and more.", indent: "  ") == [
        "  # QUESTION:" + String(repeating: " word", count: 21),
        "  #  " + String(repeating: " word", count: 9) + " --option 'a b', and more.",
      ])
    try folder.write(
      "<rss><channel><title>t</title><item><guid>1</guid></item><item><guid>2</guid></item></channel></rss>",
      to: "a.rss")
    // The first two lines have the path of the file.
    let lines = try guess("a.rss").files[1].text.split(separator: "\n").dropFirst(2).filter { $0.hasPrefix("#") }
    #expect(lines.allSatisfy { $0.count <= 120 } && lines.contains { $0.hasPrefix("#   ") }, "\(lines)")
    #expect(lines.contains { $0.contains(" --option 'records=/*/channel/item'") }, "\(lines)")
  }

  @Test("elements that stand once each are around the records, which their list is")
  func elementsOnce() throws {
    try folder.write(
      "<shop><meta><made>2024-01-01</made></meta><products><product sku='a'/><product sku='b'/></products></shop>",
      to: "shop.xml")
    let pipeline = text(try guess("shop.xml"), 1)
    #expect(pipeline.contains("Then guess again with --option 'records=/*/products/product'"), "\(pipeline)")
    #expect(!pipeline.contains("elements of 2 names"), "\(pipeline)")
  }

  @Test("a last record that a run warns of is asked about, also where its numbers may mean two things")
  func namedFooter() throws {
    let rows = ["North;1.200", "South;2.000", "West;1.000", "Total;4.200"]
    try folder.write("region;sum\n" + rows.joined(separator: "\n") + "\n", to: "sums.csv")
    #expect(
      text(try guess("sums.csv"), 1).contains(
        "# QUESTION: is the last record, on line 5, a footer, because it begins with a word for a sum?"))
  }
}
