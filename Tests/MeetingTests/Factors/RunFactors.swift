import MergewalkImporting

extension Factors {
  /// How runs go.
  static let runs = [
    since, rejects, rejectsBefore, course, after, condition, transforms, lookup, process, pipelinePath, hooks,
    contract, ignored, fields, stores, direct, surroundings, modelFile, diff,
  ]

  /// Adds a column that only grows, by and large.
  private static func addCursor(
    _ scenario: inout Scenario, _ options: [String: String], _ text: @escaping @Sendable (Int) -> String
  ) {
    scenario.since = options
    scenario.nights = [18, 14]
    scenario.columns.append(
      ColumnSpec(
        "seen",
        .made { place, random in
          let value = max(place.night, 0) * 12 + place.number + Int.random(in: -4...4, using: &random)
          return Int.random(in: 0..<12, using: &random) == 0 ? .text("") : .text(text(max(value, 0)))
        }))
  }

  private static let since = Factor(
    "since",
    [
      Factor.Value("none"),
      Factor.Value("integer") { addCursor(&$0, ["type": "integer"]) { "\($0)" } },
      Factor.Value("lag") { addCursor(&$0, ["type": "integer", "lag": "5"]) { "\($0)" } },
      Factor.Value("ties") { addCursor(&$0, ["type": "integer", "ties": "skip", "start": "3"]) { "\($0)" } },
      Factor.Value("date") { addCursor(&$0, ["type": "date"]) { "2024-01-\(10 + $0)" } },
      Factor.Value("text") { addCursor(&$0, ["type": "text"]) { "t\(100 + $0)" } },
      Factor.Value("hold") { addCursor(&$0, ["type": "integer", "rejects": "hold"]) { "\($0)" } },
      Factor.Value("pass") { scenario in
        var options = ["type": "integer", "rejects": "pass"]
        switch scenario.seed % 3 {
        case 0: break
        case 1: options["lag"] = "5"
        default: options["ties"] = "skip"
        }
        addCursor(&scenario, options) { "\($0)" }
      },
    ],
    except: [
      Exclusion(
        ["integer", "lag", "ties", "date", "text", "hold", "pass"], with: "mode",
        ["sync", "sync-all", "sync-mark", "sync-limit", "sync-scope", "replace"],
        because: "what is passed over would be missing, so that the modes that delete refuse it"),
      Exclusion(
        ["hold"], with: "mode", ["insert", "insert-first", "insert-blindly"],
        because: "what a held cursor reads again would be inserted twice, so that lint refuses it"),
    ])

  private static let rejects = Factor(
    "rejects",
    [
      Factor.Value("file"),
      Factor.Value("none") { scenario in
        // Without a file no cursor passes rejects.
        let isInsert = scenario.item.options["mode"] == "insert"
        let passes = scenario.since.map { $0["rejects"] == "pass" || $0["rejects"] == nil && isInsert } ?? false
        if !passes { scenario.top["rejects"] = nil }
      },
      Factor.Value("limit") { $0.top["rejects"] = "{ file: rejects.ndjson, limit: 1 }" },
      Factor.Value("ratio") { $0.top["rejects"] = "{ file: rejects.ndjson, ratio: 10% }" },
      Factor.Value("codes") { $0.top["rejects"] = "{ file: rejects.ndjson, codes: { \"read.*\": 1, key.null: 2 } }" },
    ])

  private static let rejectsBefore = Factor(
    "rejects-before",
    [
      Factor.Value("none"),
      Factor.Value("waiting") { $0.rejectsBefore = .waiting },
      Factor.Value("edited") { $0.rejectsBefore = .edited },
    ])

  private static let course = Factor(
    "course",
    [
      Factor.Value("plain"),
      Factor.Value("dry") { $0.course = .dry },
      Factor.Value("dry-first") { $0.course = .dryFirst },
      Factor.Value("stopped") { $0.course = .stopped },
      Factor.Value("stopped-dry") { $0.course = .stoppedDry },
      Factor.Value("killed") { $0.course = .killed },
    ])

  private static let after = Factor(
    "after",
    [
      Factor.Value("nothing"),
      Factor.Value("again") { $0.after = .again },
      Factor.Value("replay") { $0.after = .replay },
      Factor.Value("replays") { $0.after = .replays },
    ],
    except: [
      Exclusion(
        ["replay", "replays"], with: "rejects", ["none"],
        because: "without a rejects file there is nothing to replay"),
      Exclusion(["replay", "replays"], with: "course", ["dry"], because: "a dry run leaves no store to replay into"),
    ])

  private static let condition = Factor(
    "where",
    [
      Factor.Value("none"),
      Factor.Value("compiled") { $0.item.options["where"] = "\"amount != 7 AND label != 'z'\"" },
      Factor.Value("evaluated") { $0.item.options["where"] = "\"NOT label MATCHES '[0-9]+' OR amount != 7\"" },
    ],
    except: [
      Exclusion(
        ["compiled", "evaluated"], with: "mode", ["replace"], because: "this condition asks for what it leaves unfilled"
      ),
      Exclusion(
        ["compiled", "evaluated"], with: "paths", ["nested", "awkward", "attributes"],
        because: "expressions take such columns by another name, which a column definition gives"),
      Exclusion(
        ["compiled", "evaluated"], with: "each", ["elements"],
        because: "expressions take such columns by another name, which a column definition gives"),
      Exclusion(
        ["compiled", "evaluated"], with: "header", ["two-rows"],
        because: "expressions take such columns by another name, which a column definition gives"),
    ])

  private static let transforms = Factor(
    "transforms",
    [
      Factor.Value("none"),
      Factor.Value("steps") { scenario in
        scenario.item.field("label") {
          $0.options["do"] = "[collapse, { replace: { text: a, with: bb } }, upper, { null_if: [\"7\"] }]"
        }
        scenario.item.field("price") {
          $0.options["do"] = "[{ multiply: 2 }, { add: \"0.1\" }, { round: { places: 2 } }]"
        }
        scenario.item.field("look") { $0.options["do"] = "[trim, { null_if: [BAUG] }, { append: QUJD }]" }
        scenario.item[relation: "owner"]?.target.field("email") { $0.options["do"] = "[trim, { append: \"@x\" }]" }
      },
      Factor.Value("columns") { scenario in
        let price = YAMLText.quoted(scenario.columnName("price"))
        let label = YAMLText.quoted(scenario.columnName("label"))
        let email = YAMLText.quoted(scenario.columnName("email"))
        scenario.item.options["columns"] =
          "{ half: { from: \(price), type: decimal, do: [{ divide: { by: 2, places: 3 } }] }, "
          + "both: { from: \(label), do: [{ concat: { columns: [\(email)], with: \"/\" } }, "
          + "{ substring: { from: 2, length: 5 } }] } }"
        scenario.item.field("price") { $0.options["from"] = "half" }
        scenario.item.field("label") { $0.options["from"] = "both" }
      },
      Factor.Value("expression") { scenario in
        scenario.item.options["columns"] =
          "{ p: { from: \(YAMLText.quoted(scenario.columnName("price"))), type: decimal }, "
          + "n: { from: \(YAMLText.quoted(scenario.columnName("age"))), type: integer } }"
        scenario.item.field("price") { $0.options["value"] = "\"p * n + 0.1\"" }
      },
      Factor.Value("evaluated") { scenario in
        scenario.item.options["columns"] =
          "{ p: { from: \(YAMLText.quoted(scenario.columnName("price"))), type: decimal }, "
          + "n: { from: \(YAMLText.quoted(scenario.columnName("age"))), type: integer } }"
        scenario.item.field("price") { $0.options["value"] = "\"ceiling:(p / n)\"" }
      },
      Factor.Value("cases") { scenario in
        scenario.item.options["columns"] =
          "{ n: { from: \(YAMLText.quoted(scenario.columnName("age"))), type: integer } }"
        let email = YAMLText.quoted(scenario.columnName("email"))
        scenario.item.field("label") {
          $0.options["do"] =
            "[{ when: [{ if: \"n > 5\", give: many }, { if: \"n == 1\", take: \(email) }] }]"
        }
      },
    ],
    except: [
      Exclusion(
        ["steps", "columns", "expression", "evaluated"], with: "mode", ["replace"],
        because: "these transforms fill the price, which mode replace leaves unfilled here")
    ])

  private static let process = Factor(
    "process",
    [
      Factor.Value("none"),
      Factor.Value("echo") { $0.process = .echo },
      Factor.Value("answers") { $0.process = .answers },
      Factor.Value("script") { $0.process = .script(folder: nil) },
      Factor.Value("script-in-folder") { $0.process = .script(folder: "programs") },
    ])

  /// How those who run a pipeline name it: what it names itself is beside it all the same.
  private static let pipelinePath = Factor(
    "pipeline-path",
    [
      Factor.Value("absolute"),
      Factor.Value("relative") { $0.isNamedRelatively = true },
    ])

  private static let hooks = Factor(
    "hooks",
    [
      Factor.Value("none"),
      Factor.Value("record") { $0.hasHook = true },
    ],
    except: [
      Exclusion(["record"], with: "course", ["killed"], because: "Swift code takes part in this process only")
    ])

  /// Makes a family of the stores; contracts about types are refused there for XML, which has none.
  private static func spread(_ scenario: inout Scenario, _ stores: StoresBy) {
    scenario.stores = stores
    if scenario.format == .xml { scenario.source["contract"] = nil }
  }

  /// The values of `stores` that make a family.
  static let families = ["column", "made", "shared", "few-gone", "share-gone", "kept"]

  private static let stores = Factor(
    "stores",
    [
      Factor.Value("one"),
      Factor.Value("column") { spread(&$0, .column) },
      Factor.Value("made") { spread(&$0, .made) },
      Factor.Value("shared") {
        spread(&$0, .column)
        $0.hasShared = true
      },
      Factor.Value("few-gone") {
        spread(&$0, .column)
        $0.gone = "limit: 1"
        $0.nights = [16, 6, 6]
      },
      Factor.Value("share-gone") {
        spread(&$0, .made)
        $0.gone = "ratio: 40%"
        $0.nights = [16, 6, 6]
      },
      // Of records that are kept as they were read, which contracts about columns need.
      Factor.Value("kept") { spread(&$0, .column) },
    ],
    except: [
      Exclusion(
        families, with: "store", ["existing"],
        because: "the stores of a family are always new"),
      Exclusion(
        families, with: "course",
        ["dry", "dry-first", "stopped", "stopped-dry"],
        because: "a family is planned, built and published, or its process is killed"),
      Exclusion(
        families, with: "after", ["replay", "replays"],
        because: "what is put right goes into the input of the next family"),
      Exclusion(
        families, with: "hooks", ["record"],
        because: "tasks are processes of their own, in which Swift code does not take part"),
      Exclusion(
        families.filter { $0 != "kept" }, with: "contract", ["evolve", "reject-new", "missing"],
        because:
          "of formats other than CSV and NDJSON the split keeps no other columns, so that such contracts are refused"),
      Exclusion(
        ["kept"], with: "format", ["fixed-width", "json", "json-seq", "xml", "yaml", "plist", "sqlite"],
        because: "a split keeps records of CSV, TSV and NDJSON only as they were read"),
      Exclusion(["kept"], with: "paths", ["attributes"], because: "only XML has attributes"),
      Exclusion(["kept"], with: "each", ["elements"], because: "a split writes the records within records anew"),
      Exclusion(
        ["few-gone", "share-gone"], with: "header", ["doubtful"],
        because: "where few records are left, near headers are taken for rows of the header, and the run is refused"),
    ])

  private static let fields = Factor(
    "fields",
    [
      Factor.Value("plain"),
      Factor.Value("trim") { $0.top["fields"] = "{ trim: true, empty: \"null\" }" },
      Factor.Value("tokens") { scenario in
        scenario.item.field("label") { $0.options["null_tokens"] = "[\"7\", \"NULL\", \"~\"]" }
        scenario.item.field("flag") {
          $0.options.merge(["true": "[\"true\", yes, T]", "false": "[\"false\", \"0\", off]"]) { $1 }
        }
      },
    ])
}
