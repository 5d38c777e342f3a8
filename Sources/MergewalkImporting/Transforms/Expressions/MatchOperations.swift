import MergewalkObjectModel
import MergewalkRecordFormats

/// `LIKE` and `MATCHES` with a pattern that does not change.
struct TextMatch: ColumnOperation {
  private enum Pattern {
    case like(LikePattern)
    case expression(TextPattern, ComparisonPredicate.Options)
  }

  private let from: Int
  private let pattern: Pattern
  var inputs: [Int] { [from] }

  /// Prepares the pattern; nil when it cannot be used.
  init?(from: Int, _ pattern: String, _ comparison: ComparisonPredicate) {
    self.from = from
    if comparison.comparison == .like {
      self.pattern = .like(LikePattern(pattern, options: comparison.options))
    } else {
      guard let expression = try? TextPattern(predicate: pattern, comparison.options) else { return nil }
      self.pattern = .expression(expression, comparison.options)
    }
  }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachText(from, &output, reading: records) { text in
      do throws(PredicateError) {
        switch pattern {
        case .like(let pattern): return .value(try pattern.matches(text) ? 1 : 0)
        case .expression(let pattern, let options) where options.contains(.diacriticInsensitive):
          return .value(try pattern.match(String(decoding: text, as: UTF8.self), options) ? 1 : 0)
        case .expression(let pattern, _): return .value(try pattern.match(text) ? 1 : 0)
        }
      } catch {
        return .failed(TransformFailure(error), index)
      }
    }
    // Nothing matches no pattern.
    for i in 0..<machine.count where output.tags[i] == Register.null || output.tags[i] == Register.absent {
      output.tags[i] = Register.value
      output.payloads[i] = 0
    }
  }
}

/// Whether a value is one of several constants: numbers of any types, dates, texts that are compared with options.
struct ValueAmong: Condition {
  private let from: Int
  private let elements: [AttributeValue]
  private let set: ConstantSet?
  private let hasNull: Bool
  private let options: ComparisonPredicate.Options
  var inputs: [Int] { [from] }

  init?(from: Int, _ elements: [AttributeValue], _ hasNull: Bool, _ options: ComparisonPredicate.Options) {
    self.from = from
    self.elements = elements
    self.hasNull = hasNull
    self.options = options
    do throws(PredicateError) {
      set = try ConstantSet(elements.map { .attribute($0) }, options, .exact)
    } catch {
      return nil
    }
  }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachCell(&output, &records) { i, records, _ in
      if let failed = machine.failure(in: inputs, i) { return failed }
      let value = machine.value(from, i, records)
      if value.isNull { return .value(hasNull ? 1 : 0) }
      if let set { return .value(set.contains(value, .exact) ? 1 : 0) }
      return .value(
        elements.contains { ValueComparison.areEqual(value, $0, options: options, .exact) } ? 1 : 0)
    }
  }
}
