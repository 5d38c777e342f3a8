import CMergewalkSQLite
import MergewalkObjectModel
import MergewalkSQLite

/// The state of a connection's registered functions: the error of the last one that failed.
///
/// SQLite passes on nothing but a message, so the error itself waits here until the statement's failure is noticed.
final class QueryFunctionContext {
  private(set) var error: PredicateError?
  fileprivate var patterns: [PatternKey: TextPattern] = [:]
  fileprivate var likes: [PatternKey: LikePattern] = [:]

  fileprivate struct PatternKey: Hashable {
    var pattern: [UInt8]
    var options: UInt8
  }

  /// Patterns may come from rows: when there are this many, all are forgotten.
  fileprivate static let capacity = 128

  func fail(_ error: PredicateError, _ call: FunctionCall) {
    self.error = error
    call.fail(error.message)
  }

  /// The error that ended a statement, once.
  func takeError() -> PredicateError? {
    defer { error = nil }
    return error
  }
}

extension QueryFunctions {
  private static let textOptions: [Options] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]

  /// Gives a connection all that compiled statements call.
  static func register(_ connection: Connection) throws(StoreError) -> QueryFunctionContext {
    try ListSource.register(connection)
    return try connection.mapped { () throws(SQLiteError) in try registerFunctions(connection) }
  }

  private static func registerFunctions(_ connection: Connection) throws(SQLiteError) -> QueryFunctionContext {
    let context = QueryFunctionContext()
    try registerCollations(connection)
    try registerTexts(connection, context)
    try registerTypes(connection)
    try registerScalars(connection, context)
    for function in [ExpressionFunction.sum, .average, .median, .mode, .standardDeviation] {
      try connection.registerAggregate(name(function)) { Aggregate(function, context) }
    }
    for function in decimalAggregates {
      guard let names = decimalNames(function) else { continue }
      try connection.registerAggregate(names.number) { Aggregate(function, context, .decimal) }
      try connection.registerAggregate(names.exact) { Aggregate(function, context, .decimal, isExact: true) }
    }
    for function in exactAggregates {
      guard let name = exactName(function) else { continue }
      try connection.registerAggregate(name, argumentCount: -1) {
        Aggregate(function, context, .undefined, isExact: true)
      }
    }
    return context
  }

  private static func registerCollations(_ connection: Connection) throws(SQLiteError) {
    for options in textOptions {
      let localized = TextCollation.collation(options)
      if let name = collation(options.union(.localeSensitive)) {
        try connection.registerCollation(name) { localized.compare($0, $1) }
      }
      if let name = collation(options) {
        try connection.registerCollation(name) { TextComparison.compare($0, $1, options) }
      }
    }
    if let name = collation(.localizedStandard) {
      try connection.registerCollation(name) { TextCollation.numeric.compare($0, $1) }
    }
  }

  // MARK: Texts

  private static func registerTexts(
    _ connection: Connection, _ context: QueryFunctionContext
  ) throws(SQLiteError) {
    for options in textOptions {
      func add(
        _ operation: TextOperator, _ body: @escaping (FunctionCall) throws(PredicateError) -> Bool
      ) throws(SQLiteError) {
        try connection.registerFunction(name(operation, options), argumentCount: 2) { call in
          if call.hasNull { return }
          do throws(PredicateError) {
            call.return(try body(call))
          } catch {
            context.fail(error, call)
          }
        }
      }
      try add(.begins) { call in TextComparison.hasPrefix(call.bytes(0), call.bytes(1), options) }
      try add(.ends) { call in TextComparison.hasSuffix(call.bytes(0), call.bytes(1), options) }
      try add(.contains) { call in TextComparison.contains(call.bytes(0), call.bytes(1), options) }
      try add(.like) { call throws(PredicateError) in
        try context.like(call.bytes(1), options).matches(call.bytes(0))
      }
      try add(.matches) { call throws(PredicateError) in
        let pattern = try context.pattern(call.bytes(1), options)
        guard options.contains(.diacriticInsensitive) else { return try pattern.match(call.bytes(0)) }
        return try pattern.match(call.text(0), options)
      }
    }
  }

  private static func registerTypes(_ connection: Connection) throws(SQLiteError) {
    try connection.registerFunction(equalsType, argumentCount: 2) { call in
      if !call.hasNull { call.return(UniformTypes.areEqual(call.text(0), call.text(1))) }
    }
    try connection.registerFunction(conformsToType, argumentCount: 2) { call in
      if !call.hasNull { call.return(UniformTypes.conforms(call.text(0), to: call.text(1))) }
    }
  }

  // MARK: Numbers and others

  private static func registerScalars(
    _ connection: Connection, _ context: QueryFunctionContext
  ) throws(SQLiteError) {
    let functions: [ExpressionFunction] = [
      .modulus, .raise, .squareRoot, .logarithm, .naturalLogarithm, .exponential, .ceiling, .floor, .absolute,
      .truncate, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement, .uppercase,
      .lowercase, .canonical, .length,
    ]
    for function in functions {
      try connection.registerFunction(name(function), argumentCount: function.accepts(1) ? 1 : 2) { call in
        if call.hasNull { return }
        do throws(PredicateError) {
          if call.count == 1 {
            call.return(try function.call(value(call, 0)))
          } else {
            call.return(try function.call(value(call, 0), value(call, 1)))
          }
        } catch {
          context.fail(error, call)
        }
      }
    }
    try connection.registerFunction(random, argumentCount: 0, isDeterministic: false) { call in
      call.return(Double.random(in: 0..<1))
    }
    try connection.registerFunction(name(.randomBelow), argumentCount: 1, isDeterministic: false) { call in
      call.return((try? ExpressionFunction.randomBelow.call(value(call, 0))) ?? .null)
    }
    for (name, isExact) in [(castName, false), (castExactName, true)] {
      try connection.registerFunction(name, argumentCount: 3) { call in
        guard let source = AttributeType(rawValue: Int32(truncatingIfNeeded: call.integer(2))) else { return }
        do throws(PredicateError) {
          call.return(try ValueCast.cast(value(call, 0, source), to: .string(call.text(1))), isExact: isExact)
        } catch {
          context.fail(error, call)
        }
      }
    }
    try connection.registerFunction(exactName, argumentCount: 1) { call in
      call.return(value(call, 0, .decimal), isExact: true)
    }
    try connection.registerFunction(storedName, argumentCount: 1) { call in call.return(value(call, 0, .undefined)) }
  }

  /// An argument as a value that says its type itself.
  static func value(_ call: FunctionCall, _ index: Int) -> AttributeValue {
    switch call.type(index) {
    case SQLITE_INTEGER: .integer(call.integer(index))
    case SQLITE_FLOAT: .double(call.double(index))
    case SQLITE_TEXT: .string(call.text(index))
    case SQLITE_BLOB: .binary(Array(call.bytes(index)))
    default: .null
    }
  }

  /// An argument as a value of a type; text is a decimal among numbers, whose type may be undefined.
  fileprivate static func value(_ call: FunctionCall, _ index: Int, _ type: AttributeType) -> AttributeValue {
    switch call.type(index) {
    case SQLITE_INTEGER: AttributeValue(stored: call.integer(index), type)
    case SQLITE_FLOAT: AttributeValue(stored: call.double(index), type)
    case SQLITE_TEXT: AttributeValue(stored: call.text(index), type == .undefined ? .decimal : type)
    case SQLITE_BLOB: AttributeValue(stored: UnsafeRawBufferPointer(call.bytes(index)), type)
    default: .null
    }
  }

  /// An aggregate over the rows of a group.
  private final class Aggregate: AggregateFunction {
    private var accumulator: AggregateAccumulator
    private var isEmpty = true
    private let function: ExpressionFunction
    private let context: QueryFunctionContext
    private let type: AttributeType?
    private let isExact: Bool

    init(
      _ function: ExpressionFunction, _ context: QueryFunctionContext, _ type: AttributeType? = nil,
      isExact: Bool = false
    ) {
      accumulator = AggregateAccumulator(function)
      self.function = function
      self.context = context
      self.type = type
      self.isExact = isExact
    }

    func step(_ call: FunctionCall) {
      if isEmpty, call.count > 1 { accumulator = AggregateAccumulator(function, isDistinct: true) }
      isEmpty = false
      do throws(PredicateError) {
        try accumulator.add(type.map { QueryFunctions.value(call, 0, $0) } ?? QueryFunctions.value(call, 0))
      } catch {
        context.fail(error, call)
      }
    }

    func finish(_ call: FunctionCall) {
      do throws(PredicateError) {
        call.return(try accumulator.result(), isExact: isExact)
      } catch {
        context.fail(error, call)
      }
    }
  }
}

extension QueryFunctionContext {
  fileprivate func like(_ bytes: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) -> LikePattern {
    let key = PatternKey(pattern: Array(bytes), options: options.rawValue)
    if let known = likes[key] { return known }
    if likes.count >= Self.capacity { likes.removeAll() }
    let made = LikePattern(bytes, options: options)
    likes[key] = made
    return made
  }

  fileprivate func pattern(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> TextPattern {
    let key = PatternKey(pattern: Array(bytes), options: options.rawValue)
    if let known = patterns[key] { return known }
    if patterns.count >= Self.capacity { patterns.removeAll() }
    let made = try TextPattern(predicate: String(decoding: bytes, as: UTF8.self), options)
    patterns[key] = made
    return made
  }
}

extension FunctionCall {
  /// The result is a value as the store keeps it; where it is exact, decimals are text.
  fileprivate func `return`(_ value: AttributeValue, isExact: Bool = false) {
    switch value {
    case .decimal(let number) where isExact: self.return(number.description)
    case .null: returnNull()
    case .boolean(let value): self.return(value)
    case .integer(let value): self.return(value)
    case .double(let value), .date(let value): self.return(value)
    case .string(let value), .uri(let value): self.return(value)
    case .binary(let bytes): self.return(bytes)
    case .decimal, .uuid:
      switch QueryBuilder.binding(value)?.0 {
      case .integer(let value)?: self.return(value)
      case .real(let value)?: self.return(value)
      case .blob(let bytes)?: self.return(bytes)
      default: returnNull()
      }
    }
  }
}
