import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Values in files beside the store, of records that are rejected when their rows are written already.
@Suite("Files of rejected records") struct RejectedFileTests {
  private let folder = TemporaryFolder()

  private func run(_ rows: [(key: String, photo: String, tag: String, up: String)], batch: Int) throws -> ImportSummary
  {
    let lines = rows.map { "\($0.key),\(Self.value($0.photo)),\($0.tag),\($0.up)\n" }
    try folder.write("key,photo,tag,up\n" + lines.joined(), to: "data.csv")
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    return try ImportSession(definition).run()
  }

  /// More bytes than a cell holds itself.
  private static func value(_ name: String) -> String { name + String(repeating: "QUJD", count: 40_000) }

  /// The values of the objects by the first letters of their files, and how many files there are.
  private func files() throws -> (values: [String], count: Int) {
    let connection = try Connection(path: folder.file("things.sqlite"), mode: .readOnly)
    let select = try connection.prepare("SELECT ZKEY, substr(ZPHOTO, 2, 36) FROM ZTHING ORDER BY ZKEY")
    let files = folder.file(".things_SUPPORT/_EXTERNAL_DATA")
    var values: [String] = []
    while try select.step() {
      let bytes = FileManager.default.contents(atPath: files + "/" + select.text(1))
      values.append(select.text(0) + " " + (bytes?.prefix(3).base64EncodedString() ?? "no file"))
    }
    return (values, try FileManager.default.contentsOfDirectory(atPath: files).count)
  }

  // A parent that was there before is set before lists are looked at, and needs the row.
  @Test("what a rejected record has replaced stays, and what it has made goes", arguments: [1, 2, 100])
  func rejected(batch: Int) throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { key: string!, photo: { type: binary, external_storage: true } }
          relationships:
            tags: { to_many: Tag, inverse: things }
            up: { to_one: Thing, inverse: downs }
            downs: { to_many: Thing, inverse: up }
          unique: [key]
        Tag:
          attributes: { name: string }
          relationships: { things: { to_many: Thing, inverse: tags } }
          unique: [name]
      """, to: "model.yaml")
    try folder.write(
      """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      source: data.csv
      import:
        entity: Thing
        find_by: [key]
        attributes: [photo]
        relationships:
          up: { find_by: { key: up }, missing: "null" }
          tags: { split: ";", find_by: { name: tag }, missing: reject }
      """, to: "pipeline.yaml")
    _ = try run([("a", "AQID", "", ""), ("b", "BAUG", "", "")], batch: batch)
    let summary = try run(
      [
        ("a", "BwgJ", "nothing", "b"), ("b", "CgsM", "", ""), ("c", "DQ4P", "nothing", "b"), ("d", "EBES", "", "b"),
      ], batch: batch)
    #expect((summary.inserted, summary.updated, summary.rejected) == (1, 1, 2))
    let found = try files()
    #expect(found.values == ["a AQID", "b CgsM", "d EBES"])
    #expect(found.count == 3)
  }

  @Test("a run that an error ends names the files beside the store that it could not remove")
  func staying() throws {
    try folder.write(
      "entities: { Thing: { attributes: { key: string!, photo: { type: binary, external_storage: true } }, unique: [key] } }",
      to: "model.yaml")
    try folder.write(
      "{ model: model.yaml, store: things.sqlite, source: data.csv,"
        + " import: { entity: Thing, find_by: [key], attributes: [photo] } }", to: "pipeline.yaml")
    try folder.write("key,photo\na,\(Self.value("AQID"))\n", to: "data.csv")
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    let files = folder.file(".things_SUPPORT/_EXTERNAL_DATA")
    definition.parts[0].hooks.didEnd = { _, _ in
      for name in try FileManager.default.contentsOfDirectory(atPath: files) {
        // What is a folder by now is not removed as a file.
        try FileManager.default.removeItem(atPath: files + "/" + name)
        try FileManager.default.createDirectory(atPath: files + "/" + name, withIntermediateDirectories: false)
      }
      throw CancellationError()
    }
    let error = try #require(throws: ImportError.self) { try ImportSession(definition).run() }
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files).first)
    #expect(error.code == .hook && error.message.hasPrefix("a hook ended the run: "), "\(error)")
    #expect(error.message.contains("; 1 of the files beside the store that no row names any more could not be removed"))
    #expect(error.message.contains("such as \(name)"), "\(error)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("things.sqlite")))
  }
}
