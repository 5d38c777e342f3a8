import MergewalkClassText

/// The two files of a class as Xcode writes them for an app: subclasses of `NSManagedObject` that are compiled on Apple's systems.
struct CoreDataFiles {
  let entity: EntityDescription
  let plan: ClassPlan
  let className: String
  /// The class that stands in code for the objects of an entity.
  let classOf: (_ entityName: String) -> String

  private var type: String { SwiftNames.escaped(className) }

  /// `Name+CoreDataClass.swift`.
  func classFile(superclass: String?) -> String {
    """
    \(heading("CoreDataClass", "Made once by `mergewalk model codegen --style coredata`; it is yours."))
    import Foundation
    import CoreData

    @objc(\(className))
    public class \(type): \(superclass.map(SwiftNames.escaped) ?? "NSManagedObject") {

    }

    """
  }

  /// `Name+CoreDataProperties.swift`.
  func propertiesFile() -> String {
    let own = entity.declaration
    let attributes = own.attributes.sorted { CodePointOrder.precedes($0.name, $1.name) }
    let relationships = own.relationships.sorted { CodePointOrder.precedes($0.name, $1.name) }
    var text = heading(
      "CoreDataProperties", "Made by `mergewalk model codegen --style coredata`, which writes it anew.")
    text += """

      import Foundation
      import CoreData

      extension \(type) {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<\(type)> {
              return NSFetchRequest<\(type)>(entityName: \(SwiftNames.literal(entity.name)))
          }


      """
    for attribute in attributes {
      text += "    @NSManaged public var \(SwiftNames.escaped(attribute.name)): \(Self.type(attribute))\n"
    }
    for relationship in relationships {
      let type =
        relationship.isToMany
        ? (relationship.isOrdered ? "NSOrderedSet" : "NSSet") : classOf(relationship.destinationEntityName)
      text += "    @NSManaged public var \(SwiftNames.escaped(relationship.name)): \(type)?\n"
    }
    for property in own.fetchedProperties.sorted(by: { CodePointOrder.precedes($0.name, $1.name) }) {
      let type = classOf(property.fetchRequest.entityName)
      text += "    @NSManaged public var \(SwiftNames.escaped(property.name)): [\(type)]\n"
    }
    text += "\n}\n"
    for relationship in relationships where relationship.isToMany { text += accessors(relationship) }
    return text + "\nextension \(type) : Identifiable {\n\n}\n"
  }

  private func heading(_ kind: String, _ note: String) -> String {
    """
    //
    //  \(className)+\(kind).swift
    //
    //  \(note)
    //
    // swift-format-ignore-file

    """
  }

  /// The functions that Core Data makes for a to-many relationship while the app runs.
  private func accessors(_ relationship: RelationshipDescription) -> String {
    let suffix = ClassNames.capitalised(relationship.name)
    let value = classOf(relationship.destinationEntityName)
    let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
    var functions: [(selector: String, declaration: String)] = []
    if relationship.isOrdered {
      functions = [
        ("insertObject:in\(suffix)AtIndex:", "insertInto\(suffix)(_ value: \(value), at idx: Int)"),
        ("removeObjectFrom\(suffix)AtIndex:", "removeFrom\(suffix)(at idx: Int)"),
        ("insert\(suffix):atIndexes:", "insertInto\(suffix)(_ values: [\(value)], at indexes: NSIndexSet)"),
        ("remove\(suffix)AtIndexes:", "removeFrom\(suffix)(at indexes: NSIndexSet)"),
        ("replaceObjectIn\(suffix)AtIndex:withObject:", "replace\(suffix)(at idx: Int, with value: \(value))"),
        (
          "replace\(suffix)AtIndexes:with\(suffix):",
          "replace\(suffix)(at indexes: NSIndexSet, with values: [\(value)])"
        ),
      ]
    }
    functions += [
      ("add\(suffix)Object:", "addTo\(suffix)(_ value: \(value))"),
      ("remove\(suffix)Object:", "removeFrom\(suffix)(_ value: \(value))"),
      ("add\(suffix):", "addTo\(suffix)(_ values: \(set))"),
      ("remove\(suffix):", "removeFrom\(suffix)(_ values: \(set))"),
    ]
    let lines = functions.map { "    @objc(\($0.selector))\n    @NSManaged public func \($0.declaration)\n" }
    return "\n// MARK: Generated accessors for \(relationship.name)\nextension \(type) {\n\n"
      + lines.joined(separator: "\n") + "\n}\n"
  }

  /// The type of an attribute, as Xcode chooses it.
  private static func type(_ attribute: AttributeDescription) -> String {
    let isScalar = attribute.usesScalarValueType != false
    let scalar: String? =
      switch attribute.type {
      case .integer16: "Int16"
      case .integer32: "Int32"
      case .integer64: "Int64"
      case .double: "Double"
      case .float: "Float"
      case .boolean: "Bool"
      // Only when the model says so: without a word of it Xcode takes Date.
      case .date where attribute.usesScalarValueType == true: "TimeInterval"
      default: nil
      }
    if let scalar, isScalar { return scalar }
    let object: String =
      switch attribute.type {
      case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
      case .decimal: "NSDecimalNumber"
      case .string: "String"
      case .date: "Date"
      case .binary: "Data"
      case .uuid: "UUID"
      case .uri: "URL"
      case .objectID: "NSManagedObjectID"
      case .composite: "[String: Any]"
      case .transformable, .undefined: attribute.customClassName ?? "NSObject"
      }
    return object + "?"
  }
}
