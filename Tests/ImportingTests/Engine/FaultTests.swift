import Foundation
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Runs that cannot be carried out leave nothing behind.
@Suite struct FaultTests {
  private let folder = TemporaryFolder()

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.file("store"), withIntermediateDirectories: true)
  }

  private func records(_ numbers: Range<Int>) -> [MadeRecord] {
    numbers.map { i in
      ["sku": .text("sku \(i)"), "amount": .text("\(i)"), "email": .text("p\(i % 9)@x"), "code": .text("\(i % 4)")]
    }
  }

  private func definition(_ inputs: [String], store: String = "store/s.sqlite") throws -> ImportDefinition {
    var definition = ImportDefinition(
      name: "faults", model: try ShopModel().build(), storePath: folder.file(store), inputs: inputs,
      format: RecordGenerator.csvFormat, root: ShopImport.item())
    definition.batchLimit = BatchLimit(records: 10)
    return definition
  }

  private func input(_ numbers: Range<Int>) throws -> String {
    try folder.write(RecordGenerator.csv(records(numbers)), to: "in/\(numbers.lowerBound)-\(numbers.upperBound).csv")
  }

  /// Every file in the store's folder with its bytes.
  private func files() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("store")) {
      result[name] = try Data(contentsOf: URL(fileURLWithPath: folder.file("store/" + name)))
    }
    return result
  }

  private func code(_ definition: ImportDefinition) throws -> ImportError.Code? {
    let session = try ImportSession(definition)
    return #expect(throws: ImportError.self) { try session.run() }?.code
  }

  @Test(arguments: [false, true])
  func anInputThatIsMissingTakesTheWholeRunBack(isExisting: Bool) throws {
    if isExisting { _ = try ImportSession(definition([input(0..<30)])).run() }
    let before = try files()
    #expect(before.count == (isExisting ? 1 : 0))
    let definition = try definition([input(20..<90), folder.file("in/nowhere.csv")])
    #expect(try code(definition) == .cannotRead)
    #expect(try files() == before)
  }

  @Test(arguments: [false, true])
  func anInputThatCannotBeTrustedTakesTheWholeRunBack(isExisting: Bool) throws {
    if isExisting { _ = try ImportSession(definition([input(0..<30)])).run() }
    let before = try files()
    // A header that lacks the columns the import asks for.
    let bad = try folder.write("one,two\n1,2\n", to: "in/bad.csv")
    #expect(try code(definition([input(20..<90), bad])) == .cannotRead)
    #expect(try files() == before)
    // A record that is longer than records may be.
    var options = CSVOptions()
    options.maxRecordBytes = 4096
    var long = try definition([
      try folder.write(
        RecordGenerator.csv(records(0..<50)) + "\"" + String(repeating: "x", count: 10_000), to: "in/long.csv")
    ])
    long.format = .csv(options)
    #expect(try code(long) == .cannotRead)
    #expect(try files() == before)
  }

  @Test func aFolderIsNoInput() throws {
    #expect(try code(definition([folder.path])) == .cannotRead)
    #expect(try files().isEmpty)
  }

  @Test func aStoreInAFolderThatIsNotThereIsRefused() throws {
    #expect(try code(definition([input(0..<5)], store: "nowhere/s.sqlite")) == .cannotOpenStore)
  }

  @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
  func aStoreInAFolderThatCannotBeWrittenIsRefused() throws {
    let definition = try definition([input(0..<5)])
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.file("store"))
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("store")) }
    #expect(try code(definition) == .cannotOpenStore)
  }

  @Test func aStoreOfAnotherModelIsRefused() throws {
    _ = try ImportSession(definition([input(0..<5)])).run()
    let before = try files()
    var definition = try definition([input(0..<5)])
    definition.model = try ShopModel(needsOwner: true).build()
    let session = try ImportSession(definition)
    let error = #expect(throws: ImportError.self) { try session.run() }
    #expect(error?.code == .incompatibleStore)
    #expect(error?.message.contains("Item") == true)
    #expect(try files() == before)
  }

  @Test func whatIsNoStoreIsRefused() throws {
    for text in ["", "no database", String(repeating: "SQLite format 3\0", count: 300)] {
      let definition = try definition([input(0..<5)])
      try Data(text.utf8).write(to: URL(fileURLWithPath: definition.storePath))
      let before = try files()
      #expect(try code(definition) == .cannotOpenStore)
      #expect(try files() == before)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aDamagedStoreIsAnErrorOrIsImportedButNeverATrap(seed: UInt64) throws {
    _ = try ImportSession(definition([input(0..<300)])).run()
    let path = folder.file("store/s.sqlite")
    var random = SeededGenerator(seed: seed)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      // Past the header page mostly, where tables and indexes are.
      let place = Int.random(in: (seed % 4 == 0 ? 0 : 4096)..<bytes.count, using: &random)
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
    if seed % 5 == 0 { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)) }
    try bytes.write(to: URL(fileURLWithPath: path))
    var definition = try definition([input(100..<400)])
    definition.findPlan = FindPlan.allCases[Int(seed) % 3]
    let session = try ImportSession(definition)
    do {
      let summary = try session.run()
      #expect(summary.read == 300, "seed \(seed)")
    } catch {
      let codes: [ImportError.Code] = [.database, .cannotOpenStore, .incompatibleStore]
      #expect(codes.contains(error.code), "seed \(seed)")
      let after = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(after == bytes, "seed \(seed)")
    }
  }

  @Test func aRejectsFileThatCannotBeWrittenStopsTheRunBeforeItBegins() throws {
    _ = try ImportSession(definition([input(0..<30)])).run()
    let before = try files()
    var definition = try definition([input(20..<90)])
    // A file is no folder.
    definition.rejects.path = try input(0..<1) + "/rejects.ndjson"
    #expect(try code(definition) == .cannotWriteRejects)
    // A folder is found before anything else.
    definition.rejects.path = folder.path
    #expect(throws: DiagnosticList.self) { try ImportSession(definition) }
    #expect(try files() == before)
  }

  @Test func recordsComeThroughAPipe() throws {
    let fifo = folder.file("pipe")
    #expect(mkfifo(fifo, 0o600) == 0)
    let text = RecordGenerator.csv(records(0..<50))
    let writer = Thread { try? text.write(toFile: fifo, atomically: false, encoding: .utf8) }
    writer.start()
    let summary = try ImportSession(definition([fifo])).run()
    #expect(summary.inserted == 50)
  }

  @Test func inputsWithoutRecordsMakeAnEmptyStore() throws {
    let definition = try definition([input(0..<0)])
    let summary = try ImportSession(definition).run()
    #expect(summary.read == 0 && summary.status == .completed)
    let dump = try StoreDump(path: definition.storePath, model: definition.model, keys: [:])
    #expect(dump.raw.isEmpty)
    #expect(try files().count == 1)
    let again = try ImportSession(definition).run()
    #expect(again.read == 0)
  }
}
