extension Factors {
  /// Whether new stores are written past SQLite.
  static let direct = Factor(
    "direct",
    ["never", "always"].map { name in Factor.Value(name) { $0.top["direct"] = name } })

  /// In which form the pipeline gets its model.
  static let modelFile = Factor(
    "model-file",
    ["model.yaml", "model.mom", "model.sqlite"].map { name in Factor.Value(name) { $0.modelFile = name } })

  /// Whether changes are shown, which changes nothing else.
  static let diff = Factor("diff", [Factor.Value("none"), Factor.Value("some") { $0.shownChanges = 20 }])

  /// What stands around a store, and how it is kept.
  static let surroundings = Factor(
    "surroundings",
    [
      Factor.Value("plain"),
      Factor.Value("linked") { $0.surroundings = .linked },
      Factor.Value("rollback") { $0.surroundings = .rollback },
      Factor.Value("joint") { $0.surroundings = .joint },
      Factor.Value("history") { $0.top["history"] = "true" },
    ],
    except: [
      Exclusion(["rollback"], with: "store", ["new"], because: "new stores have a write-ahead log"),
      Exclusion(["joint"], with: "store", ["new"], because: "no save was made in a new store"),
      Exclusion(
        ["linked", "rollback", "joint"], with: "stores", families,
        because: "the stores of a family are always new"),
    ])
}
