/// Expressions of derived attributes.
extension ModelChecker {
  mutating func checkExpression(_ expression: String, _ attribute: AttributeDescription, of entity: Int) {
    guard !expression.isEmpty else {
      findings.error(
        "missingExpression", attribute.position, "the derived attribute “\(attribute.name)” has no expression")
      return
    }
    if attribute.isTransient {
      findings.warning(
        "transientDerived", attribute.position,
        "the derived attribute “\(attribute.name)” is transient, so it is not stored")
    }
    guard let derivation = DerivationText(expression) else {
      findings.warning(
        "unknownExpression", attribute.position, "the expression “\(expression)” of “\(attribute.name)” is unknown",
        hint: "known are a key path, canonical:, uppercase:, lowercase:, @count, @sum, @min, @max, @avg and now()")
      return
    }
    if derivation.isForeign {
      findings.warning(
        "uncertainExpression", attribute.position,
        "“\(expression)” of “\(attribute.name)” is computed here, but Core Data documents no such derived attributes",
        hint: "Core Data knows @count and @sum")
    }
    var current = entity
    for (i, name) in derivation.path.enumerated() {
      let isLast = i == derivation.path.count - 1
      if let relationship = relationship(name, of: current) {
        guard let next = entityIndex[relationship.destinationEntityName] else { return }
        current = next
      } else if self.attribute(name, of: current) != nil, isLast {
        return
      } else {
        findings.warning(
          "unknownProperty", attribute.position,
          "the expression “\(expression)” names “\(name)”, which “\(draft.entities[current].name)” does not have",
          hint: propertyHint(name, of: current))
        return
      }
    }
  }

  /// Finds derived attributes that depend on themselves, directly or through others.
  mutating func checkDerivedCycles() {
    /// An attribute, by the entity that declares it.
    struct Node: Hashable { let entity: Int, name: String }
    // Each is taken from one attribute at most.
    var sources: [Node: Node] = [:]
    var order: [(node: Node, attribute: AttributeDescription)] = []
    for entity in draft.entities.indices {
      for attribute in draft.entities[entity].attributes {
        guard let expression = attribute.derivationExpression else { continue }
        let node = Node(entity: entity, name: attribute.name)
        order.append((node, attribute))
        if let source = source(expression, of: entity) {
          sources[node] = Node(entity: source.entity, name: source.name)
        }
      }
    }
    var seen: Set<Node> = []
    var circles: [Node: [Node]] = [:]
    for (node, _) in order {
      var (way, at): ([Node], Node?) = ([], node)
      while let here = at, seen.insert(here).inserted {
        way.append(here)
        at = sources[here]
      }
      if let begin = at.flatMap({ way.firstIndex(of: $0) }) {
        for member in way[begin...] { circles[member] = Array(way[begin...]) }
      }
    }
    for (node, attribute) in order {
      guard let circle = circles[node] else { continue }
      let others = circle.filter { $0 != node }.prefix(3).map { "“\($0.name)”" }
      findings.warning(
        "derivedCycle", attribute.position,
        "the derived attribute “\(attribute.name)” depends on itself"
          + (others.isEmpty ? "" : ", through \(others.joined(separator: ", "))"),
        hint: "such values cannot be computed in any order; derive one of them from an ordinary attribute")
    }
  }

  /// The attribute that an expression takes its value from, and the entity that declares it.
  private func source(_ expression: String, of entity: Int) -> (entity: Int, name: String)? {
    guard let derivation = DerivationText(expression), derivation.function != "count", let last = derivation.path.last
    else { return nil }
    var current = entity
    for name in derivation.path.dropLast() {
      guard let next = relationship(name, of: current).flatMap({ entityIndex[$0.destinationEntityName] }) else {
        return nil
      }
      current = next
    }
    return lineage(current).first { declared(last, by: $0) }.map { ($0, last) }
  }
}
