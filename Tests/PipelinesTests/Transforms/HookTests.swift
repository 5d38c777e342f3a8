import Foundation
import MergewalkImporting
import Synchronization
import MergewalkTestSupport
import Testing

/// Swift code that takes part in an import.
@Suite("Hooks") struct HookTests {
  private static let data = "key,name,n\na,one,1\nb,two,2\nc,three,3\nd,four,4\n"

  @Test("records are changed, skipped and rejected in their order") func changesRecords() throws {
    let folder = try TransformFolder()
    try folder.folder.write(Self.data, to: "data.csv")
    var definition = try folder.read(
      TransformFolder.text("where: \"n != 4\"\nattributes: { text: { from: name, do: [upper] }, number: n }"))
    let seen = Mutex<[String]>([])
    definition.parts[0].hooks.columns = ["name", "n"]
    definition.parts[0].hooks.willBegin = { part in seen.withLock { $0.append("begin \(part.sources.count)") } }
    definition.parts[0].hooks.batch = { batch in
      seen.withLock { $0.append("batch \(batch.records) from \(batch.firstRecord)") }
    }
    definition.parts[0].hooks.record = { record in
      seen.withLock { $0.append("\(record.number):\(record.line) \(record["name"] ?? "-")") }
      switch record["n"] {
      case "1": record["name"] = (record["name"] ?? "") + " changed é"
      case "2": record.skip()
      default: record.reject("no threes")
      }
    }
    definition.parts[0].hooks.didEnd = { _, counts in seen.withLock { $0.append("end \(counts.inserted)") } }
    let summary = try ImportSession(definition).run()
    #expect((summary.inserted, summary.skipped, summary.rejected) == (1, 2, 1))
    #expect(try folder.rows("ZKEY,ZTEXT") == ["a|ONE CHANGED É"])
    #expect(try folder.rejects() == ["3 hook.rejected no threes"])
    #expect(
      seen.withLock { $0 } == ["begin 1", "1:2 one", "2:3 two", "3:4 three", "batch 4 from 1", "end 1"])
  }

  @Test("new columns fill attributes, nil is null") func addsColumns() throws {
    let folder = try TransformFolder()
    try folder.folder.write(Self.data, to: "data.csv")
    var settings = TransformFolder.text("attributes: { text: name, number: n }")
    settings += "\n"
    var definition = try folder.read(settings)
    definition.parts[0].root.attributes.append(FieldImport(attributeName: "other", column: "made"))
    definition.parts[0].hooks.columns = ["name", "made"]
    definition.parts[0].hooks.newColumns = ["made"]
    definition.parts[0].hooks.record = { record in
      if record["made"] != nil { record.reject("it is not there yet") }
      record["made"] = "made of \(record["name"] ?? "")"
      if record.number == 2 { record["name"] = nil }
    }
    _ = try ImportSession(definition).run()
    #expect(
      try folder.rows("ZTEXT,ZOTHER") == [
        "one|made of one", "-|made of two", "three|made of three", "four|made of four",
      ])
  }

  struct Refusal: Error {}

  @Test("an error of a hook ends the run and leaves the store as it was") func errorsEndTheRun() throws {
    for isBefore in [true, false] {
      let folder = try TransformFolder()
      try folder.folder.write(Self.data, to: "data.csv")
      var definition = try folder.read(TransformFolder.text("attributes: { text: name }"))
      if isBefore {
        definition.parts[0].hooks.willBegin = { _ in throw Refusal() }
      } else {
        definition.parts[0].hooks.didEnd = { _, _ in throw Refusal() }
      }
      do {
        _ = try ImportSession(definition).run()
        Issue.record("the hook's error was lost")
      } catch let error as ImportError {
        #expect(error.code == .hook)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.folder.file("things.sqlite")))
    }
  }
}
