import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Memory of a migration")
struct MigrationMemoryTests {
  /// The most memory that this process had so far, in KiB.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return Int(line.split(whereSeparator: { !$0.isNumber })[0]) ?? 0
  }

  @Test("AP11: memory is flat: twenty times the rows take no more than the page cache")
  func ap11Memory() async throws {
    // A process of its own, whose peak is that of the migration.
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      let name = Models.attribute("name", .string)
      let old = try MigrationBench.model([
        EntityDraft(
          "Item", [name, Models.attribute("gone", .string)], [Models.toOne("list", "List", inverse: "items")]),
        EntityDraft("List", [name], [Models.toMany("items", "Item", inverse: "list")]),
      ])
      let rank = Models.attribute("rank", .integer32, optional: false).with { $0.defaultValue = .integer(1) }
      let new = try MigrationBench.model([
        EntityDraft(
          "Article", was: "Item", [name, rank], [Models.toMany("list", "List", inverse: "items", ordered: true)]),
        EntityDraft("Base"),
        EntityDraft("List", [name], [Models.toMany("items", "Article", inverse: "list", ordered: true)]),
      ])
      var peaks: [Int] = []
      let counts = Soak.isOn ? [50_000, 1_000_000] : [5_000, 100_000]
      for count in counts {
        let path = folder.file("s\(count).sqlite")
        let file = try StoreFile.create(path: path, model: old)
        try file.connection.execute(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO ZITEM"
            + " (Z_PK, Z_ENT, Z_OPT, ZLIST, ZNAME, ZGONE) SELECT i, 1, 1, 1 + i % 100, 'name of number ' || i, 'gone ' || i FROM n;"
            + " INSERT INTO ZLIST (Z_PK, Z_ENT, Z_OPT) SELECT Z_PK, 2, 1 FROM ZITEM WHERE Z_PK <= 100")
        try file.finish()
        var options = StoreMigrator.Options()
        options.cacheKiB = 4 * 1024
        try StoreMigrator.migrate(path: path, to: new, options: options)
        let connection = try Connection(path: path, mode: .readOnly)
        try #require(try connection.integer("SELECT count(*) FROM Z_1LIST") == Int64(count))
        peaks.append(try Self.peak())
      }
      print("peaks of \(counts): \(peaks) KiB")
      try #require(peaks[1] - peaks[0] < 24 * 1024, "\(peaks)")
    }
  }
}
