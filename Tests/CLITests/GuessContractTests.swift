import Foundation
import MergewalkTestSupport
import Testing

/// What is guessed is a contract: what comes later and does not fit is rejected, never read in another way.
@Suite("The contract of a guess")
struct GuessContractTests {
  private let folder = TemporaryFolder()

  private func guess(_ file: String) throws -> (pipeline: String, model: String) {
    let guess = try Command(["guess", file, "--out", "out", "--force"], in: folder.path)
    try #require(guess.status == 0, "\(guess.words)")
    let stem = String(file.prefix { $0 != "." })
    return (
      try String(contentsOfFile: folder.file("out/\(stem).yaml"), encoding: .utf8),
      try String(contentsOfFile: folder.file("out/model.yaml"), encoding: .utf8)
    )
  }

  @Test("a value far behind the sample that contradicts the guess is rejected with its place")
  func contradictions() throws {
    // The sample is of 10,000 records. The long run has the contradiction at record 1,000,000.
    let count = Soak.isOn ? 1_000_000 : 25_000
    let contradictions: [(values: String, code: String, field: String)] = [
      ("007,1.50,2024-05-01,true", "value.code", "pieces"), ("+49,1.50,2024-05-01,true", "value.code", "pieces"),
      ("1.5,1.50,2024-05-01,true", "value.integer", "pieces"), ("7,\"1,50\",2024-05-01,true", "value.number", "price"),
      ("7,01.50,2024-05-01,true", "value.code", "price"), ("7,1.50,01/02/2024,true", "value.date", "placed"),
      ("7,1.50,2024-02-30,true", "value.calendar", "placed"), ("7,1.50,2024-05-01,1", "value.boolean", "paid"),
      ("seven,1.50,2024-05-01,true", "value.integer", "pieces"), ("7,1e400,2024-05-01,true", "value.range", "price"),
    ]
    _ = FileManager.default.createFile(atPath: folder.file("sales.csv"), contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("sales.csv")))
    try file.write(contentsOf: Data("sale_id,pieces,price,placed,paid\n".utf8))
    var text = ""
    for number in 1...count {
      let index = number - 1 - (count - contradictions.count)
      let values = index >= 0 ? contradictions[index].values : "\(number % 9 + 1),\(number % 90).25,2024-05-01,true"
      text += "S-\(number),\(values)\n"
      if text.utf8.count > 1 << 20 || number == count {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try file.close()
    let guessed = try guess("sales.csv")
    #expect(guessed.pipeline.contains("from the first 10,000 records of sales.csv"))
    #expect(guessed.pipeline.contains("\nfields: { plain_numbers: true }  # "))
    let run = try Command(["run", "out/sales.yaml", "--json", "--quiet"], in: folder.path)
    #expect(run.status == 1)
    #expect(try run.object()["inserted"] as? Int == count - contradictions.count)
    let rejects = try String(contentsOfFile: folder.file("out/sales.rejects.ndjson"), encoding: .utf8)
      .split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    #expect(rejects.count == contradictions.count)
    for (index, pair) in zip(rejects, contradictions).enumerated() {
      let record = count - contradictions.count + index + 1
      let (reject, contradiction) = pair
      #expect(reject["record"] as? Int == record && reject["line"] as? Int == record + 1)
      #expect(reject["code"] as? String == contradiction.code, "\(contradiction.values): \(reject)")
      #expect(reject["field"] as? String == contradiction.field)
      #expect(reject["raw"] as? String == "S-\(record),\(contradiction.values)")
    }
  }

  @Test("leading zeros and dates that may mean two things stay text, with the reason beside them")
  func text() throws {
    try folder.write("key,area,day\na,01234,01/02/2024\nb,12345,03/04/2024\nc,00000,05/06/2024\n", to: "places.csv")
    let (pipeline, model) = try guess("places.csv")
    #expect(pipeline.contains("area: area  # text: 3 values, 2 values with leading zeros (01234)"), "\(pipeline)")
    #expect(
      pipeline.contains(
        "day: day  # text: 3 values, dates, but no value shows whether the day or the month comes first"))
    #expect(pipeline.contains("# QUESTION: does the day or the month come first? Then write one of these lines"))
    #expect(pipeline.contains("# day: { from: day, date: \"dd/MM/yyyy\" }  # date, if the day comes first\n"))
    #expect(model.contains("area: ") && !model.contains("date") && !model.contains("integer"))
    #expect(try Command(["run", "out/places.yaml", "--quiet"], in: folder.path).status == 0)
    let rows = try Command(
      [
        "fetch", "out/store.sqlite", "--entity", "Place", "--columns", "area,day", "--sort", "key", "--model",
        "out/model.yaml",
      ],
      in: folder.path)
    #expect(rows.lines == ["area,day", "01234,01/02/2024", "12345,03/04/2024", "00000,05/06/2024"], "\(rows.words)")
  }

  @Test("a column of a footer is a mixture, and stays text")
  func footer() throws {
    let records = (1...50).map { "\($0),\($0 * 3)\n" }.joined()
    try folder.write("number,amount\n" + records + "Total,3825\n", to: "bills.csv")
    let (pipeline, _) = try guess("bills.csv")
    #expect(pipeline.contains("number: number  # text: 51 values, mixed: 50 numbers, 1 other (Total)"), "\(pipeline)")
    try folder.write("number,amount\n" + records + "Total\n", to: "notes.csv")
    let short = try guess("notes.csv")
    #expect(
      short.pipeline.contains("# QUESTION: 1 record cannot be read; the first is on line 52: "), "\(short.pipeline)")
    #expect(short.pipeline.contains("number: number  # integer: 50 values"))
  }

  @Test("parts that come after the first 64 KiB of a document are columns")
  func lateMembers() throws {
    let early = (1...4_000).map { "<r><id>\($0)</id><name>n\($0)</name></r>\n" }.joined()
    try folder.write("<rs>\n" + early + "<r><id>4001</id><name>x</name><late>y</late></r>\n</rs>\n", to: "late.xml")
    #expect(try guess("late.xml").pipeline.contains("    late: late  # text: 1 value"))
    for record in [#"<r unit="m"><id>4001</id><name>x</name></r>"#, #"<r><id>4001</id><name unit="m">x</name></r>"#] {
      try folder.write("<rs>\n" + early + record + "\n</rs>\n", to: "late.xml")
      let pipeline = try guess("late.xml").pipeline
      #expect(pipeline.contains("@unit") && pipeline.contains("  # text: 1 value"), "\(pipeline)")
      #expect(!pipeline.contains("has parts that are not columns"), "\(pipeline)")
    }
    try folder.write("<rs>\n" + early + "</rs>\n", to: "late.xml")
    #expect(try !guess("late.xml").pipeline.contains("unit"))
    let items = (1...8_000).map { "- {id: k\($0), name: n\($0)}\n" }.joined()
    try folder.write(items + "- id: z\n  late: 1\n", to: "late.yml")
    #expect(try guess("late.yml").pipeline.contains("    late: late  # integer: 1 value"))
    // A record of which only the beginning is looked at may have more.
    let long = "<r><id>4001</id><name>\(String(repeating: "x", count: 70_000))</name><late>y</late></r>"
    try folder.write("<rs>\n" + early + long + "\n</rs>\n", to: "late.xml")
    #expect(
      try guess("late.xml").pipeline.contains("# QUESTION: the record on line 4002 has parts that are not columns"))
    let lines = (1...4_000).map { "{\"id\": \"k\($0)\", \"name\": \"n\($0)\"}\n" }.joined()
    try folder.write(lines + "{\"id\": \"z\", \"late\": 1}\n", to: "late.ndjson")
    #expect(try guess("late.ndjson").pipeline.contains("    late: late  # integer: 1 value"))
  }

  @Test("attributes of elements inside elements are columns, each once")
  func innerAttributes() throws {
    let invoice =
      #"<Total><Payable currencyID="EUR">119.00</Payable><Tax currencyID="CHF" rate="19">19.00</Tax></Total>"#
    let invoices = (7...9).map { "<Invoice><ID>\($0)</ID>\(invoice)</Invoice>" }.joined(separator: "\n")
    try folder.write("<Invoices>\n\(invoices)\n</Invoices>\n", to: "invoices.xml")
    let pipeline = try guess("invoices.xml").pipeline
    for column in ["Total.Payable.@currencyID", "Total.Tax.@currencyID", "Total.Tax.@rate"] {
      #expect(pipeline.components(separatedBy: column).count == 2, "\(column): \(pipeline)")
    }
    let run = try Command(["run", "out/invoices.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    try folder.write(#"<r><rec><p k="B"><q k="A">t</q></p></rec></r>"#, to: "inner.xml")
    let inner = try guess("inner.xml").pipeline
    for column in [" p.@k", " p.q.@k"] {
      #expect(inner.components(separatedBy: column).count == 2, "\(column): \(inner)")
    }
    // What stands several times stays together.
    try folder.write(#"<r><rec><p><q k="A">t</q><q k="C">u</q></p></rec></r>"#, to: "several.xml")
    let several = try guess("several.xml").pipeline
    #expect(several.contains("p.q.#element") && !several.contains("p.q.@k"), "\(several)")
  }
}
