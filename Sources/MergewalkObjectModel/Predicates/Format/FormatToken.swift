/// A piece of a predicate's format string: what it is and which bytes it covers.
struct FormatToken {
  /// The kind of a token; words with a meaning have a kind of their own.
  enum Kind: UInt8 {
    case end
    // Values and names.
    case number, string, word, selector, escapedWord, variable, placeholder, collectionOperator
    // Punctuation.
    case leftParenthesis, rightParenthesis, leftBrace, rightBrace, leftBracket, rightBracket, comma, dot, assign
    // Comparisons.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case between, contains, isIn, beginsWith, endsWith, like, matches, conformsTo, equalsType
    // Logic.
    case and, or, not, any, all, none, some
    // Operators on values.
    case plus, minus, times, divide, power, bitAnd, bitOr, bitXor, leftShift, rightShift, complement
    case union, intersect, setMinus
    // Constants.
    case yes, no, null, evaluatedObject, truePredicate, falsePredicate
    // Words that have a meaning in one place only and are names everywhere else.
    case first, last, size, subquery, function, cast, ternary
  }

  var kind: Kind
  /// The first byte.
  var start: Int
  /// The byte after the last one.
  var end: Int
}

extension FormatToken.Kind {
  /// How tightly an operator between two operands binds; 0 for what is no such operator.
  var precedence: Int {
    switch self {
    case .or: FormatPrecedence.or
    case .and: FormatPrecedence.and
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .contains, .isIn, .beginsWith,
      .endsWith, .like, .matches, .conformsTo, .equalsType:
      FormatPrecedence.comparison
    case .union, .intersect, .setMinus: FormatPrecedence.value
    case .bitOr: FormatPrecedence.value + 1
    case .bitXor: FormatPrecedence.value + 2
    case .bitAnd: FormatPrecedence.value + 3
    case .leftShift, .rightShift: FormatPrecedence.value + 4
    case .plus, .minus: FormatPrecedence.value + 5
    case .times, .divide: FormatPrecedence.value + 6
    case .power: FormatPrecedence.value + 7
    default: 0
    }
  }

  /// The comparison that an operator stands for.
  var comparison: ComparisonPredicate.Operator? {
    switch self {
    case .equal: .equalTo
    case .notEqual: .notEqualTo
    case .less: .lessThan
    case .lessOrEqual: .lessThanOrEqualTo
    case .greater: .greaterThan
    case .greaterOrEqual: .greaterThanOrEqualTo
    case .between: .between
    case .contains: .contains
    case .isIn: .isIn
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    case .conformsTo: .conformsTo
    case .equalsType: .equalsType
    default: nil
    }
  }

  /// The function that an operator on values stands for; `nil` for those on sets.
  var function: ExpressionFunction? {
    switch self {
    case .plus: .add
    case .minus: .subtract
    case .times: .multiply
    case .divide: .divide
    case .power: .raise
    case .bitAnd: .bitwiseAnd
    case .bitOr: .bitwiseOr
    case .bitXor: .bitwiseXor
    case .leftShift: .leftShift
    case .rightShift: .rightShift
    default: nil
    }
  }
}

/// How tightly operators bind: the greater the tighter.
enum FormatPrecedence {
  static let or = 1
  static let and = 2
  static let comparison = 3
  /// The loosest operator on values.
  static let value = 4
}

/// Words with a meaning in the predicate language, in lower case; they are recognised without regard to case.
enum FormatWords {
  static let kinds: [String: FormatToken.Kind] = [
    "and": .and, "or": .or, "not": .not, "any": .any, "some": .some, "all": .all, "none": .none,
    "between": .between, "contains": .contains, "in": .isIn, "beginswith": .beginsWith, "endswith": .endsWith,
    "like": .like, "matches": .matches, "true": .yes, "yes": .yes, "false": .no, "no": .no, "null": .null,
    "nil": .null, "self": .evaluatedObject, "truepredicate": .truePredicate, "falsepredicate": .falsePredicate,
    "first": .first, "last": .last, "size": .size, "subquery": .subquery, "function": .function, "cast": .cast,
    "ternary": .ternary, "union": .union, "intersect": .intersect, "minus": .setMinus,
  ]

  /// The longest word of ``kinds``.
  static let maximumLength = 14

  /// Names that Apple reserves although nothing here asks for them; they are written with `#` as well.
  static let reservedByApple: Set<String> = ["anykey", "apply", "tokenmatches", "intersection"]

  /// The words that can stand between two operands, for suggestions.
  static let infix = [
    "AND", "OR", "BETWEEN", "CONTAINS", "IN", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "UNION", "INTERSECT",
    "MINUS",
    "UTI-CONFORMS-TO", "UTI-EQUALS",
  ]
}
