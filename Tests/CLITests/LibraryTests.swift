import MergewalkTestSupport
import Testing

@Suite("The library's JSON document")
struct LibraryTests {
  @Test(
    "every pipeline reads its array of the document, and a second run changes nothing", arguments: ["4", "500"])
  func library(_ batch: String) throws {
    // A sponsor stands behind those that he brought, in the same batch.
    let set = try PipelineSet("library")
    #expect(try set.run(more: ["--batch", batch]).map { $0["inserted"] as? Int } == [4, 4, 3])
    PipelineSet.expectUnchanged(try set.run(more: ["--batch", batch]))
    #expect(
      try PipelineSet.rows(
        set.store,
        "SELECT m.ZNUMBER || '|' || m.ZNAME || '|' || coalesce(m.ZEMAIL, '-') || '|' || coalesce(s.ZNUMBER, '-')"
          + " FROM ZMEMBER m LEFT JOIN ZMEMBER s ON s.Z_PK = m.ZSPONSOR") == [
          "1|Ada \"the first\" Lind|-|3", "2|Brân Ó Sé|bran@example.org|-", "3|Élodie 📚|-|2",
          "4|Dan|dan@example.org|-",
        ])
    #expect(
      try PipelineSet.rows(
        set.store,
        "SELECT b.ZISBN || '|' || b.ZTITLE || '|' || coalesce(b.ZSUBTITLE, '-') || '|' || coalesce(b.ZPRICE, '-')"
          + " || '|' || coalesce(datetime(b.ZACQUIREDAT + 978307200, 'unixepoch'), '-') || '|' || coalesce(s.ZCODE, '-')"
          + " FROM ZBOOK b LEFT JOIN ZSHELF s ON s.Z_PK = b.ZSHELF") == [
          "0001|Salt\tand Iron|-|12.5|2021-03-04 10:30:00|A1",
          "0002|The Ledger {unbalanced]|A \\ novel|0.1|2019-12-31 23:59:59|B2", "0003|Tiere|-|-|-|-",
          "0004||-|100|2024-02-28 23:00:00|A1",
        ])
    #expect(
      try PipelineSet.rows(
        set.store,
        "SELECT b.ZISBN || '|' || date(l.ZLENTAT + 978307200, 'unixepoch') || '|' || m.ZNUMBER || '|' || l.ZRETURNED"
          + " FROM ZLOAN l JOIN ZBOOK b ON b.Z_PK = l.ZBOOK JOIN ZMEMBER m ON m.Z_PK = l.ZMEMBER") == [
          "0001|2024-05-01|1|1", "0001|2024-05-09|2|0", "0002|2024-05-01|1|0",
        ])
    try PipelineSet.expectSound(set.store, model: "library")
  }

  @Test("a document that breaks off changes nothing and says where", arguments: [700, 1150, 1400])
  func brokenOff(_ length: Int) throws {
    let set = try PipelineSet("library")
    let path = Locations.fixtures + "/library/library.json"
    let text = try Command.shell("head -c \(length) \(path)", in: "/").output
    try set.folder.write(text, to: "library.json")
    let pipeline = try Command.shell("cat 1-members.yaml", in: set.folder.path).output
    try set.folder.write(pipeline.replacingOccurrences(path, "library.json"), to: "1-members.yaml")
    let command = try Command(["run", "1-members.yaml", "--store", "store.sqlite", "--quiet"], in: set.folder.path)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let place =
      "library.json:\(lines.count):\((lines.last?.utf8.count ?? 0) + 1): error: the JSON document ends too early"
    #expect(command.words.contains(place), "\(command.words)")
    #expect(command.status == 2)
    #expect(try Command.shell("ls", in: set.folder.path).lines.contains("store.sqlite") == false)
  }

  @Test("pipes are read once, by the run", arguments: ["json", "csv"])
  func pipes(_ format: String) throws {
    let set = try PipelineSet("library")
    try set.folder.write("number,name,email,sponsor\n1,Ada,,\n2,Bran,,1\n", to: "members.csv")
    try set.folder.write(#"[{"number":1,"name":"Ada"},{"number":2,"name":"Bran","sponsor":1}]"#, to: "members.json")
    try set.folder.write(
      """
      model: \(Locations.fixtures)/models/library.yaml
      store: store.sqlite
      source: { files: "${MEMBERS}", format: \(format) }
      import:
        entity: Member
        find_by: [number]
        attributes: { name: name, email: { empty: null } }
        relationships: { sponsor: { find_by: { number: sponsor }, missing: reject } }
      """, to: "pipe.yaml")
    let command = try Command.shell(
      "\"$MERGEWALK\" run pipe.yaml --json --set MEMBERS=<(cat members.\(format))", in: set.folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.object()["inserted"] as? Int == 2)
  }
}
