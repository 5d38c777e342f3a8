import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Records with the key of one that a second pass rejects.
@Suite("Repeated keys in two passes") struct RepeatedKeyPassTests {
  @Test(
    "a record takes the place of an earlier one with its key that the second pass rejects",
    arguments: ["duplicates: first", "mode: create-missing"], [1, 2, 100])
  func placeTaken(policy: String, batch: Int) throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes: { key: string!, text: string }
          relationships:
            parent: { to_one: Thing, inverse: children }
            children: { to_many: Thing, inverse: parent }
          unique: [key]
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
        \(policy)
        attributes: [text]
        relationships: { parent: { find_by: { key: up }, missing: reject } }
      """, to: "pipeline.yaml")
    try folder.write("key,text,up\na,lost,nowhere\na,kept,\na,late,\nb,x,b\nb,y,\nb,z,nowhere\n", to: "data.csv")
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    let summary = try ImportSession(definition).run()
    #expect((summary.read, summary.inserted, summary.skipped, summary.rejected) == (6, 2, 3, 1))
    let connection = try Connection(path: folder.file("things.sqlite"), mode: .readOnly)
    let select = try connection.prepare("SELECT ZKEY || ' ' || ZTEXT FROM ZTHING ORDER BY ZKEY")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    #expect(rows == ["a kept", "b x"])
  }
}
