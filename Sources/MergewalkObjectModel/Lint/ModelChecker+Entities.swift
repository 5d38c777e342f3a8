import MergewalkDiagnostics

/// Names, inheritance, uniqueness and indexes of entities.
extension ModelChecker {
  mutating func checkEntity(_ index: Int) {
    let entity = draft.entities[index]
    checkName(entity.name, "an entity", entity.position)
    if let first = entityIndex[entity.name], first != index {
      findings.error(
        "duplicateEntity", entity.position, "there are two entities “\(entity.name)”",
        hint: "the first is in line \(draft.entities[first].position.line)")
    }
    if let parent = entity.parentName {
      if entityIndex[parent] == nil {
        findings.error(
          "unknownParent", entity.position, "“\(entity.name)” inherits from “\(parent)”, which is not in the model",
          hint: entityHint(parent))
      } else if isInCycle(index) {
        findings.error(
          "inheritanceCycle", entity.position, "“\(entity.name)” inherits from itself through “\(parent)”")
      } else if ancestors[index].count > Self.maximumDepth {
        findings.error(
          "inheritanceTooDeep", entity.position, "“\(entity.name)” has more than \(Self.maximumDepth) ancestors")
      }
    }
    checkPropertyNames(index)
  }

  /// Whether the entity is among its own ancestors.
  private func isInCycle(_ index: Int) -> Bool {
    let last = ancestors[index].last ?? index
    return draft.entities[last].parentName.flatMap { entityIndex[$0] } == index
  }

  private mutating func checkPropertyNames(_ index: Int) {
    let entity = draft.entities[index]
    let own =
      entity.attributes.map { ($0.name, $0.position) } + entity.relationships.map { ($0.name, $0.position) }
      + entity.fetchedProperties.map { ($0.name, $0.position) }
    var inherited: [String: String] = [:]
    for ancestor in ancestors[index].reversed() {
      let parent = draft.entities[ancestor]
      let names =
        parent.attributes.map(\.name) + parent.relationships.map(\.name) + parent.fetchedProperties.map(\.name)
      for name in names { inherited[name] = parent.name }
    }
    var seen: Set<String> = []
    for (name, position) in own {
      checkName(name, "a property", position)
      if !seen.insert(name).inserted {
        findings.error("duplicateProperty", position, "“\(entity.name)” has two properties “\(name)”")
      } else if let ancestor = inherited[name] {
        let message = "“\(entity.name)” inherits “\(name)” from “\(ancestor)” and declares it again"
        if isSameProperty(name, entity: index, ancestor: entityIndex[ancestor]) {
          findings.warning("duplicateProperty", position, message, hint: "remove it here")
        } else {
          findings.error(
            "duplicateProperty", position, message + " as something else", hint: "remove it here or rename it")
        }
      }
      if ReservedNames.methods.contains(name), !draft.isCompiled {
        findings.error(
          "reservedName", position, "“\(name)” is a method of NSObject or NSManagedObject", hint: "choose another name")
      } else if ReservedNames.keys.contains(name) || ReservedNames.methods.contains(name) {
        findings.warning(
          "reservedName", position, "“\(name)” is a key of NSManagedObject itself, which hides the property",
          hint: "choose another name")
      }
      if let first = name.unicodeScalars.first, first.properties.isUppercase {
        findings.warning(
          "capitalisedProperty", position, "the property “\(name)” begins with an upper-case letter",
          hint: "Xcode demands a lower-case letter")
      }
    }
  }

  /// Whether a property that is declared again is stored and hashed like the inherited one.
  private func isSameProperty(_ name: String, entity: Int, ancestor: Int?) -> Bool {
    guard let ancestor else { return false }
    let (own, theirs) = (draft.entities[entity], draft.entities[ancestor])
    if let left = own.attributes.first(where: { $0.name == name }),
      let right = theirs.attributes.first(where: { $0.name == name })
    {
      return left.storedForm == right.storedForm
    }
    if let left = own.relationships.first(where: { $0.name == name }),
      let right = theirs.relationships.first(where: { $0.name == name })
    {
      return left.storedForm == right.storedForm
    }
    return own.fetchedProperties.contains { $0.name == name } && theirs.fetchedProperties.contains { $0.name == name }
  }

  mutating func checkName(_ name: String, _ kind: String, _ position: SourcePosition) {
    guard let first = name.unicodeScalars.first else {
      // The reader of a file may have said so already.
      let isSaid = draft.readerFindings.contains { $0.code == "missingName" && $0.position == position }
      if !isSaid { findings.error("missingName", position, "\(kind) has no name") }
      return
    }
    let isStart = first == "_" || first.properties.isAlphabetic
    let isRest = name.unicodeScalars.dropFirst().allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        || $0.properties.generalCategory == .nonspacingMark || $0.properties.generalCategory == .spacingMark
    }
    if !isStart || !isRest {
      findings.error(
        "invalidName", position, "“\(name)” cannot be the name of \(kind)",
        hint: "a name has letters, digits and underscores and does not begin with a digit")
    }
  }

  // MARK: Classes

  /// Classes mirror the hierarchy of entities: what inherits from an entity has the entity's class or one below it.
  mutating func checkClasses() {
    let names = draft.entities.map { SwiftNames.className($0.className) }
    // For each class, what it inherits from and the entity that said so.
    var bases: [String: (base: String?, entity: Int)] = [:]
    for (index, entity) in draft.entities.enumerated() {
      let inherited = ancestors[index].lazy.compactMap { names[$0] }.first
      guard let name = names[index] else {
        if let inherited {
          findings.warning(
            "classHierarchy", entity.position,
            "“\(entity.name)” has no class, but inherits from an entity of class “\(inherited)”",
            hint: "give it “\(inherited)” or a class below it")
        }
        continue
      }
      if name == inherited { continue }
      let base = ancestors[index].lazy.compactMap { names[$0] }.first { $0 != name }
      guard let known = bases[name] else {
        bases[name] = (base, index)
        continue
      }
      guard known.base != base else { continue }
      findings.warning(
        "classHierarchy", entity.position,
        "the class “\(name)” of “\(entity.name)” must inherit from \(Self.name(base)), and for "
          + "“\(draft.entities[known.entity].name)” from \(Self.name(known.base))",
        hint: "a class has one superclass; give one of them another class")
    }
  }

  private static func name(_ base: String?) -> String { base.map { "“\($0)”" } ?? "ManagedObject" }

  // MARK: Uniqueness and indexes

  mutating func checkConstraints(_ index: Int) {
    let entity = draft.entities[index]
    var seen: Set<[String]> = []
    checkIndexNames(entity.uniquenessConstraints.map { ($0.joined(separator: "_"), entity.position) }, of: entity.name)
    for constraint in entity.uniquenessConstraints {
      guard !constraint.isEmpty else {
        findings.warning("emptyConstraint", entity.position, "a uniqueness constraint of “\(entity.name)” has no names")
        continue
      }
      if !seen.insert(constraint).inserted || Set(constraint).count < constraint.count {
        findings.warning(
          "duplicateConstraint", entity.position,
          "the uniqueness constraint \(constraint.joined(separator: ", ")) of “\(entity.name)” repeats itself")
      }
      for name in constraint { checkConstraintMember(name, of: index) }
    }
  }

  private mutating func checkConstraintMember(_ name: String, of index: Int) {
    let entity = draft.entities[index]
    if let attribute = attribute(name, of: index) {
      if attribute.isTransient {
        findings.warning(
          "transientConstraint", entity.position,
          "“\(name)” is unique but transient, so it is never in the store; the constraint is left out")
      }
    } else if let relationship = relationship(name, of: index) {
      if relationship.isToMany || relationship.isTransient {
        findings.warning(
          "unfitConstraint", entity.position,
          "“\(name)” is a \(relationship.isToMany ? "to-many" : "transient") relationship and cannot be unique; the "
            + "constraint is left out")
      }
    } else {
      findings.warning(
        "unknownProperty", entity.position,
        "“\(entity.name)” has no property “\(name)” for a uniqueness constraint, which is left out",
        hint: propertyHint(name, of: index))
    }
  }

  mutating func checkIndexes(_ index: Int) {
    let entity = draft.entities[index]
    var names: Set<String> = []
    checkIndexNames(entity.fetchIndexes.map { ($0.name, $0.position) }, of: entity.name)
    for fetchIndex in entity.fetchIndexes {
      if !names.insert(fetchIndex.name).inserted {
        findings.warning(
          "duplicateIndex", fetchIndex.position,
          "“\(entity.name)” has two indexes “\(fetchIndex.name)”; the first one counts")
      }
      if fetchIndex.elements.isEmpty {
        findings.warning("emptyIndex", fetchIndex.position, "the index “\(fetchIndex.name)” has no elements")
      }
      for element in fetchIndex.elements {
        if let name = element.propertyName {
          checkIndexMember(name, of: index, "the index “\(fetchIndex.name)”", fetchIndex.position)
        } else if element.expression == nil {
          findings.warning(
            "emptyIndex", fetchIndex.position,
            "an element of the index “\(fetchIndex.name)” has neither a property nor an expression")
        }
      }
    }
    for members in entity.compoundIndexes {
      for name in members { checkIndexMember(name, of: index, "a compound index", entity.position) }
    }
  }

  /// Finds names that differ in case only: SQLite takes them for one.
  private mutating func checkIndexNames(_ names: [(name: String, position: SourcePosition)], of entity: String) {
    var first: [String: String] = [:]
    for (name, position) in names {
      let known = first[name.foldedForSQLite] ?? name
      first[name.foldedForSQLite] = known
      guard known != name else { continue }
      findings.warning(
        "sameIndexName", position,
        "the indexes “\(known)” and “\(name)” of “\(entity)” have the same name in SQLite; the store has only the first one",
        hint: "give one of them another name")
    }
  }

  private mutating func checkIndexMember(
    _ name: String, of index: Int, _ owner: String, _ position: SourcePosition
  ) {
    let entity = draft.entities[index]
    if let attribute = attribute(name, of: index) {
      if attribute.isTransient {
        findings.warning("transientIndex", position, "“\(name)” is transient, so \(owner) cannot hold it")
      }
    } else if let relationship = relationship(name, of: index) {
      if relationship.isToMany {
        findings.warning("unfitIndex", position, "“\(name)” is a to-many relationship, so \(owner) cannot hold it")
      }
    } else if !ReservedNames.indexColumns.contains(name) {
      findings.warning(
        "unknownProperty", position, "“\(entity.name)” has no property “\(name)” for \(owner)",
        hint: propertyHint(name, of: index))
    }
  }
}

/// Names that properties must not have.
package enum ReservedNames {
  /// Methods without parameters of NSObject and NSManagedObject, which a property's accessor would replace.
  ///
  /// Source: Apple, Core Data Programming Guide, "Creating a Managed Object Model" (behaviour MO9).
  package static let methods: Set<String> = [
    "autorelease", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "class",
    "copy",
    "dealloc", "debugDescription", "description", "didSave", "didTurnIntoFault", "entity", "fault", "faultingState",
    "finalize", "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted",
    "isProxy", "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "observationInfo", "prepareForDeletion",
    "release", "retain", "retainCount", "self", "superclass", "willSave", "willTurnIntoFault", "zone",
  ]

  /// Keys whose accessors NSManagedObject has under another name (`isDeleted` for `deleted`).
  static let keys: Set<String> = ["deleted", "inserted", "updated"]

  /// The columns that an index may have besides properties.
  static let indexColumns: Set<String> = ["self", "entity"]
}
