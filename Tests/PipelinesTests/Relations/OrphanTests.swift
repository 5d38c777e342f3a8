import MergewalkImporting
import MergewalkTestSupport
import Testing

/// Objects that a list leaves out, where other objects have a say in whether they may go.
@Suite("Objects that a list leaves out") struct OrphanTests {
  let folder: RelationFolder

  init() throws { folder = try RelationFolder() }

  /// Orders with lines, lines with returns, returns with claims.
  private func model(returns: String, claims: String, lineKey: String = "") throws {
    try folder.folder.write(
      """
      model: Orders
      entities:
        Article:
          attributes: { number: integer64!, title: string }
          relationships: { lines: { to_many: Line, inverse: article, delete: cascade } }
          unique: [number]
        Line:
          attributes: { number: integer32!, text: string }
          relationships:
            article: { to_one: Article, inverse: lines }
            returns: { to_many: Return, inverse: line, delete: \(returns) }
          \(lineKey)
        Return:
          attributes: { code: string! }
          relationships:
            line: { to_one: Line, inverse: returns }
            claims: { to_many: Claim, inverse: origin, delete: \(claims) }
          unique: [code]
        Claim:
          attributes: { code: string! }
          relationships: { origin: { to_one: Return, inverse: claims } }
          unique: [code]
      """, to: "model.yaml")
    try folder.pipeline(
      """
      lines:
        each: lines
        find_by: [number]
        attributes: [text]
        orphans: delete
        relationships:
          returns:
            each: returns
            find_by: [code]
            relationships: { claims: { each: claims, find_by: { code: . } } }
      """)
  }

  private static let first = """
    {"number":1,"lines":[{"number":1,"returns":[{"code":"r1","claims":["c1"]}]},{"number":2}]}
    {"number":2,"lines":[{"number":1},{"number":2,"returns":[{"code":"r2"}]}]}
    """

  @Test(
    "reject the record when a rule denies that they go, also of what would go with them; nothing of it is written",
    arguments: [("deny", "nullify", "Line.returns"), ("cascade", "deny", "Return.claims")])
  func denied(returns: String, claims: String, culprit: String) throws {
    try model(returns: returns, claims: claims)
    try folder.run(Self.first)
    let summary = try folder.run(
      """
      {"number":1,"lines":[{"number":2,"text":"new"},{"number":3}]}
      {"number":2,"lines":[{"number":2,"returns":[{"code":"r2"}]}]}
      {"number":3,"lines":[{"number":1}]}
      """)
    #expect(summary.rejectCounts == ["delete.denied": 1])
    #expect(summary.rejected == 1 && summary.updated == 1 && summary.inserted == 1)
    #expect(summary.deleted == 1 && summary.entities["Line"]?.deleted == 1)
    let reject = try #require(try folder.rejects().first)
    #expect(reject.contains("“\(culprit)” denies that"), "\(reject)")
    #expect(
      try folder.rows("SELECT ZARTICLE, ZNUMBER FROM ZLINE ORDER BY 1, 2") == ["1 1", "1 2", "2 2", "3 1"])
    #expect(try folder.rows("SELECT count(*) FROM ZLINE WHERE ZTEXT NOT NULL") == ["0"])
    #expect(try folder.rows("SELECT ZCODE, ZLINE FROM ZRETURN ORDER BY 1") == ["r1 1", "r2 4"])
    try folder.verify()
  }

  @Test("take along what delete rules say, and count it") func cascade() throws {
    try model(returns: "cascade", claims: "cascade")
    try folder.run(Self.first)
    let summary = try folder.run(#"{"number":1,"lines":[{"number":2}]}"#)
    #expect(summary.deleted == 3)
    #expect(summary.entities["Return"]?.deleted == 1 && summary.entities["Claim"]?.deleted == 1)
    #expect(try folder.rows("SELECT ZCODE FROM ZRETURN") == ["r2"])
    try folder.verify()
  }

  @Test("may come again in a later record, as may what went with them", arguments: [1, 100])
  func comesAgain(batch: Int) throws {
    try model(returns: "cascade", claims: "cascade", lineKey: "unique: [number]")
    try folder.run(#"{"number":1,"lines":[{"number":1,"returns":[{"code":"r1"}]}]}"#)
    let summary = try folder.run(
      """
      {"number":1,"lines":[]}
      {"number":2,"lines":[{"number":1,"returns":[{"code":"r1"}]}]}
      """, batch: batch)
    #expect(summary.rejected == 0 && summary.inserted == 1 && summary.updated == 1)
    #expect(
      try folder.rows(
        "SELECT a.ZNUMBER, l.ZNUMBER, r.ZCODE FROM ZARTICLE a JOIN ZLINE l ON l.ZARTICLE = a.Z_PK"
          + " JOIN ZRETURN r ON r.ZLINE = l.Z_PK") == ["2 1 r1"])
    try folder.verify()
  }
}
