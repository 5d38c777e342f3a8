import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// How many bytes say which properties a change touched.
@Suite("Widths of changes in history")
struct HistoryWidthTests {
  typealias M = Models

  /// An entity with seven attributes, one to-one relationship and whatever makes a column beside it.
  private func width(subentity: Bool, ordered: Bool, attributes: Int = 6) throws -> Int {
    var entities = [
      EntityDraft("A", (0..<attributes).map { M.attribute("a\($0)", .string) }, [M.toOne("b", "B", inverse: "as")]),
      EntityDraft("B", [], [M.toMany("as", "A", inverse: "b", ordered: ordered)]),
    ]
    if subentity { entities.append(EntityDraft("C", parent: "B")) }
    let model = try MigrationBench.model(entities)
    return EntityHistory(model.entities[0], in: model).byteCount
  }

  @Test("entity columns and order columns count")
  func columns() throws {
    #expect(try width(subentity: false, ordered: false) == 1)
    #expect(try width(subentity: true, ordered: false) == 1)
    #expect(try width(subentity: true, ordered: true) == 2)
    #expect(try width(subentity: false, ordered: false, attributes: 7) == 1)
    #expect(try width(subentity: true, ordered: false, attributes: 7) == 2)
    #expect(try width(subentity: false, ordered: true, attributes: 7) == 2)
  }

  @Test(
    "every width in the libraries of Photos", .enabled(if: Locations.shared != nil),
    arguments: ["Test-Empty-Library-Ventura-13-5", "Test-RAW-10.15.1"])
  func photos(name: String) throws {
    let folder = TemporaryFolder()
    for suffix in ["", "-wal"] {
      let bytes = try FileContents.read(Locations.shared("coredata-more/photos/\(name).sqlite\(suffix)"))
      try folder.write(Array(bytes), to: "store.sqlite" + suffix)
    }
    let model = try StoreModel.find(path: folder.file("store.sqlite")).model
    let connection = try Connection(path: folder.file("store.sqlite"), mode: .readWrite)
    let select = try connection.prepare(
      "SELECT DISTINCT ZENTITY, length(ZCOLUMNS) FROM ACHANGE WHERE ZCOLUMNS IS NOT NULL")
    var found = 0
    while try select.step() {
      let entity = model.entities[Int(select.integer(0)) - 1]
      #expect(EntityHistory(entity, in: model).byteCount == Int(select.integer(1)), "\(entity.name)")
      found += 1
    }
    #expect(found >= 3)
  }
}
