import Foundation
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport

/// A folder with a model of countries, their cities and what stands there, and pipelines over CSV files.
struct ModeFolder {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Map
      entities:
        Country:
          attributes:
            code: string!
            name: string
            size: { type: integer64, default: 3 }
            isGone: boolean
            goneAt: date
          relationships:
            cities: { to_many: City, inverse: country, delete: cascade }
            ally: { to_one: Country, inverse: allies }
            allies: { to_many: Country, inverse: ally }
          unique: [code]
        City:
          attributes: { name: string! }
          relationships:
            country: { to_one: Country, inverse: cities }
            buildings: { to_many: Building, inverse: city, delete: deny }
          unique: [name]
        Building:
          attributes: { name: string! }
          relationships: { city: { to_one: City, inverse: buildings } }
          unique: [name]
      """, to: "model.yaml")
  }

  var store: String { folder.file("map.sqlite") }

  /// Runs a pipeline whose `import` is `text` over a CSV file.
  @discardableResult
  func run(
    _ text: String, _ csv: String, more: String = "", _ change: (inout ImportDefinition) -> Void = { _ in }
  ) throws -> ImportSummary {
    var definition = try definition(text, csv, more: more)
    change(&definition)
    return try ImportSession(definition).run()
  }

  func definition(_ text: String, _ csv: String, more: String = "") throws -> ImportDefinition {
    try folder.write(csv, to: "input.csv")
    return try Pipeline.read(pipeline(text, more: more)).definition
  }

  func pipeline(_ text: String, more: String = "") throws -> String {
    try folder.write(
      """
      model: model.yaml
      store: map.sqlite
      rejects: { file: rejects.ndjson }
      source: input.csv
      import: \(text)
      \(more)
      """, to: "pipeline.yaml")
  }

  /// What lint says, without the folder's path.
  func lint(_ text: String) throws -> [String] {
    try folder.write("code,name,size\n", to: "input.csv")
    return Pipeline.lint(try pipeline(text)).map {
      $0.description.replacingAll(folder.path + "/", with: "")
    }
  }

  /// The first column of a query.
  func rows(_ sql: String) throws -> [String] {
    let connection = try Connection(path: store, mode: .readOnly)
    defer { try? connection.close() }
    let select = try connection.prepare(sql)
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows
  }

  func countries() throws -> [String] { try rows("SELECT ZCODE FROM ZCOUNTRY ORDER BY 1") }

  /// The lines of the rejects file.
  func rejects() -> [String] {
    let text = (try? String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
