import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite("AP15: models made of several")
struct ModelMergingTests {
  private func draft(_ yaml: String, _ path: String = "a.yaml") throws -> ModelDraft {
    try ModelReader.parse(Array(yaml.utf8), path: path)
  }

  @Test("AP15: what two models define alike is there once")
  func alike() throws {
    let shared = "entities: { Person: { attributes: { name: string, age: integer16 } }, A: {} }"
    let again = "entities: { B: {}, Person: { attributes: { age: integer16, name: string } } }"
    let model = try ManagedObjectModel(
      merging: [try ManagedObjectModel(draft(shared)), try ManagedObjectModel(draft(again, "b.yaml"))])
    #expect(model.entities.map(\.name) == ["A", "B", "Person"])
  }

  @Test("AP15: an entity that two models define differently is refused with both places")
  func different() throws {
    let drafts = [
      try draft("entities:\n  Person: { attributes: { name: string, age: integer16 } }", "a.yaml"),
      try draft("entities:\n\n  Person: { attributes: { name: string!, age: integer16, born: date } }", "b.yaml"),
    ]
    let error = #expect(throws: DiagnosticList.self) { try ManagedObjectModel(.merging(drafts)) }
    let finding = try #require(error?.diagnostics.first)
    #expect(error?.diagnostics.count == 1)
    #expect(finding.code == "duplicateEntity")
    #expect(finding.path == "b.yaml" && finding.position.line == 3)
    #expect(finding.message == "“Person” is defined here and, differently, in a.yaml:2")
    #expect(finding.hint == "they differ in “born”, “name”")
  }

  @Test("AP15: the models of a folder make one, which may refer to each other")
  func files() throws {
    let folder = TemporaryFolder()
    for (name, yaml) in [
      ("People", "entities: { Person: { relationships: { pets: { to_many: Dog, inverse: owner } } } }"),
      ("Pets", "entities: { Dog: { relationships: { owner: { to_one: Person, inverse: pets } } } }"),
    ] {
      try folder.write(ModelWriter.xml(draft(yaml)), to: "m/\(name).xcdatamodeld/\(name).xcdatamodel/contents")
    }
    let model = try ManagedObjectModel(mergingFilesAt: [folder.path + "/m"])
    #expect(model.entities.map(\.name) == ["Dog", "Person"])
    let hashes = Dictionary(uniqueKeysWithValues: model.versionHashes.map { ($0.name, $0.hash) })
    let found = try ManagedObjectModel(mergingFilesAt: [folder.path + "/m/"], forVersionHashes: hashes)
    #expect(found.versionChecksum == model.versionChecksum)
    let error = #expect(throws: DiagnosticList.self) { try ManagedObjectModel(mergingFilesAt: [folder.path]) }
    #expect(error?.diagnostics.map(\.code) == ["notAModel"])
  }

  @Test("AP15: of several versions those are merged that a store was made with")
  func versions() throws {
    let folder = TemporaryFolder()
    let texts = ["entities: { A: { attributes: { x: string } } }", "entities: { A: { attributes: { y: string } } }"]
    for (i, yaml) in texts.enumerated() {
      try folder.write(ModelWriter.xml(draft(yaml)), to: "M.xcdatamodeld/V\(i + 1).xcdatamodel/contents")
    }
    try folder.write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>V2.xcdatamodel</string></dict></plist>",
      to: "M.xcdatamodeld/.xccurrentversion")
    try folder.write("entities: { B: {} }", to: "b.yaml")
    try folder.write("entities: { C: {} }", to: "c.yaml")
    let paths = ["M.xcdatamodeld", "b.yaml", "c.yaml"].map { folder.path + "/" + $0 }

    let old = try ManagedObjectModel(.merging([draft(texts[0]), draft("entities: { B: {} }")]))
    let hashes = Dictionary(uniqueKeysWithValues: old.versionHashes.map { ($0.name, $0.hash) })
    let model = try ManagedObjectModel(mergingFilesAt: paths, forVersionHashes: hashes)
    #expect(model.entities.map(\.name) == ["A", "B"], "C is not in the store")
    #expect(model.entity(named: "A")?.attributes.map(\.name) == ["x"], "the version that is not current")
    #expect(model.isConfiguration(nil, compatibleWithVersionHashes: hashes))
    #expect(!model.isConfiguration("None", compatibleWithVersionHashes: hashes))

    var other = hashes
    other["A"]?[0] ^= 1
    #expect(!model.isConfiguration(nil, compatibleWithVersionHashes: other))
    let error = #expect(throws: DiagnosticList.self) {
      try ManagedObjectModel(mergingFilesAt: paths, forVersionHashes: other)
    }
    #expect(error?.diagnostics.map(\.code) == ["noMatchingVersion"])
    #expect(error?.diagnostics.first?.message.contains("“A”") == true)
  }

  @Test("AP15: the version of a real store is found", .enabled(if: Locations.shared != nil))
  func realStore() throws {
    let hashes = Examples.hashes(
      try Examples.metadata(ofStore: "duckduckgo/SyncMetadata_V3.sqlite")["NSStoreModelVersionHashes"])
    let model = try ManagedObjectModel(
      mergingFilesAt: [Locations.shared("coredata/duckduckgo/SyncMetadata.xcdatamodeld")], forVersionHashes: hashes)
    #expect(model.hashesByName == hashes)
  }
}
