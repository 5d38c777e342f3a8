public import MergewalkDiagnostics
public import MergewalkRecordFormats

/// One import of a definition: the source of its records, and the objects that they become.
public struct ImportPart: Sendable {
  /// The part's name, shown in progress and summaries; empty when it is the only one and needs none.
  public var name = ""
  /// The inputs in order, globs already expanded.
  public var sources: [ByteSource]
  /// The format of the inputs.
  public var format: RecordFormat
  /// The entity that records fill, and how.
  public var root: EntityImport
  /// How existing objects are found, unless the counts decide.
  public var findPlan = FindPlan.automatic
  /// The number of passes over the records.
  public var passes = Passes.automatic
  /// The names of imports that must run before this one, in addition to its dependencies.
  public var after: [String] = []
  /// Columns computed from others, and types of columns.
  public var columns: [ColumnTransform] = []
  /// The condition that records must satisfy, in the language of `docs/predicates.md`; others are skipped.
  public var filter: SourceText?
  /// A program that processes every record.
  public var process: ProcessTransform?
  /// Swift code that runs during the import.
  public var hooks = ImportHooks()
  /// The allowed differences between the source and its known schema.
  public var contract: SchemaContract?
  /// Where the records of each source stood in their own file, when they were taken out of it.
  package var spool: [SpooledSource] = []
  /// What the reading of the sources may still bring to light.
  package var inputFindings = InputFindings()
  /// Columns that something else than the import takes: the one that stores are made by.
  package var columnsTakenElsewhere: [String] = []
  /// How records that earlier runs have read are recognised; `nil` to read all.
  public var since: SincePolicy?
  /// The position of the part in its file.
  public var position = SourcePosition.file
  /// Where its options stand; those of `after` one by one.
  package var places = OptionPlaces()

  /// Creates an import.
  public init(name: String = "", sources: [ByteSource], format: RecordFormat, root: EntityImport) {
    self.name = name
    self.sources = sources
    self.format = format
    self.root = root
  }
}

extension ImportDefinition {
  /// The inputs of the first part, in order.
  public var sources: [ByteSource] {
    get { parts[0].sources }
    set { parts[0].sources = newValue }
  }
  /// The paths of the first part's sources; setting them uses the files as named.
  ///
  /// `-` is standard input.
  public var inputs: [String] {
    get { sources.map(\.path) }
    set { sources = newValue.map { ByteSource(path: $0) } }
  }
  /// The format of the first part's inputs.
  public var format: RecordFormat {
    get { parts[0].format }
    set { parts[0].format = newValue }
  }
  /// The entity of the first part.
  public var root: EntityImport {
    get { parts[0].root }
    set { parts[0].root = newValue }
  }
  /// How the first part finds existing objects.
  public var findPlan: FindPlan {
    get { parts[0].findPlan }
    set { parts[0].findPlan = newValue }
  }
  /// The inputs of all parts, in order.
  public var allSources: [ByteSource] { parts.flatMap(\.sources) }
}
