import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines
@testable import MergewalkRecordFormats

@Suite("Words that mean null, in guessed pipelines")
struct GuessedWordsTests: GuessTests {
  let folder = TemporaryFolder()

  @Test("a word that means null in a column of numbers is a text of another column that comes later")
  func laterTexts() throws {
    let rows = (1...30).map { "\($0),DE,\($0 % 3 == 0 ? "NA" : $0 % 5 == 0 ? "--" : "\($0)")\n" }.joined()
    try folder.write("id,land,sum\n\(rows)", to: "lands.csv")
    let guess = try guess("lands.csv")
    let pipeline = guess.files[1].text
    let sum = "    sum: { from: sum, null_tokens: [\"NA\", \"--\"] }  # integer: 16 values"
    #expect(pipeline.contains(sum), "\(pipeline)")
    #expect(!pipeline.contains("\"null\": ["), "\(pipeline)")
    // A land is required, and this one is Namibia.
    try folder.write("id,land,sum\n\(rows)31,NA,NA\n", to: "lands.csv")
    #expect(try run(guess) == [31])
  }

  @Test("a text column keeps NULL, and a question asks what it means")
  func dumps() throws {
    try folder.write("id,land,sum\n1,NULL,5\n2,DE,NULL\n3,FR,NA\n4,ES,7\n", to: "lands.csv")
    let guess = try guess("lands.csv")
    let pipeline = guess.files[1].text
    // The source's option holds for all columns, and was not written by a person.
    #expect(pipeline.contains("“NULL” in 1 field (land)"), "\(pipeline)")
    #expect(pipeline.contains("\n  # \"null\": [\"NULL\"]  # in all columns\n"), "\(pipeline)")
    #expect(!pipeline.contains("\n  \"null\": ["), "\(pipeline)")
    #expect(pipeline.contains("sum: { from: sum, null_tokens: [\"NULL\", \"NA\"] }"), "\(pipeline)")
    #expect(try run(guess) == [4])
  }

  @Test("NULL in quotes is text without a question, and \\N means null in all columns")
  func certainWords() throws {
    try folder.write("id,land\n1,\"NULL\"\n2,DE\n3,FR\n", to: "lands.csv")
    let quoted = try guess("lands.csv").files[1].text
    #expect(!quoted.contains("NULL”"), "\(quoted)")
    try folder.write("id,land\n1,\\N\n2,DE\n3,NULL\n", to: "lands.csv")
    let dump = try guess("lands.csv").files[1].text
    #expect(dump.contains("\n  \"null\": [\"\\\\N\"]\n"), "\(dump)")
    #expect(dump.contains("\n  # \"null\": [\"\\\\N\", \"NULL\"]  # in all columns\n"), "\(dump)")
  }

  @Test("a reference that is such a word is none, whatever other columns have")
  func references() throws {
    try folder.write("id,name\n1,Ada\n2,Grace\n", to: "customers.csv")
    try folder.write("order_id,customer_id,land\n10,1,NA\n11,NA,DE\n12,2,FR\n13,1,ES\n", to: "orders.csv")
    let guess = try guess("customers.csv", "orders.csv")
    let find = "customer: { find_by: { id: { from: customer_id, null_tokens: [\"NA\"] } }, mode: update }"
    #expect(guess.files[2].text.contains(find), "\(guess.files[2].text)")
    #expect(try run(guess) == [2, 4])
  }

  @Test(
    "an answer says what else it takes",
    arguments: [
      ("id,zahl\nA,\"1\"\nB,\"02\"\nC,\"3\"\nD,\"\"\n", "plain_numbers: false }  # integer64, without “!”\n"),
      (
        "id,n\n1.5 kg,a\n2.5 kg,b\n3.5 kg,c\n",
        "  # decimal, without “kg”, and another find_by: no object is found by it\n"
      ),
    ])
  func answers(_ text: String, _ said: String) throws {
    try folder.write(text, to: "answers.csv")
    let pipeline = try guess("answers.csv").files[1].text
    #expect(pipeline.contains(said), "\(pipeline)")
  }

  @Test(
    "the pipeline of a glob is named by the words in it",
    arguments: [
      ("w-*.csv*", "w"), ("orders-*-final.csv.gz", "orders-final"), ("2024-??.csv", "2024"), ("*.csv", ""),
      ("part-[0-9].csv", "part-0-9"), ("w-.csv", "w-"), ("my file.csv", "myfile"), ("_all.csv", "_all"),
    ])
  func globs(_ path: String, _ name: String) {
    #expect(GuessedNames.fileStem(GuessedNames.stem(path)) == name)
  }

  @Test("an encoding that the bytes do not tell for certain is asked about")
  func encodings() throws {
    // “București” and so on in ISO 8859-16; in windows-1250 its “ș” is “ş”.
    let names: [[UInt8]] = [
      [0x42, 0x75, 0x63, 0x75, 0x72, 0x65, 0xBA, 0x74, 0x69], [0x49, 0x61, 0xBA, 0x69],
      [0x43, 0x6F, 0x6E, 0x73, 0x74, 0x61, 0x6E, 0xFE, 0x61], [0x42, 0xE3, 0x69, 0x6C, 0x65],
    ]
    let rows = names.enumerated().flatMap { number, name -> [UInt8] in Array("\(number),".utf8) + name + [10] }
    try folder.write(Array("id,oras\n".utf8) + rows, to: "cities.csv")
    let pipeline = try guess("cities.csv").files[1].text.replacing("\n#   ", with: " ")
    #expect(pipeline.contains("# QUESTION: encoding: windows-1250, because of"), "\(pipeline)")
    #expect(pipeline.contains("In another one, letters would differ. Is it right?"), "\(pipeline)")
    // Nothing else is in doubt.
    #expect(!pipeline.contains("other options of the source"), "\(pipeline)")
  }

  @Test("a guess knows the words that detection knows, in each spelling that is usual") func sameWords() {
    let detected = Set(CellKind.missingWords.map { String(decoding: $0, as: UTF8.self) })
    #expect(Set(ColumnProfile.nullSpellings.map { $0.lowercased() }) == detected)
    #expect(NullTokenEvidence.plainWords.isSubset(of: ColumnProfile.nullSpellings))
  }

  @Test("a zero has one digit") func zeros() throws {
    try folder.write("id,n\n1,0.0\n2,0.0\n", to: "zeros.csv")
    let pipeline = try guess("zeros.csv").files[1].text
    #expect(pipeline.contains("    n: n  # decimal: 2 values, up to 1 digit\n"), "\(pipeline)")
  }

  @Test("what is wrong with a value is seen, though it has no look")
  func looks() throws {
    try folder.write("id,n\n1,11.5\n2,-0.1\n3,0\n4,12.0\n5,6.2\u{1A}\n", to: "odd.csv")
    let pipeline = try guess("odd.csv").files[1].text
    let shown = #"“6.2\u{1A}”"#
    #expect(pipeline.contains(shown), "\(pipeline)")
  }
}
