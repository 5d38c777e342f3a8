import Foundation
import MergewalkTestSupport
import Testing

/// A table of a public data set: how its values are asked for in the store and in the original.
struct DatasetTable: CustomTestStringConvertible, Sendable {
  let name: String
  /// The entity's table with its joins; `t` is the entity's own.
  let from: String
  /// Pairs of expressions: in the store, in the original.
  let columns: [(ours: String, theirs: String)]

  init(_ name: String, _ columns: [(String, String)], joins: [(relationship: String, entity: String, key: String)] = [])
  {
    self.name = name
    from =
      "Z\(name.uppercased()) t"
      + joins.map {
        let alias = $0.relationship
        return " LEFT JOIN Z\($0.entity.uppercased()) \(alias) ON \(alias).Z_PK = t.Z\($0.relationship.uppercased())"
      }.joined()
    self.columns =
      columns.map { ("t." + $0, $1) } + joins.map { ("\($0.relationship).Z\($0.key.uppercased())", $0.key) }
  }

  var testDescription: String { name }

  /// Attributes whose columns have the same names as those of the original, but for `Z`.
  static func plain(_ names: String...) -> [(String, String)] { names.map { ("Z" + $0.uppercased(), $0) } }

  /// A date: seconds since 2001 in the store, text in the original.
  static func date(_ name: String) -> (String, String) {
    ("Z" + name.uppercased(), "CAST(strftime('%s', \(name)) - 978307200 AS REAL)")
  }
}

@Suite("Chinook", .enabled(if: Locations.shared != nil))
struct DatasetTests {
  static let chinook: [DatasetTable] = [
    DatasetTable("Artist", DatasetTable.plain("ArtistId", "Name")),
    DatasetTable("Album", DatasetTable.plain("AlbumId", "Title"), joins: [("artist", "Artist", "ArtistId")]),
    DatasetTable("Genre", DatasetTable.plain("GenreId", "Name")),
    DatasetTable("MediaType", DatasetTable.plain("MediaTypeId", "Name")),
    DatasetTable(
      "Track", DatasetTable.plain("TrackId", "Name", "Composer", "Milliseconds", "Bytes", "UnitPrice"),
      joins: [("album", "Album", "AlbumId"), ("mediaType", "MediaType", "MediaTypeId"), ("genre", "Genre", "GenreId")]),
    DatasetTable("Playlist", DatasetTable.plain("PlaylistId", "Name")),
    DatasetTable(
      "PlaylistTrack", DatasetTable.plain("PlaylistId", "TrackId"),
      joins: [("playlist", "Playlist", "PlaylistId"), ("track", "Track", "TrackId")]),
    DatasetTable(
      "Employee",
      DatasetTable.plain(
        "EmployeeId", "LastName", "FirstName", "Title", "Address", "City", "State", "Country", "PostalCode", "Phone",
        "Fax", "Email") + [DatasetTable.date("BirthDate"), DatasetTable.date("HireDate")]),
    DatasetTable(
      "Customer",
      DatasetTable.plain(
        "CustomerId", "FirstName", "LastName", "Company", "Address", "City", "State", "Country", "PostalCode", "Phone",
        "Fax", "Email")),
    DatasetTable(
      "Invoice",
      DatasetTable.plain(
        "InvoiceId", "BillingAddress", "BillingCity", "BillingState", "BillingCountry", "BillingPostalCode", "Total")
        + [DatasetTable.date("InvoiceDate")], joins: [("customer", "Customer", "CustomerId")]),
    DatasetTable(
      "InvoiceLine", DatasetTable.plain("InvoiceLineId", "UnitPrice", "Quantity"),
      joins: [("invoice", "Invoice", "InvoiceId"), ("track", "Track", "TrackId")]),
  ]

  /// Every value with its type; whole numbers are equal whether stored as INTEGER or as REAL, as a Decimal's are.
  private func values(_ expressions: [String]) -> String {
    expressions.map {
      "CASE typeof(\($0)) WHEN 'real' THEN printf('%.6f', \($0)) WHEN 'integer' THEN printf('%.6f', \($0))"
        + " ELSE quote(\($0)) END"
    }.joined(separator: " || '|' || ")
  }

  private func compareChinook(_ store: String) throws {
    let original = Locations.shared("suites/datasets/chinook/Chinook_Sqlite.sqlite")
    for table in Self.chinook {
      let ours = try PipelineSet.rows(store, "SELECT \(values(table.columns.map(\.ours))) FROM \(table.from)")
      let theirs = try PipelineSet.rows(original, "SELECT \(values(table.columns.map(\.theirs))) FROM \(table.name)")
      #expect(!theirs.isEmpty)
      #expect(ours == theirs, "\(table.name)")
    }
    // Relationships of employees and customers to employees have names of their own.
    for (table, relationship, key, column) in [
      ("Employee", "ZREPORTSTO", "ZEMPLOYEEID", "ReportsTo"),
      ("Customer", "ZSUPPORTREP", "ZCUSTOMERID", "SupportRepId"),
    ] {
      let ours = try PipelineSet.rows(
        store,
        "SELECT t.\(key) || ':' || coalesce(e.ZEMPLOYEEID, '-') FROM Z\(table.uppercased()) t"
          + " LEFT JOIN ZEMPLOYEE e ON e.Z_PK = t.\(relationship)")
      let theirs = try PipelineSet.rows(original, "SELECT \(table)Id || ':' || coalesce(\(column), '-') FROM \(table)")
      #expect(ours == theirs, "\(table).\(column)")
    }
    try PipelineSet.expectSound(store, model: "chinook")
  }

  private static var source: String { "CHINOOK=" + Locations.shared("suites/datasets/chinook") }
  private static let document = "FILE=ChinookData.json"

  @Test(
    "Chinook's CSV files and its JSON document make the tables of Chinook_Sqlite.sqlite, once, whichever comes first",
    arguments: [[[], [document]], [[document], []]])
  func chinook(_ forms: [[String]]) throws {
    let set = try PipelineSet("chinook")
    #expect(set.names.count == 11)
    for (index, form) in (forms + [forms[0]]).enumerated() {
      let summaries = try set.run([Self.source] + form)
      #expect(summaries.reduce(0) { $0 + ($1["read"] as? Int ?? 0) } == 15_607)
      // The second form has the same values, and the third run is the first one again.
      if index > 0 { PipelineSet.expectUnchanged(summaries) }
      try compareChinook(set.store)
    }
  }

  @Test("Chinook's SQLite database makes the same store in one run, in which its CSV files change nothing")
  func database() throws {
    let one = try PipelineSet("chinook-sqlite")
    let summaries = try one.run([Self.source])
    #expect(summaries.count == 1 && summaries[0]["inserted"] as? Int == 15_607)
    try compareChinook(one.store)
    PipelineSet.expectUnchanged(try one.run([Self.source]))
    let files = try PipelineSet("chinook")
    try FileManager.default.copyItem(atPath: one.store, toPath: files.store)
    PipelineSet.expectUnchanged(try files.run([Self.source]))
    try compareChinook(files.store)
  }

  @Test("Chinook's tables come the same in batches of any size")
  func batches() throws {
    let set = try PipelineSet("chinook")
    _ = try set.run([Self.source, Self.document], more: ["--batch", "7"])
    try compareChinook(set.store)
  }
}
