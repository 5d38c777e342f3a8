public import MergewalkDiagnostics

/// A column that is made from others, or a source's column with a type.
public struct ColumnTransform: Sendable, Hashable {
  /// The column's name; it may be that of a column of the source, in whose place it is used.
  public var name: String
  /// The source of the values.
  public var source: Source
  /// The steps that the values pass, in order.
  public var steps: [TransformStep]
  /// The type that the column has at the end; nil for that of its last step.
  public var kind: ValueKind?
  /// How texts are read as numbers, dates and truth values.
  public var reading = ConversionOptions()
  /// The position of the definition.
  public var position = SourcePosition.file

  /// Where values come from.
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
