import MergewalkObjectModel

/// The kind of values that an expression has, known before anything runs.
enum SQLFamily: Hashable {
  /// Booleans, integers, Double, Float, Decimal.
  case number
  /// String and URI.
  case text
  case date
  case binary
  case uuid
  /// Objects below the root entity.
  case object(root: RootIndex)
  /// Values of a transformer: only whether there is one can be asked.
  case opaque
  /// Nothing but null.
  case null

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal: self = .number
    case .string, .uri: self = .text
    case .date: self = .date
    case .binary: self = .binary
    case .uuid: self = .uuid
    case .transformable, .composite, .undefined, .objectID: self = .opaque
    }
  }

  /// The family's name in messages.
  var words: String {
    switch self {
    case .number: "a number"
    case .text: "a text"
    case .date: "a date"
    case .binary: "binary data"
    case .uuid: "a UUID"
    case .object: "an object"
    case .opaque: "a transformable value"
    case .null: "no value"
    }
  }
}

/// How the numbers of an expression are stored, which decides what SQLite's own operators do with them.
enum NumberKind: Hashable {
  /// Always integers.
  case integer
  /// Always binary64.
  case real
  /// Either, value by value: decimals, and what is computed of both.
  case mixed

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer
    case .double, .float: self = .real
    default: self = .mixed
    }
  }

  /// The kind of a sum, difference or product: an integer beyond 64 bits becomes a binary64 number.
  static func combined(_ left: NumberKind, _ right: NumberKind) -> NumberKind {
    left == .real || right == .real ? .real : .mixed
  }
}

/// A single value in SQL.
struct SQLValue {
  var text: SQLText { didSet { exactText = nil } }
  /// SQL for the same number with decimals as text, where stored numbers do not say which of them are decimals or keep
  /// fewer digits.
  var exactText: SQLText?
  var family: SQLFamily
  /// The type of the values, ``AttributeType/undefined`` when each says its own.
  var type: AttributeType
  /// How numbers are stored.
  var kind = NumberKind.mixed
  var isNullable = true
  /// Whether it is the plain column of an attribute, so that an index may help.
  var isColumn = false
  /// The value when it is known already.
  var constant: ConstantValue?
  /// Its name in messages.
  var name = "the expression"
  /// The row that it is the key of.
  var row: QueryRow?
  /// Whether it is the ID of an object of another store, which equals nothing here.
  var isForeign = false

  /// Whether it is nothing but null.
  var isNull: Bool { family == .null }

  /// A value that is not a column.
  static func computed(
    _ text: SQLText, _ type: AttributeType, kind: NumberKind? = nil, isNullable: Bool = true,
    name: String = "the expression"
  ) -> SQLValue {
    SQLValue(
      text: text, family: SQLFamily(type), type: type, kind: kind ?? NumberKind(type), isNullable: isNullable,
      name: name)
  }

  /// A number whose values say whether they are integers.
  static func number(_ text: SQLText, _ kind: NumberKind, isNullable: Bool = true) -> SQLValue {
    let type: AttributeType =
      switch kind {
      case .integer: .integer64
      case .real: .double
      case .mixed: .undefined
      }
    return SQLValue(text: text, family: .number, type: type, kind: kind, isNullable: isNullable)
  }

  /// A number with SQL for itself with decimals as text.
  static func number(_ text: SQLText, exact: SQLText, _ type: AttributeType) -> SQLValue {
    var value = SQLValue(text: text, family: .number, type: type)
    value.exactText = exact
    return value
  }

  /// The same number with decimals as text, which keeps their type and all their digits.
  var exact: SQLText {
    exactText ?? (type == .decimal ? .call(QueryFunctions.exactName, [text]) : text)
  }

  /// Whether values, one of which is taken when the statement runs, must say themselves which of them are decimals.
  static func needExact(_ values: [SQLValue]) -> Bool {
    let known = values.filter { !$0.isNull }
    return known.contains { $0.exactText != nil }
      || known.contains { $0.type == .decimal } && known.contains { $0.type != .decimal }
  }

  static var null: SQLValue {
    SQLValue(text: "NULL", family: .null, type: .undefined, constant: .null, name: "no value")
  }
}

/// A predicate in SQL: known already, or text that is true, false or, where it says so, null.
enum SQLCondition {
  case known(Bool)
  case text(SQLText, canBeNull: Bool)

  /// The opposite, which is never null.
  var negated: SQLCondition {
    switch self {
    case .known(let value): return .known(!value)
    case .text(let text, true):
      return .text(SQLText("\(text.enclosed(atLeast: .collate)) IS NOT TRUE", .equality), canBeNull: false)
    case .text(let text, false):
      return .text(SQLText("NOT \(text.enclosed(atLeast: .equality))", .not), canBeNull: false)
    }
  }

  /// The text for WHERE, HAVING and CASE, where null counts as false.
  var text: SQLText {
    switch self {
    case .known(let value): value ? "1" : "0"
    case .text(let text, _): text
    }
  }

  static func all(_ conditions: [SQLCondition]) -> SQLCondition { combined(conditions, neutral: true) }
  static func any(_ conditions: [SQLCondition]) -> SQLCondition { combined(conditions, neutral: false) }

  private static func combined(_ conditions: [SQLCondition], neutral: Bool) -> SQLCondition {
    var parts: [SQLText] = []
    var canBeNull = false
    for condition in conditions {
      switch condition {
      case .known(let value): if value != neutral { return condition }
      case .text(let text, let partCanBeNull):
        parts.append(text)
        canBeNull = canBeNull || partCanBeNull
      }
    }
    if parts.isEmpty { return .known(neutral) }
    if parts.count == 1 { return .text(parts[0], canBeNull: canBeNull) }
    return .text(neutral ? .chain(parts, "AND", .and) : .chain(parts, "OR", .or), canBeNull: canBeNull)
  }
}
