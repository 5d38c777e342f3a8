public import MergewalkDiagnostics

/// A column computed from others, or a source's column with a type.
public struct ColumnTransform: Sendable, Hashable {
  /// The column's name; it may be that of a column of the source, which it replaces.
  public var name: String
  /// The source of the values.
  public var source: Source
  /// The steps applied to the values, in order.
  public var steps: [TransformStep]
  /// The final type of the column; nil for that of its last step.
  public var kind: ValueKind?
  /// How texts are read as numbers, dates and Booleans.
  public var reading = ConversionOptions()
  /// The position of the definition.
  public var position = SourcePosition.file

  /// The source of values.
  public enum Source: Sendable, Hashable {
    /// A column of the source or another derived one.
    case column(String)
    /// An expression over columns, in the language of `docs/predicates.md`.
    case expression(SourceText)
  }

  /// Creates a column.
  public init(name: String, source: Source, steps: [TransformStep] = [], kind: ValueKind? = nil) {
    self.name = name
    self.source = source
    self.steps = steps
    self.kind = kind
  }
}
