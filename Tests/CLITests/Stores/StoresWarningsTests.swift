import Foundation
import MergewalkTestSupport
import Testing

/// What a run warns of, a family warns of, in words and in JSON.
@Suite("Warnings of families")
struct StoresWarningsTests {
  /// A pipeline whose records are the elements of a list.
  private func family() throws -> Family {
    let family = try Family()
    try family.folder.write(
      """
      pipeline: items
      model: model.yaml
      source: { files: items.ndjson, each: lines }
      import:
        entity: Item
        find_by: { code: lines.code }
        attributes: { country: country, amount: lines.amount }
      stores: { by: country, missing: { value: none } }
      """, to: "items.yaml")
    return family
  }

  private static let without = #"{"country":"DE","line":[{"code":"a","amount":1}]}"# + "\n"
  private static let with = #"{"country":"DE","lines":[{"code":"a","amount":1}]}"# + "\n"

  /// The findings of `neverMatched` in the warnings of a plan.
  private func neverMatched(_ command: Command) throws -> [String] {
    let plan = try #require(try command.object()["plan"] as? [String: Any])
    let warnings = try #require(plan["warnings"] as? [[String: Any]])
    return warnings.filter { $0["code"] as? String == "neverMatched" }.compactMap { $0["message"] as? String }
  }

  @Test("elements that no record has are told as in a run")
  func each() throws {
    let family = try family()
    try family.folder.write(Self.without, to: "items.ndjson")
    let run = try Command(["run", "items.yaml", "--store", "one.sqlite", "--json"], in: family.folder.path)
    let warnings = try #require(try run.object()["warnings"] as? [[String: Any]])
    let built = try family.build()
    #expect(built.status == 0 && built.words.contains("[neverMatched]"), "\(built.words)")
    let found = try neverMatched(built)
    #expect(found.count == 1 && found == warnings.compactMap { $0["message"] as? String }, "\(run.words)")
    // One record that has some is enough.
    try family.folder.write(Self.without + Self.with, to: "items.ndjson")
    #expect(try neverMatched(family.build("other")).isEmpty)
  }

  @Test("elements that no record has are told of folders called key=value, too")
  func folders() throws {
    let family = try family()
    let nothing = "hive/country=__HIVE_DEFAULT_PARTITION__/part-0.ndjson"
    try family.folder.write(Self.without, to: nothing)
    let empty = try family.stores("build", "items.yaml", "hive", "--out", "out", "--json")
    #expect(try neverMatched(empty).count == 1, "\(empty.words)")
    // Where there are stores, they tell.
    try family.folder.write(Self.with, to: "hive/country=DE/part-0.ndjson")
    let some = try family.stores("build", "items.yaml", "hive", "--out", "other", "--json")
    #expect(some.status == 0 && !some.words.contains("neverMatched"), "\(some.words)")
    #expect(try family.union("other") == ["a|DE|1"])
  }
}
