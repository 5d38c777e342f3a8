import MergewalkBytes

/// Writes predicates and expressions as format strings, in the spelling of Apple's `predicateFormat`.
///
/// Parts of a compound that are compounds themselves stand in parentheses, and so do operands that are operations:
/// `a == 1 AND (b == 2 OR c == 3)`, `a + (b * c)`.
struct FormatPrinter {
  private(set) var text = ""

  // MARK: Predicates

  mutating func write(_ predicate: ObjectPredicate) {
    switch predicate {
    case .value(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): write(comparison)
    case .and(let terms): junction(terms, " AND ", none: "TRUEPREDICATE")
    case .or(let terms): junction(terms, " OR ", none: "FALSEPREDICATE")
    case .not(let inner):
      text += "NOT "
      term(inner)
    case .closure(let closure):
      text += "BLOCKPREDICATE(0x\(String(UInt(bitPattern: ObjectIdentifier(closure)), radix: 16)))"
    }
  }

  private mutating func junction(_ terms: [ObjectPredicate], _ word: String, none: String) {
    switch terms.count {
    case 0: text += none
    case 1: write(terms[0])
    default:
      for (i, predicate) in terms.enumerated() {
        if i > 0 { text += word }
        term(predicate)
      }
    }
  }

  /// Writes a part of a compound.
  private mutating func term(_ predicate: ObjectPredicate) {
    switch predicate {
    case .and(let terms) where terms.count == 1, .or(let terms) where terms.count == 1: term(terms[0])
    case .and(let terms) where terms.isEmpty, .or(let terms) where terms.isEmpty: write(predicate)
    case .and, .or, .not:
      text += "("
      write(predicate)
      text += ")"
    case .value, .comparison, .closure: write(predicate)
    }
  }

  private mutating func write(_ comparison: ComparisonPredicate) {
    if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
    side(comparison.left)
    text += " " + comparison.comparison.rawValue
    if !comparison.options.isEmpty {
      text += "["
      if comparison.options.contains(.caseInsensitive) { text += "c" }
      if comparison.options.contains(.diacriticInsensitive) { text += "d" }
      if comparison.options.contains(.normalized) { text += "n" }
      if comparison.options.contains(.localeSensitive) { text += "l" }
      text += "]"
    }
    text += " "
    side(comparison.right)
  }

  private mutating func side(_ expression: ObjectExpression) {
    if case .assignment = expression { parenthesised(expression) } else { write(expression) }
  }

  // MARK: Expressions

  mutating func write(_ expression: ObjectExpression) {
    switch expression {
    case .constant(let value): write(value)
    case .evaluatedObject: text += "SELF"
    case .variable(let name): text += "$" + name
    case .path(let base, let path): write(path, from: base)
    case .function(let function, let arguments): write(function, arguments)
    case .aggregate(let elements):
      text += "{"
      list(elements)
      text += "}"
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      write(collection)
      text += ", $\(variable), "
      write(predicate)
      text += ")"
    case .set(let operation, let left, let right): infix(left, operation.rawValue, right)
    case .conditional(let predicate, let first, let second):
      text += "TERNARY("
      write(predicate)
      text += ", "
      list([first, second])
      text += ")"
    case .element(let base, let place): write(place, of: base)
    case .assignment(let variable, let value):
      text += "$\(variable) := "
      side(value)
    }
  }

  private mutating func list(_ expressions: [ObjectExpression]) {
    for (i, expression) in expressions.enumerated() {
      if i > 0 { text += ", " }
      write(expression)
    }
  }

  private mutating func parenthesised(_ expression: ObjectExpression) {
    text += "("
    write(expression)
    text += ")"
  }

  private mutating func infix(_ left: ObjectExpression, _ word: String, _ right: ObjectExpression) {
    operand(left)
    text += " \(word) "
    operand(right)
  }

  /// Writes an operand of an operator.
  private mutating func operand(_ expression: ObjectExpression) {
    if expression.isOperation { parenthesised(expression) } else { write(expression) }
  }

  /// Writes what a step or an index follows.
  private mutating func base(_ expression: ObjectExpression) {
    if expression.isOperation || expression.hasSign { parenthesised(expression) } else { write(expression) }
  }

  private mutating func write(_ function: ExpressionFunction, _ arguments: [ObjectExpression]) {
    if arguments.count == 2, let symbol = function.symbol {
      infix(arguments[0], symbol, arguments[1])
    } else if function == .onesComplement, arguments.count == 1 {
      text += "~"
      operand(arguments[0])
    } else {
      text += function == .cast ? "CAST(" : function.rawValue + "("
      list(arguments)
      text += ")"
    }
  }

  private mutating func write(_ place: CollectionElement, of collection: ObjectExpression) {
    base(collection)
    switch place {
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    case .at(let index):
      text += "["
      write(index)
      text += "]"
    }
  }

  private mutating func write(_ path: PropertyPath, from origin: ObjectExpression) {
    var needsPoint = false
    if origin != .evaluatedObject || path.components.isEmpty {
      base(origin)
      needsPoint = true
    }
    for component in path.components {
      if needsPoint { text += "." }
      needsPoint = true
      switch component {
      case .property(let name): text += Self.name(name)
      case .collectionOperator(let known): text += known.rawValue
      }
    }
  }

  /// The spelling of a property's name: with `#` when it is a reserved word, and in quotation marks when it has other
  /// characters than a name has in a format.
  ///
  /// A name that begins with `$`, which only `%K` gives, is written as it is, as Apple does.
  static func name(_ name: String) -> String {
    let hasMark = name.utf8.first == UInt8(ascii: "$")
    let bytes = name.utf8.dropFirst(hasMark ? 1 : 0)
    guard let first = bytes.first, FormatLexer.isNameStart(first), bytes.allSatisfy(FormatLexer.isName),
      !name.unicodeScalars.contains(where: { $0 == "\u{A0}" || (0x2018...0x201F).contains($0.value) })
    else { return "#" + quoted(name) }
    guard !hasMark, bytes.count <= FormatWords.maximumLength else { return name }
    let word = name.lowercased()
    return FormatWords.kinds[word] != nil || FormatWords.reservedByApple.contains(word) ? "#" + name : name
  }

  // MARK: Constants

  private mutating func write(_ value: ConstantValue) {
    switch value {
    case .attribute(let value): write(value)
    case .objectID(let id): cast(id.uri, "NSManagedObjectID")
    case .collection(let elements):
      text += "{"
      for (i, element) in elements.enumerated() {
        if i > 0 { text += ", " }
        write(element)
      }
      text += "}"
    case .dictionary(let values):
      text += values.isEmpty ? "{=" : "{"
      for (i, key) in values.keys.sorted().enumerated() {
        if i > 0 { text += ", " }
        text += Self.quoted(key) + " = "
        write(values[key] ?? .null)
      }
      text += "}"
    }
  }

  private mutating func write(_ value: AttributeValue) {
    switch value {
    case .null: text += "nil"
    case .boolean(let value): text += value ? "1" : "0"
    case .integer(let number): text += String(number)
    case .double(let number):
      if number.isFinite { text += String(number) } else { cast(String(number), "NSNumber") }
    case .decimal(let number): cast(String(describing: number), "NSDecimalNumber")
    case .string(let string): text += Self.quoted(string)
    case .date(let seconds):
      if seconds.isFinite {
        text += "CAST(\(Self.fixed(seconds)), \"NSDate\")"
      } else {
        cast(String(seconds), "NSDate")
      }
    case .binary(let bytes): cast(Hexadecimal.text(bytes), "NSData")
    case .uuid(let high, let low):
      cast(UUIDText.text(high, low), "NSUUID")
    case .uri(let uri): cast(uri, "NSURL")
    }
  }

  private mutating func cast(_ value: String, _ type: String) { text += "CAST(\(Self.quoted(value)), \"\(type)\")" }

  /// Digits with at least six decimals, as Apple writes dates, unless the number has an exponent.
  private static func fixed(_ number: Double) -> String {
    let digits = String(number)
    guard let point = digits.utf8.firstIndex(of: UInt8(ascii: ".")), !digits.utf8.contains(UInt8(ascii: "e")) else {
      return digits
    }
    let decimals = digits.utf8.distance(from: point, to: digits.utf8.endIndex) - 1
    return digits + String(repeating: "0", count: max(0, 6 - decimals))
  }

  /// A text in double quotation marks; `"`, `\` and control characters are escaped.
  static func quoted(_ string: String) -> String {
    guard
      string.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    else { return "\"\(string)\"" }
    var result: [UInt8] = [UInt8(ascii: "\"")]
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
      case 0x0A: result += Array("\\n".utf8)
      case 0x09: result += Array("\\t".utf8)
      case 0x0D: result += Array("\\r".utf8)
      case ..<0x20, 0x7F: result += Array("\\u\(Hexadecimal.text(byte, width: 4))".utf8)
      default: result.append(byte)
      }
    }
    result.append(UInt8(ascii: "\""))
    return String(decoding: result, as: UTF8.self)
  }
}

extension ExpressionFunction {
  /// The operator between two operands that stands for the function.
  fileprivate var symbol: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .raise: "**"
    case .bitwiseAnd: "&"
    case .bitwiseOr: "|"
    case .bitwiseXor: "^"
    case .leftShift: "<<"
    case .rightShift: ">>"
    default: nil
    }
  }
}

extension ObjectExpression {
  /// Whether the text is an operator with two operands, so that it needs parentheses inside of another.
  fileprivate var isOperation: Bool {
    switch self {
    case .function(let function, let arguments): arguments.count == 2 && function.symbol != nil
    case .set, .assignment: true
    default: false
    }
  }

  /// Whether the text begins with a sign, which binds less tightly than a step or an index.
  fileprivate var hasSign: Bool {
    switch self {
    case .function(.onesComplement, let arguments): arguments.count == 1
    case .constant(.attribute(.integer(let number))): number < 0
    case .constant(.attribute(.double(let number))): number.isFinite && number.sign == .minus
    default: false
    }
  }
}

extension ObjectPredicate: CustomStringConvertible {
  /// The predicate as a format string, in the spelling of Apple's `predicateFormat`.
  ///
  /// Reading it again gives an equal predicate, except for constants without a text form: closures
  /// (`BLOCKPREDICATE(0x...)`) and IDs of objects (`CAST("x-coredata://...", "NSManagedObjectID")`), and for a `%K`
  /// name with `$`, which is read as a variable. Booleans are written as the numbers 1 and 0, and a list of constants
  /// becomes one constant.
  public var description: String {
    var printer = FormatPrinter()
    printer.write(self)
    return printer.text
  }
}

extension ObjectExpression: CustomStringConvertible {
  /// The expression as a format string, in the style of ``ObjectPredicate/description``.
  public var description: String {
    var printer = FormatPrinter()
    printer.write(self)
    return printer.text
  }
}
