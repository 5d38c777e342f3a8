import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// The step `lookup` together with what else reads or writes the store.
@Suite("Look-ups and runs") struct LookupMeetingTests {
  /// A folder with records that look up records before them, and their definition.
  private func things(isNew: Bool) throws -> (folder: TransformFolder, definition: ImportDefinition) {
    let folder = try TransformFolder()
    if !isNew { try folder.run("attributes: { other: other }", "key,other\n11,old\n12,old\n") }
    let records = (11...50).map { "\($0),new,\(max($0 - 20, 11))\n" }
    try folder.folder.write("key,other,before\n" + records.joined(separator: ""), to: "data.csv")
    let lines = """
      attributes:
        other: other
        text: { from: before, do: [{ lookup: { entity: Thing, find_by: key, take: other, otherwise: "null" } }] }
      """
    var definition = try folder.read(TransformFolder.text(lines))
    definition.batchLimit.records = 10
    return (folder, definition)
  }

  @Test("a run that has changed what it looks up begins anew", arguments: [true, false])
  func resumed(isNew: Bool) throws {
    let (undisturbed, wanted) = try things(isNew: isNew)
    #expect(try ImportSession(wanted).run().counts.read == 40)
    let rows = try undisturbed.rows()
    #expect(rows.filter { $0 == "old" }.count == (isNew ? 0 : 22))

    let (folder, definition) = try things(isNew: isNew)
    var read = 0
    let first = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= 20 })
    #expect(first.status == .interrupted)
    let second = try ImportSession(definition).run()
    #expect(second.resumedAfter == nil)
    #expect(second.warnings.map(\.code).contains(.unfinishedDropped), "\(second.warnings)")
    #expect(try folder.rows() == rows)
  }

  @Test("a run that looks up what it does not change resumes", arguments: [true, false])
  func untouched(isNew: Bool) throws {
    let folder = try TransformFolder()
    if !isNew { try folder.run("attributes: { other: other }", "key,other\n11,old\n") }
    let records = (11...50).map { "\($0),CH\n" }
    try folder.folder.write("key,c\n" + records.joined(separator: ""), to: "data.csv")
    let lines = """
      attributes:
        text: { from: c, do: [{ lookup: { entity: Country, find_by: code, take: name, otherwise: keep } }] }
      """
    var definition = try folder.read(TransformFolder.text(lines))
    definition.batchLimit.records = 10
    var read = 0
    _ = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= 20 })
    #expect(try ImportSession(definition).run().resumedAfter == 20)
    #expect(try folder.rows() == Array(repeating: "CH", count: 40))
  }

  @Test("a new store computes derived values before a look-up reads them") func derived() throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      """
      model: Things
      entities:
        Thing: { attributes: { key: string!, text: string }, unique: [key] }
        Country:
          attributes:
            code: string!
            name: string
            loud: { type: string, derived: "uppercase:(name)" }
            cities: { type: integer64, derived: "places.@count" }
          unique: [code]
          relationships: { places: { to_many: City, inverse: country } }
        City:
          attributes: { name: string! }
          unique: [name]
          relationships: { country: { to_one: Country, inverse: places } }
      """, to: "model.yaml")
    try folder.folder.write("code,name\nCH,Schweiz\n", to: "countries.csv")
    try folder.folder.write("name,code\nBern,CH\nBasel,CH\n", to: "cities.csv")
    for (take, expected) in [("loud", "SCHWEIZ"), ("cities", "2")] {
      try folder.folder.write("key,c\n1,CH\n", to: "data.csv")
      let text = """
        model: model.yaml
        store: \(take).sqlite
        imports:
          - source: data.csv
            import:
              entity: Thing
              find_by: [key]
              attributes:
                text: { from: c, do: [{ lookup: { entity: Country, find_by: code, take: \(take), otherwise: "null" } }] }
          - source: countries.csv
            import: { entity: Country, find_by: [code], attributes: [name] }
          - source: cities.csv
            import:
              entity: City
              find_by: [name]
              relationships: { country: { find_by: { code: code } } }
        """
      // In a new store, and in one that has them.
      for _ in 0..<2 {
        let summary = try ImportSession(folder.read(text)).run()
        #expect(!summary.warnings.map(\.code).contains(.derivedAttribute), "\(summary.warnings)")
        #expect(try folder.rows(in: "\(take).sqlite") == [expected])
      }
      #expect(try StoreVerifier.verify(path: folder.folder.file("\(take).sqlite")).isSound)
    }
  }

  @Test("a run says that it has deleted what a look-up may have found", arguments: [true, false])
  func deleted(isMarked: Bool) throws {
    let folder = try TransformFolder()
    let policy = isMarked ? "ratio: 100%, delete: mark, soft_delete: gone" : "ratio: 100%"
    try folder.folder.write(
      """
      model: Things
      entities:
        Thing: { attributes: { key: string!, text: string }, unique: [key] }
        Country: { attributes: { code: string!, name: string, gone: boolean }, unique: [code] }
      """, to: "model.yaml")
    let text = """
      model: model.yaml
      store: things.sqlite
      imports:
        - source: data.csv
          import:
            entity: Thing
            find_by: [key]
            attributes:
              text: { from: c, do: [{ lookup: { entity: Country, find_by: code, take: name, otherwise: "null" } }] }
        - source: countries.csv
          import: { entity: Country, find_by: [code], mode: sync, sync: { \(policy) }, attributes: [name] }
      """
    try folder.folder.write("key,c\n1,CH\n2,AT\n", to: "data.csv")
    try folder.folder.write("code,name\nCH,Schweiz\nAT,Austria\n", to: "countries.csv")
    #expect(!(try ImportSession(folder.read(text)).run().warnings.map(\.code).contains(.lookupDeleted)))
    try folder.folder.write("code,name\nCH,Schweiz\n", to: "countries.csv")
    let second = try ImportSession(folder.read(text)).run()
    #expect(second.warnings.map(\.code).contains(.lookupDeleted) == !isMarked, "\(second.warnings)")
    #expect(try folder.rows() == ["Schweiz", "Austria"])
    let third = try ImportSession(folder.read(text)).run()
    #expect(!third.warnings.map(\.code).contains(.lookupDeleted), "\(third.warnings)")
    #expect(try folder.rows() == ["Schweiz", isMarked ? "Austria" : "-"])
  }

  @Test("a run says that its lists have deleted what a look-up may have found") func deletedByList() throws {
    let folder = try TransformFolder()
    try folder.folder.write(
      """
      model: Things
      entities:
        Thing: { attributes: { key: string!, text: string }, unique: [key] }
        Owner:
          attributes: { key: string! }
          unique: [key]
          relationships: { members: { to_many: Member, inverse: owner } }
        Member:
          attributes: { code: string! }
          unique: [code]
          relationships: { owner: { to_one: Owner, inverse: members } }
      """, to: "model.yaml")
    let text = """
      model: model.yaml
      store: things.sqlite
      imports:
        - source: data.csv
          import:
            entity: Thing
            find_by: [key]
            attributes:
              text: { from: c, do: [{ lookup: { entity: Member, find_by: code, take: code, otherwise: "null" } }] }
        - source: owners.csv
          import:
            entity: Owner
            find_by: [key]
            relationships:
              members: { split: ";", links: replace, orphans: delete, find_by: { code: members } }
      """
    try folder.folder.write("key,c\n1,a\n2,b\n", to: "data.csv")
    try folder.folder.write("key,members\n1,a;b\n", to: "owners.csv")
    #expect(!(try ImportSession(folder.read(text)).run().warnings.map(\.code).contains(.lookupDeleted)))
    try folder.folder.write("key,members\n1,a\n", to: "owners.csv")
    let second = try ImportSession(folder.read(text)).run()
    #expect(second.deleted == 1)
    #expect(second.warnings.map(\.code).contains(.lookupDeleted), "\(second.warnings)")
    #expect(!(try ImportSession(folder.read(text)).run().warnings.map(\.code).contains(.lookupDeleted)))
  }

  @Test("records are not spread over stores by what a store would tell") func spread() throws {
    let folder = try TransformFolder()
    try folder.folder.write("key,c\n1,CH\n", to: "data.csv")
    let lines = """
      columns: { land: { from: c, do: [{ lookup: { entity: Country, find_by: code, take: name } }] } }
      attributes: { text: land }
      """
    let text = TransformFolder.text(lines, more: "stores: { by: land }")
    let found = Pipeline.lint(try folder.folder.write(text, to: "pipeline.yaml"))
    #expect(found.map(\.code) == ["transformOption"])
    #expect(found.first?.hint == "spread them by a column that needs no “lookup”")
  }
}
