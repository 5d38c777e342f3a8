import MergewalkImporting
import MergewalkTestSupport

/// One meeting of features: a model, a pipeline, the records of one or more nights, and what is done with them.
///
/// Factors change it; ``ScenarioFiles`` writes it down. Nothing here knows what the result must be.
struct Scenario: Sendable {
  /// What the data follow from.
  let seed: UInt64
  /// The values of the factors, by name.
  let choices: [String: String]

  // MARK: What is read

  /// How records are written.
  var format = DataFormat.csv
  var encoding = TextForm.utf8
  /// How the file is packed.
  var container = Container.plain
  /// How a delimited text is written.
  var delimited = DelimitedForm()
  /// How paths to values look.
  var paths = PathStyle.flat
  /// Whether records stand in an array inside of larger ones; see ``wholeColumns``.
  var hasElements = false
  /// Further options of the source, as YAML.
  var source: [String: String] = [:]
  /// The columns that the pipeline says to ignore.
  var ignored: [String] = []
  /// Where a file with nothing in it stands among them; nil for nowhere.
  var emptyFile: EmptyFile?
  /// How many files the records of a night are in.
  var fileCount = 1
  /// How many archives these files are members of; 0 where each is a file of its own.
  var archives = 0
  /// Whether the names of these members are not in UTF-8.
  var hasForeignNames = false
  /// Whether texts are short words of ASCII letters.
  var isTame = false
  /// Whether some records cannot be read.
  var hasBrokenRecords = false
  /// Whether some values cannot be converted.
  var hasBadValues = false

  // MARK: What becomes of it

  /// What each record becomes.
  var item = Scenario.plainItem
  /// The columns of a record.
  var columns = Scenario.plainColumns
  /// The columns that larger records have in common when ``hasElements``.
  var wholeColumns: Set<String> = ["email", "age", "team", "motto"]
  /// The options of an incremental import, as YAML; nil for none.
  var since: [String: String]?
  /// A program that sees every record.
  var process = ProcessKind.none
  /// Whether the pipeline is named by a path from the working folder.
  var isNamedRelatively = false
  /// Whether Swift code sees every record.
  var hasHook = false
  /// What a parent that is missing means, and how many passes there are; nil when items have no parents.
  var parent: (missing: String, passes: String?)?
  /// The attributes of a parent that records fill.
  var parentSays: [(attribute: String, kind: ColumnSpec.Kind)] = []
  /// Further options of the parent, as YAML.
  var parentOptions: [String: String] = [:]
  /// What lists the items have.
  var list = ListKind.none
  /// Further options of the list, as YAML.
  var listOptions: [String: String] = [:]
  /// A second import, of people.
  var people: EntityMap?
  /// Further options of the import, as YAML, where there are several.
  var partOptions: [String: String] = [:]
  /// Further options of the pipeline, as YAML.
  var top: [String: String] = ["history": "false", "rejects": "{ file: rejects.ndjson }"]

  // MARK: The model and the store

  /// The type of the attribute `code`, which identifies items.
  var keyType = KeyType.string
  /// How many different keys items have, at most.
  var keyRange = 12
  /// How often the records of a night name the same item.
  var keyRepeats = KeyRepeats.often
  /// The attributes that identify items.
  var keyNames = ["code"]
  /// Whether an item cannot be without an owner.
  var needsOwner = false
  /// Whether uniqueness constraints cover keys.
  var isUnique = true
  /// Whether a uniqueness constraint covers an attribute beside the key.
  var hasSerial = false
  /// Whether items have large values, which are files beside the store.
  var hasPhoto = false
  /// Whether items have a transformable attribute, which records give as its transformer would have it.
  var hasLook = false
  /// The delete rules of relationships to many, by their names, where they are not the model's usual ones.
  var deleteRules: [String: String] = [:]
  /// Whether a store that is there before has units, which nothing else writes.
  var hasUnits = false
  /// Whether the store computes attributes from others.
  var hasDerived = false
  /// Whether the store is there before.
  var hasStore = false
  /// What stands around the store.
  var surroundings = Surroundings.plain
  /// How many changes runs show.
  var shownChanges = 0
  /// What the pipeline names as its model.
  var modelFile = "model.yaml"
  /// What items inherit from, or what inherits from them.
  var kind = ModelKind.flat

  // MARK: Stores

  /// What spreads the records over a family of stores; nil for one store.
  var stores: StoresBy?
  /// How many of the published stores may go, as YAML; nil for any number.
  var gone: String?

  /// Whether other pipelines run into each store first.
  var hasShared = false

  // MARK: Nights

  /// How many records each night brings.
  var nights = [30]
  /// What stands where rejects go before the first night.
  var rejectsBefore = RejectsBefore.none
  /// How the run of each night goes.
  var course = Course.plain
  /// Where a file with nothing in it stands.
  enum EmptyFile: Sendable {
    case first, last
  }

  /// What comes behind the last night.
  var after = Aftermath.nothing

  /// Draws everything that factors leave open.
  init(seed: UInt64, choices: [String: String]) {
    self.seed = seed
    self.choices = choices
  }

  private static var plainItem: EntityMap {
    var item = EntityMap(
      "Item", [FieldMap("code")],
      [FieldMap("label"), FieldMap("amount"), FieldMap("price"), FieldMap("weight"), FieldMap("day"), FieldMap("flag")])
    var owner = EntityMap("Person", [FieldMap("email")], [FieldMap("age")])
    owner.relations = [RelationMap("team", EntityMap("Team", [FieldMap("name", "team")], [FieldMap("motto")]))]
    item.relations = [RelationMap("owner", owner)]
    return item
  }

  private static var plainColumns: [ColumnSpec] {
    [
      ColumnSpec("code", .key), ColumnSpec("number", .integer, range: 3), ColumnSpec("label", .text),
      ColumnSpec("amount", .integer), ColumnSpec("price", .decimal), ColumnSpec("weight", .real),
      ColumnSpec("day", .date), ColumnSpec("flag", .boolean), ColumnSpec("email", .text, range: 5, isKey: true),
      ColumnSpec("age", .integer, range: 3), ColumnSpec("team", .text, range: 4, isKey: true),
      ColumnSpec("motto", .text, range: 2),
    ]
  }

  /// Columns that only a second import reads.
  static let memberColumns = [ColumnSpec("member", .name, isKey: true)]

  /// Adds what follows from several factors together.
  mutating func finish() {
    if let parent {
      var target = EntityMap("Item", keyNames.map { FieldMap($0, "parent_" + $0) })
      target.fields = parentSays.map { FieldMap($0.attribute, "parent_" + $0.attribute) }
      target.options = parentOptions
      target.options["missing"] = parent.missing
      item.relations.append(RelationMap("parent", target))
      if let passes = parent.passes { item.options["passes"] = passes }
      columns += keyNames.map { ColumnSpec("parent_" + $0, .parent($0)) }
      columns += parentSays.map { ColumnSpec("parent_" + $0.attribute, $0.kind) }
    }
    if var since {
      since["column"] = YAMLText.quoted(columnName("seen"))
      partOptions["since"] = YAMLText.flow(since)
    }
    if let process = processText { item.options["process"] = process }
    if let stores { spread(by: stores) }
    guard list != .none else { return }
    var target = EntityMap("", [FieldMap("name", ".")])
    switch list {
    case .objects: target = EntityMap("", [FieldMap("name")], [FieldMap("rank")])
    case .lines: target = EntityMap("", [FieldMap("number")], [FieldMap("text")])
    case .notes: target = EntityMap("", [FieldMap("code")], [FieldMap("text")])
    case .nested:
      target = EntityMap("", [FieldMap("number")], [FieldMap("text")])
      target.relations = [RelationMap("figures", EntityMap("", [FieldMap("label", ".")]), list: "figures")]
    case .none, .split, .scalars, .ordered: break
    }
    var relation = RelationMap(list.name, target, list: list.name)
    relation.options = listOptions
    if list == .split { relation.options["split"] = "\";\"" }
    if list.name == "lines", listOptions["links"] == nil { relation.options["orphans"] = "delete" }
    item.relations.append(relation)
    columns.append(ColumnSpec(list.name, .list))
  }

  /// Names the column that spreads the records.
  private mutating func spread(by stores: StoresBy) {
    var column = columnName(Self.storesColumn)
    if stores == .made {
      column = "shop"
      let made = "shop: { from: \(YAMLText.quoted(columnName(Self.storesColumn))) }"
      item.options["columns"] =
        item.options["columns"].map { "{ \(made), \($0.drop { $0 == "{" || $0 == " " })" } ?? "{ \(made) }"
    }
    // The records of the second import are plain lines, with the column under its own name.
    if column != Self.storesColumn {
      people?.options["columns"] = "{ \(YAMLText.quoted(column)): { from: \(Self.storesColumn) } }"
    }
    top["stores"] =
      "{ by: \(YAMLText.quoted(column)), missing: \(missingStore), gone: { \(gone.map { $0 + ", " } ?? "")allow_empty: \(mayBeEmptied) }"
      + (hasShared ? ", shared: [before.yaml] }" : " }")
  }

  /// The column whose values are stores.
  static let storesColumn = "email"

  /// What becomes of records without a value.
  var missingStore: String { ["reject", "skip", "{ value: other }"][Int(seed % 3)] }

  /// Whether an input without records empties the family that is published.
  var mayBeEmptied: Bool { seed / 3 % 2 == 0 }

  /// A generator of random numbers for one purpose.
  func random(_ purpose: String) -> SeededGenerator {
    var state = seed
    for byte in purpose.utf8 { state = state &* 0x100_0000_01B3 ^ UInt64(byte) }
    return SeededGenerator(seed: state)
  }
}

/// What spreads records over a family of stores.
enum StoresBy: Sendable {
  /// A column as it is read.
  case column
  /// A column that the pipeline makes.
  case made
}

/// One column of a record.
struct ColumnSpec: Sendable {
  /// What its values are.
  enum Kind: Sendable {
    /// The item's own key.
    case key
    case text, integer, decimal, real, date, boolean
    /// A part of the key of another item.
    case parent(String)
    case list
    /// What an element of a list is called.
    case name
    /// Made by a closure from the record's place and a generator.
    case made(@Sendable (RecordPlace, inout SeededGenerator) -> Cell)
  }

  /// The column's name in the scenario.
  var name: String
  var kind: Kind
  /// How many different values there are, at most.
  var range: Int
  /// Whether the values identify something.
  var isKey: Bool

  init(_ name: String, _ kind: Kind, range: Int = 8, isKey: Bool = false) {
    self.name = name
    self.kind = kind
    self.range = range
    self.isKey = isKey
  }
}

/// What lists items have.
enum ListKind: Sendable {
  case none
  /// A text with separators.
  case split
  /// Names of tags.
  case scalars
  /// Tags with their ranks.
  case objects
  /// Names of topics, in their order.
  case ordered
  /// Lines that belong to the item and are found among its own.
  case lines
  /// Notes that belong to one item and are found everywhere.
  case notes
  /// Lines with lists of their own.
  case nested

  /// The relationship and the column.
  var name: String {
    switch self {
    case .none: ""
    case .split, .scalars, .objects: "tags"
    case .ordered: "topics"
    case .lines, .nested: "lines"
    case .notes: "notes"
    }
  }
}

/// How often the records of a night name the same item.
enum KeyRepeats: Sendable {
  case often
  /// Each record has a key of its own, as far as it has one.
  case never
  /// Records of the night before come among others, so that objects are changed and changed back.
  case back
}

/// Where a record stands.
struct RecordPlace: Sendable {
  /// The night, from 0; less for what fills the store before.
  var night: Int
  /// The record's number in its file, from 0.
  var number: Int
  /// Texts that may be keys.
  var texts: [String]
}

/// What items inherit from, or what inherits from them.
enum ModelKind: Sendable {
  case flat
  /// Items inherit from things, and so do gadgets, of which the store has some.
  case child
  /// Special items inherit from items; the store has some.
  case parent
}

/// How a run goes.
enum Course: Sendable {
  /// From its start to its end.
  case plain
  /// Dry: the store stays as it was.
  case dry
  /// Dry, then once more for good.
  case dryFirst
  /// It is stopped behind some batches, again and again.
  case stopped
  /// Like this, with a dry run each time beside what is unfinished.
  case stoppedDry
  /// Its process is killed, and another one goes on.
  case killed
}

/// What stands around a store, and how it is kept.
enum Surroundings: Sendable {
  case plain
  /// Its path is a symbolic link into another folder.
  case linked
  /// It has a rollback journal, no write-ahead log.
  case rollback
  /// Its last save has reached another store and not this one.
  case joint
}

/// What comes behind the last night.
enum Aftermath: Sendable {
  case nothing
  /// The same records once more.
  case again
  /// What was rejected, some of it put right.
  case replay
  /// The same behind each night.
  case replays
}

/// The type of the attribute that identifies items.
enum KeyType: String, Sendable {
  case string, integer64, integer16, date, uuid, boolean
}

/// How paths to values look.
enum PathStyle: Sendable {
  /// Names side by side.
  case flat
  /// Values in objects within objects.
  case nested
  /// Names with blanks, dots and letters beyond ASCII.
  case awkward
  /// XML attributes.
  case attributes
}
