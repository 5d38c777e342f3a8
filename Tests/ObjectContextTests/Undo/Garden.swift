import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// A context with an undo manager on a store with all kinds of relationships and delete rules.
final class Garden {
  let place: Workplace
  let manager = UndoManager()
  var context: ManagedObjectContext { place.context }
  private var number = 0

  init() throws {
    place = try Workplace(try Garden.model())
    place.context.undoManager = manager
  }

  static func model() throws -> ManagedObjectModel {
    func ruled(_ relationship: RelationshipDescription, _ rule: DeleteRule) -> RelationshipDescription {
      var relationship = relationship
      relationship.deleteRule = rule
      return relationship
    }
    var mood = Models.attribute("mood", .string)
    mood.isTransient = true
    let name = Models.attribute("name", .string, optional: false)
    return try Models.model(
      Models.entity(
        "Node",
        attributes: [
          name, Models.attribute("text", .string), Models.attribute("number", .integer64),
          Models.attribute("data", .binary), mood,
        ],
        relationships: [
          Models.toOne("parent", "Node", inverse: "children"),
          ruled(Models.toMany("children", "Node", inverse: "parent"), .cascade),
          Models.toOne("partner", "Node", inverse: "partner"),
          Models.toOne("bed", "Bed", inverse: "nodes"),
          Models.toMany("friends", "Node", inverse: "friends"),
          Models.toMany("tags", "Tag", inverse: "nodes", ordered: true),
          ruled(Models.toMany("notes", "Note"), .cascade),
        ]),
      Models.entity("Tree", parent: "Node", attributes: [Models.attribute("height", .double)]),
      Models.entity(
        "Bed", attributes: [name], relationships: [Models.toMany("nodes", "Node", inverse: "bed", ordered: true)]),
      Models.entity(
        "Tag", attributes: [name],
        relationships: [ruled(Models.toMany("nodes", "Node", inverse: "tags", ordered: true), .deny)]),
      Models.entity("Note", attributes: [name]))
  }

  /// A new object with a name of its own.
  @discardableResult
  func insert(_ entity: String) throws -> ManagedObject {
    let object = try context.insert(entity)
    number += 1
    try object.setValue(.string("\(entity.lowercased()) \(number)"), forKey: "name")
    return object
  }

  /// Everything that can be asked, as text: one line an object, objects by name.
  func contents() throws -> [String] {
    var lines: [String] = []
    for kind in ["Node", "Bed", "Tag", "Note"] {
      for object in try context.fetchAll(kind) {
        var line = "\(try object.value(forKey: "name")) \(object.entity.name):"
        for attribute in object.entity.attributes where attribute.name != "name" {
          line += " \(attribute.name)=\(try object.value(forKey: attribute.name))"
        }
        for relationship in object.entity.relationships {
          var others: [ManagedObject] = []
          if relationship.isToMany {
            others = try object.objects(forKey: relationship.name)
          } else if let other = try object.object(forKey: relationship.name) {
            others = [other]
          }
          var names = try others.map { "\(try $0.value(forKey: "name"))" }
          if !relationship.isOrdered { names.sort() }
          line += " \(relationship.name)=\(names)"
        }
        lines.append(line)
      }
    }
    return lines.sorted()
  }
}
