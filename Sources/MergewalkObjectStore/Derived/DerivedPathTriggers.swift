/// The triggers of a derived attribute whose path leads over several relationships.
///
/// Nothing at hand tells how Core Data words them. Whatever changes at a step of the path computes the values anew of the rows
/// whose paths lead there, as far as the steps before it stand: what changes these computes the values once more.
struct DerivedPathTriggers {
  private let words: DerivedTriggers
  private let attribute: DerivedAttribute
  private var writes: [Event: (columns: [String], writes: [(value: String, condition: String)])] = [:]
  private var order: [Event] = []

  /// What a trigger waits for.
  private struct Event: Hashable {
    let role, table, kind: String
  }

  init(_ words: DerivedTriggers, _ attribute: DerivedAttribute) {
    (self.words, self.attribute) = (words, attribute)
    let levels = attribute.levels
    add("_SOURCE", levels[0].table, "INSERT", [DerivedTriggers.own])
    for number in 1..<levels.count {
      guard let link = levels[number].link else { continue }
      let (before, table) = (levels[number - 1].table, levels[number].table)
      /// The rows whose paths lead to the row before, which the other row names.
      func owners(_ row: String, _ column: String) -> String { condition(number - 1, "\(row).\(column)") }
      let isMember = !link.isToOne && link.pairs == nil
      if let pairs = link.pairs {
        addAll(pairs.table, [pairs.owner, pairs.target], owners("OLD", pairs.owner), owners("NEW", pairs.owner))
      } else if link.isToOne {
        add(number == 1 ? "_SOURCE" : "_PARAMETER", before, "UPDATE", [owners("NEW", "Z_PK")], link.column)
      } else {
        addAll(table, [link.column], owners("OLD", link.column), owners("NEW", link.column))
      }
      if !isMember { add("_PARAMETER", table, "INSERT", [condition(number, "NEW.Z_PK")]) }
    }
    if let source = attribute.source, let end = levels.last {
      add("_PARAMETER", end.table, "UPDATE", [condition(levels.count - 1, "NEW.Z_PK")], source)
    }
  }

  var list: [TriggerDefinition] {
    order.map { event in
      let (columns, writes) = writes[event] ?? ([], [])
      let kind = columns.isEmpty ? event.kind : "\(event.kind) OF \(columns.joined(separator: ", "))"
      return words.trigger(event.role, event.table, kind, writes)
    }
  }

  /// The value of a row that a statement changes.
  private var value: String {
    let last = "t\(attribute.levels.count - 1)"
    let source = attribute.source.map { "\(last).\($0)" }
    let isAggregate = attribute.levels.contains { $0.link.map { !$0.isToOne } ?? false }
    let result =
      isAggregate ? words.result(of: source) ?? "IFNULL(COUNT(\(last).Z_PK), 0)" : words.changed(source ?? "")
    return "(SELECT \(result) FROM \(path(attribute.levels.count - 1, "\(attribute.table).")))"
  }

  /// The tables up to a level and their conditions.
  private func path(_ level: Int, _ own: String) -> String {
    DerivedAttribute.path(Array(attribute.levels[...level])).replacing("t0.", with: own)
  }

  /// The rows whose paths lead to a row of a level.
  private func condition(_ level: Int, _ key: String) -> String {
    if level == 0 { return "Z_PK = \(key)" }
    return "Z_PK IN (SELECT t0.Z_PK FROM \(attribute.table) AS t0, \(path(level, "t0.")) AND t\(level).Z_PK = \(key))"
  }

  /// Notes what a row of a table that connects two levels changes when it comes, changes or goes.
  private mutating func addAll(_ table: String, _ columns: [String], _ old: String, _ new: String) {
    add("_PARAMETER", table, "INSERT", [new])
    for column in columns { add("_PARAMETER", table, "UPDATE", [old, new], column) }
    add("_PARAMETER", table, "DELETE", [old])
  }

  private mutating func add(
    _ role: String, _ table: String, _ kind: String, _ conditions: [String], _ column: String? = nil
  ) {
    let event = Event(role: role, table: table, kind: kind)
    if writes[event] == nil { order.append(event) }
    var entry = writes[event] ?? ([], [])
    if let column, !entry.columns.contains(column) { entry.columns.append(column) }
    for condition in conditions where !entry.writes.contains(where: { $0.condition == condition }) {
      entry.writes.append((value, condition))
    }
    writes[event] = entry
  }
}
