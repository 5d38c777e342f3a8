import MergewalkObjectModel

/// What indexes say of an entity's rows beyond its properties' columns, in Core Data's wording.
///
/// The wording is that of the 22 partial indexes and the 22 expressions of two libraries of Photos. What else predicates can
/// say is not known to SQLite, or not known here.
struct PartialCondition {
  let entity: EntityDescription
  let table: EntityTable

  /// The column of an expression: the object itself, its entity, a property.
  func column(_ text: String) -> String? { (try? ObjectExpression(format: text)).flatMap { column($0) } }

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
    guard comparison.modifier == .direct, comparison.options.isEmpty, let column = column(comparison.left),
      case .constant(.attribute(let value)) = comparison.right
    else { return nil }
    let word: String
    switch comparison.comparison {
    case .equalTo: word = value == .null ? "IS" : "="
    case .notEqualTo: word = value == .null ? "IS NOT" : "<>"
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard value != .null else { return nil }
      word = comparison.comparison.rawValue
    default: return nil
    }
    switch value {
    case .null: return "\(column) \(word) NULL"
    case .boolean(let flag): return "\(column) \(word) \(flag ? 1 : 0)"
    case .integer(let number): return "\(column) \(word) \(number)"
    case .double(let number): return number.isFinite ? "\(column) \(word) \(number)" : nil
    case .string(let text):
      let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
      return "\(column) \(word) '\(quoted)'"
    default: return nil
    }
  }
}
