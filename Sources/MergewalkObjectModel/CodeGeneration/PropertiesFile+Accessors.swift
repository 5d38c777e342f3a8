import MergewalkClassText

/// Functions that change to-many relationships, under the names that Xcode gives them.
extension PropertiesFile {
  mutating func writeAccessors(_ relationship: RelationshipDescription) {
    let destination = destinationClass(relationship)
    let view = SwiftNames.escaped(codeName(relationship.name))
    let suffix = accessorSuffix(relationship.name)
    let sequence = types.type("Sequence", in: "Swift")
    let int = types.type("Int", in: "Swift")
    line()
    line("// MARK: Accessors of \(relationship.name)")
    line("extension \(type) {")
    let functions = ToManyFunctions(
      of: view, suffix: suffix, destination: destination, isOrdered: relationship.isOrdered,
      types: (sequence, int, types.classNames.contains("Array") ? "Swift.Array" : "Array"))
    for function in functions.all {
      line()
      comment(function.summary)
      line("  public func \(function.declaration) {")
      line("    \(function.statement)")
      line("  }")
    }
    line("}")
  }

  /// `Orders` for `orders`, unless `Orders` is there too.
  private func accessorSuffix(_ name: String) -> String {
    let capitalised = ClassNames.capitalised(name)
    return capitalised != name && entity.relationship(named: capitalised) != nil ? name : capitalised
  }
}
