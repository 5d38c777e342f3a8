import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Columns that lines of a rejects file carry, of records that are rejected when the inputs have been read.
@Suite("Columns of records that are rejected in a second pass") struct SecondPassHeaderTests {
  private let folder = TemporaryFolder()

  @Test("the first line of each file has them, also if another file or another import was read later")
  func columns() throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { code: string!, serial: integer32 }
          relationships:
            up: { to_one: Thing, inverse: downs }
            downs: { to_many: Thing, inverse: up }
          unique: [[code], [serial]]
      """, to: "model.yaml")
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
    let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
    let headers = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["header"] as? String
    }
    #expect(headers == ["code,serial,up", "serial,code,up", "up,serial,code"])
  }

  @Test("a process that resumes in a later import writes the same lines") func interrupted() throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { code: string!, serial: integer32 }
          relationships:
            up: { to_one: Thing, inverse: downs }
            downs: { to_many: Thing, inverse: up }
          unique: [code]
      """, to: "model.yaml")
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
  }
}
