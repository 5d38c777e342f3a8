extension Factors {
  static let keyType = Factor(
    "key",
    ["string", "integer64", "integer16", "date", "uuid", "boolean"].map { name in
      Factor.Value(name) { $0.keyType = KeyType(rawValue: name) ?? .string }
    })

  static let keyNames = Factor(
    "keys",
    [
      Factor.Value("one"),
      Factor.Value("two") {
        $0.keyNames = ["code", "number"]
        $0.item.keys = [FieldMap("code"), FieldMap("number")]
      },
      Factor.Value("without-index") { $0.isUnique = false },
    ])

  static let repeats = Factor(
    "repeats",
    [
      Factor.Value("often"),
      Factor.Value("never") {
        $0.keyRepeats = .never
        if $0.nights.count == 1 { $0.nights = [24, 18] }
      },
      Factor.Value("back") {
        $0.keyRepeats = .back
        if $0.nights.count == 1 { $0.nights = [16, 20] }
      },
    ],
    except: [
      Exclusion(["never"], with: "key", ["boolean"], because: "two truth values are no keys of many items"),
      Exclusion(
        ["back"], with: "parent", ["one-pass-reject", "one-pass-null"],
        because: "in one pass it depends on the batch whether a record stands in for one with its key"),
    ])

  static let duplicates = Factor(
    "duplicates",
    ["last", "first", "reject"].map { name in Factor.Value(name) { $0.item.options["duplicates"] = name } })

  static let mode = Factor(
    "mode",
    [
      Factor.Value("upsert"),
      Factor.Value("insert") { $0.item.options["mode"] = "insert" },
      // The second night brings keys of the first one, and each of them more than once.
      Factor.Value("insert-first") {
        $0.item.options["mode"] = "insert"
        $0.item.options["duplicates"] = "first"
        $0.nights = [16, 12]
      },
      Factor.Value("update") { $0.item.options["mode"] = "update" },
      Factor.Value("create-missing") { $0.item.options["mode"] = "create-missing" },
      Factor.Value("sync") { $0.item.options["mode"] = "sync" },
      Factor.Value("sync-all") {
        $0.item.options["mode"] = "sync"
        $0.item.options["sync"] = "{ unreadable: delete, allow_empty: true }"
      },
      Factor.Value("replace") {
        $0.item.options["mode"] = "replace"
        $0.item.options["sync"] = "{ unreadable: delete }"
        $0.item.fields.removeAll { $0.attribute == "price" || $0.attribute == "amount" }
      },
      Factor.Value("sync-mark") {
        $0.item.options["mode"] = "sync"
        $0.item.options["sync"] = "{ delete: mark, soft_delete: isGone, unreadable: delete }"
        $0.nights = [16, 12]
      },
      Factor.Value("sync-limit") {
        $0.item.options["mode"] = "sync"
        $0.item.options["sync"] = "{ limit: 2, unreadable: delete }"
      },
      Factor.Value("sync-scope") {
        $0.item.options["mode"] = "sync"
        $0.item.options["sync"] = "{ where: \"amount == 7 OR flag == YES\", unreadable: delete }"
      },
      Factor.Value("insert-blindly") {
        $0.item.options["mode"] = "insert"
        $0.item.fields += $0.item.keys
        $0.item.keys = []
        $0.top["again"] = "run"
      },
    ],
    except: [
      Exclusion(
        ["insert-blindly"], with: "duplicates", ["first", "reject"], because: "without a key nothing is there twice"),
      Exclusion(
        ["insert-first"], with: "duplicates", ["first", "reject"], because: "the mode says itself which record counts"),
    ])

  static let find = Factor(
    "find",
    [
      Factor.Value("automatic"),
      Factor.Value("seek") { $0.top["find"] = "seek" },
      Factor.Value("scan") { $0.top["find"] = "scan" },
      Factor.Value("pieces") {
        $0.top["find"] = "scan"
        $0.top["memory"] = "{ keys: 2000 }"
      },
      Factor.Value("deduplicate") { $0.top["find"] = "deduplicate" },
      Factor.Value("little-memory") { $0.top["memory"] = "{ keys: 2000 }" },
    ])

  static let batch = Factor(
    "batch",
    [
      Factor.Value("large"),
      Factor.Value("one") { $0.top["batch"] = "{ records: 1 }" },
      Factor.Value("three") { $0.top["batch"] = "{ records: 3 }" },
      Factor.Value("seven") { $0.top["batch"] = "{ records: 7 }" },
    ])

  static let owner = Factor(
    "owner",
    [
      Factor.Value("create"),
      Factor.Value("reject") { $0.item[relation: "owner"]?.options["missing"] = "reject" },
      Factor.Value("null") { $0.item[relation: "owner"]?.options["missing"] = "\"null\"" },
      Factor.Value("update") { $0.item[relation: "owner"]?.target.options["mode"] = "update" },
      Factor.Value("create-missing") { $0.item[relation: "owner"]?.target.options["mode"] = "create-missing" },
      Factor.Value("required") { $0.needsOwner = true },
      Factor.Value("required-null") {
        $0.needsOwner = true
        $0.item[relation: "owner"]?.options["missing"] = "\"null\""
      },
      Factor.Value("inner-reject") {
        $0.item[relation: "owner"]?.target[relation: "team"]?.options["missing"] = "reject"
      },
    ],
    except: [
      Exclusion(
        ["required", "required-null"], with: "parent", ["create"],
        because: "a parent cannot be created without its mandatory owner")
    ])

  static let policies = Factor(
    "policies",
    [
      Factor.Value("plain"),
      Factor.Value("keep") { scenario in
        for name in ["label", "amount", "price", "day"] {
          scenario.item.field(name) { $0.options.merge(["null": "keep", "empty": "keep"]) { $1 } }
        }
      },
      Factor.Value("default") { scenario in
        for name in ["label", "amount"] {
          scenario.item.field(name) {
            $0.options.merge(["absent": "default", "null": "default", "empty": "default"]) { $1 }
          }
        }
      },
      Factor.Value("null") { scenario in
        for name in ["label", "amount", "price", "day"] {
          scenario.item.field(name) { $0.options.merge(["absent": "\"null\"", "empty": "\"null\""]) { $1 } }
        }
      },
      Factor.Value("reject") { scenario in
        for name in ["label", "amount"] {
          scenario.item.field(name) {
            $0.options.merge(["absent": "reject", "null": "reject", "empty": "reject"]) { $1 }
          }
        }
      },
      Factor.Value("values") { scenario in
        scenario.item.field("amount") {
          $0.options.merge(["absent_value": "11", "null_value": "12", "empty_value": "13"]) { $1 }
        }
        scenario.item.field("label") { $0.options.merge(["null_value": "\"nothing\"", "trim": "true"]) { $1 } }
      },
    ])

  static let store = Factor(
    "store",
    [
      Factor.Value("new"),
      Factor.Value("existing") { $0.hasStore = true },
    ])

  static let faults = Factor(
    "faults",
    [
      Factor.Value("none"),
      Factor.Value("values") { $0.hasBadValues = true },
      Factor.Value("records") { $0.hasBrokenRecords = true },
    ],
    except: [
      Exclusion(["records"], with: "format", ["sqlite"], because: "every row of a table is a record"),
      Exclusion(
        ["records"], with: "lines", ["short"], because: "a record with a surplus field and others without is enough"),
    ])
}
