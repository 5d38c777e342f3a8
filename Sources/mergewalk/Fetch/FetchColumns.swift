import MergewalkBytes
import MergewalkObjectModel

/// The texts of `--columns` and `--group-by`.
enum FetchColumns {
  /// One item of a list, with its place in it.
  struct Item {
    /// The name before `=`; `nil` when there is none.
    var name: String?
    /// The key path or the expression.
    var text: String
    /// The offset of `text` in bytes.
    var offset: Int
  }

  /// Reads both options into a request, and tells the scope the columns' names.
  static func read(
    _ columns: String?, groupedBy groups: String?, into request: inout FetchRequest, _ scope: inout ModelScope
  ) throws(FetchFailure) {
    if let columns {
      request.propertiesToFetch = try values(columns, option: "--columns", in: scope)
    } else if let groups {
      request.propertiesToFetch = try values(groups, option: "--group-by", in: scope)
    } else {
      let columns = defaults(scope.entity)
      // Of an entity that has to-many relationships alone, the objects themselves are left to show.
      request.propertiesToFetch = columns.isEmpty ? try values("self", option: "--columns", in: scope) : columns
    }
    try refuseRepetitions(request.propertiesToFetch.map(\.name))
    for case .expression(let column) in request.propertiesToFetch {
      // Whatever is wrong with the expression was said above.
      scope.columns[column.name] = .some((try? scope.type(of: column.expression)) ?? nil)
    }
    guard let groups else { return }
    // A group by the name of a column is by its expression.
    let known = request.propertiesToFetch
    request.propertiesToGroupBy = try values(groups, option: "--group-by", in: scope).map { group in
      known.first { $0.name == group.name } ?? group
    }
  }

  /// All attributes that are stored, then all to-one relationships.
  static func defaults(_ entity: EntityDescription) -> [FetchedValue] {
    entity.attributes.filter { !$0.isTransient && ![.composite, .undefined, .objectID].contains($0.type) }
      .map { .property($0.name) }
      + entity.relationships.filter { !$0.isToMany && !$0.isTransient }.map { .property($0.name) }
  }

  private static func refuseRepetitions(_ names: [String]) throws(FetchFailure) {
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw FetchFailure(
        PredicateError(
          .invalidRequest, "expected each column once, found “\(name)” again", hint: "name one of them: other=\(name)"),
        option: "--columns", text: "")
    }
  }

  /// The columns that a text names.
  private static func values(
    _ text: String, option: String, in scope: ModelScope
  ) throws(FetchFailure) -> [FetchedValue] {
    do throws(PredicateError) {
      var values: [FetchedValue] = []
      for item in try items(text) { values.append(try value(item, of: text, in: scope.reading(text))) }
      return values
    } catch {
      throw FetchFailure(error, option: option, text: text)
    }
  }

  private static func value(
    _ item: Item, of text: String, in scope: ModelScope
  ) throws(PredicateError) -> FetchedValue {
    let expression: ObjectExpression
    do throws(PredicateError) {
      expression = try ObjectExpression(format: item.text, arguments: [])
    } catch {
      throw error.shifted(by: item.offset, in: text)
    }
    _ = try scope.type(of: expression)
    if item.name == nil, case .path(.evaluatedObject, let path) = expression, let names = path.propertyNames,
      scope.columns[names[0]] == nil || names.count > 1
    {
      return .property(names.joined(separator: "."))
    }
    return .expression(ExpressionDescription(name: item.name ?? item.text, expression: expression))
  }

  // MARK: Lists

  /// Splits a text at the commas that stand in no brackets and no quotes.
  ///
  /// - Throws: `syntax` at an empty item.
  static func items(_ text: String) throws(PredicateError) -> [Item] {
    let bytes = Array(text.utf8)
    var items: [Item] = []
    var start = 0
    var depth = 0
    for index in bytes.placesOutsideQuotes {
      switch bytes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth <= 0:
        items.append(try item(bytes, start..<index, text))
        start = index + 1
      default: break
      }
    }
    // What is left open at the end is the parser's to say.
    items.append(try item(bytes, start..<bytes.count, text))
    return items
  }

  /// Takes `name = text` apart.
  ///
  /// The name is a word, and its sign is not the beginning of `==`.
  private static func item(_ bytes: [UInt8], _ range: Range<Int>, _ text: String) throws(PredicateError) -> Item {
    let trimmed = trim(bytes, range)
    guard !trimmed.isEmpty else {
      throw PredicateError(.syntax, "expected a key path or name=expression, found nothing").shifted(
        by: range.lowerBound, in: text)
    }
    var end = trimmed.lowerBound
    while end < trimmed.upperBound, isName(bytes[end]) { end += 1 }
    var sign = end
    while sign < trimmed.upperBound, bytes[sign] == UInt8(ascii: " ") { sign += 1 }
    let isNamed =
      end > trimmed.lowerBound && sign < trimmed.upperBound && bytes[sign] == UInt8(ascii: "=")
      && (sign + 1 == trimmed.upperBound || bytes[sign + 1] != UInt8(ascii: "="))
    guard isNamed else { return Item(text: string(bytes, trimmed), offset: trimmed.lowerBound) }
    let expression = trim(bytes, sign + 1..<trimmed.upperBound)
    guard !expression.isEmpty else {
      throw PredicateError(.syntax, "expected an expression after =, found nothing").shifted(by: sign + 1, in: text)
    }
    return Item(
      name: string(bytes, trimmed.lowerBound..<end), text: string(bytes, expression), offset: expression.lowerBound)
  }

  private static func trim(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] <= UInt8(ascii: " ") { start += 1 }
    while end > start, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
    return start..<end
  }

  private static func string(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte.isDigit || byte.isLetter
  }
}
