import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Steps read numbers, dates and truth values as the field, or `fields`, says, whatever the attribute's type.
@Suite("How steps read texts")
struct StepReadingTests {
  private func value(fields: String, note: String, text: String) throws -> String? {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { code: string!, note: string }, unique: [code] } }", to: "model.yaml")
    try folder.write("code;p\na;\(text)\n", to: "in.csv")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      source: { files: in.csv, delimiter: semicolon }
      fields: { \(fields) }
      import: { entity: K, find_by: [code], attributes: { note: { from: p, \(note) } } }
      """, to: "k.yaml")
    let lint = try Command(["lint", "k.yaml"], in: folder.path)
    #expect(lint.status == 0 && !lint.words.contains("warning"), "\(lint.output)\(lint.words)")
    let run = try Command(["run", "k.yaml"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .immutable)
    let rows = try connection.prepare("SELECT ZNOTE FROM ZK")
    return try rows.step() ? rows.text(0) : nil
  }

  @Test(
    "an attribute of text takes numbers and dates that are written as all others are",
    arguments: [
      ("decimal_mark: comma, group_mark: point", "do: [{ multiply: 2 }]", "1.250", "2500"),
      ("date: dd.MM.yyyy", "do: [{ format: yyyy-MM }]", "31.03.2024", "2024-03"),
      ("\"true\": [ja], \"false\": [nein]", "do: [{ to: boolean }]", "ja", "true"),
    ])
  func reading(options: String, steps: String, text: String, wanted: String) throws {
    #expect(try value(fields: options, note: steps, text: text) == wanted)
    #expect(try value(fields: "trim: false", note: "\(options), \(steps)", text: text) == wanted)
  }
}
