import MergewalkBytes
import MergewalkImporting
import MergewalkRecordFormats

/// The outcomes of values, of the elements of lists and of text.
extension SummaryOutput {
  /// More fields than these are only counted.
  private static let mostFields = 6

  /// The values that were replaced or skipped, in a few lines; empty when there were none.
  static func values(_ summary: ImportSummary) -> [String] {
    values(summary.fields, summary.lists) + (passedLine(summary.text).map { [$0] } ?? [])
  }

  /// The values that were replaced in fields, and the outcomes of the elements of lists that were not all linked.
  static func values(_ fields: [FieldTally], _ lists: [ListTally]) -> [String] {
    let replaced = replacedLine(fields).map { [$0] } ?? []
    return replaced
      + lists.filter { $0.skipped + $0.rejected > 0 }.map { list in
        "  list     \(list.entity).\(list.relationship): \(Figures.count(list.read, "element")), "
          + "\(Figures.grouped(list.skipped)) skipped, \(Figures.grouped(list.rejected)) rejected"
      }
  }

  /// The values that were replaced, in one line; `nil` when there were none.
  private static func replacedLine(_ tallies: [FieldTally]) -> String? {
    let fields = replaced(tallies)
    if fields.isEmpty { return nil }
    let left = fields.count - mostFields
    return "  replaced " + fields.prefix(mostFields).joined(separator: "; ")
      + (left > 0 ? "; and in \(Figures.count(left, "more field"))" : "")
  }

  /// The text that readers skipped, in one line; `nil` when there was none.
  static func passedLine(_ text: TextAccount) -> String? {
    let skipped = passedOver(text)
    return skipped.isEmpty ? nil : "  passed   " + skipped.joined(separator: ", ")
  }

  /// The fields in which values were replaced, those with the most first: `Order.note 1,200 empty, 3 null spellings`.
  static func replaced(_ tallies: [FieldTally]) -> [String] {
    let fields = tallies.filter { !$0.replaced.isEmpty }
    let order = fields.indices.sorted {
      let (left, right) = (fields[$0].replaced.values.reduce(0, +), fields[$1].replaced.values.reduce(0, +))
      return (right, $0) < (left, $1)
    }
    return order.map { index in
      let field = fields[index]
      let counts = FieldTally.Replacement.allCases.compactMap { reason in
        field.replaced[reason].map {
          reason == .nullSpelling ? Figures.count($0, "null spelling") : "\(Figures.grouped($0)) \(reason.rawValue)"
        }
      }
      return "\(field.entity).\(field.attribute) \(counts.joined(separator: ", "))"
    }
  }

  /// The text that readers skipped beside headers and the structure of files: `3 lines of comments`.
  static func passedOver(_ text: TextAccount) -> [String] {
    let kinds: [(SkippedText.Kind, String)] = [
      (.preamble, "above the header"), (.repeatedHeader, "of repeated headers"),
      (.rule, "drawn as a rule"), (.blankLine, "without anything"),
      (.comment, "of comments"), (.footer, "below the records"), (.otherTable, "of other tables"),
      (.surplusFields, "after the last column"), (.withoutElements, "of records without elements"),
      (.escape, "of unnecessary escapes"),
    ]
    return kinds.compactMap { kind, name in
      let amount = text.skipped[kind]
      guard amount.lines + amount.bytes > 0 else { return nil }
      return (amount.lines > 0 ? Figures.count(amount.lines, "line") : Figures.bytes(amount.bytes)) + " " + name
    }
  }

  static func field(_ field: FieldTally) -> JSONText {
    [
      "import": .string(field.part), "entity": .string(field.entity), "attribute": .string(field.attribute),
      "column": .string(field.column), "read": .integer(field.read), "stored": .integer(field.stored),
      "replaced": .object(
        FieldTally.Replacement.allCases.compactMap { reason in
          field.replaced[reason].map { (reason.rawValue, .integer($0)) }
        }),
      "rejected": .integer(field.rejected),
    ]
  }

  static func list(_ list: ListTally) -> JSONText {
    [
      "import": .string(list.part), "entity": .string(list.entity), "relationship": .string(list.relationship),
      "column": .string(list.column), "read": .integer(list.read), "linked": .integer(list.linked),
      "already_linked": .integer(list.alreadyLinked), "skipped": .integer(list.skipped),
      "rejected": .integer(list.rejected),
    ]
  }

  /// `blank_line` for `blankLine`, as all members are written.
  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
  }

  static func text(_ text: TextAccount) -> JSONText {
    [
      "bytes": .integer(text.bytes), "record_bytes": .integer(text.recordBytes),
      "skipped": .object(
        text.skipped.kinds.map { kind in
          (
            snakeCase(kind.rawValue),
            ["lines": .integer(text.skipped[kind].lines), "bytes": .integer(text.skipped[kind].bytes)]
          )
        }),
    ]
  }
}
