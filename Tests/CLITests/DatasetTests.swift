import Foundation
import SQLite
import TestSupport
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

@Suite("Data sets", .enabled(if: Locations.shared != nil))
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
      "PlaylistTrack", [],
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

  private func rows(_ path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    return rows.sorted()
  }

  /// Every value with its type; whole numbers are equal whether stored as INTEGER or as REAL, as a Decimal's are.
  private func values(_ expressions: [String]) -> String {
    expressions.map {
      "CASE typeof(\($0)) WHEN 'real' THEN printf('%.6f', \($0)) WHEN 'integer' THEN printf('%.6f', \($0))"
        + " ELSE quote(\($0)) END"
    }.joined(separator: " || '|' || ")
  }

  private func runAll(_ set: String, _ settings: [String], in folder: TemporaryFolder) throws -> [[String: Any]] {
    let pipelines = Locations.repository + "/pipelines/" + set
    let names = try FileManager.default.contentsOfDirectory(atPath: pipelines).sorted()
    var summaries: [[String: Any]] = []
    for name in names {
      // Copied, so that rejects files land in the test's folder.
      let text = try String(contentsOfFile: pipelines + "/" + name, encoding: .utf8)
        .replacingOccurrences("../../fixtures", Locations.fixtures).replacingOccurrences("../../build/", "")
      try folder.write(text, to: name)
      let command = try Command(
        ["run", name, "--json", "--quiet"] + settings.flatMap { ["--set", $0] }, in: folder.path)
      #expect(command.status == 0, "\(name): \(command.words)")
      summaries.append(try command.object())
    }
    return summaries
  }

  private func compareChinook(_ store: String) throws {
    let original = Locations.shared("suites/datasets/chinook/Chinook_Sqlite.sqlite")
    for table in Self.chinook {
      let ours = try rows(store, "SELECT \(values(table.columns.map(\.ours))) FROM \(table.from)")
      let theirs = try rows(original, "SELECT \(values(table.columns.map(\.theirs))) FROM \(table.name)")
      #expect(!theirs.isEmpty)
      #expect(ours == theirs, "\(table.name)")
    }
    // Relationships of employees and customers to employees have names of their own.
    for (table, relationship, key, column) in [
      ("Employee", "ZREPORTSTO", "ZEMPLOYEEID", "ReportsTo"),
      ("Customer", "ZSUPPORTREP", "ZCUSTOMERID", "SupportRepId"),
    ] {
      let ours = try rows(
        store,
        "SELECT t.\(key) || ':' || coalesce(e.ZEMPLOYEEID, '-') FROM Z\(table.uppercased()) t"
          + " LEFT JOIN ZEMPLOYEE e ON e.Z_PK = t.\(relationship)")
      let theirs = try rows(original, "SELECT \(table)Id || ':' || coalesce(\(column), '-') FROM \(table)")
      #expect(ours == theirs, "\(table).\(column)")
    }
    let verify = try Command(
      ["store", "verify", store, "--model", Locations.fixtures + "/models/chinook.yaml"], in: "/")
    #expect(verify.status == 0)
    #expect(verify.output == "")
  }

  @Test("Chinook's CSV files make the tables of Chinook_Sqlite.sqlite, once")
  func chinookCSV() throws {
    let folder = TemporaryFolder()
    let settings = [
      "STORE=chinook.sqlite", "CHINOOK=" + Locations.shared("suites/datasets/chinook"),
    ]
    _ = try runAll("chinook", settings, in: folder)
    try compareChinook(folder.file("chinook.sqlite"))
    for summary in try runAll("chinook", settings, in: folder) {
      #expect(summary["inserted"] as? Int == 0)
      #expect(summary["updated"] as? Int == 0)
      #expect(summary["unchanged"] as? Int == summary["read"] as? Int)
    }
    try compareChinook(folder.file("chinook.sqlite"))
  }

  @Test("Chinook's JSON makes the same tables")
  func chinookJSON() throws {
    let folder = TemporaryFolder()
    // The document has a member a table, each an array of objects, one member a line; lines are kept as they are, so
    // that numbers stay as they are spelt.
    let text = try String(contentsOfFile: Locations.shared("suites/datasets/chinook/ChinookData.json"), encoding: .utf8)
    var files: [String: String] = [:]
    var table = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let trimmed = line.drop { $0 == " " }
      let indentation = line.count - trimmed.count
      if indentation == 2, trimmed.hasPrefix("\"") {
        table = String(trimmed.dropFirst().prefix { $0 != "\"" })
      } else if indentation == 4, trimmed.hasPrefix("}") {
        files[table, default: ""] += "}\n"
      } else if indentation >= 4 {
        files[table, default: ""] += trimmed
      }
    }
    #expect(files.count == 11)
    for (table, lines) in files { try folder.write(lines, to: "json/\(table).ndjson") }
    _ = try runAll(
      "chinook", ["STORE=chinook.sqlite", "CHINOOK=json", "FORMAT=ndjson"], in: folder)
    try compareChinook(folder.file("chinook.sqlite"))
  }

  @Test("openflights' files are in the store line by line")
  func openflights() throws {
    let folder = TemporaryFolder()
    let source = Locations.shared("suites/datasets/openflights")
    _ = try runAll("openflights", ["STORE=o.sqlite", "OPENFLIGHTS=" + source], in: folder)
    for (file, table, columns) in [
      ("countries", "ZCOUNTRY", ["ZNAME", "ZISOCODE", "ZDAFIFCODE"]),
      (
        "airlines", "ZAIRLINE",
        ["ZAIRLINEID", "ZNAME", "ZALIAS", "ZIATACODE", "ZICAOCODE", "ZCALLSIGN", "ZCOUNTRYNAME", "ZACTIVE"]
      ), ("planes", "ZPLANE", ["ZNAME", "ZIATACODE", "ZICAOCODE"]),
    ] {
      // Every field that is no number is quoted or \N in these files, and no quote is doubled: the store spells them.
      let spelling = columns.map {
        $0.hasSuffix("LINEID") ? $0 : "CASE WHEN \($0) IS NULL THEN '\\N' ELSE '\"' || \($0) || '\"' END"
      }
      let ours = try rows(folder.file("o.sqlite"), "SELECT \(spelling.joined(separator: " || ',' || ")) FROM \(table)")
      let theirs = try String(contentsOfFile: "\(source)/\(file).dat", encoding: .utf8)
        .split(whereSeparator: \.isNewline).map(String.init).sorted()
      #expect(ours.count == theirs.count)
      let differences = zip(ours, theirs).filter { $0 != $1 }
      #expect(differences.isEmpty, "\(differences.prefix(3))")
    }
    let verify = try Command(
      ["store", "verify", "o.sqlite", "--model", Locations.fixtures + "/models/openflights.yaml"], in: folder.path)
    #expect(verify.status == 0)
    #expect(verify.output == "")
  }
}
