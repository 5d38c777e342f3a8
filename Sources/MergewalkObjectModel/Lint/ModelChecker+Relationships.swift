/// Ends, inverses and counts of relationships.
extension ModelChecker {
  mutating func checkRelationship(_ relationship: RelationshipDescription, of entity: Int) {
    let position = relationship.position
    let name = relationship.name
    checkCounts(relationship)
    guard let destination = entityIndex[relationship.destinationEntityName] else {
      if relationship.destinationEntityName.isEmpty {
        // A reader that says so already says what is missing.
        if !draft.readerFindings.contains(where: { $0.code == "missingField" && $0.position == position }) {
          findings.error("missingDestination", position, "the relationship “\(name)” has no destination")
        }
      } else {
        findings.error(
          "unknownDestination", position,
          "“\(name)” points to “\(relationship.destinationEntityName)”, which is not in the model",
          hint: entityHint(relationship.destinationEntityName))
      }
      return
    }
    guard let inverseName = relationship.inverseName, !inverseName.isEmpty else {
      if !relationship.isTransient {
        findings.warning(
          "missingInverse", position, "the relationship “\(name)” has no inverse",
          hint: "without one, deleting an object can leave references to nothing")
      }
      return
    }
    guard let inverse = self.relationship(inverseName, of: destination) else {
      findings.error(
        "unknownInverse", position,
        "the inverse “\(inverseName)” of “\(name)” is not a relationship of “\(draft.entities[destination].name)”",
        hint: relationshipHint(inverseName, of: destination))
      return
    }
    if inverse.inverseName != name {
      let found = inverse.inverseName.map { "“\($0)”" } ?? "nothing"
      findings.error(
        "inverseMismatch", position,
        "“\(inverseName)” is the inverse of “\(name)”, but its own inverse is \(found)",
        hint: "each must name the other")
    } else if let back = entityIndex[inverse.destinationEntityName],
      let own = entityIndex[draft.entities[entity].name], !areRelated(back, own)
    {
      findings.error(
        "inverseMismatch", position,
        "“\(inverseName)” is the inverse of “\(name)”, but points to “\(inverse.destinationEntityName)”, "
          + "not to “\(draft.entities[entity].name)”")
    }
    if let named = relationship.inverseEntityName {
      guard let holder = entityIndex[named] else {
        findings.warning(
          "unknownDestination", position,
          "the inverse of “\(name)” is declared in “\(named)”, which is not in the model",
          hint: entityHint(named))
        return
      }
      if !areRelated(holder, destination) {
        findings.warning(
          "inverseMismatch", position,
          "the inverse of “\(name)” is declared in “\(named)”, but the destination is "
            + "“\(relationship.destinationEntityName)”")
      }
    }
  }

  /// Whether one is the other or inherits from it.
  private func areRelated(_ left: Int, _ right: Int) -> Bool {
    lineage(left).contains(right) || lineage(right).contains(left)
  }

  private mutating func checkCounts(_ relationship: RelationshipDescription) {
    let position = relationship.position
    let name = relationship.name
    let (least, most) = (relationship.minCount, relationship.maxCount)
    func warn(_ message: String, hint: String? = nil) {
      findings.warning("illegalCount", position, message, hint: hint)
    }
    if least < 0 || most < 0 || least > Int(Int32.max) || most > Int(Int32.max) {
      warn("the counts \(least) and \(most) of “\(name)” are not valid counts; an invalid count has no effect")
    } else if relationship.isToMany {
      // Core Data takes any relationship with a maximum of one for to-one.
      if most == 1 {
        warn("the to-many relationship “\(name)” has a maximum of 1, with which it is to-one", hint: "make it to-one")
      } else if most != 0, least > most {
        warn("“\(name)” has a minimum of \(least) and a maximum of \(most)", hint: "no object satisfies both")
      }
    } else {
      if most != 1 {
        warn(
          "the to-one relationship “\(name)” has a maximum of \(most); it counts as 1",
          hint: "make it to-many or the maximum 1")
      } else if least > 1 {
        warn("“\(name)” has a minimum of \(least) and a maximum of 1", hint: "no object satisfies both")
      }
      if relationship.isOrdered {
        findings.warning("orderedToOne", position, "the to-one relationship “\(name)” is ordered")
      }
    }
  }
}
