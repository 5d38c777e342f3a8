import MergewalkTestSupport
import Testing

/// Pipelines in which several features meet, with data made up for them and results that were worked out by hand.
@Suite("Pipelines with results worked out by hand")
struct InventedPipelinesTests {
  private let folder = TemporaryFolder()

  /// One run: what its input is, what it counts, and what the store has afterwards.
  struct Night: Sendable {
    var input: String
    var arguments: [String] = []
    var counts: [String: Int] = [:]
    var rows: [String] = []
  }

  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the pipeline says behind its model and its store.
    let pipeline: String
    let query: String
    let nights: [Night]

    var testDescription: String { name }
  }

  private static let model = """
    entities:
      Ship:
        attributes: { imo: string!, port: string!, tons: integer32, firmTons: { type: double, derived: owner.tonnage } }
        relationships:
          owner: { to_one: Firm, inverse: ships }
          crew: { to_many: Sailor, inverse: ship }
          leader: { to_one: Ship, inverse: followers }
          followers: { to_many: Ship, inverse: leader }
        unique: [[imo, port]]
      Firm:
        attributes:
          code: string!
          tonnage: { type: double, derived: ships.@sum.tons }
          twice: { type: double, derived: ships.@sum.firmTons }
          big: { type: integer32, derived: ships.@max.tons }
        relationships: { ships: { to_many: Ship, inverse: owner } }
        unique: [code]
      Sailor:
        attributes: { badge: string! }
        relationships: { ship: { to_one: Ship, inverse: crew } }
        unique: [badge]
    """

  private static let ships = "SELECT ZIMO || ZPORT || ' ' || ifnull(ZTONS, '-') FROM ZSHIP ORDER BY ZIMO, ZPORT"
  private static let led = """
    SELECT s.ZIMO || ' ' || ifnull(l.ZIMO, '-') FROM ZSHIP AS s LEFT JOIN ZSHIP AS l ON l.Z_PK = s.ZLEADER ORDER BY 1
    """
  private static let crews = """
    SELECT p.ZBADGE || ' ' || s.ZIMO FROM ZSAILOR AS p JOIN ZSHIP AS s ON s.Z_PK = p.ZSHIP ORDER BY 1
    """
  private static let firms = """
    SELECT ZCODE || ' ' || ZTONNAGE || ' ' || ZBIG || ' ' || ZTWICE FROM ZFIRM ORDER BY 1
    """

  static let examples = [
    Example(
      name: "since holds at a reject until the source is corrected",
      pipeline: """
        source: in.txt
        import: { entity: Ship, find_by: [imo, port], attributes: { imo: imo, port: port, tons: tons } }
        since: { column: seq, type: integer }
        """, query: ships,
      nights: [
        Night(
          input: "imo,port,tons,seq\nA,X,10,1\nB,X,ten,2\nC,X,30,3\n", counts: ["inserted": 2, "rejected": 1],
          rows: ["AX 10", "CX 30"]),
        Night(
          input: "imo,port,tons,seq\nA,X,10,1\nB,X,20,2\nC,X,30,3\nD,Y,40,4\n",
          counts: ["inserted": 2, "skipped": 1, "unchanged": 1], rows: ["AX 10", "BX 20", "CX 30", "DY 40"]),
      ]),
    Example(
      name: "a record refers to one of the same file that a second pass rejects, whose place another record takes",
      pipeline: """
        source: in.txt
        import:
          { entity: Ship, find_by: [imo, port], duplicates: reject, attributes: { imo: imo, port: port, tons: tons },
            relationships: { leader: { find_by: { imo: li, port: lp }, missing: reject } } }
        """, query: led,
      nights: [
        Night(
          input: "imo,port,tons,li,lp\nA,X,1,B,X\nB,X,2,NO,X\nB,X,3,,\nC,X,4,A,X\n",
          counts: ["inserted": 3, "rejected": 1], rows: ["A B", "B -", "C A"])
      ]),
    Example(
      name: "objects of a list that no record names go, and those that another list takes stay",
      pipeline: """
        source: { format: ndjson, files: in.txt }
        import:
          { entity: Ship, find_by: [imo, port], attributes: { imo: imo, port: port },
            relationships: { crew: { each: crew, find_by: { badge: . }, orphans: delete } } }
        """, query: crews,
      nights: [
        Night(
          input:
            "{\"imo\":\"A\",\"port\":\"X\",\"crew\":[\"1\",\"2\"]}\n{\"imo\":\"B\",\"port\":\"X\",\"crew\":[\"3\"]}\n",
          rows: ["1 A", "2 A", "3 B"]),
        Night(
          input:
            "{\"imo\":\"A\",\"port\":\"X\",\"crew\":[\"2\"]}\n{\"imo\":\"B\",\"port\":\"X\",\"crew\":[\"3\",\"1\"]}\n",
          counts: ["updated": 2], rows: ["1 B", "2 A", "3 B"]),
        Night(input: "{\"imo\":\"A\",\"port\":\"X\",\"crew\":[]}\n", rows: ["1 B", "3 B"]),
      ]),
    Example(
      name: "the sync of a part keeps what a record of it refers to",
      pipeline: """
        source: in.txt
        import:
          { entity: Ship, find_by: [imo, port], mode: sync, sync: { where: "port == 'X'" },
            attributes: { imo: imo, port: port }, relationships: { leader: { find_by: { imo: li, port: lp } } } }
        """, query: led,
      nights: [
        Night(input: "imo,port,li,lp\nA,X,B,X\nB,X,,\nC,Y,A,X\n", rows: ["A B", "B -", "C A"]),
        Night(input: "imo,port,li,lp\nC,Y,A,X\n", counts: ["deleted": 1], rows: ["A -", "C A"]),
      ]),
    Example(
      name: "derived values of derived values follow what an import moves",
      pipeline: """
        source: in.txt
        import:
          { entity: Ship, find_by: [imo, port], attributes: { imo: imo, port: port, tons: tons },
            relationships: { owner: { find_by: { code: firm } } } }
        """, query: firms,
      nights: [
        Night(
          input: "imo,port,tons,firm\nA,X,5,f1\nB,X,7,f1\nC,X,1,f2\n", counts: ["inserted": 3],
          rows: ["f1 12.0 7 24.0", "f2 1.0 1 1.0"]),
        Night(
          input: "imo,port,tons,firm\nB,X,9,f2\n", counts: ["updated": 1], rows: ["f1 5.0 5 5.0", "f2 10.0 9 20.0"]),
      ]),
    Example(
      name: "the last of several records counts, and a file that changes an object and changes it back changes nothing",
      pipeline: """
        batch: { records: 1 }
        history: true
        source: in.txt
        import:
          { entity: Ship, find_by: [imo, port], attributes: { imo: { from: imo, do: [trim, upper] }, port: port, tons: tons } }
        """, query: ships,
      nights: [
        Night(
          input: "imo,port,tons\n\" a \",X,1\nA,X,2\nB,X,\nB,X,1\n", counts: ["inserted": 2, "updated": 2],
          rows: ["AX 2", "BX 1"]),
        Night(
          input: "imo,port,tons\n\" a \",X,1\nA,X,2\nB,X,\nB,X,1\n", arguments: ["--dry-run"],
          counts: ["updated": 0, "unchanged": 4], rows: ["AX 2", "BX 1"]),
        Night(
          input: "imo,port,tons\n\" a \",X,1\nA,X,2\nB,X,\nB,X,1\n", counts: ["updated": 0, "unchanged": 4],
          rows: ["AX 2", "BX 1"]),
        Night(
          input: "imo,port,tons\nA,X,1\nA,X,2\nB,X,\nB,X,4\n", counts: ["updated": 2, "unchanged": 2],
          rows: ["AX 2", "BX 4"]),
      ]),
    Example(
      name: "each, a contract and a program",
      pipeline: """
        source: { format: json, files: in.txt, each: ships, contract: { types: reject } }
        import:
          { entity: Ship, find_by: [imo, port], attributes: { imo: ships.i, port: p, tons: ships.t },
            process: { command: [sed, -u, 's/"p": *"x"/"p": "X"/'] } }
        """, query: ships,
      nights: [
        Night(
          input: """
            [{"p":"x","ships":[{"i":"A","t":1},{"i":"B","t":"2"}]},{"p":"Y","ships":[{"i":"A","t":3}]},{"p":"Z","ships":[]}]
            """, counts: ["read": 3, "inserted": 2, "rejected": 1], rows: ["AX 1", "AY 3"])
      ]),
  ]

  @Test("what every night leaves", arguments: examples)
  func nights(_ example: Example) throws {
    try folder.write(Self.model, to: "model.yaml")
    try folder.write(
      "pipeline: p\nmodel: model.yaml\nstore: s.sqlite\nrejects: r.ndjson\n" + example.pipeline, to: "p.yaml")
    for (number, night) in example.nights.enumerated() {
      try folder.write(night.input, to: "in.txt")
      let command = try Command(["run", "p.yaml", "--json", "--quiet"] + night.arguments, in: folder.path)
      let object = try command.object()
      for (name, count) in night.counts {
        #expect(object[name] as? Int == count, "night \(number + 1), \(name): \(command.words)")
      }
      let found = try PipelineSet.rows(folder.file("s.sqlite"), example.query)
      #expect(found == night.rows, "night \(number + 1): \(command.words)")
      let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
      #expect(verified.status == 0, "\(verified.words)")
    }
  }
}
