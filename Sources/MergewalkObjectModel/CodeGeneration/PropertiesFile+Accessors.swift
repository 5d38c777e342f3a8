/// Functions that change to-many relationships, under the names that Xcode gives them.
extension PropertiesFile {
  mutating func writeAccessors(_ relationship: RelationshipDescription) {
    let destination = destinationClass(relationship)
    let property = BaseClassNames.members.contains(relationship.name) ? relationship.name + "_" : relationship.name
    let view = SwiftNames.escaped(property)
    let suffix = accessorSuffix(relationship.name)
    let sequence = types.type("Sequence", in: "Swift")
    let int = types.type("Int", in: "Swift")
    line()
    line("// MARK: Accessors of \(relationship.name)")
    line("extension \(type) {")
    if relationship.isOrdered {
      function(
        "Puts an object at a place.", "insertInto\(suffix)(_ value: \(destination), at index: \(int))",
        "\(view).insert(value, at: index)")
      function(
        "Takes away the object at a place.", "removeFrom\(suffix)(at index: \(int))",
        "\(view).remove(at: index)")
      function(
        "Puts objects at places, which count in the result and ascend.",
        "insertInto\(suffix)(_ values: [\(destination)], at indexes: [\(int)])",
        "for (index, value) in zip(indexes, values) { \(view).insert(value, at: index) }")
      function(
        "Takes away the objects at places, which ascend.", "removeFrom\(suffix)(at indexes: [\(int)])",
        "for index in indexes.reversed() { \(view).remove(at: index) }")
      function(
        "Puts an object in the place of another.", "replace\(suffix)(at index: \(int), with value: \(destination))",
        "\(view).replace(at: index, with: value)")
      function(
        "Puts objects in the places of others.",
        "replace\(suffix)(at indexes: [\(int)], with values: [\(destination)])",
        "for (index, value) in zip(indexes, values) { \(view).replace(at: index, with: value) }")
    }
    function(
      "Adds an object.", "addTo\(suffix)(_ value: \(destination))",
      "\(view).insert(value)")
    function(
      "Takes an object away.", "removeFrom\(suffix)(_ value: \(destination))",
      "\(view).remove(value)")
    function(
      "Adds objects.", "addTo\(suffix)(_ values: some \(sequence)<\(destination)>)",
      "for value in values { \(view).insert(value) }")
    // The values may be the relationship's own, which must not change under the loop.
    function(
      "Takes objects away.", "removeFrom\(suffix)(_ values: some \(sequence)<\(destination)>)",
      "for value in \(types.classNames.contains("Array") ? "Swift.Array" : "Array")(values) { \(view).remove(value) }")
    line("}")
  }

  private mutating func function(_ summary: String, _ declaration: String, _ statement: String) {
    line()
    comment(summary)
    line("  public func \(declaration) {")
    line("    \(statement)")
    line("  }")
  }

  /// `Orders` for `orders`, unless `Orders` is there too.
  private func accessorSuffix(_ name: String) -> String {
    let capitalised = SwiftNames.capitalised(name)
    return capitalised != name && entity.relationship(named: capitalised) != nil ? name : capitalised
  }
}
