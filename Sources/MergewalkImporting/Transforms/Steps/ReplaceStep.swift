import MergewalkObjectModel
import MergewalkRecordFormats

/// `replace`: a text, or what a regular expression matches.
struct ReplaceStep: StepAction {
  enum What: Hashable { case text(String), pattern(String) }

  var what: What
  var new: String

  static let spec = StepSpec(
    "replace", "Replaces one text with another.", example: "{ text: \"-\", with: \"\" }", types: "text → text",
    remark: "every occurrence of a `text`, from left to right, or every match of a regular expression (ICU), where `$1`"
      + " in `with` is the first group",
    fields: [
      FieldSpec("text", .text, "The text to replace, wherever it occurs.", example: "\"-\""),
      FieldSpec("pattern", .text, "A regular expression (ICU), in place of `text`.", example: "\"[^0-9]\""),
      FieldSpec(
        "with", .content, default: "\"\"", "The replacement; `$1` is the first group of `pattern`.",
        example: "\"\""),
    ]
  ) { value, reader in
    let new = value.text(orDefault: "with")
    switch (value.text("text"), value.text("pattern")) {
    case (let text?, nil): return ReplaceStep(what: .text(text.value), new: new)
    case (nil, let pattern?): return ReplaceStep(what: .pattern(pattern.value), new: new)
    default:
      return reader.refuse(value, needs: "“replace” takes either “text” or “pattern”")
    }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    switch what {
    case .text(let old):
      guard !old.isEmpty else { return compiler.refuse("there is no text to replace") }
      return compiler.text(input).map {
        compiler.emit(ReplaceText(old: Array(old.utf8), new: Array(new.utf8)), onText: $0)
      }
    case .pattern(let pattern):
      guard let search = compiler.search(pattern, replacement: new), let text = compiler.text(input) else { return nil }
      return compiler.emit(ReplaceMatches(from: text.register, search: search), .text, of: text, reading: text.reading)
    }
  }
}

/// Every occurrence of a text by another, from left to right.
private struct ReplaceText: NewTextStep {
  var old: [UInt8]
  var new: [UInt8]

  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let first = buffer.position
        var start = 0
        while let found = TextBytes.find(old, in: text, from: start) {
          guard buffer.append(FieldBytes(rebasing: text[start..<found])), buffer.append(new),
            buffer.position - first <= TextBuffer.greatestValue
          else { return false }
          start = found + old.count
        }
        return buffer.append(FieldBytes(rebasing: text[start...]))
      }
    }
  }
}

/// Every match of a regular expression by a text.
private struct ReplaceMatches: ColumnOperation {
  var from: Int
  var search: TextSearch
  var inputs: [Int] { [from] }
  var carried: Int? { from }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    var made: [UInt8] = []
    machine.eachText(from, &output, &records) { text, _, buffer in
      made.removeAll(keepingCapacity: true)
      guard search.replaceAll(text, to: &made) else { return .failed(.pattern, index) }
      let start = buffer.position
      let fits = made.count <= TextBuffer.greatestValue && made.withUnsafeBufferPointer { buffer.append($0) }
      return fits ? .range(start, made.count) : .failed(.tooLong, index)
    }
  }
}

extension TransformCompiler {
  /// A regular expression; nil with a finding when it is none.
  mutating func search(_ pattern: String, replacement: String) -> TextSearch? {
    do throws(TextPatternError) {
      return try TextSearch(pattern, replacement: replacement)
    } catch {
      report("invalidPattern", place.position, "the regular expression cannot be used: \(error.message)")
      return nil
    }
  }
}

extension TransformStep.Action {
  /// Replaces every occurrence of a text with another.
  public static func replace(_ old: String, with new: String) -> Self {
    Self("replace", ReplaceStep(what: .text(old), new: new))
  }

  /// Replaces every match of a regular expression with a text in which `$1` stands for the first group.
  public static func replacePattern(_ pattern: String, with new: String) -> Self {
    Self("replace", ReplaceStep(what: .pattern(pattern), new: new))
  }
}
