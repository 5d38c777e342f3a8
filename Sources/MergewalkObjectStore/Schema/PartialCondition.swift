import MergewalkObjectModel

/// The condition of indexes on an entity's rows beyond its properties' columns, in Core Data's wording.
///
/// The wording is that of the 22 partial indexes and the 22 expressions of two libraries of Photos; for arithmetic, lists and
/// ranges there is no example. What needs functions of Core Data's is left out: a wrong name would make the table unwritable.
struct PartialCondition {
  let entity: EntityDescription
  let table: EntityTable

  /// An expression: a column (the object itself, its entity, a property), or arithmetic with numbers of the entity.
  func value(_ text: String) -> String? {
    guard let expression = try? ObjectExpression(format: text) else { return nil }
    return column(expression) ?? arithmetic(expression)
  }

  private func arithmetic(_ expression: ObjectExpression) -> String? {
    guard case .function(let function, let arguments) = expression else { return nil }
    let parts = arguments.compactMap { number($0) }
    guard parts.count == arguments.count else { return nil }
    let operators: [ExpressionFunction: String] = [.add: "+", .subtract: "-", .multiply: "*", .divide: "/"]
    if let symbol = operators[function], parts.count == 2 { return "(\(parts[0]) \(symbol) \(parts[1]))" }
    return function == .absolute && parts.count == 1 ? "ABS(\(parts[0]))" : nil
  }

  /// A number of the entity, a constant one, or arithmetic.
  private func number(_ expression: ObjectExpression) -> String? {
    if case .constant(.attribute(let value)) = expression {
      switch value {
      case .integer, .double: return literal(value)
      default: return nil
      }
    }
    if case .path(.evaluatedObject, let path) = expression, case .property(let name)? = path.components.first,
      entity.attribute(named: name)?.type.isNumeric == true
    {
      return column(expression)
    }
    return arithmetic(expression)
  }

  private func column(_ expression: ObjectExpression) -> String? {
    switch expression {
    case .evaluatedObject: return "Z_PK"
    case .path(.evaluatedObject, let path):
      guard path.components.count == 1, case .property(let name)? = path.components.first else { return nil }
      let slot = entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot
      if let slot { return table.columnName(slot: slot) }
      switch name {
      case "entity": return "Z_ENT"
      case "self", "objectID": return "Z_PK"
      default: return nil
      }
    default: return nil
    }
  }

  /// The condition; `nil` when a part of it is not understood.
  func sql(_ predicate: ObjectPredicate) -> String? {
    switch predicate {
    case .comparison(let comparison): return sql(comparison)
    case .and(let parts): return joined(parts, "AND")
    case .or(let parts): return joined(parts, "OR")
    case .not(let inner): return sql(inner).map { "NOT (\($0))" }
    case .value, .closure: return nil
    }
  }

  private func joined(_ parts: [ObjectPredicate], _ word: String) -> String? {
    let known = parts.compactMap { sql($0) }
    guard !known.isEmpty, known.count == parts.count else { return nil }
    return "(\(known.joined(separator: " \(word) ")))"
  }

  private func sql(_ comparison: ComparisonPredicate) -> String? {
    guard comparison.modifier == .direct, comparison.options.isEmpty,
      let column = column(comparison.left) ?? arithmetic(comparison.left)
    else { return nil }
    if let list = literals(comparison.right) {
      switch comparison.comparison {
      case .isIn: return list.isEmpty ? nil : "\(column) IN (\(list.joined(separator: ", ")))"
      case .between: return list.count == 2 ? "\(column) BETWEEN \(list[0]) AND \(list[1])" : nil
      default: return nil
      }
    }
    guard case .constant(.attribute(let value)) = comparison.right else { return nil }
    let word: String
    switch comparison.comparison {
    case .equalTo: word = value == .null ? "IS" : "="
    case .notEqualTo: word = value == .null ? "IS NOT" : "<>"
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard value != .null else { return nil }
      word = comparison.comparison.rawValue
    default: return nil
    }
    return literal(value).map { "\(column) \(word) \($0)" }
  }

  /// The values of a list; `nil` for anything else, and for lists with what is no literal.
  private func literals(_ expression: ObjectExpression) -> [String]? {
    let values: [ConstantValue]
    switch expression {
    case .constant(.collection(let list)): values = list
    case .aggregate(let list):
      values = list.compactMap { if case .constant(let value) = $0 { value } else { nil } }
      if values.count != list.count { return nil }
    default: return nil
    }
    // A comparison with null is never true.
    let known = values.compactMap { if case .attribute(let value) = $0, value != .null { literal(value) } else { nil } }
    return known.count == values.count ? known : []
  }

  private func literal(_ value: AttributeValue) -> String? {
    switch value {
    case .null: "NULL"
    case .boolean(let flag): flag ? "1" : "0"
    case .integer(let number): "\(number)"
    case .double(let number): number.isFinite ? "\(number)" : nil
    case .string(let text): SQLQuoting.text(text)
    default: nil
    }
  }
}
