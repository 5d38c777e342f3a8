import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Several roles of one entity")
struct SharedEntityTests {
  let folder = TemporaryFolder()

  private func rows(_ sql: String) throws -> [String] {
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readOnly)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    return rows
  }

  @Test("records may refer to records of their own kind, before and behind them", arguments: [1, 2, 3, 100])
  func selfReference(_ batch: Int) throws {
    try folder.write(
      """
      model: Tree
      entities:
        Item:
          attributes: { key: string!, name: string }
          relationships:
            parent: { to_one: Item, inverse: children }
            children: { to_many: Item, inverse: parent }
          unique: [key]
      """, to: "m.yaml")
    try folder.write("key,name,parent\na,A,\nb,B,a\nc,C,b\nd,D,e\ne,E,a\n", to: "i.csv")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: i.csv
      import:
        entity: Item
        find_by: [key]
        attributes: [name]
        relationships: { parent: { find_by: { key: parent } } }
      """, to: "p.yaml")
    let first = try Command(["run", "p.yaml", "--batch", String(batch), "--json"], in: folder.path)
    #expect(first.status == 0, "\(first.words)")
    let expected = ["a A -", "b B a", "c C b", "d D e", "e E a"]
    let sql = """
      SELECT i.ZKEY || ' ' || i.ZNAME || ' ' || coalesce(p.ZKEY, '-') FROM ZITEM i LEFT JOIN ZITEM p ON p.Z_PK = i.ZPARENT
      ORDER BY i.ZKEY
      """
    #expect(try rows(sql) == expected)
    let second = try Command(["run", "p.yaml", "--batch", String(batch), "--json"], in: folder.path)
    #expect(try second.object()["unchanged"] as? Int == 5)
    #expect(try rows(sql) == expected)
  }

  @Test("two relationships to one entity find each other's targets", arguments: [1, 2, 100])
  func twoRelationships(_ batch: Int) throws {
    try folder.write(
      """
      model: Shipping
      entities:
        Parcel:
          attributes: { number: integer64! }
          relationships:
            sender: { to_one: Person, inverse: sent, required: true }
            receiver: { to_one: Person, inverse: received, required: true }
          unique: [number]
        Person:
          attributes: { email: string!, name: string }
          relationships:
            sent: { to_many: Parcel, inverse: sender }
            received: { to_many: Parcel, inverse: receiver }
          unique: [email]
      """, to: "m.yaml")
    try folder.write("number,from,to\n1,a@x,b@x\n2,b@x,a@x\n3,c@x,c@x\n4,a@x,d@x\n", to: "i.csv")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: i.csv
      import:
        entity: Parcel
        find_by: [number]
        relationships:
          sender: { find_by: { email: from } }
          receiver: { find_by: { email: to } }
      """, to: "p.yaml")
    let command = try Command(["run", "p.yaml", "--batch", String(batch), "--json"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try rows("SELECT ZEMAIL FROM ZPERSON ORDER BY 1") == ["a@x", "b@x", "c@x", "d@x"])
    let pairs = try rows(
      """
      SELECT s.ZEMAIL || '>' || r.ZEMAIL FROM ZPARCEL t JOIN ZPERSON s ON s.Z_PK = t.ZSENDER
        JOIN ZPERSON r ON r.Z_PK = t.ZRECEIVER ORDER BY t.ZNUMBER
      """)
    #expect(pairs == ["a@x>b@x", "b@x>a@x", "c@x>c@x", "a@x>d@x"])
    let again = try Command(["run", "p.yaml", "--json"], in: folder.path)
    #expect(try again.object()["unchanged"] as? Int == 4)
  }

  @Test("insert without a search rejects what breaks a constraint of an existing store")
  func insertConflict() throws {
    try folder.write("name,dafif\nX,1\nY,2\n", to: "c.csv")
    try folder.write(
      """
      model: \(Locations.fixtures)/models/openflights.yaml
      store: s.sqlite
      source: c.csv
      import: { entity: Country, mode: insert, attributes: { name: name, dafifCode: dafif } }
      """, to: "p.yaml")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 0)
    try folder.write("name,dafif\nX,1\nZ,2\n", to: "c.csv")
    let command = try Command(["run", "p.yaml", "--json"], in: folder.path)
    #expect(command.status == 1)
    let object = try command.object()
    #expect(object["inserted"] as? Int == 1)
    #expect(object["rejected"] as? Int == 1)
    #expect((object["reject_codes"] as? [String: Int]) == ["constraint.unique": 1])
    #expect(try rows("SELECT ZNAME FROM ZCOUNTRY ORDER BY 1") == ["X", "Y", "Z"])
  }
}
