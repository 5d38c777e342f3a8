import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Stores whose entities are numbered oddly: an entity and what inherits from it do not follow each other.
@Suite("Entity numbers") struct EntityNumberTests {
  @Test("of an entity and what inherits from it may have gaps, in which others lie")
  func gaps() throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Zoo
      entities:
        Animal: { attributes: { name: string! }, unique: [name] }
        Bird: { parent: Animal }
        Eagle: { parent: Bird }
        Cat: { parent: Animal }
      """, to: "model.yaml")
    let parts = ["Bird", "Eagle", "Cat"].map { entity in
      "  - { name: \(entity), source: \(entity).csv, import: { entity: \(entity), find_by: [name] } }"
    }
    try folder.write(
      "model: model.yaml\nstore: zoo.sqlite\nimports:\n" + parts.joined(separator: "\n") + "\n", to: "p.yaml")
    for (entity, names) in [("Bird", "Wren\nTit"), ("Eagle", "Ernie"), ("Cat", "Tom\nMog")] {
      try folder.write("name\n\(names)\n", to: "\(entity).csv")
    }
    let run = try Command(["run", "p.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")

    func names(_ entity: String) throws -> [String] {
      let command = try Command(
        ["fetch", "zoo.sqlite", "--entity", entity, "--columns", "name", "--sort", "name", "--format", "csv"],
        in: folder.path)
      return Array(command.lines.dropFirst())
    }
    func number(_ entity: String) throws -> Int64? {
      let connection = try Connection(path: folder.file("zoo.sqlite"), mode: .readOnly)
      defer { try? connection.close() }
      return try connection.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
    }
    #expect(try names("Bird") == ["Ernie", "Tit", "Wren"])
    let (eagle, cat) = (try #require(try number("Eagle")), try #require(try number("Cat")))

    let connection = try Connection(path: folder.file("zoo.sqlite"), mode: .readWrite)
    try connection.execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = \(max(eagle, cat) + 5) WHERE Z_NAME = 'Eagle';
      UPDATE ZANIMAL SET Z_ENT = \(max(eagle, cat) + 5) WHERE Z_ENT = \(eagle);
      """)
    try connection.close()
    // Now the cats' number lies between those of birds and eagles.
    #expect(try names("Bird") == ["Ernie", "Tit", "Wren"])
    #expect(try names("Eagle") == ["Ernie"])
    #expect(try names("Cat") == ["Mog", "Tom"])
    #expect(try names("Animal").count == 5)
    let again = try Command(["run", "p.yaml", "--json", "--quiet"], in: folder.path)
    #expect(again.status == 0, "\(again.words)")
    #expect(try again.object()["inserted"] as? Int == 0)
  }
}
