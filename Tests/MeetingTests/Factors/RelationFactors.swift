extension Factors {
  /// Relationships that need more than a look, other imports, and what entities inherit from.
  static let relations = [parent, parentSays, list, listOptions, kind, parts, deleteRules]

  private static let parent = Factor(
    "parent",
    [
      Factor.Value("none"),
      Factor.Value("create") { $0.parent = ("create", nil) },
      Factor.Value("reject") { $0.parent = ("reject", nil) },
      Factor.Value("null") { $0.parent = ("\"null\"", nil) },
      Factor.Value("one-pass-reject") { $0.parent = ("reject", "one") },
      Factor.Value("one-pass-null") { $0.parent = ("\"null\"", "one") },
      Factor.Value("two-pass-null") { $0.parent = ("\"null\"", "two") },
    ],
    except: [
      Exclusion(
        ["create", "reject", "null", "one-pass-reject", "one-pass-null", "two-pass-null"], with: "mode",
        ["insert-blindly"], because: "items without a key cannot be named by others")
    ])

  /// What records say of the attributes of their parents.
  private static let parentSays = Factor(
    "parent-says",
    [
      Factor.Value("nothing"),
      Factor.Value("label") { $0.parentSays = [("label", .text)] },
      Factor.Value("label-weight") { $0.parentSays = [("label", .text), ("weight", .real)] },
      Factor.Value("create-missing") {
        $0.parentSays = [("label", .text)]
        $0.parentOptions["mode"] = "create-missing"
      },
    ],
    except: [
      Exclusion(["label", "label-weight", "create-missing"], with: "parent", ["none"], because: "there is no parent"),
      Exclusion(
        ["create-missing"], with: "parent", ["reject", "null", "one-pass-reject", "one-pass-null", "two-pass-null"],
        because: "what is never created is not only to be created, so that lint refuses it"),
      Exclusion(
        ["create-missing"], with: "owner", ["required", "required-null"],
        because: "a parent cannot be created without its mandatory owner"),
      Exclusion(
        ["label", "label-weight", "create-missing"], with: "mode", ["insert-blindly"],
        because: "items without a key cannot be named by others"),
    ])

  private static let list = Factor(
    "list",
    [
      Factor.Value("none"),
      Factor.Value("split") { $0.list = .split },
      Factor.Value("scalars") { $0.list = .scalars },
      Factor.Value("objects") { $0.list = .objects },
      Factor.Value("ordered") { $0.list = .ordered },
      Factor.Value("lines") { $0.list = .lines },
      Factor.Value("notes") { $0.list = .notes },
      Factor.Value("nested") { $0.list = .nested },
    ],
    except: [
      Exclusion(
        ["scalars", "objects", "ordered", "lines", "notes", "nested"], with: "format", ["fixed-width"],
        because: "arrays do not fit the columns of fixed-width text")
    ])

  private static let listOptions = Factor(
    "list-options",
    [
      Factor.Value("plain"),
      Factor.Value("add") { $0.listOptions["links"] = "add" },
      Factor.Value("reject-empty") {
        $0.listOptions["empty"] = "reject"
        $0.listOptions["empty_elements"] = "reject"
      },
      Factor.Value("keep-empty") { $0.listOptions["empty"] = "keep" },
      Factor.Value("missing-reject") { $0.listOptions["missing"] = "reject" },
      Factor.Value("missing-null") { $0.listOptions["missing"] = "\"null\"" },
      Factor.Value("update") { $0.listOptions["mode"] = "update" },
      Factor.Value("create-missing") { $0.listOptions["mode"] = "create-missing" },
      Factor.Value("everywhere") { $0.listOptions["find_in"] = "everywhere" },
      Factor.Value("orphans") { $0.listOptions["orphans"] = "delete" },
    ],
    except: [
      Exclusion(
        [
          "add", "reject-empty", "keep-empty", "missing-reject", "missing-null", "update", "create-missing",
          "everywhere", "orphans",
        ], with: "list", ["none"], because: "there is no list"),
      Exclusion(
        ["orphans"], with: "list", ["split", "scalars", "objects", "ordered"],
        because: "what belongs to many is nobody's orphan"),
      Exclusion(
        ["orphans"], with: "format", ["fixed-width"],
        because: "arrays do not fit the columns of fixed-width text, and a split text has no orphans"),
    ])

  private static let kind = Factor(
    "model",
    [
      Factor.Value("flat"),
      Factor.Value("child") { $0.kind = .child },
      Factor.Value("parent") { $0.kind = .parent },
    ])

  private static let parts = Factor(
    "parts",
    [
      Factor.Value("one"),
      Factor.Value("people") { $0.people = EntityMap("Person", [FieldMap("email")], [FieldMap("age")]) },
      Factor.Value("people-sync") {
        var people = EntityMap("Person", [FieldMap("email")], [FieldMap("age")])
        people.options["mode"] = "sync"
        people.options["sync"] = "{ unreadable: delete }"
        $0.people = people
      },
      Factor.Value("members-sync") { scenario in
        var members: EntityMap
        switch scenario.list {
        case .none, .split, .scalars, .objects: members = EntityMap("Tag", [FieldMap("name", "member")])
        case .ordered: members = EntityMap("Topic", [FieldMap("name", "member")])
        case .lines: members = EntityMap("Line", [FieldMap("number")])
        case .notes: members = EntityMap("Note", [FieldMap("code", "member")])
        case .nested: members = EntityMap("Figure", [FieldMap("label", "member")])
        }
        members.options["mode"] = "sync"
        members.options["sync"] = "{ unreadable: delete }"
        scenario.people = members
        if scenario.nights.count == 1 { scenario.nights = [16, 12] }
      },
      Factor.Value("items") { $0.people = items($0) },
      Factor.Value("items-update") {
        $0.people = items($0)
        $0.people?.options["mode"] = "update"
      },
      Factor.Value("items-sync") {
        $0.people = items($0)
        $0.people?.options["mode"] = "sync"
        $0.people?.options["sync"] = "{ unreadable: delete }"
        if $0.nights.count == 1 { $0.nights = [16, 12] }
      },
    ],
    except: [
      Exclusion(
        ["items", "items-update", "items-sync"], with: "owner", ["required", "required-null"],
        because: "a second import says nothing about owners"),
      Exclusion(["members-sync"], with: "list", ["none"], because: "there is no list whose members could go"),
      Exclusion(
        ["members-sync"], with: "stores", families,
        because: "the members of lists are in every store of a family"),
    ])

  private static let deleteRules = Factor(
    "delete-rules",
    [
      Factor.Value("plain"),
      Factor.Value("cascade") {
        setRules(&$0, children: "cascade", tags: "cascade", notes: "cascade", items: "cascade")
      },
      Factor.Value("deny") { setRules(&$0, children: "deny", tags: "deny", notes: "deny", items: "deny") },
      Factor.Value("mixed") { setRules(&$0, children: "cascade", tags: "cascade", notes: "deny", items: "deny") },
    ])

  /// Sets the delete rules of relationships to many; what goes has them from the night before.
  private static func setRules(
    _ scenario: inout Scenario, children: String, tags: String, notes: String, items: String
  ) {
    scenario.deleteRules = ["children": children, "tags": tags, "notes": notes, "items": items]
    let modes = [scenario.item.options["mode"], scenario.people?.options["mode"]]
    guard modes.contains("sync") || modes.contains("replace"), scenario.nights.count == 1 else { return }
    scenario.nights = [16, 12]
  }

  /// A second import of the same items.
  private static func items(_ scenario: Scenario) -> EntityMap {
    EntityMap("Item", scenario.keyNames.map { FieldMap($0) }, [FieldMap("label"), FieldMap("amount")])
  }
}
