import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Compares what a store holds with what a case expects, and says what differs.
struct RowComparison {
  let model: ManagedObjectModel
  let findings: Findings
  /// How many objects that were not expected are shown.
  private static let mostShown = 10

  /// Compares the store at a path; without a file it holds nothing.
  func compare(_ path: String, _ expectation: Expectation) {
    guard access(path, F_OK) == 0 else {
      for group in expectation.rows { compare(group, []) }
      for (entity, count, position) in expectation.objects where count != 0 {
        differ(position, "objects of “\(entity.name)”: none, because there is no store; not \(count)")
      }
      return
    }
    do {
      let coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.addSQLiteStore(at: path)
      defer { try? coordinator.close() }
      let context = ManagedObjectContext(coordinator: coordinator)
      context.retainsRegisteredObjects = true
      for (entity, count, position) in expectation.objects {
        let actual = try context.count(for: FetchRequest(entity.name))
        if actual != count {
          differ(position, "objects of “\(entity.name)”: \(actual), not \(count)")
        }
      }
      for group in expectation.rows { try compare(group, context.fetchAll(group.entity.name)) }
    } catch {
      differ(.file, "the store cannot be read: \(error)")
    }
  }

  private func differ(_ position: SourcePosition, _ message: String, hint: String? = nil) {
    findings.add(.testDiffers, at: position, message, hint: hint)
  }

  private func compare(_ group: Expectation.Rows, _ objects: [ManagedObject]) {
    do throws(ObjectError) {
      let rows = group.rows
      let places = try RowMatch.assign(rows.count, objects.count) { (row, object) throws(ObjectError) in
        try RowMatch.matches(rows[row], objects[object])
      }
      var left = Array(objects.indices)
      let taken = Set(places.compactMap { $0 })
      left.removeAll { taken.contains($0) }
      for (row, place) in zip(rows, places) where place == nil {
        try explain(row, objects, &left)
      }
      guard group.isAll else { return }
      for index in left.prefix(Self.mostShown) {
        differ(
          group.position, "not expected is the “\(group.entity.name)” \(try words(objects[index], group))")
      }
      if left.count > Self.mostShown {
        differ(group.position, "and \(left.count - Self.mostShown) more of “\(group.entity.name)” are not expected")
      }
    } catch {
      differ(group.position, "objects of “\(group.entity.name)” cannot be read: \(error.message)")
    }
  }

  /// Says what keeps a row from being there: the fields in which the nearest object differs, or that there is none.
  private func explain(_ row: ExpectedRow, _ objects: [ManagedObject], _ left: inout [Int]) throws(ObjectError) {
    var best: (index: Int, differing: [ExpectedRow.Field], weight: Int)?
    for index in left {
      var differing: [ExpectedRow.Field] = []
      var weight = 0
      for (place, field) in row.fields.enumerated() {
        if try RowMatch.matches(field, objects[index]) {
          // Keys and what is written first tell objects apart.
          weight += isKey(field, of: row.entity) ? 1_000 : 10
          if place == 0 { weight += 100 }
        } else {
          differing.append(field)
        }
      }
      if weight > best?.weight ?? 0 { best = (index, differing, weight) }
    }
    guard let best else {
      differ(row.position, "there is no “\(row.entity.name)” \(row.summary)")
      return
    }
    left.removeAll { $0 == best.index }
    try explain(
      best.differing, objects[best.index], name: "the “\(row.entity.name)” \(which(row, best.differing))")
  }

  /// Says in which fields an object differs, also in those of the objects that it refers to.
  private func explain(
    _ fields: [ExpectedRow.Field], _ object: ManagedObject, name: String
  ) throws(ObjectError) {
    for field in fields {
      if case .one(_, let wanted?) = field.value, let other = try object.object(forKey: field.name),
        other.entity.isKind(of: wanted.entity)
      {
        var differing: [ExpectedRow.Field] = []
        for inner in wanted.fields where try !RowMatch.matches(inner, other) { differing.append(inner) }
        try explain(differing, other, name: "the “\(field.name)” of \(name)")
        continue
      }
      try differ(
        field.position, "“\(field.name)” of \(name) is \(words(field, of: object)), not \(wanted(field))")
    }
  }

  /// Identifies a row: its keys, or else the first fields in which it does not differ.
  private func which(_ row: ExpectedRow, _ differing: [ExpectedRow.Field]) -> String {
    let same = row.fields.filter { field in !differing.contains { $0.name == field.name } }
    let keys = same.filter { isKey($0, of: row.entity) }
    return ExpectedRow(
      entity: row.entity, fields: keys.isEmpty ? Array(same.prefix(3)) : keys, position: row.position
    ).summary
  }

  private func isKey(_ field: ExpectedRow.Field, of entity: EntityDescription) -> Bool {
    entity.uniquenessConstraints.contains { $0.contains(field.name) }
  }

  private func wanted(_ field: ExpectedRow.Field) -> String {
    switch field.value {
    case .attribute(let attribute, .binary(let text))
    where attribute.type == .binary || attribute.type == .transformable:
      return "“" + String(decoding: text, as: UTF8.self) + "”"
    case .attribute(_, let value): return ValueWords.text(value)
    case .one(_, let row): return row?.summary ?? "null"
    case .many(_, let rows): return "[\(rows.map(\.summary).joined(separator: ", "))]"
    }
  }

  /// The value of an object's property, as far as the expectation names it.
  private func words(_ field: ExpectedRow.Field, of object: ManagedObject) throws(ObjectError) -> String {
    switch field.value {
    case .attribute: return ValueWords.text(try object.value(forKey: field.name))
    case .one(_, let row):
      guard let other = try object.object(forKey: field.name) else { return "null" }
      return try words(other, row?.fields.map(\.name) ?? [])
    case .many(_, let rows):
      var names: [String] = []
      for name in rows.flatMap({ $0.fields.map(\.name) }) where !names.contains(name) { names.append(name) }
      var parts: [String] = []
      for other in try object.objects(forKey: field.name).prefix(20) { parts.append(try words(other, names)) }
      return "[\(parts.joined(separator: ", "))]"
    }
  }

  private func words(_ object: ManagedObject, _ group: Expectation.Rows) throws(ObjectError) -> String {
    var names: [String] = []
    for name in group.rows.flatMap({ $0.fields.map(\.name) }) where !names.contains(name) { names.append(name) }
    return try words(object, names)
  }

  /// An object with these properties, or with its keys and first attributes.
  private func words(_ object: ManagedObject, _ names: [String]) throws(ObjectError) -> String {
    var names = names.filter { object.entity.attribute(named: $0) != nil }
    if names.isEmpty {
      names =
        object.entity.uniquenessConstraints.first { $0.allSatisfy { object.entity.attribute(named: $0) != nil } } ?? []
    }
    if names.isEmpty { names = object.entity.attributes.prefix(6).map(\.name) }
    var parts: [String] = []
    for name in names { parts.append("\(name): \(ValueWords.text(try object.value(forKey: name)))") }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}
