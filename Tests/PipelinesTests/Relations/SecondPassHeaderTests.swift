import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Columns that lines of a rejects file carry, of records that are rejected when the inputs have been read.
@Suite("Columns of records that are rejected in a second pass") struct SecondPassHeaderTests {
  private let folder = TemporaryFolder()

  private func writeModel(unique: String) throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { code: string!, serial: integer32 }
          relationships:
            up: { to_one: Thing, inverse: downs }
            downs: { to_many: Thing, inverse: up }
          unique: \(unique)
      """, to: "model.yaml")
  }

  @Test("the first line of each file has them, also if another file or another import was read later")
  func columns() throws {
    try writeModel(unique: "[[code], [serial]]")
    try folder.write(
      """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      imports:
        - name: first
          source: { files: [a.csv, b.csv] }
          import: &import
            entity: Thing
            find_by: [code]
            attributes: [serial]
            relationships: { up: { find_by: { code: up }, missing: create } }
        - name: second
          source: c.csv
          import: *import
      """, to: "pipeline.yaml")
    try folder.write("code,serial,up\n,1,\na,2,x\n", to: "a.csv")
    try folder.write("serial,code,up\n2,b,y\n", to: "b.csv")
    try folder.write("up,serial,code\nz,3,c\nz,3,d\n", to: "c.csv")
    let definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    let summary = try ImportSession(definition).run()
    #expect(summary.rejectCounts == ["key.empty": 1, "constraint.unique": 2])
    #expect(try headers("rejects.ndjson") == ["code,serial,up", "serial,code,up", "up,serial,code"])
  }

  /// The columns that the lines of a rejects file carry.
  private func headers(_ name: String) throws -> [String?] {
    let lines = try String(contentsOfFile: folder.file(name), encoding: .utf8).split(separator: "\n")
    return try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["header"] as? String
    }
  }

  /// An import of two files, of each of which the second pass rejects the last record.
  private func twoFiles() throws -> ImportDefinition {
    try writeModel(unique: "[code]")
    try folder.write(
      """
      model: model.yaml
      store: things.sqlite
      rejects: rejects.ndjson
      source: { files: [a.csv, b.csv] }
      batch: { records: 1 }
      import:
        entity: Thing
        find_by: [code]
        attributes: [serial]
        relationships: { up: { find_by: { code: up }, missing: reject } }
      """, to: "pipeline.yaml")
    try folder.write("code,serial,up\na,1,\nb,2,x\n", to: "a.csv")
    try folder.write("serial,code,up\n3,c,\n4,d,y\n", to: "b.csv")
    return try Pipeline.read(folder.file("pipeline.yaml")).definition
  }

  @Test("what a replay rejects in its second pass has them, and can be replayed without the files")
  func replayed() throws {
    let definition = try twoFiles()
    #expect(try ImportSession(definition).run().rejected == 2)
    for name in ["a.csv", "b.csv"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
    let first = definition.replaying(
      ByteSource(path: folder.file("rejects.ndjson")), rejectsPath: folder.file("again.ndjson"))
    #expect(try ImportSession(first).run().rejected == 2)
    #expect(try headers("again.ndjson") == ["code,serial,up", "serial,code,up"])
    let text = try String(contentsOfFile: folder.file("again.ndjson"), encoding: .utf8)
    try folder.write(text.replacing("b,2,x", with: "b,2,a").replacing("4,d,y", with: "4,d,c"), to: "right.ndjson")
    let second = definition.replaying(
      ByteSource(path: folder.file("right.ndjson")), rejectsPath: folder.file("more.ndjson"))
    #expect(try ImportSession(second).run().inserted == 2)
    let rows = try folder.rows("SELECT ZCODE, ZSERIAL FROM ZTHING ORDER BY 1", of: "things.sqlite")
    #expect(rows == ["a 1", "b 2", "c 3", "d 4"])
  }

  @Test("a run that resumes in this or a later import writes the same lines") func interrupted() throws {
    try writeModel(unique: "[code]")
    try folder.write(
      """
      model: model.yaml
      store: s.sqlite
      rejects: rejects.ndjson
      batch: { records: 1 }
      imports:
        - name: first
          source: { files: [a.csv, b.csv] }
          import: &import
            entity: Thing
            find_by: [code]
            attributes: [serial]
            relationships: { up: { find_by: { code: up }, missing: reject } }
        - name: second
          source: c.csv
          import: *import
      """, to: "pipeline.yaml")
    // The first line of a.csv is written in the second pass, that of b.csv before.
    try folder.write("code,serial,up\na,2,nowhere\n", to: "a.csv")
    try folder.write("serial,code,up\nx,b,\n3,c,nowhere\n", to: "b.csv")
    try folder.write("code,serial,up\nd,4,\ne,5,nowhere\n", to: "c.csv")
    #expect(try InterruptedTrial.run(folder, "columns of rejects") > 0)
    #expect(try headers("rejects.ndjson") == ["serial,code,up", "code,serial,up", nil, "code,serial,up"])
  }
}
