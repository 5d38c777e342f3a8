import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A folder with a model of articles with tags and lines, and pipelines over it.
struct RelationFolder {
  let folder = TemporaryFolder()

  /// A folder with another model.
  init(model: String) throws { try folder.write(model, to: "model.yaml") }

  init() throws {
    try folder.write(
      """
      model: Blog
      entities:
        Article:
          attributes: { number: integer64!, title: string }
          relationships:
            tags: { to_many: Tag, inverse: articles }
            topics: { to_many: Topic, inverse: articles, ordered: true }
            lines: { to_many: Line, inverse: article, ordered: true, delete: cascade }
            notes: { to_many: Note, inverse: article }
            related: { to_many: Article, inverse: related }
            sequel: { to_one: Article, inverse: prequels }
            prequels: { to_many: Article, inverse: sequel }
          unique: [number]
        Tag:
          attributes: { name: string!, rank: integer32 }
          relationships: { articles: { to_many: Article, inverse: tags } }
          unique: [name]
        Topic:
          attributes: { name: string! }
          relationships: { articles: { to_many: Article, inverse: topics, ordered: true } }
          unique: [name]
        Line:
          attributes: { number: integer16!, text: string }
          relationships:
            article: { to_one: Article, inverse: lines, required: true }
            product: { to_one: Product, inverse: lines }
            parts: { to_many: Part, inverse: line, delete: cascade }
        Part:
          attributes: { letter: string!, amount: integer32 }
          relationships: { line: { to_one: Line, inverse: parts, required: true } }
        Product:
          attributes: { sku: string!, label: string }
          relationships: { lines: { to_many: Line, inverse: product } }
          unique: [sku]
        Note:
          attributes: { code: string!, text: string }
          relationships: { article: { to_one: Article, inverse: notes } }
          unique: [code]
      """, to: "model.yaml")
  }

  /// Writes a pipeline that imports `in.ndjson` (or another file) into articles with these relationships.
  @discardableResult
  func pipeline(_ relationships: String, file: String = "in.ndjson", more: String = "") throws -> String {
    let lines = relationships.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    return try folder.write(
      """
      model: model.yaml
      store: blog.sqlite
      source: \(file)
      \(more)
      import:
        entity: Article
        find_by: [number]
        relationships:
      \(lines)
      rejects: rejects.ndjson
      """, to: "pipeline.yaml")
  }

  /// Expects a sound store.
  func verify() throws {
    let model = try Pipeline.read(folder.file("pipeline.yaml")).definition.model
    let report = try StoreVerifier.verify(path: folder.file("blog.sqlite"), model: model)
    #expect(report.isSound, "\(report.findings)")
  }

  /// Writes records and imports them.
  ///
  /// - Parameter stop: The batch behind which the run is stopped, and then resumed; `nil` for none.
  @discardableResult
  func run(
    _ records: String, file: String = "in.ndjson", batch: Int? = nil, stop: Int? = nil
  ) throws -> ImportSummary {
    try folder.write(records + "\n", to: file)
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    if let batch { definition.batchLimit.records = batch }
    return try definition.run(stop: stop)
  }

  /// The rows of a query, columns with spaces between them.
  func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "blog.sqlite") }

  /// The names at the other end of a join table, by article, in their order.
  func linked(_ table: String) throws -> [String] {
    let join = try rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_%' ESCAPE '\\'")
    let name = join.first { $0.dropFirst(2).drop { $0.isNumber } == Substring(table.uppercased()) } ?? "none"
    let columns = try rows("SELECT name FROM pragma_table_info('\(name)')")
    // A name may have a number behind it, and has one before it.
    func column(_ prefix: String, _ name: String) -> String? {
      columns.first { column in
        column.hasPrefix(prefix) && column.dropFirst(prefix.count).trimmingCharacters(in: .decimalDigits) == name
      }
    }
    let own = column("Z_", "ARTICLES") ?? ""
    let other = column("Z_", table.uppercased()) ?? ""
    let order = column("Z_FOK_", table.uppercased()) ?? other
    let entity = table.uppercased().dropLast()
    return try rows(
      "SELECT a.ZNUMBER, (SELECT group_concat(n, ',') FROM (SELECT t.ZNAME AS n FROM \(name) AS j JOIN Z\(entity) AS t "
        + "ON t.Z_PK = j.\(other) WHERE j.\(own) = a.Z_PK ORDER BY j.\(order))) FROM ZARTICLE AS a ORDER BY 1")
  }

  /// Every row of every table, for "nothing was written".
  func everything() throws -> [String] {
    try rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1").filter { $0 != "Z_METADATA" }
      .flatMap { table in try rows("SELECT '\(table)', * FROM \(table)") }
  }

  func rejects() throws -> [String] {
    try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n").map(String.init)
  }
}

extension TemporaryFolder {
  /// The rows of a query to a store in the folder.
  func rows(_ sql: String, of store: String, separator: String = " ") throws -> [String] {
    let connection = try Connection(path: file(store), mode: .readOnly)
    defer { try? connection.close() }
    let select = try connection.prepare(sql)
    var rows: [String] = []
    while try select.step() {
      let cells = (0..<select.columnCount).map { select.isNull($0) ? "-" : select.text($0) }
      rows.append(cells.joined(separator: separator))
    }
    return rows
  }
}
