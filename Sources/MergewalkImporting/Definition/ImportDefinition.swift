public import MergewalkDiagnostics
public import MergewalkObjectModel
public import MergewalkRecordFormats

/// The definition of one import, not yet resolved: names are as the user wrote them.
///
/// A pipeline file is parsed into this; Swift code can build it by hand. `ImportPlan` resolves it against the model.
public struct ImportDefinition: Sendable {
  /// The pipeline's name, which rejects and summaries carry.
  public var name: String
  /// The file that it was read from, for messages; `nil` when it was made in another way.
  public var path: String?
  /// The files beside that one that say what it does: what it includes, its model, manifests, secrets.
  public var readFiles: [String] = []
  /// Where the files that it writes are named, by the fields `rejects`, `metrics` and `report`.
  public var outputPlaces: [String: SourcePosition] = [:]
  /// The model of the store.
  public var model: ManagedObjectModel
  /// The path of the store; it is created when it does not exist.
  public var storePath: String
  /// The imports in their order: one source and one entity each, all into the same store in one run.
  ///
  /// Never empty. ``sources``, ``format``, ``root`` and ``findPlan`` are those of the first.
  public var parts: [ImportPart]
  /// Whether the imports run in the order in which they stand here; else those that others depend on come first.
  public var keepsOrder = false
  /// When a batch is full: whichever limit comes first.
  public var batchLimit = BatchLimit(records: 20_000, bytes: 32 << 20)
  /// Where rejects go and how many are too many.
  public var rejects = RejectPolicy()
  /// How the records are spread over many stores; `nil` for one store.
  ///
  /// A run makes one store in any case.
  public var stores: StoresPolicy?
  /// How many records there must be, refused ones included, for the run to count; `nil` for any number.
  public var expectedRecords: Int?
  /// The treatment of earlier runs, and of other processes that have the store open.
  public var policy = RunPolicy()
  /// How much memory tables of keys may take, in bytes.
  public var keyMemory = 48 << 20
  /// How much memory SQLite's page cache may take, in bytes.
  public var cacheMemory = 24 << 20
  /// Whether everything is done and then thrown away.
  public var isDryRun = false
  /// How many changes of objects the summary shows.
  public var sampledChanges = 0
  /// Records and reports of the run beside its summary.
  public var reporting = RunReporting()
  /// The seed of the hashes of keys; `nil` for a new one each run.
  ///
  /// Tables of keys are hashed anew each run, so that no input can be made to fill one place of them. Which records are
  /// put off for a second look depends on it, and so do the primary keys of new objects: a store that must come out the
  /// same each time needs the same seed each time.
  public var hashSeed: UInt64?
  /// The definition's ``DefinitionDigest``, where it was computed for many runs that differ in their inputs only.
  package var digest: UInt64?
  /// Whole objects with their identities, for a new store; when there are any, ``inputs``, ``format``, ``root`` and
  /// ``findPlan`` mean nothing.
  public var objects: [IdentityImport] = []
  /// Warnings about the inputs, found before the run, for its summary.
  public var warnings: [RunWarning] = []
  /// Removes the secrets of the configuration from summaries, messages, logs and rejects.
  public var redaction = Redaction()

  /// Creates a definition with the default limits.
  public init(
    name: String, model: ManagedObjectModel, storePath: String, inputs: [String], format: RecordFormat,
    root: EntityImport
  ) {
    self.name = name
    self.model = model
    self.storePath = storePath
    parts = [ImportPart(sources: inputs.map { ByteSource(path: $0) }, format: format, root: root)]
  }

  /// Where the run's rejects go; `nil` when they are only counted.
  public var rejectsPath: String? { isDryRun ? rejects.dryRunPath : rejects.path }

  /// Creates a definition of several imports with the default limits.
  ///
  /// - Precondition: there is at least one.
  public init(name: String, model: ManagedObjectModel, storePath: String, parts: [ImportPart]) {
    precondition(!parts.isEmpty, "a definition needs an import")
    self.name = name
    self.model = model
    self.storePath = storePath
    self.parts = parts
  }

  /// Creates a definition that loads whole objects into a new store, with the default limits.
  public init(name: String, model: ManagedObjectModel, storePath: String, objects: [IdentityImport]) {
    self.init(
      name: name, model: model, storePath: storePath, inputs: objects.flatMap(\.inputs),
      format: objects.first?.format ?? .ndjson(NDJSONOptions()), root: EntityImport(entityName: "", findBy: []))
    sources = objects.flatMap(\.sources)
    self.objects = objects
  }
}

/// How existing objects are found.
public enum FindPlan: String, Sendable, CaseIterable {
  /// Chosen by the sizes of the input and the store.
  case automatic
  /// One sorted fetch of the batch's keys by index, and a merge walk.
  case seek
  /// One sequential scan of the table before the first batch, then look-ups in memory.
  case scan
  /// Objects are made for all records, and those that were there already are deleted again before the save; for flat
  /// entities, others are found as usual.
  case deduplicate
}

/// The mode of an import: how records are treated whose key is, or is not, in the store.
public enum ImportMode: String, Sendable, CaseIterable {
  /// Update what is there, insert what is not.
  case upsert
  /// Insert everything without searching.
  case insert
  /// Update what is there; records without an object are skipped.
  case update
  /// Insert what is not there; records with an object are skipped unchanged.
  case createMissing = "create-missing"
  /// As `upsert`; then objects that no record names are deleted or marked.
  case sync
  /// As `sync`, and what a record does not fill goes to its default: the entity then holds what the records say.
  case replace
}

/// Which record of several with the same key counts.
public enum DuplicatePolicy: String, Sendable, CaseIterable {
  /// Each later record updates what the earlier one left.
  case last
  /// Later records are skipped.
  case first
  /// Later records are rejected.
  case reject
}

/// The treatment of a relationship whose target is named by the record but does not exist.
public enum MissingTargetPolicy: String, Sendable, CaseIterable {
  /// The target is created.
  case create
  /// The record is rejected.
  case reject
  /// The relationship is set to nothing.
  case null
}

/// How the records fill one entity.
public struct EntityImport: Sendable {
  /// The entity's name.
  public var entityName: String
  /// The attributes that identify an object, in order; empty only for mode `insert`.
  public var findBy: [FieldImport]
  /// The mode: how known and unknown keys are treated.
  public var mode = ImportMode.upsert
  /// Which of several records with one key counts.
  public var duplicates = DuplicatePolicy.last
  /// The treatment of objects that no record names, in the modes `sync` and `replace`.
  public var sync = SyncPolicy()
  /// The other attributes.
  public var attributes: [FieldImport]
  /// The relationships.
  public var relationships: [RelationshipImport]
  /// Where the definition stands: the entity's name, or that of the relationship whose target it is.
  public var position = SourcePosition.file
  /// Where its options stand, those of `find_by` one by one, with those of the relationship whose target it is.
  package var places = OptionPlaces()

  /// Creates the import of one entity.
  public init(
    entityName: String, findBy: [FieldImport], attributes: [FieldImport] = [],
    relationships: [RelationshipImport] = []
  ) {
    self.entityName = entityName
    self.findBy = findBy
    self.attributes = attributes
    self.relationships = relationships
  }
}

/// How the records fill one relationship: by finding or creating its target.
public struct RelationshipImport: Sendable {
  /// The relationship's name.
  public var name: String
  /// The entity at the other end, and how it is found and filled.
  public var target: EntityImport
  /// The treatment of a target that does not exist.
  public var missing = MissingTargetPolicy.create
  /// Whether the relationship is set when all records have been read, because its target comes from an import that runs
  /// later; relationships within one hierarchy are postponed without this, see ``Passes``.
  public var isPostponed = false
  /// How a to-many relationship's targets are listed; `nil` for a to-one relationship.
  public var list: ListImport?
  /// Where the definition stands.
  public var position = SourcePosition.file

  /// Creates the import of one relationship.
  public init(name: String, target: EntityImport) {
    self.name = name
    self.target = target
  }
}

/// How the records fill one attribute.
public struct FieldImport: Sendable {
  /// The replacement for a field that has no value of its own.
  public enum Substitute: String, Sendable, CaseIterable {
    /// Leave what is there; a new object takes the model's default.
    case keep
    /// Set it to nothing.
    case null
    /// Set it to the model's default.
    case useDefault = "default"
    /// Set it to the empty string or empty bytes (other types: as `null`).
    case empty
    /// Reject the record.
    case reject
  }

  /// The attribute's name.
  public var attributeName: String
  /// The column or dotted path it comes from.
  public var column: String
  /// How the bytes become a value.
  public var conversion = ConversionOptions()
  /// The record has no such field (a short row by option, a missing member).
  public var whenAbsent = Substitute.keep
  /// Whether mode `replace` says what ``whenAbsent`` is, and no person.
  var isReplaced = false
  /// The field is null (JSON null, a null token).
  public var whenNull = Substitute.null
  /// A value that is set in place of ``whenAbsent``.
  public var absentValue: String?
  /// A value that is set in place of ``whenNull``.
  public var nullValue: String?
  /// A value that is set in place of ``whenEmpty``.
  public var emptyValue: String?
  /// The steps that the column's values pass before they are converted.
  public var steps: [TransformStep] = []
  /// An expression over columns that takes the column's place.
  public var value: SourceText?
  /// The field is there and empty.
  ///
  /// `nil`: the empty string for String and Binary, null for other types.
  public var whenEmpty: Substitute?
  /// Where the definition stands.
  public var position = SourcePosition.file
  /// Where its options stand.
  package var places = OptionPlaces()

  /// Creates the import of one attribute.
  public init(attributeName: String, column: String) {
    self.attributeName = attributeName
    self.column = column
  }
}

/// How the bytes of a field become a value.
public struct ConversionOptions: Sendable, Hashable {
  /// How a date is written.
  public enum DateFormat: Sendable, Hashable {
    /// ISO 8601 / RFC 3339 (a date alone, or with a time and an optional zone).
    case iso8601
    /// A Unicode (UTS 35) pattern such as `dd.MM.yyyy HH:mm`.
    case pattern(String)
    /// Seconds since 1970-01-01 UTC, fractions allowed.
    case secondsSince1970
    /// Milliseconds since 1970-01-01 UTC.
    case millisecondsSince1970
    /// Seconds since 2001-01-01 UTC, as Core Data stores dates.
    case secondsSince2001
  }
  /// How bytes are written as text.
  public enum BinaryEncoding: String, Sendable, Hashable, CaseIterable {
    /// RFC 4648 base64 (padding optional, standard or URL alphabet).
    case base64
    /// Hexadecimal digits in pairs.
    case hex
    /// The field's bytes themselves.
    case raw
  }

  /// Whether white space around the value is removed before anything else is asked.
  public var trim = false
  /// How a date is written.
  public var dateFormat = DateFormat.iso8601
  /// The zone of dates that name none, in seconds east of UTC.
  public var timeZoneOffset = 0
  /// How bytes are written.
  public var binaryEncoding = BinaryEncoding.base64
  /// The decimal mark of numbers; `.` by default.
  public var decimalMark = UInt8(ascii: ".")
  /// The mark between groups of digits that is removed, or `nil` for none.
  public var groupMark: UInt8?
  /// Spellings of true, compared without ASCII case; empty for `true`, `t`, `yes`, `y`, `1`, `on`.
  public var trueSpellings: [String] = []
  /// Spellings of false, compared without ASCII case; empty for `false`, `f`, `no`, `n`, `0`, `off`.
  public var falseSpellings: [String] = []
  /// Spellings that mean null, compared exactly, before conversion.
  public var nullSpellings: [String] = []
  /// Whether numbers with zeros or a plus before their digits are refused: `007` and `+49` are codes and no numbers.
  public var plainNumbers = false
  /// Whether the text spells what a store holds, as exports write it: dates are ISO 8601 or seconds since 2001, numbers
  /// come back bit for bit, and decimal numbers may have 17 digits.
  var isStored = false

  /// Creates the default options.
  public init() {}
}

/// Where rejects go and how many are too many.
public struct RejectPolicy: Sendable {
  /// The file that takes rejected records, or `nil` to only count them; a dry run leaves it alone.
  public var path: String?
  /// The file that takes the records that a dry run rejects, or `nil` to only count them.
  public var dryRunPath: String?
  /// What names the run in each line, where the same records are to give the same bytes; `nil` for its pipeline and time.
  package var run: String?
  /// The greatest number of rejects that a run survives; `nil` for any number.
  public var limit: Int?
  /// The greatest share of rejects (0...1) that a run survives; `nil` for any.
  public var ratio: Double?
  /// How many records must have been read before the share is asked; at the end of a run it is asked in any case.
  public var minimum = 1000
  /// The greatest number of rejects with certain codes that a run survives.
  public var codes: [CodeLimit] = []

  /// How many rejects of one kind are too many.
  public struct CodeLimit: Sendable, Hashable {
    /// A code such as `value.date`, or all of a stage as `read.*`.
    public var pattern: String
    /// The greatest number.
    public var limit: Int
    /// Where the limit stands.
    public var position = SourcePosition.file

    /// Creates a limit.
    public init(_ pattern: String, limit: Int) {
      self.pattern = pattern
      self.limit = limit
    }

    /// Whether rejects with this code count.
    public func matches(_ code: String) -> Bool {
      pattern.hasSuffix(".*") ? code.hasPrefix(pattern.dropLast()) : code == pattern
    }
  }

  /// Creates a policy without limits.
  public init() {}
}
