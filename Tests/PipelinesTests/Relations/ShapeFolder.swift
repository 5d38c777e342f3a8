import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// A folder with a model of some shape, into whose store records are imported.
struct ShapeFolder {
  /// Objects of `A` that refer to one another by `r` and by `s`, and to others by `o` and by `ts`.
  static let speakers = """
      A:
        attributes: { k: string!, v: string }
        relationships:
          r: { to_one: A, inverse: rs }
          rs: { to_many: A, inverse: r }
          s: { to_one: A, inverse: ss }
          ss: { to_many: A, inverse: s }
          o: { to_one: T, inverse: fans }
          ts: { to_many: T, inverse: owners }
        unique: [k]
      T:
        attributes: { k: string! }
        relationships: { fans: { to_many: A, inverse: o }, owners: { to_many: A, inverse: ts } }
        unique: [k]
    """

  let folder = TemporaryFolder()

  init(_ entities: String) throws {
    try folder.write("model: Shape\nentities:\n" + entities + "\n", to: "model.yaml")
  }

  /// Writes records and the pipeline that imports them, and reads it.
  ///
  /// - Parameters:
  ///   - file: The file of the records, whose name tells their format.
  ///   - more: What else the pipeline says.
  func definition(
    _ part: String, _ records: String, batch: Int = 1000, file: String = "in.ndjson", more: String = ""
  ) throws -> ImportDefinition {
    try folder.write(records.hasSuffix("\n") ? records : records + "\n", to: file)
    let lines = part.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    try folder.write(
      "model: model.yaml\nstore: s.sqlite\nsource: \(file)\nimport:\n\(lines)\nrejects: rejects.ndjson\n\(more)\n",
      to: "pipeline.yaml")
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    definition.batchLimit.records = batch
    return definition
  }

  /// Imports records and looks at the store.
  ///
  /// - Parameter stop: The batch behind which the run is stopped, and then resumed; `nil` for none.
  @discardableResult
  func run(
    _ part: String, _ records: String, batch: Int = 1000, file: String = "in.ndjson", more: String = "",
    stop: Int? = nil
  ) throws -> ImportSummary {
    let definition = try definition(part, records, batch: batch, file: file, more: more)
    let summary = try definition.run(stop: stop)
    let report = try StoreVerifier.verify(path: folder.file("s.sqlite"), model: definition.model)
    #expect(report.isSound, "\(report.findings)")
    return summary
  }

  /// The rows of a query, columns with spaces between them.
  func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "s.sqlite") }

  /// What a to-one relationship refers to: `owner>target`, by keys.
  func links(_ table: String, _ column: String, to other: String) throws -> [String] {
    try rows("SELECT a.ZK || '>' || b.ZK FROM \(table) AS a JOIN \(other) AS b ON b.Z_PK = a.\(column) ORDER BY 1")
  }
}
