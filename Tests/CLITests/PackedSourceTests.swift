import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Runs over packed, encoded and listed sources.
@Suite("mergewalk run on packed sources")
struct PackedSourceTests {
  private let folder = TemporaryFolder()
  private static let header =
    "order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,"
    + "product_name,category\n"

  private static func rows(_ range: Range<Int>) -> String {
    range.map { "\($0),2024-05-01,1,2.50,größe,a@example.com,Ada,GB,0001,Lamp,Home\n" }.joined()
  }

  private func run(_ source: String, input: String? = nil) throws -> (command: Command, object: [String: Any]) {
    let original = try String(contentsOfFile: Locations.repository + "/pipelines/orders.yaml", encoding: .utf8)
    var text = original.replacingOccurrences(of: "../fixtures", with: Locations.fixtures)
    let start = try #require(text.range(of: "source:\n")?.lowerBound)
    let end = try #require(text.range(of: "batch:")?.lowerBound)
    text.replaceSubrange(start..<end, with: "source:\n" + source)
    text = text.replacingOccurrences(of: "../build/", with: "")
    try folder.write(text, to: "orders.yaml")
    let command: Command
    if let input {
      command = try Command.shell("\(Command.path) run orders.yaml --json < \(input)", in: folder.path)
    } else {
      command = try Command(["run", "orders.yaml", "--json"], in: folder.path)
    }
    return (command, try command.object())
  }

  private func shell(_ line: String) throws {
    let command = try Command.shell(line, in: folder.path)
    #expect(command.status == 0, "\(command.words)")
  }

  private func count() throws -> Int {
    let connection = try Connection(path: folder.file("shop.sqlite"), mode: .readOnly)
    let statement = try connection.prepare("SELECT count(*) FROM ZORDER WHERE ZNOTE = 'größe'")
    #expect(try statement.step())
    return Int(statement.integer(0))
  }

  @Test("members of a compressed archive are imported, and rejects name them")
  func members() throws {
    try folder.write(Self.header + Self.rows(0..<100), to: "a.csv")
    try folder.write(Self.header + Self.rows(100..<150) + "x,y\n", to: "b.csv")
    try folder.write("nothing", to: "readme.txt")
    try shell("tar -czf all.tgz readme.txt a.csv b.csv && gzip -k a.csv")
    let (first, object) = try run("  files: all.tgz\n  member: \"*.csv\"\n")
    #expect(first.status == 1, "\(first.words)")
    #expect(object["inserted"] as? Int == 150 && object["rejected"] as? Int == 1)
    #expect(try count() == 150)
    let rejects = try String(contentsOfFile: folder.file("orders.rejects.ndjson"), encoding: .utf8)
    #expect(rejects.contains(#""file":"all.tgz","member":"b.csv","record":51,"#), "\(rejects)")

    let (second, again) = try run("  files: a.csv.gz\n")
    #expect(second.status == 0 && again["unchanged"] as? Int == 100)
    let (third, piped) = try run("  files: \"-\"\n  format: csv\n", input: "a.csv.gz")
    #expect(third.status == 0 && piped["unchanged"] as? Int == 100)
  }

  @Test("a file that is cut or damaged takes back the whole run")
  func truncation() throws {
    try folder.write(Self.header + Self.rows(0..<50_000), to: "a.csv")
    try shell("gzip -k a.csv && head -c -5 a.csv.gz > cut.csv.gz && sha256sum a.csv.gz > list.sha256")
    let (command, _) = try run("  files: cut.csv.gz\n")
    #expect(command.status == 2)
    #expect(command.words.contains("the gzip data ends too early"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("shop.sqlite")))

    let (whole, object) = try run("  manifest: list.sha256\n")
    #expect(whole.status == 0 && object["inserted"] as? Int == 50_000, "\(whole.words)")
    try shell("sed -i s/^./0/ list.sha256")
    let digest = try String(contentsOfFile: folder.file("list.sha256"), encoding: .utf8)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("shop.sqlite")))
    let (other, _) = try run("  manifest: list.sha256\n")
    // One digest in sixteen begins with the digit that was put there.
    if digest.isEmpty || other.status != 0 {
      #expect(other.status == 2 && other.words.contains(" is expected, but the input has "))
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("shop.sqlite"))) == before)
    }
  }

  @Test("other encodings are imported as they were meant, and what is no text is rejected at its byte")
  func encodings() throws {
    try folder.write(Self.header + Self.rows(0..<10), to: "a.csv")
    try shell("iconv -f utf-8 -t ibm850 a.csv > dos.csv && iconv -f utf-8 -t utf-16be a.csv | gzip > wide.csv.gz")
    let (dos, object) = try run("  files: dos.csv\n  encoding: ibm850\n")
    #expect(dos.status == 0 && object["inserted"] as? Int == 10, "\(dos.words)")
    #expect(try count() == 10)
    let (wide, same) = try run("  files: wide.csv.gz\n  encoding: utf-16be\n")
    #expect(wide.status == 0 && same["unchanged"] as? Int == 10, "\(wide.words)")
    let (detected, found) = try run("  files: [dos.csv, wide.csv.gz]\n  encoding: detect\n")
    #expect(detected.status == 0 && found["unchanged"] as? Int == 20, "\(detected.words)")

    try shell("printf '11,2024-05-01,1,2.50,gr\\x81\\xa0e,a@example.com,Ada,GB,0001,Lamp,Home\\n' >> dos.csv")
    let (bad, rejected) = try run("  files: dos.csv\n  encoding: cp1252\n")
    // One record in eleven is more than the pipeline's ratio allows.
    #expect(bad.status == 3 && rejected["rejected"] as? Int == 1)
    let rejects = try String(contentsOfFile: folder.file("orders.rejects.ndjson"), encoding: .utf8)
    // Of the file's bytes: there, each character is one.
    let offset = (Self.header + Self.rows(0..<10) + "11,2024-05-01,1,2.50,gr").unicodeScalars.count
    #expect(rejects.contains("\"byte_offset\":\(offset)"), "\(rejects.prefix(300))")
  }
}
