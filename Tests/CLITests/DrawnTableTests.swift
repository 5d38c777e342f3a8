import Foundation
import MergewalkTestSupport
import Testing

/// Tables as programs print them, guessed and imported: nothing of their drawing becomes a record.
@Suite("Drawn tables")
struct DrawnTableTests {
  let folder = TemporaryFolder()

  private static let words = ["old lamp", "sofa", "big bed", "rug", "a table"]
  private static let rows = (1...12).map { (id: $0, name: words[$0 % 5], price: "\($0).50") }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, [4, 8, 6]).map(padded).joined(separator: " | ")
  }

  private static let tables: [String: (text: String, footer: Int)] = {
    let names = ["id", "name", "price"]
    let cells = rows.map { [String($0.id), $0.name, $0.price] }
    let box = "+------+----------+--------+\n"
    return [
      "markdown": (
        "# Lamps\n\n| id | name | price |\n|---:|:-----|------:|\n"
          + cells.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined(), 0
      ),
      "plain markdown": (
        "id | name | price\n--- | --- | ---\n" + cells.map { $0.joined(separator: " | ") + "\n" }.joined(), 0
      ),
      "psql": (
        " \(line(names))\n------+----------+--------\n" + cells.map { " \(line($0))\n" }.joined() + "(12 rows)\n\n", 1
      ),
      "mysql": (
        box + "| \(line(names)) |\n" + box + cells.map { "| \(line($0)) |\n" }.joined() + box
          + "12 rows in set (0.00 sec)\n", 1
      ),
      "sqlcmd": (
        "id,name,price\n--,----,-----\n" + cells.map { $0.joined(separator: ",") + "\n" }.joined()
          + "\n(12 rows affected)\n", 1
      ),
    ]
  }()

  @Test("each is guessed and imported without its rules", arguments: tables.keys.sorted())
  func imported(name: String) throws {
    let (text, footer) = try #require(Self.tables[name])
    try folder.write(text, to: "lamps.txt")
    let guess = try Command(["guess", "lamps.txt", "--out", "out"], in: folder.path)
    #expect(guess.status == 0, "\(guess.words)")
    #expect(try Command(["lint", "out/lamps.yaml"], in: folder.path).status == 0)
    let run = try Command(["run", "out/lamps.yaml", "--json", "--quiet"], in: folder.path)
    #expect(run.status == (footer > 0 ? 1 : 0), "\(run.words)")
    let object = try run.object()
    #expect(object["inserted"] as? Int == 12 && object["rejected"] as? Int == footer, "\(object)")
    let skipped = (object["text"] as? [String: Any])?["skipped"] as? [String: [String: Int]]
    // Of a name that is empty the whole header is among the lines above, and what is drawn above it, too.
    #expect(skipped?["rule"]?["lines"] == (name == "mysql" ? 2 : 1), "\(skipped ?? [:])")
    #expect(
      try PipelineSet.rows(
        folder.file("out/store.sqlite"), "SELECT ZID || ' ' || ZNAME || ' ' || ZPRICE FROM ZLAMP ORDER BY ZID")
        == Self.rows.map { "\($0.id) \($0.name) \(Double($0.id) + 0.5)" }.sorted())
    let again = try Command(["run", "out/lamps.yaml", "--json", "--quiet"], in: folder.path)
    #expect(try again.object()["unchanged"] as? Int == 12)
  }

  @Test("text that blanks align is asked about, and the answer imports it")
  func aligned() throws {
    let lines = Self.rows.map {
      let id = String($0.id)
      return String(repeating: " ", count: 4 - id.count) + id + "  " + Self.padded($0.name, 10) + $0.price
    }
    try folder.write("  id  name      price\n" + lines.map { $0 + "\n" }.joined(), to: "lamps.txt")
    let guess = try Command(["guess", "lamps.txt", "--out", "out"], in: folder.path)
    #expect(guess.status == 0, "\(guess.words)")
    let text = try String(contentsOfFile: folder.file("out/lamps.yaml"), encoding: .utf8)
    let question = try #require(
      text.replacing("\n#   ", with: " ").split(separator: "\n").first { $0.contains("is this fixed-width text") },
      "\(text)")
    let options = question.split(separator: "guess again with ").last.map(String.init) ?? ""
    let second = try Command.shell(
      "$MERGEWALK guess lamps.txt --out fixed \(options.hasSuffix(".") ? String(options.dropLast()) : options)",
      in: folder.path)
    #expect(second.status == 0, "\(second.words)")
    let run = try Command(["run", "fixed/lamps.yaml", "--json", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(
      try PipelineSet.rows(
        folder.file("fixed/store.sqlite"), "SELECT ZID || ' ' || ZNAME || ' ' || ZPRICE FROM ZLAMP ORDER BY ZID")
        == Self.rows.map { "\($0.id) \($0.name) \(Double($0.id) + 0.5)" }.sorted())
  }

  @Test("lines of one length with blanks are asked about; prose, names and delimited text are not")
  func packed() throws {
    let packed = Self.rows.map {
      "000\(10 + $0.id)" + Self.padded($0.id == 4 ? "refrigerator" : $0.name, 12) + "2024010\($0.id % 9)\n"
    }.joined()
    let cases = [
      (packed, "all lines have 25 characters: is this fixed-width text"),
      ("It was a dark night.\nThe rain fell in torrents.\nA gust of wind.\n", ""),
      ("name\nAda Lovelace\nGrace Hopper\nAlan Turing\n", ""), ("a, b\n1,  2\n3,  4\n5,  6\n", ""),
    ]
    for (index, (text, question)) in cases.enumerated() {
      try folder.write(text, to: "data.txt")
      let guess = try Command(["guess", "data.txt", "--out", "out\(index)"], in: folder.path)
      #expect(guess.status == 0, "\(guess.words)")
      let file = try String(contentsOfFile: folder.file("out\(index)/data.yaml"), encoding: .utf8)
      #expect(question.isEmpty ? !file.contains("fixed-width text") : file.contains(question), "\(file)")
    }
  }
}
