import MergewalkObjectModel

/// The values of `--arg`, which take the places of placeholders in the order of the predicates.
struct CommandArguments {
  private let texts: [String]
  private var used = 0

  init(_ texts: [String]) { self.texts = texts }

  /// Reads a predicate, gives its placeholders their arguments, and each argument the type of what it is compared with.
  ///
  /// - Throws: ``FetchFailure`` about the option's text.
  mutating func predicate(
    _ text: String, option: String, in scope: ModelScope
  ) throws(FetchFailure) -> ObjectPredicate {
    do throws(PredicateError) {
      let placeholders = Self.placeholders(text)
      var values: [any PredicateArgument] = []
      for (index, conversion) in placeholders.enumerated() where used + index < texts.count {
        values.append(try Self.value(texts[used + index], number: used + index, conversion))
      }
      let parsed: ObjectPredicate
      do throws(PredicateError) {
        parsed = try ObjectPredicate(format: text, arguments: values)
      } catch {
        guard error.code == .missingArgument else { throw error }
        var error = error
        error.message = "expected an --arg for each placeholder, found \(texts.count)"
        throw error
      }
      used = min(texts.count, used + placeholders.count)
      return try ArgumentTyping(texts: texts).typed(parsed, in: scope.reading(text))
    } catch {
      throw FetchFailure(error, option: option, text: text)
    }
  }

  /// Says so when there are arguments that were not expected.
  func finish() throws(FetchFailure) {
    guard used < texts.count else { return }
    throw FetchFailure(
      PredicateError(
        .unusedArgument,
        "expected \(used == 0 ? "no argument" : Figures.count(used, "argument")), found \(texts.count)",
        hint: "each --arg takes the place of one %@ or %K of --predicate and --having"),
      option: "--arg", text: "")
  }

  /// The conversions of a format's placeholders, such as `@`, `K` and `d`, in order; what stands in quotes is plain
  /// text.
  static func placeholders(_ text: String) -> [UInt8] {
    var conversions: [UInt8] = []
    let bytes = Array(text.utf8)
    var end = 0
    for index in bytes.placesOutsideQuotes where index >= end && bytes[index] == UInt8(ascii: "%") {
      end = index + 1
      while end < bytes.count, "hlqLztj".utf8.contains(bytes[end]) { end += 1 }
      if end < bytes.count { conversions.append(bytes[end]) }
      end += 1
    }
    return conversions
  }

  /// The parser's value for an argument: for `%@` a mark that ``ArgumentTyping`` finds again, else the value.
  private static func value(
    _ text: String, number: Int, _ conversion: UInt8
  ) throws(PredicateError) -> any PredicateArgument {
    switch conversion {
    case UInt8(ascii: "@"): return ArgumentTyping.mark(number)
    case UInt8(ascii: "K"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "c"), UInt8(ascii: "C"): return text
    default:
      guard let value = ArgumentTyping.number(text) else {
        throw PredicateError(
          .argumentType,
          "expected a number as argument \(number + 1), for %\(String(UnicodeScalar(conversion))), found “\(text)”")
      }
      return value
    }
  }
}
