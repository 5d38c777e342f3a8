extension Factors {
  /// What is agreed about the columns of the source.
  static let contract = Factor(
    "contract",
    [
      Factor.Value("none"),
      Factor.Value("evolve") { $0.source["contract"] = "{ new: evolve, types: evolve }" },
      Factor.Value("reject-new") { $0.source["contract"] = "{ new: reject }" },
      Factor.Value("reject-types") { $0.source["contract"] = "{ types: reject }" },
      Factor.Value("freeze-new") { $0.source["contract"] = "{ new: freeze }" },
      Factor.Value("freeze-types") { $0.source["contract"] = "{ types: freeze }" },
      Factor.Value("missing") {
        $0.source["contract"] = "{ missing: discard }"
        $0.columns.removeAll { $0.name == "weight" }
      },
    ],
    except: [
      Exclusion(
        ["reject-new", "freeze-new", "evolve"], with: "each", ["elements"],
        because: "what is a new member of a record within a record is not said"),
      Exclusion(
        ["freeze-new", "freeze-types"], with: "rejects", ["limit", "ratio", "codes"],
        because: "whether too many rejects or the contract ends a run depends on its batches"),
      Exclusion(
        ["freeze-new", "freeze-types"], with: "course", ["stopped", "stopped-dry", "killed"],
        because: "what a run leaves that was interrupted before its contract ends it has its own tests"),
      Exclusion(
        ["freeze-new", "freeze-types"], with: "after", ["replay", "replays"],
        because: "a run that its contract ends has imported nothing that could be put right"),
      Exclusion(
        ["freeze-new", "freeze-types"], with: "stores", families,
        because: "a plan that a contract ends makes no family"),
    ])

  /// Columns that nothing uses, among the others.
  private static func addUnused(_ scenario: inout Scenario) {
    let list = ColumnSpec("spare", .made { _, _ in .list([.text("x"), .text("y")]) })
    scenario.columns.insert(contentsOf: [ColumnSpec("extra", .text), list], at: 4)
  }

  /// Columns that nothing uses, of which the pipeline says that it knows them or not.
  static let ignored = Factor(
    "ignore",
    [
      Factor.Value("none"),
      Factor.Value("some") { scenario in
        addUnused(&scenario)
        // One that nothing uses, and one that is used all the same.
        scenario.ignored = ["extra", "label"]
      },
      Factor.Value("all") { scenario in
        addUnused(&scenario)
        let used = scenario.item.columns
        scenario.ignored = scenario.columns.map(\.name).filter { !used.contains($0) }
      },
    ])
}
