import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A folder with a pipeline that makes a family of stores, and what is asked of them.
struct Family {
  let folder = TemporaryFolder()

  init(stores: String = "{ by: country }", more: String = "", source: String = "items.csv") throws {
    try folder.write(
      """
      entities:
        Item:
          attributes:
            code: string!
            country: string
            amount: integer32
          unique: [code]
      """, to: "model.yaml")
    try folder.write(
      """
      pipeline: items
      model: model.yaml
      source: \(source)
      import:
        entity: Item
        find_by: code
        attributes: { country: country, amount: amount }
      stores: \(stores)
      \(more)
      """, to: "items.yaml")
  }

  /// Rows of an input: code, country, amount.
  static let rows = [
    ["a1", "DE", "1"], ["a2", "FR", "2"], ["a3", "DE", "3"], ["a4", "NL", "4"], ["a5", "FR", "5"], ["a6", "DE", "6"],
  ]

  static func csv(_ rows: [[String]], header: String = "code,country,amount") -> String {
    ([header] + rows.map { $0.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"" }.joined(separator: ",") })
      .joined(separator: "\n") + "\n"
  }

  /// Writes the usual input, or another.
  func write(_ rows: [[String]] = Family.rows) throws { try folder.write(Self.csv(rows), to: "items.csv") }

  /// Writes `common.csv` and the pipeline `common.yaml` that imports it, for `shared`.
  func writeShared(_ rows: String, source: String = "common.csv") throws {
    try folder.write("code,country,amount\n" + rows, to: "common.csv")
    try folder.write(
      """
      pipeline: common
      model: model.yaml
      store: common.sqlite
      source: \(source)
      import:
        entity: Item
        find_by: code
        attributes: { country: country, amount: amount }
      """, to: "common.yaml")
  }

  /// Runs `mergewalk stores`.
  func stores(_ arguments: String..., environment: [String: String] = [:], input: String = "") throws -> Command {
    try Command(["stores"] + arguments, in: folder.path, environment: environment, input: input)
  }

  func build(_ out: String = "out", environment: [String: String] = [:]) throws -> Command {
    try stores("build", "items.yaml", "--out", out, "--json", environment: environment)
  }

  func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.file(path))) }
  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: folder.file(path)) }
  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: folder.file(path)) }

  /// The paths of all stores, and of the manifest, with their bytes.
  func published(_ out: String = "out") throws -> [String: Data] {
    var result: [String: Data] = [:]
    let names = try #require(FileManager.default.enumerator(atPath: folder.file(out)))
    for case let name as String in names
    where name == "_SUCCESS" || name.hasSuffix(".sqlite") && !name.hasPrefix("_") {
      result[name] = try bytes("\(out)/\(name)")
    }
    return result
  }

  /// The same with the rejects of the family.
  func everything(_ out: String = "out") throws -> [String: Data] {
    var result = try published(out)
    if exists(out + "/_rejects.ndjson") { result["_rejects.ndjson"] = try bytes(out + "/_rejects.ndjson") }
    return result
  }

  /// Whether stores and manifest are these.
  func stays(_ wanted: [String: Data], _ out: String) throws -> Bool {
    try published(out) == wanted.filter { !$0.key.hasSuffix(".ndjson") }
  }

  /// A file as text.
  func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

  /// The objects of a store, in the order of their keys.
  func items(_ path: String) throws -> [String] {
    let connection = try Connection(path: folder.file(path), mode: .immutable)
    let rows = try connection.prepare(
      "SELECT ZCODE || '|' || ifnull(ZCOUNTRY, '-') || '|' || ifnull(ZAMOUNT, '-') FROM ZITEM ORDER BY ZCODE")
    var items: [String] = []
    while try rows.step() { items.append(rows.text(0)) }
    return items
  }

  /// The objects of all stores of a family that is published.
  func union(_ out: String = "out") throws -> [String] {
    try published(out).keys.filter { $0 != "_SUCCESS" }.flatMap { try items("\(out)/\($0)") }.sorted()
  }
}
