import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A folder with a model of one entity that has an attribute of every type, and pipelines over files in it.
struct TransformFolder {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Things
      entities:
        Thing:
          attributes:
            key: string!
            text: string
            other: string
            number: integer64
            amount: decimal
            real: double
            short: float
            day: date
            flag: boolean
          unique: [key]
        Country:
          attributes: { code: string!, name: string, size: integer32 }
          unique: [code]
      """, to: "model.yaml")
  }

  /// The text of a pipeline whose import has these lines.
  static func text(_ lines: String, source: String = "data.csv", more: String = "") -> String {
    """
    model: model.yaml
    store: things.sqlite
    rejects: { file: rejects.ndjson, limit: 1000 }
    source: \(source)
    \(more)
    import:
      entity: Thing
      find_by: [key]
    \(lines.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n"))
    """
  }

  /// Reads a pipeline.
  func read(_ text: String) throws -> ImportDefinition {
    do {
      return try Pipeline.read(try folder.write(text, to: "pipeline.yaml")).definition
    } catch let error as DiagnosticList {
      for finding in error.diagnostics { Issue.record("\(finding.description)") }
      throw error
    }
  }

  /// Runs a pipeline over a CSV file.
  @discardableResult
  func run(_ lines: String, _ data: String, more: String = "") throws -> ImportSummary {
    try folder.write(data, to: "data.csv")
    return try ImportSession(read(Self.text(lines, more: more))).run()
  }

  /// The findings about a pipeline, without the folder.
  func lint(_ lines: String, _ data: String, source: String = "data.csv") throws -> [String] {
    try folder.write(data, to: "data.csv")
    return Pipeline.lint(try folder.write(Self.text(lines, source: source), to: "pipeline.yaml")).map {
      $0.description.replacingAll(folder.path + "/", with: "")
    }
  }

  /// Columns of the stored things, in the order of their keys; `-` for null.
  func rows(_ columns: String = "ZTEXT", in store: String = "things.sqlite") throws -> [String] {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    let list = columns.split(separator: ",").map { "coalesce(CAST(\($0) AS TEXT), '-')" }.joined(
      separator: " || '|' || ")
    let select = try connection.prepare("SELECT \(list) FROM ZTHING ORDER BY ZKEY")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows
  }

  /// The rejects in one line, for comments.
  var rejectsText: String { ((try? rejects()) ?? []).joined(separator: "; ") }

  /// The rejects as `record code message`.
  func rejects() throws -> [String] {
    let path = folder.file("rejects.ndjson")
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return "\(object["record"] ?? "?") \(object["code"] ?? "?") \(object["message"] ?? "?")"
    }
  }
}
