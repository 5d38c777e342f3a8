import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Puts the rows that a case has before its run into the store.
struct RowFiller {
  let model: ManagedObjectModel
  let findings: Findings

  /// Fills a store, which is made; `false` when something keeps it from being filled, which is a finding.
  func fill(_ path: String, _ rows: [ExpectedRow]) -> Bool {
    let place = rows.first?.position ?? .file
    do {
      let coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.addSQLiteStore(at: path)
      defer { try? coordinator.close() }
      let context = ManagedObjectContext(coordinator: coordinator)
      var objects: [(row: ExpectedRow, object: ManagedObject)] = []
      for row in rows {
        guard let object = insert(row, context) else { return false }
        objects.append((row, object))
      }
      for (row, object) in objects {
        guard try relate(object, row, to: objects) else { return false }
      }
      do throws(SaveError) {
        try context.save()
      } catch {
        let reasons = error.failures.map(\.description)
        findings.add(
          .wrongType, at: place,
          "the rows before the run cannot be saved: "
            + (reasons.isEmpty ? error.message : reasons.joined(separator: "; ")))
        return false
      }
      return true
    } catch {
      findings.add(.wrongType, at: place, "the rows before the run cannot be saved: \(error)")
      return false
    }
  }

  private func insert(_ row: ExpectedRow, _ context: ManagedObjectContext) -> ManagedObject? {
    guard !row.entity.isAbstract else {
      findings.add(
        .unsuitableEntity, at: row.position, "“\(row.entity.name)” is abstract: it has no objects of its own")
      return nil
    }
    do throws(ObjectError) {
      let object = try context.insert(row.entity)
      for field in row.fields {
        guard case .attribute(_, let value) = field.value else { continue }
        do throws(ObjectError) {
          try object.setValue(value, forKey: field.name)
        } catch {
          findings.add(.unsuitableAttribute, at: field.position, error.message)
          return nil
        }
      }
      return object
    } catch {
      findings.add(.wrongType, at: row.position, error.message)
      return nil
    }
  }

  /// Lets the relationships of a row refer to other rows.
  private func relate(
    _ object: ManagedObject, _ row: ExpectedRow, to objects: [(row: ExpectedRow, object: ManagedObject)]
  ) throws(ObjectError) -> Bool {
    for field in row.fields {
      switch field.value {
      case .attribute: continue
      case .one(_, let target):
        guard let target else { continue }
        guard let other = try find(target, among: objects) else { return false }
        try object.setObject(other, forKey: field.name)
      case .many(_, let targets):
        var others: [ManagedObject] = []
        for target in targets {
          guard let other = try find(target, among: objects) else { return false }
          others.append(other)
        }
        try object.setObjects(others, forKey: field.name)
      }
    }
    return true
  }

  /// The row that another one names by some of its attributes.
  private func find(
    _ target: ExpectedRow, among objects: [(row: ExpectedRow, object: ManagedObject)]
  ) throws(ObjectError) -> ManagedObject? {
    var found: [ManagedObject] = []
    for (row, object) in objects where row.entity.isKind(of: target.entity) {
      if try RowMatch.matches(target, object) { found.append(object) }
    }
    if found.count == 1 { return found[0] }
    findings.add(
      .unsuitableRelationship, at: target.position,
      found.isEmpty
        ? "no row before the run is the “\(target.entity.name)” \(target.summary)"
        : "\(found.count) rows before the run are the “\(target.entity.name)” \(target.summary)",
      hint: found.isEmpty ? "add it to the rows" : "name more of its attributes")
    return nil
  }
}
