import MergewalkTestSupport
import Testing

@Suite("mergewalk fetch of every type")
struct FetchTypesTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes:
            a_flag: boolean
            b_ratio: float
            c_amount: decimal
            d_at: date
            e_data: binary
            f_large: { type: binary, external_storage: true }
            g_id: uuid
            h_site: uri
      """, to: "model.yaml")
    try folder.write(
      """
      {"a_flag":true,"b_ratio":0.1,"c_amount":12.5,"d_at":"2024-01-31T12:00:00.25Z","e_data":"AQID","f_large":"/w==",\
      "g_id":"01234567-89AB-CDEF-0123-456789ABCDEF","h_site":"https://example.com/?a=1&b=2"}

      """, to: "things.ndjson")
    try folder.write(
      """
      pipeline: things
      model: model.yaml
      store: things.sqlite
      source: { files: things.ndjson }
      import:
        entity: Thing
        find_by: [g_id]
        attributes: [a_flag, b_ratio, c_amount, d_at, e_data, f_large, h_site]
      """, to: "things.yaml")
    let run = try Command(["run", "things.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
  }

  private func fetch(_ arguments: String...) throws -> String {
    let command = try Command(["fetch", "things.sqlite", "--entity", "Thing"] + arguments, in: folder.path)
    #expect(command.status == 0 && command.words.isEmpty, "\(command.words)")
    return command.output
  }

  @Test("values are spelt as their types are, and those tagged for external storage lose the tag")
  func spellings() throws {
    let csv = try fetch("--format", "csv")
    #expect(
      csv.hasSuffix(
        "true,0.1,12.5,2024-01-31T12:00:00.25Z,AQID,/w==,01234567-89AB-CDEF-0123-456789ABCDEF,https://example.com/?a=1&b=2\n"
      ), "\(csv)")
    let table = try fetch("--format", "table")
    #expect(table.contains("<3 bytes>") && table.contains("<1 byte>"), "\(table)")
    #expect(try fetch("--format", "yaml", "--columns", "e_data") == "- e_data: !!binary \"AQID\"\n")
    #expect(try fetch("--format", "xml", "--columns", "h_site").contains("?a=1&amp;b=2</h_site>"))
    #expect(
      try fetch("--format", "ndjson", "--columns", "f_large,c_amount") == "{\"f_large\":\"/w==\",\"c_amount\":12.5}\n")
  }

  @Test(
    "arguments of every type find the row",
    arguments: [
      ("a_flag == %@", "yes"), ("c_amount == %@", "12.50"), ("d_at == %@", "2024-01-31T13:00:00.25+01:00"),
      ("g_id == %@", "01234567-89ab-cdef-0123-456789abcdef"), ("h_site == %@", "https://example.com/?a=1&b=2"),
      ("b_ratio > %@", "0.05"), ("b_ratio == %@", "0.1"), ("b_ratio IN {%@}", "1e-1"), ("%@ >= b_ratio", "0.1"),
    ])
  func arguments(_ predicate: String, _ value: String) throws {
    #expect(try fetch("--predicate", predicate, "--arg", value, "--count") == "1\n", "\(predicate)")
  }

  @Test("a number that is no Float is named with the Float that is nearest, and that one finds the row")
  func floats() throws {
    let command = try Command(
      ["fetch", "things.sqlite", "--entity", "Thing", "--predicate", "b_ratio IN {0.5, 0.1}", "--count"],
      in: folder.path)
    #expect(command.status == 0 && command.output == "0\n")
    #expect(
      command.words == "--predicate: warning: b_ratio is a Float and never equals 0.1; the nearest Float is "
        + "0.10000000149011612: write that number, or %@ with --arg 0.1 [neverEqual]\n")
    #expect(try fetch("--predicate", "b_ratio == 0.10000000149011612", "--count") == "1\n")
    #expect(try fetch("--predicate", "b_ratio == 16777216", "--count") == "0\n")
  }

  @Test(
    "a number that a whole number or a truth value cannot be is named; one that it can be is not",
    arguments: [
      ("n == 1.5", "n is Integer 16 and never equals 1.5; it holds whole numbers from -32768 to 32767"),
      ("n IN {1, 70000}", "n is Integer 16 and never equals 70000"), ("70000 == n", "never equals 70000"),
      ("flag == 2", "flag is Boolean and never equals 2; it holds 0 and 1, YES and NO"), ("flag == 1", ""),
      ("k == 0.5", "k is Integer 64 and never equals 0.5"), ("k == 9223372036854775807", ""), ("n == 2.0", ""),
      ("n == -32768", ""), ("n > 70000", ""), ("n + n == 60000.5", ""),
    ])
  func unreachable(_ predicate: String, _ says: String) throws {
    try folder.write("entities: { N: { attributes: { n: integer16, k: integer64, flag: boolean } } }\n", to: "n.yaml")
    try folder.write("n,k,flag\n1,2,true\n", to: "n.csv")
    try folder.write(
      "model: n.yaml\nstore: n.sqlite\nsource: n.csv\nimport: { entity: N, mode: insert, attributes: [n, k, flag] }\n",
      to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let command = try Command(["fetch", "n.sqlite", "--entity", "N", "--predicate", predicate], in: folder.path)
    #expect(command.status == 0 && command.words.isEmpty == says.isEmpty, "\(command.words)")
    #expect(command.words.contains(says) || says.isEmpty, "\(command.words)")
  }

  @Test("a binary is compared with nothing but NULL")
  func binaries() throws {
    let command = try Command(
      ["fetch", "things.sqlite", "--entity", "Thing", "--predicate", "e_data == %@", "--arg", "AQID"], in: folder.path)
    #expect(command.status == 2)
    #expect(command.words.contains("expected no text as argument 1 beside e_data"), "\(command.words)")
  }
}
