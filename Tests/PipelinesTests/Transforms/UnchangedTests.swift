import MergewalkImporting
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// What did not change is not written, whatever way the values took.
@Suite("Unchanged means not written") struct UnchangedTests {
  private static let data = """
    key,text,number,amount,real,day,flag
    a,é x,1,2.50,0.1,2024-02-29T10:00:00.125Z,true
    b,,,,,,
    c,y,-9223372036854775808,0.000000000000001,1e300,1999-12-31,no

    """

  private func versions(_ folder: TransformFolder) throws -> [String] {
    let connection = try Connection(path: folder.folder.file("things.sqlite"), mode: .readOnly)
    let select = try connection.prepare("SELECT ZKEY || Z_OPT FROM ZTHING ORDER BY ZKEY")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows
  }

  static let ways = [
    "attributes: [text, number, amount, real, day, flag]",
    """
    columns: { day: { type: date }, number: { type: integer }, amount: { type: decimal }, real: { type: double } }
    attributes:
      text: { from: text, do: [upper] }
      number: { from: number, do: [{ add: 0 }] }
      amount: { from: amount, do: [{ multiply: '1.0' }] }
      real: { from: real, do: [{ round: 4 }] }
      day: { from: day, do: [{ date_add: { months: 1 } }] }
      flag: { from: flag, do: [{ to: boolean }] }
    """,
    """
    columns: { number: { type: integer }, amount: { type: decimal } }
    attributes: { text: { value: "lowercase:(text)" }, number, amount: { value: "amount + 1" }, real, day, flag }
    """.replacingAll("number, amount: {", with: "number: number, amount: {").replacingAll(
      "real, day, flag }", with: "real: real, day: day, flag: flag }"),
    """
    process: [cat]
    attributes: [text, number, amount, real, day, flag]
    """,
  ]

  @Test("a second import of the same file updates nothing and moves no version", arguments: ways)
  func writesNothing(lines: String) throws {
    let folder = try TransformFolder()
    let first = try folder.run(lines, Self.data)
    #expect((first.inserted, first.rejected) == (3, 0), "\(folder.rejectsText)")
    let before = try versions(folder)
    let second = try folder.run(lines, Self.data)
    #expect((second.unchanged, second.updated, second.inserted) == (3, 0, 0))
    #expect(try versions(folder) == before)
    // A value that differs moves its version, and that one alone.
    let third = try folder.run(lines, Self.data.replacingAll("c,y", with: "c,z"))
    #expect((third.unchanged, third.updated) == (2, 1))
    #expect(try versions(folder).map(\.first) == before.map(\.first))
    #expect(try zip(versions(folder), before).filter { $0 != $1 }.map(\.1) == [before[2]])
  }

  @Test("whole decimals that steps make with places, 5.00, are the integers that the column has")
  func wholeDecimals() throws {
    let folder = try TransformFolder()
    let lines = "attributes: { amount: { from: amount, do: [{ round: 2 }] } }"
    let data = "key,amount\na,5.00\nb,0.00\nc,-3.10\nd,-0.001\ne,99.999\nf,-7.0\n"
    #expect(try folder.run(lines, data).inserted == 6)
    let before = try versions(folder)
    let again = try folder.run(lines, data)
    #expect((again.unchanged, again.updated) == (6, 0))
    #expect(try versions(folder) == before)
    #expect(
      try folder.rows("ZAMOUNT,typeof(ZAMOUNT)")
        == ["5|integer", "0|integer", "-3.1|real", "0|integer", "100|integer", "-7|integer"])
  }
}

/// Absent, null, empty and a value: kept, set to nothing, set to a value, rejected.
@Suite("Four cases, four policies") struct FieldPolicyTableTests {
  private static let data =
    "{\"key\":\"1\"}\n{\"key\":\"2\",\"v\":null}\n{\"key\":\"3\",\"v\":\"\"}\n{\"key\":\"4\",\"v\":\"new\"}\n"

  /// The policy, what a new object has, what an existing one has that had `old`; `!` for a reject.
  static let table: [(String, [String], [String])] = [
    ("absent: keep, \"null\": keep, empty: keep", ["-", "-", "-", "new"], ["old", "old", "old", "new"]),
    ("absent: \"null\", \"null\": \"null\", empty: \"null\"", ["-", "-", "-", "new"], ["-", "-", "-", "new"]),
    ("absent_value: A, null_value: N, empty_value: E", ["A", "N", "E", "new"], ["A", "N", "E", "new"]),
    ("absent: reject, \"null\": reject, empty: reject", ["!", "!", "!", "new"], ["old!", "old!", "old!", "new"]),
    ("absent: empty, \"null\": empty, empty: empty", ["", "", "", "new"], ["", "", "", "new"]),
  ]

  @Test("each case does what its policy says", arguments: table)
  func cases(policy: String, inserted: [String], updated: [String]) throws {
    for isUpdate in [false, true] {
      for isForAll in [false, true] {
        let folder = try TransformFolder()
        if isUpdate { try folder.run("attributes: { text: t }", "key,t\n1,old\n2,old\n3,old\n4,old\n") }
        try folder.folder.write(Self.data, to: "data.ndjson")
        let lines =
          isForAll ? "attributes: { text: v }" : "attributes: { text: { from: v, \(policy) } }"
        let text = TransformFolder.text(
          lines, source: "data.ndjson", more: isForAll ? "fields: { \(policy) }" : "")
        let summary = try ImportSession(folder.read(text)).run()
        let expected = isUpdate ? updated : inserted
        let rejects = expected.filter { $0.hasSuffix("!") }.count
        #expect(summary.rejected == rejects, "\(policy)")
        let rows = expected.filter { $0 != "!" }.map { $0.hasSuffix("!") ? String($0.dropLast()) : $0 }
        // Keys are mandatory, so what holds for all fields rejects nothing of theirs.
        #expect(try folder.rows() == rows, "\(policy) \(isUpdate) \(isForAll)")
      }
    }
  }
}
