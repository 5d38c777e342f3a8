import MergewalkTestSupport
import Testing

/// One of several tasks looks at the inputs of its own stores, and the commit at all of them.
@Suite("Inputs of several tasks")
struct StoresTasksTests {
  /// How the tasks of a plan with two stores end, and the commit behind them.
  private func statuses(_ family: Family) throws -> (tasks: [Int32], commit: Command) {
    let tasks = try ["1/2", "2/2"].map { try family.stores("task", "out", "--part", $0).status }
    return (tasks.sorted(), try family.stores("commit", "out", "--json"))
  }

  private func isRefused(_ commit: Command, _ family: Family) throws -> Bool {
    let error = try commit.object()["error"] as? [String: Any]
    return commit.status == 2 && error?["code"] as? String == "inputChanged" && !family.exists("out/_SUCCESS")
  }

  @Test("a file of another store's folder that changed does not end a task, but the commit")
  func folders() throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    for value in ["DE", "FR"] {
      try family.folder.write("code,amount\n\(value),1\n", to: "hive/country=\(value)/part-0.csv")
    }
    #expect(try family.stores("plan", "items.yaml", "hive", "--out", "out").status == 0)
    try family.folder.write("code,amount\nFR,1\nx,2\n", to: "hive/country=FR/part-0.csv")
    let (tasks, commit) = try statuses(family)
    #expect(tasks == [0, 2])
    #expect(try isRefused(commit, family), "\(commit.words)")
    // One task of all stores looks at all of their files.
    #expect(try family.stores("task", "out").status == 2)
  }

  @Test(
    "the same of sources that were split, however the pipeline names them",
    arguments: ["'part-*.csv'", "{ manifest: files.yaml, format: csv }"])
  func split(source: String) throws {
    let family = try Family(source: source)
    for value in ["DE", "FR"] {
      try family.folder.write("code,country,amount\n\(value),\(value),1\n", to: "part-\(value).csv")
    }
    try family.folder.write("- { path: part-DE.csv, size: 28 }\n- { path: part-FR.csv, size: 28 }\n", to: "files.yaml")
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 0)
    try family.folder.write("code,country,amount\nFR,FR,1\nx,FR,2\n", to: "part-FR.csv")
    let (tasks, commit) = try statuses(family)
    #expect(tasks == [0, 2])
    #expect(try isRefused(commit, family), "\(commit.words)")
  }

  @Test("a source without records that gets some ends the commit")
  func empty() throws {
    let family = try Family(source: "[a.csv, b.csv]")
    try family.folder.write("code,country,amount\na,DE,1\nb,FR,1\n", to: "a.csv")
    try family.folder.write("code,country,amount\n", to: "b.csv")
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 0)
    try family.folder.write("code,country,amount\nc,DE,1\n", to: "b.csv")
    let (tasks, commit) = try statuses(family)
    #expect(tasks == [0, 0])
    #expect(try isRefused(commit, family), "\(commit.words)")
  }
}
