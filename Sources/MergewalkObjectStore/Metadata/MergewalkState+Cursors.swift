import MergewalkPropertyLists

extension MergewalkState {
  /// How far one import of a pipeline has read a column that only grows: a dictionary of `column`, `type`, `value`
  /// and, where a file has the pipeline, its `place`.
  package struct Cursor: Sendable, Hashable {
    /// A place in the column.
    package enum Value: Sendable, Hashable {
      /// Seconds since 2001-01-01 UTC.
      case real(Double)
      /// A whole number.
      case integer(Int64)
      /// A text.
      case text(String)
    }
    package var column: String
    /// The kind of value in the column, as the pipeline names it.
    package var kind: String
    /// The place.
    package var value: Value
    /// A hash of where the pipeline lies as seen from the store; `nil` for one that no file has.
    package var place: String?

    package init(column: String, kind: String, value: Value, place: String? = nil) {
      self.column = column
      self.kind = kind
      self.value = value
      self.place = place
    }
  }

  /// The cursor of an import of a pipeline; `nil` when there is none that can be read.
  package func cursor(pipeline: String, part: String) -> Cursor? {
    guard let entry = cursors[pipeline]?[part], let column = entry["column"]?.string, let kind = entry["type"]?.string
    else { return nil }
    let value: Cursor.Value
    switch entry["value"] {
    case .real(let number)?: value = .real(number)
    case .integer(let number)?: value = .integer(number)
    case .string(let text)?: value = .text(text)
    default: return nil
    }
    return Cursor(column: column, kind: kind, value: value, place: entry["place"]?.string)
  }

  /// Replaces the cursor of an import of a pipeline; `nil` removes it.
  package mutating func setCursor(_ cursor: Cursor?, pipeline: String, part: String) {
    var entries = cursors[pipeline]?.entries ?? []
    entries.removeAll { $0.key == part }
    defer { cursors[pipeline] = entries.isEmpty ? nil : .dictionary(entries) }
    guard let cursor else { return }
    let value: PropertyList =
      switch cursor.value {
      case .real(let number): .real(number)
      case .integer(let number): .integer(number)
      case .text(let text): .string(text)
      }
    var fields = [
      PropertyList.Entry("column", .string(cursor.column)), PropertyList.Entry("type", .string(cursor.kind)),
      PropertyList.Entry("value", value),
    ]
    if let place = cursor.place { fields.append(PropertyList.Entry("place", .string(place))) }
    entries.append(PropertyList.Entry(part, .dictionary(fields)))
  }
}
