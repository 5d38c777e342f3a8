import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkRecordFormats

/// Lists: to-many relationships that records fill.
extension ImportPlanBuilder {
  mutating func addLists(_ part: EntityImport, of entity: EntityDescription, _ use: Use) {
    for relationship in part.relationships {
      guard let options = relationship.list, let description = description(of: relationship, of: entity, use),
        let list = list(relationship, options, description, of: entity)
      else { continue }
      lists.append(list)
    }
  }

  private mutating func list(
    _ relationship: RelationshipImport, _ options: ListImport, _ description: RelationshipDescription,
    of entity: EntityDescription
  ) -> ImportList? {
    let destination = model.entities[description.destinationEntity]
    let inverse = model.inverse(of: description)
    let isOwned = inverse.map { !$0.isToMany } ?? false
    checkOwners(relationship, options, description, owner: isOwned ? inverse : nil)
    let isScoped =
      isOwned && (options.scope.map { $0 == .owner } ?? !Self.isUnique(relationship.target, destination))
    var builder = ImportPlanBuilder(model: model, path: findings.path, isModelLinted: isModelLinted)
    if isOwned { builder.nodes.append(ImportNode(given: entity)) }
    let root = builder.add(
      relationship.target,
      Use(
        owner: entity, creates: relationship.missing == .create, filled: description.inverseName, isScoped: isScoped))
    findings.add(builder.findings.list)
    // What else is wrong with columns of elements has findings already.
    guard let root, !builder.fieldColumns.contains(-1), builder.columnNames.allSatisfy(ListElements.isColumn) else {
      return nil
    }
    if isOwned, let inverse {
      // Positions in the list are written with it, so that the reference alone is enough here.
      builder.nodes[root].relationships.append(
        ImportRelationship(
          name: inverse.name, slot: inverse.slot, target: 0, missing: .null, isOptional: true, needsInverse: false,
          isLate: false, description: inverse))
    }
    let isMade = derivedNames.contains(options.column)
    var request = options.column
    // The text of an element is its column, so that one with attributes only would be nothing.
    if hasElements, case .json = options.form, builder.columnNames.contains(where: { $0 != "." }) {
      request += RecordFormat.wholeElement
    }
    let place = relationship.target.places["each"]?.value ?? relationship.position
    var separator: [UInt8]?
    if case .split(let text) = options.form { separator = Array(text.utf8) }
    return ImportList(
      description: description, column: isMade ? -1 : column(request, at: place), columnName: options.column,
      request: request, separator: separator, options: options, missing: relationship.missing,
      plan: ImportPlan(
        nodes: builder.nodes, fields: builder.fields, fieldColumns: builder.fieldColumns,
        columnNames: builder.columnNames, columnPlaces: builder.columnPlaces, fieldNames: builder.fieldNames,
        root: root, lists: builder.lists),
      ownerNode: isOwned ? 0 : nil, isScoped: isScoped)
  }

  /// Whether a uniqueness constraint covers the key, so that elements are looked for everywhere unless the definition
  /// says otherwise.
  private static func isUnique(_ target: EntityImport, _ entity: EntityDescription) -> Bool {
    let keys = Set(target.findBy.map(\.attributeName))
    return entity.uniquenessConstraints.contains { Set($0).isSubset(of: keys) }
  }

  /// Checks what a list says about owners and orphans against the relationship back.
  ///
  /// - Parameter owner: the relationship back, when each object belongs to one owner.
  private mutating func checkOwners(
    _ relationship: RelationshipImport, _ list: ListImport, _ description: RelationshipDescription,
    owner: RelationshipDescription?
  ) {
    let places = relationship.target.places
    func place(_ option: String) -> SourcePosition { places[option]?.key ?? relationship.position }
    guard let owner else {
      for (option, isSet) in [("orphans", list.orphans == .delete), ("find_in", list.scope == .owner)] where isSet {
        findings.report(
          .unsuitableOption, at: place(option),
          "“\(option)” is for objects that belong to one owner, and those of “\(description.name)” may have several",
          hint: "leave it out")
      }
      return
    }
    if list.links == .add {
      guard list.orphans != .unlink || places["orphans"] != nil else { return }
      findings.report(
        .unsuitableOption, at: place("orphans"), "with “links: add” nothing is left out of a list",
        hint: "leave “orphans” out")
    } else if !owner.isOptional, list.orphans == .unlink, places.broken.isDisjoint(with: ["orphans", "links"]) {
      findings.report(
        .invalidOption, at: place("orphans"),
        "“\(description.destinationEntityName).\(owner.name)” is mandatory, so an object that a list leaves out cannot"
          + " stay", hint: "set “orphans: delete”, or “links: add”")
    }
  }
}
