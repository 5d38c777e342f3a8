import MergewalkDiagnostics

/// A to-one relationship that a column fills with the key of another source's records.
struct GuessedRelationship {
  let name: String
  /// The attribute, by number, whose column has the key.
  let attribute: Int
  let entity: String
  /// The destination's key attribute.
  let keyName: String
  let inverse: String
  let isRequired: Bool
  let evidence: String
}

/// The other end of a relationship.
struct GuessedInverse {
  let name: String
  let entity: String
  let inverse: String
}

/// Finds relationships among entities by the names and the values of their columns.
struct RelationshipFinder {
  private(set) var entities: [GuessedEntity]
  /// For each entity, those that must be imported before it.
  private var before: [Set<Int>]

  init(_ entities: [GuessedEntity]) {
    self.entities = entities
    before = Array(repeating: [], count: entities.count)
    var keys: [Int: Set<Int>] = [:]
    for (index, entity) in entities.enumerated() where entity.key.count == 1 {
      keys[index] = entity.sample.hashes(entity.attributes[entity.key[0]].column)
    }
    for source in entities.indices {
      for attribute in entities[source].attributes.indices {
        for target in keys.keys.sorted() { consider(source, attribute, target, keys[target] ?? []) }
      }
    }
  }

  /// The entities in an order in which each comes behind those that it refers to.
  var order: [Int] {
    var order: [Int] = []
    var left = Set(entities.indices)
    while let next = left.sorted().first(where: { before[$0].isDisjoint(with: left.subtracting([$0])) }) {
      order.append(next)
      left.remove(next)
    }
    return order + left.sorted()
  }

  private mutating func consider(_ source: Int, _ index: Int, _ target: Int, _ keys: Set<Int>) {
    let attribute = entities[source].attributes[index]
    let keyAttribute = entities[target].attributes[entities[target].key[0]]
    guard attribute.isKept || entities[source].key.contains(index),
      !entities[source].relationships.contains(where: { $0.attribute == index }),
      entities[source].key != [index], attribute.verdict.type == keyAttribute.verdict.type
    else { return }
    let isSelf = source == target
    guard let role = role(attribute.columnName, target, keyAttribute.columnName, isSelf: isSelf) else { return }
    var count = 0
    var missing = 0
    let nulls = Set(attribute.verdict.nullSpellings.map { Array($0.utf8).withUnsafeBytes(SourceSample.hash) })
    _ = entities[source].sample.everyHash(attribute.column) {
      if nulls.contains($0) { return true }
      count += 1
      if !keys.contains($0) { missing += 1 }
      return true
    }
    guard count > 0 else { return }
    let goal = "\(entities[target].name).\(keyAttribute.name)"
    if missing > 0 {
      if missing * 2 < count || !entities[target].sample.isWhole {
        entities[source].questions.append(
          "\(attribute.columnName) looks like \(goal), but \(PrintableText.grouped(missing)) of"
            + " \(PrintableText.count(count, "value")) \(missing == 1 ? "is" : "are") not in the sample of it: is it a"
            + " relationship?")
      }
      return
    }
    if isSelf || reaches(target, source) {
      entities[source].questions.append(
        "all values of \(attribute.columnName) are found in \(goal): a relationship"
          + (isSelf
            ? " to the same entity needs its objects to be there, so it takes a second pipeline in mode update"
            : " would form a cycle, so it takes a second pipeline in mode update"))
      return
    }
    relate(source, index, target, role, evidence: "all \(PrintableText.count(count, "value")) are found in \(goal)")
  }

  /// The role of the target for the source, as words, when the column's name shows that it has the target's key.
  private func role(_ column: String, _ target: Int, _ key: String, isSelf: Bool) -> [String]? {
    let words = GuessedNames.words(column).map { $0.lowercased() }
    let entityWords = GuessedNames.words(entities[target].name).map { $0.lowercased() }
    let entity = entityWords.joined()
    let keyPlain = GuessedNames.plain(key)
    let plain = words.joined()
    // `customer_id` and `Customer.id`, `CustomerId` and `Customer.CustomerId`, also `billing_customer_id`.
    let full = keyPlain.hasPrefix(entity) ? keyPlain : entity + keyPlain
    if isSelf {
      let isParent = !Set(words).isDisjoint(with: ["parent", "manager", "reports", "previous", "supervisor"])
      return isParent || (plain != full && plain.hasSuffix(full)) ? words : nil
    }
    if plain == entity { return words }
    guard plain.hasSuffix(full), keyPlain != entity else { return nil }
    // The words before those of the key.
    var left = words
    var rest = full.count - entity.count
    while rest > 0, let last = left.popLast() { rest -= last.count }
    return rest == 0 && !left.isEmpty ? left : entityWords
  }

  private func reaches(_ start: Int, _ goal: Int) -> Bool {
    var open = [start]
    var seen: Set<Int> = []
    while let next = open.popLast() {
      if next == goal { return true }
      if seen.insert(next).inserted { open += before[next] }
    }
    return false
  }

  private mutating func relate(_ source: Int, _ index: Int, _ target: Int, _ role: [String], evidence: String) {
    let isKey = entities[source].key.contains(index)
    if !isKey {
      // The relationship has what the column says.
      entities[source].attributes[index].isKept = false
      entities[source].names.remove(entities[source].attributes[index].name.lowercased())
    }
    let attribute = entities[source].attributes[index]
    let roleName = GuessedNames.camelCase(role)
    let name = GuessedNames.unique(roleName, in: &entities[source].names)
    let many = GuessedNames.plural(GuessedNames.lowered(entities[source].name))
    let isPlain = roleName.lowercased() == entities[target].name.lowercased()
    let inverse = GuessedNames.unique(
      isPlain ? many : many + "As" + GuessedNames.capitalised(roleName), in: &entities[target].names)
    entities[source].relationships.append(
      GuessedRelationship(
        name: name, attribute: index, entity: entities[target].name,
        keyName: entities[target].attributes[entities[target].key[0]].name, inverse: inverse,
        isRequired: attribute.isRequired, evidence: evidence))
    entities[target].inverses.append(
      GuessedInverse(name: inverse, entity: entities[source].name, inverse: name))
    before[source].insert(target)
  }
}
