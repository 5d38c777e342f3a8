import Foundation
import MergewalkTestSupport
import Testing

/// Contracts mean the same in a family as in a run.
@Suite("Contracts of families")
struct StoresContractsTests {
  /// A family of two files, of which the second has no column that names a store.
  private func family(_ policy: String, missing: String) throws -> Family {
    let family = try Family(
      stores: "{ by: country, missing: \(missing) }",
      source: "{ files: [a.csv, b.csv], contract: { missing: \(policy) } }")
    try family.folder.write("code,country,amount\na1,DE,1\na2,FR,2\n", to: "a.csv")
    try family.folder.write("code,amount\nb1,3\nb2,4\n", to: "b.csv")
    return family
  }

  @Test(
    "where a file lacks the column of the stores, its records have no value",
    arguments: [
      ("evolve", "reject", 1), ("evolve", "skip", 0), ("evolve", "{ value: other }", 0), ("discard", "reject", 1),
      ("discard", "skip", 0), ("discard", "{ value: other }", 0),
    ])
  func accepted(policy: String, missing: String, status: Int) throws {
    let family = try family(policy, missing: missing)
    let built = try family.build()
    let place: Comment = "\(policy) \(missing): \(built.words)"
    #expect(Int(built.status) == status, place)
    let known = ["a1|DE|1", "a2|FR|2"]
    #expect(try family.union() == known + (missing.contains("other") ? ["b1|-|3", "b2|-|4"] : []), place)
    let plan = try #require(try built.object()["plan"] as? [String: Any])
    #expect(plan["read"] as? Int == 4 && plan["skipped"] as? Int == (missing == "skip" ? 2 : 0), place)
    #expect(plan["rejected"] as? Int == status * 2, place)
    let warnings = try #require(plan["warnings"] as? [[String: Any]])
    let codes = warnings.compactMap { $0["code"] as? String }
    #expect(codes == (policy == "evolve" ? ["contractMissingColumn"] : []), place)
  }

  @Test(
    "a contract rejects the records of a file without the column of the stores, as a run does",
    arguments: ["reject", "skip", "{ value: other }"])
  func rejected(missing: String) throws {
    let family = try family("reject", missing: missing)
    let built = try family.build()
    let place: Comment = "\(missing): \(built.words)"
    #expect(built.status == 1, place)
    #expect(try family.union() == ["a1|DE|1", "a2|FR|2"], place)
    let plan = try #require(try built.object()["plan"] as? [String: Any])
    #expect(plan["reject_codes"] as? [String: Int] == ["contract.missingColumn": 2], place)
    let run = try Command(
      ["run", "items.yaml", "--store", "one.sqlite", "--rejects", "r.ndjson", "--json"], in: family.folder.path)
    let summary = try run.object()
    #expect(run.status == 1 && summary["reject_codes"] as? [String: Int] == ["contract.missingColumn": 2], place)
    // The lines and the raw records are the same.
    for text in try [family.text("out/_rejects.ndjson"), family.text("r.ndjson")] {
      #expect(text.contains("\"line\":2") && text.contains("b1,3") && text.contains("b2,4"), "\(text)")
    }
  }

  @Test(
    "a difference that freezes a source has one code in runs and in families, whichever step finds it",
    arguments: [
      ("csv", "new", "code,country,amount,more\na,DE,1,2\n"),
      ("ndjson", "new", #"{"code":"a","country":"DE","amount":1,"more":2}"# + "\n"),
      ("ndjson", "types", #"{"code":"a","country":"DE","amount":1}"# + "\n" + #"{"code":"b","amount":"2"}"# + "\n"),
    ])
  func frozen(format: String, what: String, text: String) throws {
    let family = try Family(source: "{ files: items.\(format), contract: { \(what): freeze } }")
    try family.folder.write(text, to: "items.\(format)")
    let run = try Command(["run", "items.yaml", "--store", "one.sqlite", "--json"], in: family.folder.path)
    for command in [run, try family.build()] {
      let error = try #require(try command.object()["error"] as? [String: Any])
      #expect(command.status == 2 && error["code"] as? String == "contract", "\(command.words)")
    }
  }
}
