public import MergewalkDiagnostics
public import MergewalkObjectModel
public import MergewalkRecordFormats

/// The definition of an import, not yet resolved: names are as the user wrote them.
///
/// A pipeline file is parsed into this; Swift code can build it by hand. `ImportPlan` resolves it against the model.
public struct ImportDefinition: Sendable {
  /// The pipeline's name, as shown in rejects and summaries.
  public var name: String
  /// Whether ``name`` was given; otherwise it is that of the file, which files in other folders may have, too.
  package var isNameGiven = false
  /// The file from which it was read, for messages; `nil` if it was created in code.
  public var path: String?
  /// Further files that define it: included files, its model, manifests, secrets.
  public var readFiles: [String] = []
  /// The positions of the output files' names, by the fields `store`, `rejects`, `metrics` and `report`.
  public var outputPlaces: [String: SourcePosition] = [:]
  /// The model of the store.
  public var model: ManagedObjectModel
  /// The model's file and version as words of a command; `nil` for a definition that was made in code.
  package var modelFile: String?
  /// The path of the store; it is created when it does not exist.
  public var storePath: String
  /// The imports in their order: one source and one entity each, all into the same store in one run.
  ///
  /// Never empty. ``sources``, ``format``, ``root`` and ``findPlan`` are those of the first.
  public var parts: [ImportPart]
  /// Whether the imports run in the given order; otherwise those that others depend on run first.
  public var keepsOrder = false
  /// The limits of a batch, whichever is reached first.
  public var batchLimit = BatchLimit(records: 20_000, bytes: 32 << 20)
  /// The rejects file, and how many rejects are too many.
  public var rejects = RejectPolicy()
  /// The distribution of the records over many stores; `nil` for one store.
  ///
  /// A run creates one store in any case.
  public var stores: StoresPolicy?
  /// The expected number of records, including rejected ones; `nil` for any number.
  public var expectedRecords: Int?
  /// The treatment of earlier runs, and of other processes that have the store open.
  public var policy = RunPolicy()
  /// The maximum memory for tables of keys, in bytes.
  public var keyMemory = 48 << 20
  /// The maximum memory for SQLite's page cache, in bytes.
  public var cacheMemory = 24 << 20
  /// Whether everything is done and then discarded.
  public var isDryRun = false
  /// The maximum number of changed objects in the summary.
  public var sampledChanges = 0
  /// The table of runs, metrics and reports of the run.
  public var reporting = RunReporting()
  /// The seed for hashes of keys; `nil` for a new one in each run.
  ///
  /// The seed differs in each run, so that no input can be crafted to make keys collide. It affects which records are
  /// deferred, and thus the primary keys of new objects: a reproducible store needs a constant seed.
  public var hashSeed: UInt64?
  /// Which default data a new store has that is shipped as it is, see ``StoreFile/seedIdentity``.
  package var seedIdentity: String?
  /// The definition's ``DefinitionDigest``, where it was computed for many runs that differ in their inputs only.
  package var digest: UInt64?
  /// Whole objects with their identities, for a new store; if there are any, ``inputs``, ``format``, ``root`` and
  /// ``findPlan`` have no effect.
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

  /// The path of the run's rejects; `nil` if they are only counted.
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
  /// Objects are created for all records, and those that already existed are deleted again before the save; for flat
  /// entities only.
  case deduplicate
}

/// The mode of an import: how to treat records whose key is, or is not, in the store.
public enum ImportMode: String, Sendable, CaseIterable {
  /// Update objects that exist, insert those that do not.
  case upsert
  /// Insert everything without searching.
  case insert
  /// Update objects that exist; skip records without an object.
  case update
  /// Insert objects that do not exist; skip records that have one.
  case createMissing = "create-missing"
  /// Like `upsert`; then delete or mark the objects that no record names.
  case sync
  /// Like `sync`, and reset whatever a record does not fill to its default: the entity then contains exactly what the
  /// records do.
  case replace
}

/// Which of several records with the same key counts.
public enum DuplicatePolicy: String, Sendable, CaseIterable {
  /// Every later record updates the object again.
  case last
  /// Later records are skipped.
  case first
  /// Later records are rejected.
  case reject
}

/// How to treat a target that a record names but that does not exist.
public enum MissingTargetPolicy: String, Sendable, CaseIterable {
  /// The target is created.
  case create
  /// The record is rejected.
  case reject
  /// The relationship is set to null.
  case null
}

/// How records fill an entity.
public struct EntityImport: Sendable {
  /// The entity's name.
  public var entityName: String
  /// The attributes that identify an object, in order; empty only for mode `insert`.
  public var findBy: [FieldImport]
  /// The mode: how to treat known and unknown keys.
  public var mode = ImportMode.upsert
  /// Which of several records with the same key counts.
  public var duplicates = DuplicatePolicy.last
  /// The treatment of objects that no record names, in the modes `sync` and `replace`.
  public var sync = SyncPolicy()
  /// The other attributes.
  public var attributes: [FieldImport]
  /// The relationships.
  public var relationships: [RelationshipImport]
  /// The position of the definition: of the entity's name, or of the relationship whose target it is.
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

/// How records fill a relationship: by finding or creating its target.
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
  /// The position of the definition.
  public var position = SourcePosition.file

  /// Creates the import of one relationship.
  public init(name: String, target: EntityImport) {
    self.name = name
    self.target = target
  }
}

/// How records fill an attribute.
public struct FieldImport: Sendable {
  /// The substitute for a field that has no value.
  public enum Substitute: String, Sendable, CaseIterable {
    /// Keep the existing value; a new object has the model's default.
    case keep
    /// Set it to null.
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
  /// The column, or the dotted path.
  public var column: String
  /// The conversion of the bytes to a value.
  public var conversion = ConversionOptions()
  /// The substitute if the record has no such field (a padded short row, a missing member).
  public var whenAbsent = Substitute.keep
  /// Whether mode `replace` says what ``whenAbsent`` is, and no person.
  var isReplaced = false
  /// The substitute if the field is null (JSON null, a null token).
  public var whenNull = Substitute.null
  /// The value to set instead of ``whenAbsent``.
  public var absentValue: String?
  /// The value to set instead of ``whenNull``.
  public var nullValue: String?
  /// The value to set instead of ``whenEmpty``.
  public var emptyValue: String?
  /// The steps applied to the column's values before they are converted.
  public var steps: [TransformStep] = []
  /// An expression over columns, in place of the column.
  public var value: SourceText?
  /// The substitute if the field is present but empty.
  ///
  /// `nil`: the empty string for String and Binary, null for other types.
  public var whenEmpty: Substitute?
  /// The position of the definition.
  public var position = SourcePosition.file
  package var places = OptionPlaces()

  /// Creates the import of one attribute.
  public init(attributeName: String, column: String) {
    self.attributeName = attributeName
    self.column = column
  }
}

/// The rules for converting the bytes of a field to a value.
public struct ConversionOptions: Sendable, Hashable {
  /// The format of a date.
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
  /// The encoding of bytes as text.
  public enum BinaryEncoding: String, Sendable, Hashable, CaseIterable {
    /// RFC 4648 base64 (padding optional, standard or URL alphabet).
    case base64
    /// Hexadecimal digits in pairs.
    case hex
    /// The field's bytes themselves.
    case raw
  }

  /// Whether to remove white space around the value before anything else.
  public var trim = false
  /// The format of dates.
  public var dateFormat = DateFormat.iso8601
  /// The time zone of dates that do not give one, in seconds east of UTC.
  public var timeZoneOffset = 0
  /// The encoding of bytes.
  public var binaryEncoding = BinaryEncoding.base64
  /// The decimal mark of numbers; `.` by default.
  public var decimalMark = UInt8(ascii: ".")
  /// The mark between groups of digits that is removed, or `nil` for none.
  public var groupMark: UInt8?
  /// Texts that mean true, ignoring ASCII case; empty for `true`, `t`, `yes`, `y`, `1`, `on`.
  public var trueSpellings: [String] = []
  /// Texts that mean false, ignoring ASCII case; empty for `false`, `f`, `no`, `n`, `0`, `off`.
  public var falseSpellings: [String] = []
  /// Texts that mean null, compared exactly, before conversion.
  public var nullSpellings: [String] = []
  /// Whether to reject numbers with leading zeros or a plus sign: `007` and `+49` are codes, not numbers.
  public var plainNumbers = false
  /// Whether the text spells what a store holds, as exports write it: dates are ISO 8601 or seconds since 2001, numbers
  /// come back bit for bit, and decimal numbers may have 17 digits.
  var isStored = false
  /// Whether whole objects are read, whose values come back as they were, also what no other import lets in: texts that
  /// are no URIs, empty ones, and infinite dates.
  var isVerbatim = false

  /// Creates the default options.
  public init() {}
}

/// The rejects file, and how many rejects are too many.
public struct RejectPolicy: Sendable {
  /// The file for rejected records, or `nil` to only count them; a dry run does not write it.
  public var path: String?
  /// The file for the rejects of a dry run, or `nil` to only count them.
  public var dryRunPath: String?
  /// The name of the run in each line, if the same records must give the same bytes; `nil` for its pipeline and time.
  package var run: String?
  /// The maximum number of rejects; `nil` for any number.
  public var limit: Int?
  /// The maximum share of rejects (0...1); `nil` for any.
  public var ratio: Double?
  /// The number of records to read before the share is checked; at the end of a run, it is always checked.
  public var minimum = 1000
  /// The maximum numbers of rejects with certain codes.
  public var codes: [CodeLimit] = []

  /// The maximum number of rejects of one kind.
  public struct CodeLimit: Sendable, Hashable {
    /// A code such as `value.date`, or all codes of a stage, such as `read.*`.
    public var pattern: String
    /// The maximum number.
    public var limit: Int
    /// The position of the limit.
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
