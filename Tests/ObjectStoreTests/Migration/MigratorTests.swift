import Foundation
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Migrating stores")
struct MigratorTests {
  typealias M = Models
  private static let name = M.attribute("name", .string)

  @Test("AP10: a store of another version is refused when it is opened, with the entities that differ")
  func ap10Incompatible() throws {
    let bench = try MigrationBench(
      [EntityDraft("A", [Self.name]), EntityDraft("B", [Self.name])], [EntityDraft("A", [Self.name]), EntityDraft("B")])
    let error = #expect(throws: StoreError.self) { try StoreFile.open(path: bench.path, model: bench.new) }
    #expect(error?.code == .incompatibleModel)
    #expect(error?.differences?.differing == ["B"])
  }

  @Test(
    "indexes of names beyond ASCII stay or are made, as in a new store",
    arguments: ["straße", "índice", "日本", "ﬁeld", "ſ", "größe"])
  func namesBeyondASCII(name: String) throws {
    let indexed = M.attribute(name, .string).with { $0.isIndexed = true }
    var element = FetchIndexDescription.Element(propertyName: name)
    element.isAscending = false
    func draft(_ more: [AttributeDescription]) -> EntityDraft {
      var entity = EntityDraft("Straße", [indexed] + more)
      entity.fetchIndexes = [FetchIndexDescription(name: "nach_" + name, elements: [element])]
      return entity
    }
    let bench = try MigrationBench([draft([])], [draft([M.attribute("more", .date)])])
    #expect(bench.differences(try bench.migrate()) == [])
  }

  @Test("AP10: metadata have the hashes of the new version, and everything else that was there")
  func ap10Metadata() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft("A", [Self.name, M.attribute("more", .date)])]
    draft.versionIdentifier = "2.0"
    let bench = try MigrationBench(MigrationBench.model([EntityDraft("A", [Self.name])]), ManagedObjectModel(draft))
    let file = try StoreFile.open(path: bench.path, model: bench.old)
    try file.begin()
    var metadata = file.metadata
    metadata["app"] = .string("kept")
    try file.writeMetadata(metadata)
    try file.commit()
    try file.finish()
    let before = try StoreMetadata.read(path: bench.path)
    _ = try bench.migrate()
    let after = try StoreMetadata.read(path: bench.path)
    let hashes = try ModelHashes(#require(StoreSchema(model: bench.new, configuration: nil)))
    #expect(after.uuid == before.uuid)
    #expect(after["app"] == .string("kept"))
    #expect(after.hashes == hashes)
    #expect(after.digest == hashes.digest)
    #expect(after.checksum == nil)
    #expect(after.versionIdentifiers == ["2.0"])
    #expect(try StoreModel.find(path: bench.path).model.draft.versionIdentifier == "2.0")
  }

  @Test("AP11: everything that cannot be inferred is named at once, and the store is as before")
  func ap11Refusals() throws {
    let bench = try MigrationBench(
      [
        EntityDraft(
          "A", [M.attribute("number", .string), M.attribute("wide", .integer64)],
          [M.toMany("bs", "B", inverse: "as"), M.toOne("other", "B")]),
        EntityDraft("B", [], [M.toMany("as", "A", inverse: "bs")]), EntityDraft("C"), EntityDraft("D"),
      ],
      [
        EntityDraft(
          "A",
          [
            M.attribute("number", .integer32), M.attribute("wide", .integer16),
            M.attribute("new", .date, optional: false),
          ],
          [
            M.toOne("bs", "B", inverse: "as"), M.toOne("other", "C"),
            M.toOne("must", "B").with { $0.isOptional = false },
          ]),
        EntityDraft("B", [], [M.toMany("as", "A", inverse: "bs")]), EntityDraft("C", parent: "P"),
        EntityDraft("D", parent: "P"), EntityDraft("P", isAbstract: true),
      ])
    let bytes = try FileContents.read(bench.path)
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.code == .notInferable)
    let found = Set(error?.findings.map { "\($0.entity).\($0.property ?? "") \($0.code.rawValue)" } ?? [])
    #expect(
      found == [
        "P. mergedHierarchies", "A.number typeChange", "A.wide typeChange", "A.new missingDefault", "A.bs toManyToOne",
        "A.other relationshipDestination", "A.must missingReference",
      ])
    for finding in error?.findings ?? [] {
      #expect(!finding.hint.isEmpty && finding.description.hasSuffix("[\(finding.code.rawValue)]"))
    }
    #expect(try FileContents.read(bench.path) == bytes)
    #expect(!FileManager.default.fileExists(atPath: bench.path + "-wal"))
  }

  @Test("a store that fits is left alone")
  func upToDate() throws {
    let model = try M.zoo()
    let bench = try MigrationBench(model, model)
    let bytes = try FileContents.read(bench.path)
    #expect(try StoreMigrator.migrate(path: bench.path, to: model).isUpToDate)
    #expect(try FileContents.read(bench.path) == bytes)
  }

  @Test("the plan is what is done, and changes nothing")
  func plan() throws {
    let bench = try MigrationBench(
      [EntityDraft("A", [Self.name])], [EntityDraft("A", [Self.name, M.attribute("more", .date)])])
    let bytes = try FileContents.read(bench.path)
    let version = ModelVersionList.Version(bench.new, name: "next")
    let planned = try StoreMigrator.plan(path: bench.path, to: version, in: ModelVersionList([]))
    #expect(try FileContents.read(bench.path) == bytes)
    #expect(planned.steps.contains("add columns to ZA: ZMORE"))
    #expect(planned.findings.isEmpty)
    var heard: [String] = []
    var options = StoreMigrator.Options()
    options.progress = { heard.append($0.title) }
    let done = try StoreMigrator.migrate(path: bench.path, to: version, in: ModelVersionList([]), options: options)
    #expect(done.steps == planned.steps)
    #expect(heard == planned.steps)
  }

  @Test("data that nothing in the new version continues are named and counted, in the plan too")
  func removals() throws {
    let bench = try MigrationBench(
      [
        EntityDraft(
          "A", [Self.name, M.attribute("gone", .string), M.attribute("kept", .date)],
          [
            M.toMany("places", "Place", inverse: "as"), M.toOne("home", "Place"),
            M.toOne("boss", "A", inverse: "staff"), M.toMany("staff", "A", inverse: "boss"),
          ]), EntityDraft("Child", parent: "A", [M.attribute("own", .integer16)]), EntityDraft("Old", [Self.name]),
        EntityDraft("Place", [Self.name], [M.toMany("as", "A", inverse: "places")]),
      ],
      [
        // The references between the objects of A stay with one of their two ends.
        EntityDraft(
          "A", [Self.name, M.attribute("renamed", .date).with { $0.renamingIdentifier = "kept" }],
          [M.toMany("staff", "A")]), EntityDraft("Place", [Self.name]),
      ])
    try bench.execute(
      "UPDATE ZA SET ZGONE = 'x', ZHOME = (SELECT min(Z_PK) FROM ZPLACE), ZBOSS = NULL;"
        + " UPDATE ZA SET ZGONE = NULL WHERE Z_PK = (SELECT min(Z_PK) FROM ZA WHERE Z_ENT = 1);"
        + " INSERT OR IGNORE INTO Z_1PLACES (Z_1AS, Z_4PLACES) SELECT a.Z_PK, p.Z_PK FROM ZA a, ZPLACE p")
    let planned = try bench.plan()
    let done = try StoreMigrator.migrate(path: bench.path, to: bench.new)
    #expect(
      done.removed.map { "\($0.kind.rawValue) \($0.name) \($0.count ?? -1)" }.sorted() == [
        "attribute A.gone 6", "entity Child 7", "entity Old 7", "relationship A.home 7", "relationship A.places 49",
      ])
    #expect(planned.removed == done.removed)
    #expect(done.removed.allSatisfy { !$0.isDerivedNow && $0.description.contains($0.name) })
  }

  @Test("values that an expression replaces are named, those of derived attributes are not")
  func removedByExpressions() throws {
    let plain = M.attribute("upper", .string)
    let derived = plain.with { $0.derivationExpression = "uppercase:(name)" }
    let lower = M.attribute("lower", .string).with { $0.derivationExpression = "lowercase:(name)" }
    let bench = try MigrationBench(
      [EntityDraft("A", [Self.name, plain, lower])], [EntityDraft("A", [Self.name, derived])])
    try bench.execute("UPDATE ZA SET ZUPPER = 'mine'")
    let removed = try StoreMigrator.migrate(path: bench.path, to: bench.new).removed
    #expect(removed.map { "\($0.name) \($0.count ?? -1) \($0.isDerivedNow)" } == ["A.upper 7 true"])
  }

  @Test(
    "values that one entity computes and another one lacks are counted for each reason", arguments: ["B", "C"])
  func removedForTwoReasons(computing: String) throws {
    let plain = M.attribute("upper", .string)
    let derived = plain.with { $0.derivationExpression = "uppercase:(name)" }
    let old = [EntityDraft("A", [Self.name, plain]), EntityDraft("B", parent: "A"), EntityDraft("C", parent: "A")]
    let new = old.map { entity in
      EntityDraft(
        entity.name, parent: entity.parentName,
        entity.name == "A" ? [Self.name] : entity.name == computing ? [derived] : [])
    }
    let bench = try MigrationBench(old, new)
    try bench.execute("UPDATE ZA SET ZUPPER = NULL; UPDATE ZA SET ZUPPER = 'mine' WHERE Z_ENT > 1")
    let removed = try StoreMigrator.migrate(path: bench.path, to: bench.new).removed
    #expect(
      removed.map { "\($0.name) \($0.count ?? -1) \($0.isDerivedNow)" } == ["A.upper 7 false", "A.upper 7 true"])
  }

  @Test("a stop leaves the store as it was, before the first step and in the middle", arguments: [0, 3])
  func cancelling(patience: Int) throws {
    let bench = try MigrationBench([EntityDraft("A", [Self.name])], [EntityDraft("A")])
    let connection = try Connection(path: bench.path, mode: .readWrite)
    // Enough work to be asked in the middle of it.
    try connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
        + " INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 1, 1, i FROM n; UPDATE Z_PRIMARYKEY SET Z_MAX = 60000")
    try connection.close()
    let bytes = try FileContents.read(bench.path)
    var asked = 0
    var options = StoreMigrator.Options()
    options.isCancelled = {
      asked += 1
      return asked > patience
    }
    let chosen = options
    let error = #expect(throws: MigrationError.self) {
      try StoreMigrator.migrate(path: bench.path, to: bench.new, options: chosen)
    }
    #expect(error?.code == .cancelled)
    #expect(asked == patience + 1)
    #expect(try FileContents.read(bench.path) == bytes)
  }

  @Test("a killed migration leaves the store as it was", arguments: 0..<6)
  func crash(step: Int) async throws {
    let bench = try MigrationBench(
      [
        EntityDraft("A", [Self.name], [M.toOne("b", "B", inverse: "as")]),
        EntityDraft("B", [Self.name], [M.toMany("as", "A", inverse: "b")]),
      ],
      [
        EntityDraft("A", [], [M.toMany("b", "B", inverse: "as")]), EntityDraft("AA"),
        EntityDraft("B", [Self.name], [M.toMany("as", "A", inverse: "b")]),
      ])
    let path = bench.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step as Int] in
      let new = try MigrationBench.model([
        EntityDraft("A", [], [M.toMany("b", "B", inverse: "as")]), EntityDraft("AA"),
        EntityDraft("B", [Models.attribute("name", .string)], [M.toMany("as", "A", inverse: "b")]),
      ])
      var options = StoreMigrator.Options()
      options.progress = { if $0.step > step { kill(getpid(), SIGKILL) } }
      try StoreMigrator.migrate(path: path, to: new, options: options)
    }
    #expect(try StoreVerifier.verify(path: path, model: bench.old).isSound)
    #expect(try StoreDump(path, bench.old) == bench.before)
    let after = try bench.migrate()
    #expect(after.values("A", "b") == bench.before.values("A", "b"))
  }

  @Test("a backup is the store as it was, with its log and its external data")
  func backup() throws {
    let bench = try MigrationBench([EntityDraft("A", [Self.name])], [EntityDraft("A")])
    let files = bench.folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: files + "/78771074-CDF9-407D-BC49-72EB4E613503"))
    var options = StoreMigrator.Options()
    options.backupPath = bench.folder.file("copy.sqlite")
    try StoreMigrator.migrate(path: bench.path, to: bench.new, options: options)
    #expect(try StoreDump(bench.folder.file("copy.sqlite"), bench.old) == bench.before)
    let copied = bench.folder.file(".copy_SUPPORT/_EXTERNAL_DATA/78771074-CDF9-407D-BC49-72EB4E613503")
    #expect(try FileContents.read(copied) == Data([1, 2, 3]))
    // What is there is not written over, and then nothing is migrated.
    let again = try MigrationBench([EntityDraft("A", [Self.name])], [EntityDraft("A")])
    let same = options
    let error = #expect(throws: MigrationError.self) {
      try StoreMigrator.migrate(path: again.path, to: again.new, options: same)
    }
    #expect(error?.cause?.code == .alreadyExists)
    #expect(try StoreDump(again.path, again.old) == again.before)
  }

  @Test("rows of no entity that a table written anew leaves out are named and counted", arguments: ["77", "NULL"])
  func strays(_ number: String) throws {
    let bench = try MigrationBench(
      [EntityDraft("A", [Self.name, M.attribute("gone", .string)]), EntityDraft("B", [Self.name])],
      [EntityDraft("A", [Self.name]), EntityDraft("B", [Self.name])])
    try bench.execute("UPDATE ZA SET ZGONE = NULL")
    try bench.execute("UPDATE ZA SET Z_ENT = \(number) WHERE Z_PK = (SELECT max(Z_PK) FROM ZA)")
    let planned = try bench.plan()
    let done = try StoreMigrator.migrate(path: bench.path, to: bench.new)
    #expect(done.removed.map { "\($0.kind.rawValue) \($0.name) \($0.count ?? -1)" } == ["stray A 1"])
    #expect(planned.removed == done.removed)
    #expect(done.removed[0].description.hasPrefix("1 object in the table of A is removed: "))
  }

  @Test("changes in the history get the new entity numbers")
  func history() throws {
    let bench = try MigrationBench(
      [EntityDraft("B", [Self.name]), EntityDraft("C", [Self.name]), EntityDraft("D")],
      [EntityDraft("A"), EntityDraft("B", [Self.name]), EntityDraft("D", [Self.name])])
    try bench.execute(
      "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,"
        + " ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );"
        + " INSERT INTO ACHANGE (ZENTITY, ZENTITYPK, ZCOLUMNS) VALUES (1, 10, x'01'), (2, 20, x'01'), (3, 30, x'01');"
        + " INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 3)")
    try StoreMigrator.migrate(path: bench.path, to: bench.new)
    let after = try Connection(path: bench.path, mode: .readWrite)
    let found = try after.text(
      "SELECT group_concat(ZENTITY || ' ' || ZENTITYPK || ' ' || iif(ZCOLUMNS IS NULL, 'none', hex(ZCOLUMNS)), ', ') FROM ACHANGE"
    )
    #expect(found == "2 10 01, 3 30 none")
    #expect(try after.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == 3)
  }

  @Test("the history keeps the values of deleted records under the names of their attributes")
  func tombstones() throws {
    func kept(_ name: String, renamedFrom old: String? = nil) -> AttributeDescription {
      var attribute = M.attribute(name, .string)
      attribute.preservesValueInHistoryOnDeletion = true
      attribute.renamingIdentifier = old
      return attribute
    }
    let bench = try MigrationBench(
      [
        EntityDraft("B", [kept("m"), kept("n"), M.attribute("o", .string)]), EntityDraft("C", [kept("x")]),
        EntityDraft("D", [kept("x")]),
      ],
      [
        EntityDraft("A", [Self.name]),
        EntityDraft("B", [kept("a"), kept("k", renamedFrom: "n"), kept("m"), kept("o")]),
        EntityDraft("C", [M.attribute("x", .string)]), EntityDraft("D", [kept("x")]),
      ])
    try bench.execute(
      "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,"
        + " ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );"
        + " INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTOMBSTONE0, ZTOMBSTONE1) VALUES"
        + " (2, 1, 10, 'm', 'n'), (2, 2, 20, 'x', NULL), (2, 3, 30, 'x', NULL)")
    try StoreMigrator.migrate(path: bench.path, to: bench.new)
    let after = try Connection(path: bench.path, mode: .readWrite)
    let found = try after.text(
      "SELECT group_concat(ZENTITY || ' ' || ifnull(ZTOMBSTONE0, '-') || ifnull(ZTOMBSTONE1, '-')"
        + " || ifnull(ZTOMBSTONE2, '-') || ifnull(ZTOMBSTONE3, '-'), ', ') FROM ACHANGE")
    #expect(found == "2 -nm-, 3 ----, 4 x---")
  }

  @Test("keys go on where they were")
  func sequences() throws {
    let bench = try MigrationBench(
      [EntityDraft("P", [Self.name]), EntityDraft("Q", parent: "P")],
      [EntityDraft("P", [Self.name]), EntityDraft("Q", [Self.name])])
    try bench.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 5000 WHERE Z_ENT = 1")
    try StoreMigrator.migrate(path: bench.path, to: bench.new)
    let after = try Connection(path: bench.path, mode: .readWrite)
    #expect(try after.integer("SELECT min(Z_MAX) FROM Z_PRIMARYKEY") == 5000)
  }

  @Test("columns that the model does not know, and triggers on changed tables, do not stop it")
  func leftovers() throws {
    let bench = try MigrationBench(
      [EntityDraft("A", [Self.name]), EntityDraft("B", [Self.name])],
      [EntityDraft("A", [Self.name, M.attribute("more", .date)]), EntityDraft("B", [Self.name])])
    try bench.execute(
      "ALTER TABLE ZA ADD COLUMN ZMORE INTEGER; UPDATE ZA SET ZMORE = 3; CREATE INDEX ZA_ZMORE_INDEX ON ZA (ZMORE);"
        + " CREATE TRIGGER TA AFTER INSERT ON ZA BEGIN SELECT NSCoreDataUnknown(NEW.ZMORE); END;"
        + " CREATE TRIGGER TB AFTER INSERT ON ZB BEGIN UPDATE ZB SET ZNAME = 'x' WHERE Z_PK = NEW.Z_PK; END;")
    let after = try bench.migrate()
    #expect(Set(after.values("A", "more").values) == ["NULL"])
    let check = try Connection(path: bench.path, mode: .readWrite)
    #expect(try check.text("SELECT group_concat(name) FROM sqlite_master WHERE type = 'trigger'") == "TA,TB")
  }

  // MARK: Versions

  @Test("versions are ordered by name, numbers by value")
  func versionOrder() throws {
    let folder = TemporaryFolder()
    for name in ["M", "M 10", "M 2", "M v2"] {
      var draft = ModelDraft()
      draft.entities = [EntityDraft("A", [M.attribute("a\(name.count)", .string)])]
      try folder.write(ModelWriter.xml(draft), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    #expect(
      try ModelVersionList(path: folder.file("M.xcdatamodeld")).versions.map(\.name) == ["M", "M 2", "M 10", "M v2"])
  }

  @Test("versions that cannot be read are left out, and messages about missing ones name them")
  func unreadableVersions() throws {
    let folder = TemporaryFolder()
    func version(_ type: AttributeType) throws -> ManagedObjectModel {
      try MigrationBench.model([EntityDraft("A", [M.attribute("a", type)])])
    }
    try folder.write("<model><entity/></model>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
    try folder.write(ModelWriter.xml(version(.date).draft), to: "M.xcdatamodeld/M 2.xcdatamodel/contents")
    let list = try ModelVersionList(path: folder.file("M.xcdatamodeld"))
    #expect(list.versions.map(\.name) == ["M 2"])
    #expect(list.unreadable.map(\.name) == ["M"])
    #expect(list.unreadable.first?.findings.diagnostics.map(\.code) == ["missingName"])
    let last = try #require(list.versions.last)
    let bench = try MigrationBench(version(.string), last.model)
    let older = ModelVersionList([ModelVersionList.Version(bench.old, name: "old")])
    for versions in [list, list.preceded(by: older)] {
      let error = #expect(throws: MigrationError.self) {
        try StoreMigrator.migrate(path: bench.path, to: last, in: versions)
      }
      #expect(error?.code == .notInferable)
      #expect(error?.message.hasSuffix("; the version M cannot be read: the entity has no name") == true)
    }
  }

  @Test("where there is no direct way, the store goes through the versions between, in one transaction")
  func throughVersions() throws {
    // From 1 to 3 the identifier names what 1 has not got; 2 explains it.
    func version(_ number: Int, _ entity: EntityDraft) throws -> ModelVersionList.Version {
      var draft = ModelDraft()
      draft.entities = [entity]
      draft.name = "V\(number)"
      return ModelVersionList.Version(try ManagedObjectModel(draft))
    }
    let first = try version(1, EntityDraft("A", [M.attribute("color", .string, optional: false)]))
    let second = try version(
      2, EntityDraft("A", [M.attribute("tint", .string, optional: false).with { $0.renamingIdentifier = "color" }]))
    let third = try version(
      3, EntityDraft("A", [M.attribute("hue", .string, optional: false).with { $0.renamingIdentifier = "tint" }]))
    let all = ModelVersionList([first, second, third])
    let bench = try MigrationBench(first.model, third.model)
    #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: third.model) }
    let planned = try StoreMigrator.plan(path: bench.path, to: third, in: all)
    #expect(planned.versions == ["V1", "V2", "V3"])
    let done = try StoreMigrator.migrate(path: bench.path, to: third, in: all)
    #expect(done.versions == ["V1", "V2", "V3"])
    #expect(try StoreDump(bench.path, third.model).values("A", "hue") == bench.before.values("A", "color"))
    try MigrationBench.expectFresh(bench.path, third.model)
  }

  /// Five versions that lead only from neighbour to neighbour, called as told.
  private static func chain(_ name: (Int) -> String) throws -> [ModelVersionList.Version] {
    try (0..<5).map { number in
      let attribute = M.attribute("v\(number)", .string, optional: false).with {
        if number > 0 { $0.renamingIdentifier = "v\(number - 1)" }
      }
      return ModelVersionList.Version(try MigrationBench.model([EntityDraft("A", [attribute])]), name: name(number))
    }
  }

  @Test("what versions are called changes no way between them: alike, in pairs, from outside the list, back, to itself")
  func versionsCalledAlike() throws {
    let told = try Self.chain { "V\($0)" }
    func way(_ list: [ModelVersionList.Version], _ start: Int, _ end: Int, among all: [ModelVersionList.Version])
      -> [String]
    {
      do throws(MigrationError) {
        return try ModelVersionList(list).route(from: all[start], to: all[end]).map(\.model.versionHashesDigest)
      } catch {
        return ["\(error.code) \(error.findings.map(\.code))"]
      }
    }
    for alike in [try Self.chain { _ in "M" }, try Self.chain { "M\($0 / 2)" }, try Self.chain { "M\(4 - $0)" }] {
      for start in 0..<5 {
        for end in 0..<5 {
          for left in [nil, 0, 2, 4, start, end] {
            let kept = (0..<5).filter { $0 != left }
            #expect(
              way(kept.map { alike[$0] }, start, end, among: alike)
                == way(kept.map { told[$0] }, start, end, among: told), "\(start) to \(end) without \(left ?? -1)")
          }
        }
      }
    }
    #expect(way(told, 0, 4, among: told).count == 5)
  }

  @Test("a store goes through versions that are all called alike; what cannot be inferred between two is said")
  func throughVersionsCalledAlike() throws {
    let versions = try Self.chain { _ in "M" }
    let bench = try MigrationBench(versions[0].model, versions[4].model)
    let done = try StoreMigrator.migrate(path: bench.path, to: versions[4], in: ModelVersionList(versions))
    #expect(done.versions == ["M", "M", "M", "M", "M"])
    try MigrationBench.expectFresh(bench.path, versions[4].model)

    let types = try MigrationBench(
      [EntityDraft("A", [M.attribute("price", .decimal)])], [EntityDraft("A", [M.attribute("price", .double)])])
    let both = ModelVersionList([types.old, types.new].map { ModelVersionList.Version($0, name: "M") })
    for list in [both, ModelVersionList(both.versions.reversed()), ModelVersionList(both.versions + both.versions)] {
      let error = #expect(throws: MigrationError.self) {
        try StoreMigrator.migrate(path: types.path, to: ModelVersionList.Version(types.new, name: "M"), in: list)
      }
      #expect(error?.code == .notInferable)
      #expect(error?.findings.map(\.code) == [.typeChange])
    }
  }

  @Test("a store whose version nobody knows is refused with the versions that were tried")
  func noSource() throws {
    let bench = try MigrationBench([EntityDraft("A", [Self.name])], [EntityDraft("A")])
    let connection = try Connection(path: bench.path, mode: .readWrite)
    var metadata = try StoreMetadata.read(connection)
    metadata["MergewalkModel"] = nil
    try metadata.write(connection)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.code == .noSourceModel)
    try StoreMigrator.migrate(path: bench.path, to: bench.new, from: bench.old)
  }
}
