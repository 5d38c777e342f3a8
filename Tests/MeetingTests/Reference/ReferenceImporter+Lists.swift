import Foundation
import MergewalkImporting
import MergewalkObjectModel

extension ReferenceImporter {
  /// What a field says about a list.
  enum Listed {
    /// Nothing: what is there stays.
    case kept
    case elements([Cell])
    case refused(String)
  }

  /// The elements of a list, those without a value left out.
  func elements(_ record: ReadRecord, _ list: ListImport) -> Listed {
    var elements: [Cell]
    switch record.cells[list.column] ?? .absent {
    case .absent: return .kept
    case .null: elements = []
    case .list(let cells): elements = cells
    case .text(let text):
      if case .split(let separator) = list.form, !text.isEmpty {
        elements = text.components(separatedBy: separator).map {
          .text(list.trims ? ReferenceConversion.trimmed($0) : $0)
        }
      } else {
        elements = text.isEmpty ? [] : [.text(text)]
      }
    case let other: elements = [other]
    }
    let full = elements.filter { $0 != .null && $0 != .text("") }
    if full.count < elements.count, list.whenElementEmpty == .reject { return .refused("value.empty") }
    if !full.isEmpty { return .elements(full) }
    switch list.whenEmpty {
    case .clear: return .elements([])
    case .keep: return .kept
    case .reject: return .refused("value.empty")
    }
  }

  /// An element as a record: a column is a path from the element, `.` the element itself.
  func record(_ element: Cell, _ part: EntityImport) -> ReadRecord {
    var cells: [String: Cell] = [:]
    func add(_ column: String) {
      cells[column] = column == "." ? element : element.get(column.split(separator: ".").map(String.init)[...])
    }
    func add(_ part: EntityImport) {
      for field in part.findBy + part.attributes { add(field.column) }
      for relationship in part.relationships {
        if let list = relationship.list { add(list.column) } else { add(relationship.target) }
      }
    }
    add(part)
    return ReadRecord(number: 0, cells: cells)
  }

  /// The reasons against a record that its lists give; the first list that has some.
  func listReasons(_ record: ReadRecord, _ part: EntityImport) -> [String] {
    for relationship in part.relationships {
      guard let list = relationship.list else { continue }
      var codes: [String] = []
      switch elements(record, list) {
      case .kept: continue
      case .refused(let code): codes = [code]
      case .elements(let elements):
        for element in elements {
          let inner = self.record(element, relationship.target)
          if case .object = element {
          } else if !relationship.target.columns.contains(".") {
            codes.append("read.notAnObject")
            continue
          }
          codes += reasons(inner, relationship.target)
        }
      }
      if !codes.isEmpty { return codes }
    }
    return []
  }

  /// Fills the to-many relationships of an object.
  ///
  /// - Returns: whether a relationship changed; nil when an element's object is missing that must not be.
  mutating func relateLists(_ record: ReadRecord, _ part: EntityImport, _ owner: Int) -> Bool? {
    var isChanged = false
    for relationship in part.relationships {
      guard let list = relationship.list, case .elements(let elements) = elements(record, list) else { continue }
      let before = members(owner, relationship, in: graph)
      guard let (wanted, named) = targets(elements, relationship, list, owner) else { return nil }
      tally.link(part.entityName, relationship.name, new: Set(wanted).subtracting(before).count, of: named, to: owner)
      if relate(owner, relationship, list, before, wanted) { isChanged = true }
    }
    return isChanged
  }

  /// The members of a to-many relationship, in their order if they have one.
  func members(_ owner: Int, _ relationship: RelationshipImport, in graph: ObjectGraph) -> [Int] {
    guard let inverse = inverse(of: relationship, owner), !inverse.isToMany else {
      return graph.objects[owner]?.toMany[relationship.name] ?? []
    }
    let all = graph.objects.filter { $0.value.toOne[inverse.name] == owner }.keys.sorted()
    let order = graph.objects[owner]?.toMany[relationship.name] ?? []
    return order.filter(all.contains) + all.filter { !order.contains($0) }
  }

  /// The objects of a list's elements, each once, and how many elements have one; nil when one is missing that must not be.
  private mutating func targets(
    _ elements: [Cell], _ relationship: RelationshipImport, _ list: ListImport, _ owner: Int
  ) -> (objects: [Int], named: Int)? {
    let target = relationship.target
    let inverse = inverse(of: relationship, owner)
    let isScoped = isScoped(relationship, list, inverse)
    var (wanted, named) = ([Int](), 0)
    for element in elements {
      let inner = record(element, target)
      guard let related = relate(inner, target), let key = key(inner, target) else { return nil }
      let found = find(key, target, of: isScoped ? owner : nil, inverse)
      var own = related
      if let inverse, !inverse.isToMany { own[inverse.name] = owner }
      let object: Int
      var isUnchanged = false
      if let found {
        if target.mode != .createMissing { isUnchanged = !update(inner, target, found, own) }
        object = found
      } else if target.mode == .update || relationship.missing != .create {
        if relationship.missing == .reject { return nil }
        continue
      } else {
        object = create(inner, target, own)
      }
      // What is only to be made has the lists that it has.
      if found == nil || target.mode != .createMissing {
        guard let isRelated = relateLists(inner, target, object) else { return nil }
        if isRelated, isUnchanged {
          outcome.entities[target.entityName, default: .init()].updated += 1
          outcome.entities[target.entityName, default: .init()].unchanged -= 1
          updates[object, default: []].append(target.entityName)
        }
      }
      named += 1
      self.named.insert(object)
      if !wanted.contains(object) { wanted.append(object) }
    }
    return (wanted, named)
  }

  /// The lists of an entity and those within them, with the entities that have them.
  func lists(_ part: EntityImport) -> [(entity: String, relationship: RelationshipImport)] {
    part.relationships.filter { $0.list != nil }.flatMap {
      [(entity: part.entityName, relationship: $0)] + lists($0.target)
    }
  }

  /// Whether lists take members from other owners.
  func takesMembers(_ part: EntityImport) -> Bool {
    lists(part).contains { entity, relationship in
      guard let list = relationship.list, let inverse = inverse(of: relationship, entity) else { return false }
      return !inverse.isToMany && !isScoped(relationship, list, inverse)
    }
  }

  /// Whether the objects of elements are looked for among those of the owner.
  private func isScoped(
    _ relationship: RelationshipImport, _ list: ListImport, _ inverse: RelationshipDescription?
  ) -> Bool {
    let keys = Set(relationship.target.findBy.map(\.attributeName))
    let isUnique =
      model.entity(named: relationship.target.entityName)?.uniquenessConstraints.contains {
        Set($0).isSubset(of: keys)
      } ?? false
    return inverse?.isToMany == false && (list.scope.map { $0 == .owner } ?? !isUnique)
  }

  /// The first object with a key; of an owner's, where there is one.
  private func find(
    _ key: [ReferenceValue], _ target: EntityImport, of owner: Int?, _ inverse: RelationshipDescription?
  ) -> Int? {
    graph.objects.filter { _, object in
      isOf(object.entity, target.entityName)
        && target.findBy.map { object.attributes[$0.attributeName] ?? .null } == key
        && (owner == nil || object.toOne[inverse?.name ?? ""] == owner)
    }.keys.min()
  }

  /// Notes what the elements of a record name that is not imported.
  mutating func noteNamed(
    _ record: ReadRecord, _ part: EntityImport, _ relationship: RelationshipImport, _ list: ListImport, _ owner: Int?
  ) {
    guard case .elements(let elements) = elements(record, list) else { return }
    let target = relationship.target
    let inverse = inverse(of: relationship, part.entityName)
    let isScoped = isScoped(relationship, list, inverse)
    // Without an owner it is not known whose member is meant.
    if isScoped, owner == nil { return }
    for element in elements {
      let inner = self.record(element, target)
      guard let key = key(inner, target) else { continue }
      let found = find(key, target, of: isScoped ? owner : nil, inverse)
      if let found { named.insert(found) }
      for relationship in target.relationships {
        if let list = relationship.list { noteNamed(inner, target, relationship, list, found) }
      }
    }
  }

  private func inverse(of relationship: RelationshipImport, _ owner: Int) -> RelationshipDescription? {
    graph.objects[owner].flatMap { inverse(of: relationship, $0.entity) }
  }

  private func inverse(of relationship: RelationshipImport, _ entity: String) -> RelationshipDescription? {
    let description = model.entity(named: entity)?.relationship(named: relationship.name)
    guard let name = description?.inverseName else { return nil }
    return model.entity(named: relationship.target.entityName)?.relationship(named: name)
  }

  /// Makes the members of a relationship those of a list; whether they were others.
  private mutating func relate(
    _ owner: Int, _ relationship: RelationshipImport, _ list: ListImport, _ before: [Int], _ wanted: [Int]
  ) -> Bool {
    guard let inverse = inverse(of: relationship, owner) else { return false }
    let entity = graph.objects[owner].flatMap { model.entity(named: $0.entity) }
    let isOrdered = entity?.relationship(named: relationship.name)?.isOrdered ?? false
    let left = list.links == .replace ? before.filter { !wanted.contains($0) } : []
    let members = list.links == .replace ? wanted : before + wanted.filter { !before.contains($0) }
    if inverse.isToMany {
      graph.objects[owner]?.toMany[relationship.name] = members
      for member in wanted where !before.contains(member) {
        graph.objects[member]?.toMany[inverse.name, default: []].append(owner)
      }
      for member in left { graph.objects[member]?.toMany[inverse.name]?.removeAll { $0 == owner } }
    } else {
      if isOrdered { graph.objects[owner]?.toMany[relationship.name] = members }
      for member in wanted where !before.contains(member) { graph.objects[member]?.toOne[inverse.name] = owner }
      for member in left {
        if list.orphans == .delete { delete(member) } else { _ = setToOne(member, inverse.name, 0) }
      }
    }
    return isOrdered ? before != members : Set(before) != Set(members)
  }
}

extension EntityImport {
  /// The columns of an element, without those of its lists.
  var columns: [String] {
    (findBy + attributes).map(\.column) + relationships.filter { $0.list == nil }.flatMap(\.target.columns)
  }
}
