/// The kind of value of a field of a pipeline file.
package enum FieldKind: Sendable, Hashable {
  case text
  /// Text that may be empty.
  case content
  /// A predicate or an expression over columns.
  case expression
  /// A list of steps: words, or mappings of one field of the component of this name.
  case steps(String)
  /// A value with a syntax of its own, named by the text; the component's builder parses it.
  case tree(String)
  /// A path, relative to the pipeline file.
  case path
  /// `true` or `false`.
  case flag
  /// A whole number that is at least this.
  case count(least: Int)
  /// A whole number that may be negative.
  case integer
  /// `UTC` or an offset from it; its value is the seconds east of UTC.
  case zone
  /// A number of bytes such as `32MiB`.
  case bytes
  /// A share such as `1%` or `0.01`.
  case share
  /// A time such as `10s`.
  case duration
  /// One of these words.
  case choice([String])
  /// One or several of these words.
  case choices([String])
  /// One ASCII character, by itself or by name (`tab`, `none`).
  case character
  /// A delimiter of fields: one character or several, up to 8 bytes of UTF-8, or a name (`tab`).
  case delimiter
  /// One text or a list of texts.
  case texts
  /// Names, each with a text.
  case pairs
  /// A mapping with the fields of the component of this name.
  case component(String)
  /// A list of mappings with the fields of the component of this name.
  case components(String)
  /// Names of attributes or relationships, each with a mapping of the component of this name.
  case named(String)
  /// A list of names, or names with a mapping of the component of this name each.
  case names(String)
}

extension FieldKind {
  /// One of the words of an enumeration.
  package static func choice<Choice: RawRepresentable & CaseIterable>(of choice: Choice.Type) -> FieldKind
  where Choice.RawValue == String {
    .choice(choice.allCases.map(\.rawValue))
  }
}

/// One field of a component: all that parsing, lint and the reference need to know about it.
package struct FieldSpec: Sendable, Hashable {
  package var name: String
  package var kind: FieldKind
  /// Whether leaving it out is an error.
  package var isRequired: Bool
  /// The default, as a person would write it; `nil` for none.
  package var defaultText: String?
  /// One sentence that says what it is for.
  package var summary: String
  /// A value as a person would write it.
  package var example: String

  package init(
    _ name: String, _ kind: FieldKind, required: Bool = false, default defaultText: String? = nil,
    _ summary: String, example: String
  ) {
    self.name = name
    self.kind = kind
    isRequired = required
    self.defaultText = defaultText
    self.summary = summary
    self.example = example
  }

  /// Whether an empty list of texts means something: what leaving the field out means.
  package var canBeEmpty: Bool { defaultText == "none" }

  /// Whether its texts are those that mean null in data, so that YAML's own words for null are texts among them.
  package var listsNullTexts: Bool { name == "null" || name == "null_tokens" }
}

/// A mapping in a pipeline file: its name and its fields.
package struct ComponentSpec: Sendable, Hashable {
  /// The component's name, as the reference calls it.
  package var name: String
  /// One sentence that says what it is for.
  package var summary: String
  /// The field that a bare text or list stands for, or `nil` when only a mapping will do.
  package var shorthand: String?
  /// Sets of fields of which one must be there whole; empty when nothing is asked beyond `isRequired`.
  package var alternatives: [[String]]
  /// The fields in the order of the reference.
  package var fields: [FieldSpec]

  package init(
    _ name: String, _ summary: String, shorthand: String? = nil, alternatives: [[String]] = [], fields: [FieldSpec]
  ) {
    self.name = name
    self.summary = summary
    self.shorthand = shorthand
    self.alternatives = alternatives
    self.fields = fields
  }

  /// The field with this name, or `nil`.
  package func field(named name: String) -> FieldSpec? { fields.first { $0.name == name } }
}
