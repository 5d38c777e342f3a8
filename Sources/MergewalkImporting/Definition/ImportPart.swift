public import MergewalkDiagnostics
public import MergewalkRecordFormats

/// One import of a definition: where records come from and what each becomes.
public struct ImportPart: Sendable {
  /// The part's name, which progress and summaries show; empty when it is the only one and needs none.
  public var name = ""
  /// The inputs in order, globs already expanded.
  public var sources: [ByteSource]
  /// How the inputs are read.
  public var format: RecordFormat
  /// The entity that each record stands for, and how.
  public var root: EntityImport
  /// Which way existing objects are found, when the counts must not decide.
  public var findPlan = FindPlan.automatic
  /// How often the records are gone through.
  public var passes = Passes.automatic
  /// The names of imports that have to run before this one, besides those that it depends on.
  public var after: [String] = []
  /// Columns that are made from others, and types of columns.
  public var columns: [ColumnTransform] = []
  /// The condition that records must satisfy, in the language of `docs/predicates.md`; others are skipped.
  public var filter: SourceText?
  /// A program that sees every record.
  public var process: ProcessTransform?
  /// Code that takes part.
  public var hooks = ImportHooks()
  /// The allowed differences between the source and the schema known of it.
  public var contract: SchemaContract?
  /// Where the records of each source stood in their own file, when they were taken out of it.
  package var spool: [SpooledSource] = []
  /// Columns that something else than the import takes: the one that stores are made by.
  package var columnsTakenElsewhere: [String] = []
  /// How records are told that earlier runs have read; `nil` to read all.
  public var since: SincePolicy?
  /// Where the part stands in its file.
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
  /// The paths of the first part's sources; setting them takes files as they are named.
  ///
  /// `-` is standard input.
  public var inputs: [String] {
    get { sources.map(\.path) }
    set { sources = newValue.map { ByteSource(path: $0) } }
  }
  /// How the first part's inputs are read.
  public var format: RecordFormat {
    get { parts[0].format }
    set { parts[0].format = newValue }
  }
  /// The entity of the first part.
  public var root: EntityImport {
    get { parts[0].root }
    set { parts[0].root = newValue }
  }
  /// Which way the first part finds existing objects.
  public var findPlan: FindPlan {
    get { parts[0].findPlan }
    set { parts[0].findPlan = newValue }
  }
  /// The inputs of all parts, in order.
  public var allSources: [ByteSource] { parts.flatMap(\.sources) }
}
