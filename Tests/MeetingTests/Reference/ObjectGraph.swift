import MergewalkObjectModel

/// Objects and what they refer to, from a store or from the reference importer.
struct ObjectGraph {
  struct Object {
    var entity: String
    var attributes: [String: ReferenceValue] = [:]
    /// To-one relationships that lead somewhere.
    var toOne: [String: Int] = [:]
    /// To-many relationships whose members are not told by their own to-one relationships, or that have an order.
    var toMany: [String: [Int]] = [:]
  }

  /// The objects by numbers that mean nothing.
  var objects: [Int: Object] = [:]
  private var last = 0

  /// Adds an object and returns its number.
  mutating func add(_ object: Object) -> Int {
    last += 1
    objects[last] = object
    return last
  }

  /// Takes an object out; nothing refers to it any more.
  mutating func remove(_ number: Int) {
    objects[number] = nil
    for other in objects.keys {
      for (name, target) in objects[other]?.toOne ?? [:] where target == number { objects[other]?.toOne[name] = nil }
      for (name, members) in objects[other]?.toMany ?? [:] where members.contains(number) {
        objects[other]?.toMany[name] = members.filter { $0 != number }
      }
    }
  }

  /// Computes the attributes that a store derives from others.
  mutating func derive() {
    for (number, object) in objects {
      if case .text(let bytes)? = object.attributes["label"], object.attributes["loud"] != nil {
        objects[number]?.attributes["loud"] = ReferenceValue(text: String(decoding: bytes, as: UTF8.self).uppercased())
      }
      if object.attributes["ownerName"] != nil {
        let owner = object.toOne["owner"].flatMap { objects[$0] }
        objects[number]?.attributes["ownerName"] = owner?.attributes["email"] ?? .null
      }
      guard object.attributes["itemCount"] != nil else { continue }
      let items = objects.values.filter { $0.toOne["owner"] == number }
      let amounts = items.map { item in
        if case .integer(let amount)? = item.attributes["amount"] { amount } else { Int64(0) }
      }
      objects[number]?.attributes["itemCount"] = .integer(Int64(items.count))
      objects[number]?.attributes["itemSum"] = .integer(amounts.reduce(0, +))
    }
  }

  /// One line for each object, sorted: its values, and what it refers to by name.
  ///
  /// - Parameters:
  ///   - keys: the attributes that name the objects of an entity.
  ///   - owners: the relationship that names the objects of an entity, too.
  func dump(_ model: ManagedObjectModel, keys: [String: [String]], owners: [String: String] = [:]) -> [String] {
    func name(_ number: Int) -> String {
      guard let object = objects[number] else { return "DANGLING" }
      let root = model.entity(named: object.entity).map { model.entities[$0.rootIndex].name } ?? object.entity
      var parts = (keys[root] ?? []).map { (object.attributes[$0] ?? .null).description }
      if let owner = owners[root] { parts.append(object.toOne[owner].map(name) ?? "nobody") }
      return "(" + parts.joined(separator: ",") + ")"
    }
    return objects.values.map { object in
      var parts = object.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      parts += object.toOne.sorted { $0.key < $1.key }.map { "\($0.key)→\(name($0.value))" }
      for (relationship, members) in object.toMany.sorted(by: { $0.key < $1.key }) where !members.isEmpty {
        let isOrdered = model.entity(named: object.entity)?.relationship(named: relationship)?.isOrdered ?? false
        let names = members.map(name)
        parts.append("\(relationship)→[\((isOrdered ? names : names.sorted()).joined(separator: " "))]")
      }
      return "\(object.entity): " + parts.joined(separator: " ")
    }.sorted()
  }
}
