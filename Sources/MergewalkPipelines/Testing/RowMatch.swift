import MergewalkBytes
import MergewalkObjectContext
import MergewalkObjectModel

/// Compares objects with rows of files with tests.
enum RowMatch {
  /// Whether an object has everything that a row says.
  static func matches(_ row: ExpectedRow, _ object: ManagedObject) throws(ObjectError) -> Bool {
    guard object.entity.isKind(of: row.entity) else { return false }
    for field in row.fields {
      if try !matches(field, object) { return false }
    }
    return true
  }

  /// Whether an object's property holds what a field says.
  static func matches(_ field: ExpectedRow.Field, _ object: ManagedObject) throws(ObjectError) -> Bool {
    switch field.value {
    case .attribute(let attribute, let wanted):
      let value = try object.value(forKey: field.name)
      guard attribute.type == .binary || attribute.type == .transformable else { return isSame(value, wanted) }
      // Bytes are written in base64.
      guard case .binary(let bytes) = value, case .binary(let text) = wanted else { return value == wanted }
      return Array(Base64.text(bytes).utf8) == text
    case .one(_, let row):
      guard let other = try object.object(forKey: field.name) else { return row == nil }
      guard let row else { return false }
      return try matches(row, other)
    case .many(let relationship, let rows):
      let others = try object.objects(forKey: field.name)
      guard others.count == rows.count else { return false }
      guard relationship.isOrdered else {
        return try assign(rows.count, others.count) { (row, other) throws(ObjectError) in
          try matches(rows[row], others[other])
        }.allSatisfy { $0 != nil }
      }
      for (row, other) in zip(rows, others) {
        if try !matches(row, other) { return false }
      }
      return true
    }
  }

  /// Numbers of different types may be the same.
  private static func isSame(_ value: AttributeValue, _ wanted: AttributeValue) -> Bool {
    switch (value, wanted) {
    case (.decimal(let left), .decimal(let right)): left == right || left.description == right.description
    default: value == wanted
    }
  }

  /// Gives as many rows as possible an object of their own that fits.
  ///
  /// Rows that say little fit many objects; a row that finds all of its own taken makes another one look further
  /// (Kuhn's algorithm for matchings in bipartite graphs).
  ///
  /// - Returns: for each row the place of its object.
  /// - Complexity: O(rows × objects) comparisons, and at worst that times the rows in look-ups.
  static func assign<Failure: Error>(
    _ rows: Int, _ objects: Int, _ fits: (Int, Int) throws(Failure) -> Bool
  ) throws(Failure) -> [Int?] {
    var candidates: [[Int]] = []
    for row in 0..<rows {
      var list: [Int] = []
      for object in 0..<objects {
        if try fits(row, object) { list.append(object) }
      }
      candidates.append(list)
    }
    var owners: [Int?] = Array(repeating: nil, count: objects)
    for start in 0..<rows {
      // A breadth-first search for a way to a free object, without recursion.
      var reachedFrom: [Int: Int] = [:]
      var queue = [start]
      var free: Int?
      var next = 0
      while next < queue.count, free == nil {
        let row = queue[next]
        next += 1
        for object in candidates[row] where reachedFrom[object] == nil {
          reachedFrom[object] = row
          guard let owner = owners[object] else {
            free = object
            break
          }
          queue.append(owner)
        }
      }
      while let object = free, let row = reachedFrom[object] {
        free = row == start ? nil : owners.firstIndex(of: row)
        owners[object] = row
      }
    }
    var result: [Int?] = Array(repeating: nil, count: rows)
    for (object, owner) in owners.enumerated() {
      if let owner { result[owner] = object }
    }
    return result
  }
}
