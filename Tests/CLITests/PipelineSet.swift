import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// The repository's pipelines of one folder, run in order into one store.
struct PipelineSet {
  let folder = TemporaryFolder()
  /// The pipelines' file names, in order.
  let names: [String]

  /// Copies the pipelines, so that stores and rejects land in a temporary folder.
  init(_ name: String) throws {
    let pipelines = Locations.repository + "/pipelines/" + name
    names = try FileManager.default.contentsOfDirectory(atPath: pipelines).sorted()
    for name in names {
      let text = try String(contentsOfFile: pipelines + "/" + name, encoding: .utf8)
      try folder.write(
        text.replacingOccurrences("../../fixtures", Locations.fixtures).replacingOccurrences("../../build/", ""),
        to: name)
    }
  }

  /// The store's path.
  var store: String { folder.file("store.sqlite") }

  /// Lints and runs every pipeline, all without a finding or a reject, and returns their summaries.
  func run(_ settings: [String] = [], more: [String] = []) throws -> [[String: Any]] {
    let settings = settings.flatMap { ["--set", $0] }
    return try names.map { name in
      let lint = try Command(["lint", name, "--quiet"] + settings, in: folder.path)
      #expect(lint.status == 0 && lint.output == "", "\(name): \(lint.output)")
      let command = try Command(
        ["run", name, "--json", "--quiet", "--store", "store.sqlite"] + more + settings, in: folder.path)
      #expect(command.status == 0 && command.words == "", "\(name): \(command.words)")
      return try command.object()
    }
  }

  /// Expects that runs found everything as it was.
  static func expectUnchanged(_ summaries: [[String: Any]]) {
    for summary in summaries {
      let name = summary["pipeline"] as? String ?? ""
      for count in ["inserted", "updated", "skipped", "rejected"] {
        #expect(summary[count] as? Int == 0, "\(name): \(count)")
      }
      #expect(summary["unchanged"] as? Int == summary["read"] as? Int, "\(name)")
      let entities = summary["entities"] as? [String: [String: Int]] ?? [:]
      #expect(!entities.isEmpty && entities.values.allSatisfy { $0["inserted"] == 0 && $0["updated"] == 0 }, "\(name)")
    }
  }

  /// Expects that `mergewalk store verify` finds nothing.
  static func expectSound(_ store: String, model: String) throws {
    let verify = try Command(
      ["store", "verify", store, "--model", Locations.fixtures + "/models/\(model).yaml"], in: "/")
    #expect(verify.status == 0)
    #expect(verify.output == "")
  }

  /// The first column of a query's rows as text, sorted.
  static func rows(_ path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    return rows.sorted()
  }
}
