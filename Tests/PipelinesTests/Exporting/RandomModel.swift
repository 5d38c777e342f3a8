import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport

/// Models with everything that an export has to bring back: inheritance, every type, every kind of relationship.
struct RandomModel {
  private var generator: SeededGenerator
  private var draft = ModelDraft()

  /// Makes the model that belongs to a seed.
  static func make(seed: UInt64) throws(DiagnosticList) -> ManagedObjectModel {
    var random = RandomModel(generator: SeededGenerator(seed: seed))
    random.build()
    return try ManagedObjectModel(random.draft)
  }

  private init(generator: SeededGenerator) { self.generator = generator }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  private mutating func flag(_ share: Int = 2) -> Bool { number(1...share) == 1 }

  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .date, .string, .uri, .uuid, .binary,
    .transformable,
  ]

  private mutating func build() {
    for root in 0..<number(1...4) {
      addEntity("E\(root)", parent: nil)
      for child in 0..<number(0...2) {
        addEntity("E\(root)C\(child)", parent: "E\(root)")
        if flag(3) { addEntity("E\(root)C\(child)D", parent: "E\(root)C\(child)") }
      }
      // A hierarchy without a concrete entity has no objects to refer to.
      let family = draft.entities.indices.filter { draft.entities[$0].name.hasPrefix("E\(root)") }
      if family.count > 1, flag(3) { draft.entities[family[0]].isAbstract = true }
    }
    for place in 0..<number(2...9) { addRelationship(place) }
  }

  private mutating func addEntity(_ name: String, parent: String?) {
    var entity = EntityDraft(name: name)
    entity.parentName = parent
    entity.isSyncable = true
    var types = Self.types
    types.shuffle(using: &generator)
    for (place, type) in types.prefix(parent == nil ? number(0...13) : number(0...4)).enumerated() {
      var attribute = AttributeDescription(
        name: place == 0 && flag(6) ? "_id" : "\(name.lowercased())a\(place)", type: type)
      if draft.entities.contains(where: { $0.attributes.contains { $0.name == attribute.name } }) { continue }
      attribute.isOptional = !flag(4)
      attribute.allowsExternalBinaryDataStorage = type == .binary && flag()
      if type == .transformable { attribute.valueTransformerName = "NSSecureUnarchiveFromData" }
      if type == .integer32, flag() {
        attribute.defaultValue = .integer(7)
        attribute.defaultValueText = "7"
      }
      entity.attributes.append(attribute)
    }
    draft.entities.append(entity)
  }

  private mutating func addRelationship(_ place: Int) {
    let left = number(0...draft.entities.count - 1)
    let right = number(0...draft.entities.count - 1)
    let (leftName, rightName) = (draft.entities[left].name, draft.entities[right].name)
    var forth = RelationshipDescription(name: "r\(place)", destinationEntityName: rightName)
    var back = RelationshipDescription(name: "s\(place)", destinationEntityName: leftName)
    func setToMany(_ relationship: inout RelationshipDescription) {
      relationship.isToMany = true
      relationship.maxCount = 0
    }
    forth.isOptional = true
    back.isOptional = true
    switch number(0...7) {
    case 0:
      // To-one without an inverse.
      draft.entities[left].relationships.append(forth)
      return
    case 1:
      // To-many without an inverse.
      setToMany(&forth)
      forth.isOrdered = flag()
      draft.entities[left].relationships.append(forth)
      return
    case 2:
      // Its own inverse.
      forth.destinationEntityName = leftName
      forth.inverseName = forth.name
      forth.inverseEntityName = leftName
      if flag() { setToMany(&forth) }
      draft.entities[left].relationships.append(forth)
      return
    case 3:
      // One-to-one.
      break
    case 4, 5:
      // To-one and to-many.
      setToMany(&back)
      back.isOrdered = flag()
      forth.isOptional = !flag(4)
    default:
      setToMany(&forth)
      setToMany(&back)
      forth.isOrdered = flag()
      back.isOrdered = flag()
    }
    forth.inverseName = back.name
    forth.inverseEntityName = rightName
    back.inverseName = forth.name
    back.inverseEntityName = leftName
    draft.entities[left].relationships.append(forth)
    draft.entities[right].relationships.append(back)
  }
}
