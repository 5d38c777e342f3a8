import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// One store, exported, read back and exported again.
struct RoundTrip {
  let folder: TemporaryFolder
  let store: String
  var format = StoreExport.Format.ndjson

  var copy: String { folder.file("copy-\(format.rawValue).sqlite") }

  /// Exports a store into a folder of the test's folder.
  func export(_ path: String, _ name: String) throws -> StoreExport.Summary {
    var export = StoreExport(storePath: path, folder: folder.file(name), model: try StoreModel.find(path: path))
    export.format = format
    return try export.run()
  }

  /// Does all of it and holds every step to what it promises.
  @discardableResult
  func check(_ comment: Comment) throws -> ImportSummary {
    let exported = try export(store, "one-\(format.rawValue)")
    var settings = PipelineSettings()
    settings.storePath = copy
    let pipeline = try Pipeline.read(exported.pipelinePath, settings: settings)
    #expect(pipeline.warnings.filter { $0.path == exported.pipelinePath } == [], comment)
    let summary = try ImportSession(pipeline.definition).run()
    #expect(summary.rejectCounts == [:], comment)
    #expect(summary.read == exported.files.reduce(0) { $0 + $1.objects }, comment)
    #expect(summary.inserted == summary.read, comment)
    #expect(try StoreComparison.differences(store, copy) == [], comment)
    #expect(try StoreVerifier.verify(path: copy).findings == [], comment)
    let again = try export(copy, "two-\(format.rawValue)")
    for (one, two) in zip(exported.files, again.files) {
      let isSame = FileManager.default.contentsEqual(atPath: one.path, andPath: two.path)
      #expect(isSame, "\(comment): \(one.entity)")
    }
    #expect(exported.files.map(\.entity) == again.files.map(\.entity), comment)
    return summary
  }
}

@Suite("Exports read back")
struct RoundTripTests {
  private let folder = TemporaryFolder()

  /// Texts that break things, from the collection in `shared` where there is one.
  static let texts: [String] = {
    let own = ["", "é", "e\u{301}", "\u{202E}", "👩‍👩‍👧", "\\", "'", "a\u{0}b", "\u{7F}\u{85}\u{2028}"]
    guard Locations.shared != nil,
      let data = FileManager.default.contents(atPath: Locations.shared("suites/encoding/blns.json")),
      let list = try? JSONDecoder().decode([String].self, from: data)
    else { return own }
    return own + list
  }()

  @Test("a random store comes back equal, as NDJSON", arguments: Soak.seeds(40))
  func randomNDJSON(_ seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    var random = RandomStore(model, seed: seed, texts: Self.texts)
    try random.make(at: folder.file("store.sqlite"))
    try check(.ndjson, "seed \(seed)")
  }

  @Test("a random store without NUL characters comes back equal, as CSV", arguments: Soak.seeds(40, from: 1000))
  func randomCSV(_ seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    var random = RandomStore(model, seed: seed, texts: Self.texts.filter { !$0.unicodeScalars.contains("\u{0}") })
    random.hasNUL = false
    try random.make(at: folder.file("store.sqlite"))
    try check(.csv, "seed \(seed)")
  }

  @Test("the random models have every kind of relationship and of inheritance")
  func generator() throws {
    var found: Set<String> = []
    for seed in Soak.seeds(40) {
      let model = try RandomModel.make(seed: seed)
      let schema = StoreSchema(model: model)
      for join in schema.joinTables {
        found.insert(join.isReflexive ? "reflexive" : "join")
        if join.master.orderColumn != nil { found.insert("ordered join") }
        if !join.isReflexive, join.inverse.orderColumn != nil { found.insert("ordered inverse") }
      }
      for column in schema.tables.flatMap(\.columns) {
        switch column.role {
        case .destinationEntity: found.insert("destination entity")
        case .orderKey: found.insert("order key")
        case .reverse: found.insert("owner")
        case .reverseOrderKey: found.insert("owner's order")
        case .reverseEntity: found.insert("owner's entity")
        case .primaryKey, .entity, .version, .slot: break
        }
      }
      for entity in model.entities {
        if entity.isAbstract { found.insert("abstract") }
        if entity.superentityIndex.map({ !model.entities[$0].isRoot }) ?? false { found.insert("two levels") }
        for relationship in entity.relationships where !relationship.isToMany {
          if relationship.isOwnInverse { found.insert("to-one of its own") }
          if relationship.inverseSlot < 0 { found.insert("to-one without inverse") }
          if relationship.inverseSlot >= 0, !relationship.isInverseToMany { found.insert("one-to-one") }
        }
      }
    }
    #expect(found.count == 14, "\(found.sorted())")
  }

  @Test("many objects go through several batches", arguments: StoreExport.Format.allCases)
  func batches(_ format: StoreExport.Format) throws {
    let model = try RandomModel.make(seed: 4)
    var random = RandomStore(model, seed: 4, texts: ["x", "y\nz"])
    random.hasNUL = false
    try random.make(at: folder.file("store.sqlite"), objectsPerEntity: 2000)
    try check(format, "many")
  }

  @Test("the elements of composite attributes come back", arguments: StoreExport.Format.allCases)
  func composites(_ format: StoreExport.Format) throws {
    let yaml = """
      composites:
        Addr: { attributes: { city: string, place: { type: composite, composite: Point } } }
        Point: { attributes: { x: double, y: double } }
      entities: { P: { attributes: { n: integer64, home: { type: composite, composite: Addr } } } }
      """
    let model = try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "m.yaml"))
    var random = RandomStore(model, seed: 7, texts: ["Sofia", "Ruse"])
    random.hasNUL = false
    try random.make(at: folder.file("store.sqlite"))
    try check(format, "composites")
  }

  private func check(_ format: StoreExport.Format, _ comment: Comment) throws {
    let store = folder.file("store.sqlite")
    let report = try StoreVerifier.verify(path: store)
    #expect(report.findings == [], "the generator made an unsound store: \(comment)")
    try RoundTrip(folder: folder, store: store, format: format).check(comment)
  }

  @Test("texts that are no URIs, empty ones and infinite dates come back", arguments: StoreExport.Format.allCases)
  func oddities(_ format: StoreExport.Format) throws {
    let yaml = "entities: { P: { attributes: { link: uri!, day: date } } }"
    let model = try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "m.yaml"))
    let file = try StoreFile.create(path: folder.file("store.sqlite"), model: model)
    try file.connection.execute(
      "INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT, ZLINK, ZDAY) VALUES (1, 1, 1, 'http://ä/ b', 9e999), (2, 1, 1, '', -9e999),"
        + " (3, 1, 1, ' urn:x ', 1e300)")
    try file.finish()
    try check(format, "oddities")
  }

  @Test("names with letters beyond ASCII come back", arguments: StoreExport.Format.allCases)
  func names(_ format: StoreExport.Format) throws {
    let yaml = """
      entities:
        P:
          attributes: { größe: double, xmlID: string }
          relationships: { über: { to_one: P, inverse: unter }, unter: { to_many: P, inverse: über, ordered: true } }
      """
    let model = try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "m.yaml"))
    var random = RandomStore(model, seed: 11, texts: ["", "x"])
    random.hasNUL = false
    try random.make(at: folder.file("store.sqlite"))
    try check(format, "names")
  }

  @Test("every text of the naughty strings comes back", arguments: StoreExport.Format.allCases)
  func naughtyTexts(_ format: StoreExport.Format) throws {
    var draft = ModelDraft()
    var entity = EntityDraft(name: "Text")
    entity.isSyncable = true
    var attribute = AttributeDescription(name: "value", type: .string)
    attribute.isOptional = true
    entity.attributes = [attribute]
    draft.entities = [entity]
    let file = try StoreFile.create(path: folder.file("store.sqlite"), model: try ManagedObjectModel(draft))
    let insert = try file.connection.prepare("INSERT INTO ZTEXT (Z_PK, Z_ENT, Z_OPT, ZVALUE) VALUES (?, 1, 1, ?)")
    let texts = Self.texts.filter { format == .ndjson || !$0.unicodeScalars.contains("\u{0}") }
    for (index, text) in texts.enumerated() {
      insert.bind(1, Int64(index) + 1)
      insert.bind(2, text: text)
      try insert.run()
    }
    try file.finish()
    try check(format, "texts")
  }

  @Test("stores that apps wrote come back equal", .enabled(if: Locations.shared != nil), arguments: AppStores.all)
  func apps(_ name: String) throws {
    let store = try AppStores.copy(name, to: folder)
    // In an ordinary run every format has a third of the stores.
    let number = AppStores.all.firstIndex(of: name) ?? 0
    for (place, format) in StoreExport.Format.allCases.enumerated() where Soak.isOn || (place + number) % 3 == 0 {
      try RoundTrip(folder: folder, store: store, format: format).check("\(name) \(format)")
    }
  }
}

/// The stores of apps in `shared/coredata`.
enum AppStores {
  static let all: [String] = {
    guard Locations.shared != nil, let walk = FileManager.default.enumerator(atPath: Locations.shared("coredata"))
    else { return [] }
    return walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".sqlite") }.sorted()
  }()

  /// Copies a store with its log.
  static func copy(_ name: String, to folder: TemporaryFolder) throws -> String {
    let target = folder.file((name as NSString).lastPathComponent)
    for suffix in ["", "-wal"] {
      let source = Locations.shared("coredata/" + name + suffix)
      guard FileManager.default.fileExists(atPath: source) else { continue }
      try FileManager.default.copyItem(atPath: source, toPath: target + suffix)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target + suffix)
    }
    return target
  }
}
