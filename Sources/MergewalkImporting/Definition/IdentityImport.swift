public import MergewalkDiagnostics
public import MergewalkRecordFormats

/// Files with whole objects of one entity, including identities and relationships, as written by an export.
///
/// `docs/export.md` describes the records.
public struct IdentityImport: Sendable {
  /// The entity's name.
  public var entityName: String
  /// The inputs in order, globs already expanded.
  ///
  /// They must be files that can be read twice.
  public var sources: [ByteSource]
  /// The paths of the sources; setting them uses the files as named.
  public var inputs: [String] {
    get { sources.map(\.path) }
    set { sources = newValue.map { ByteSource(path: $0) } }
  }
  /// How the inputs are read.
  public var format: RecordFormat
  /// The treatment of references to missing objects; references never create objects.
  ///
  /// ``MissingTargetPolicy/reject`` or ``MissingTargetPolicy/null``.
  public var missing = MissingTargetPolicy.reject
  /// The position of the entity's name.
  public var position = SourcePosition.file
  /// Where its options stand; those of `files` one by one.
  package var places = OptionPlaces()

  /// Creates the import of one entity's objects.
  public init(entityName: String, inputs: [String], format: RecordFormat) {
    self.entityName = entityName
    sources = inputs.map { ByteSource(path: $0) }
    self.format = format
  }
}
