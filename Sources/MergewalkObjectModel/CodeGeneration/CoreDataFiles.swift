import MergewalkClassText

/// The two files of a class as Xcode writes them for an app: subclasses of `NSManagedObject` that are compiled on Apple's systems.
struct CoreDataFiles {
  let entity: EntityDescription
  let plan: ClassPlan
  let className: String
  /// The class that stands in code for the objects of an entity.
  let classOf: (_ entityName: String) -> String

  /// The types of values, by module.
  static let typeNames: [String: [String]] = [
    "Swift": ["Bool", "Double", "Float", "Int", "Int16", "Int32", "Int64", "String"],
    "Foundation": [
      "Data", "Date", "NSDecimalNumber", "NSIndexSet", "NSNumber", "NSOrderedSet", "NSSet", "TimeInterval", "URL",
      "UUID",
    ],
  ]

  private var type: String { SwiftNames.escaped(className) }

  /// A type of values, with its module in front when a class of the model has its name.
  private func named(_ name: String) -> String {
    guard plan.owners[name] != nil, let module = Self.typeNames.first(where: { $0.value.contains(name) })?.key else {
      return name
    }
    return "\(module).\(name)"
  }

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
    let hidden = BaseClassNames.objectMembers
    let attributes = own.attributes.filter { !hidden.contains($0.name) }
      .sorted { CodePointOrder.precedes($0.name, $1.name) }
    let relationships = own.relationships.sorted { CodePointOrder.precedes($0.name, $1.name) }
    var text = heading(
      "CoreDataProperties", "Made by `mergewalk model codegen --style coredata`, which overwrites it.")
    text += """

      import Foundation
      import CoreData

      extension \(type) {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<\(type)> {
              return NSFetchRequest<\(type)>(entityName: \(SwiftNames.literal(entity.name)))
          }


      """
    for attribute in attributes {
      text += "    @NSManaged public var \(SwiftNames.escaped(attribute.name)): \(valueType(attribute))\n"
    }
    for relationship in relationships where !hidden.contains(relationship.name) {
      let type =
        relationship.isToMany
        ? named(relationship.isOrdered ? "NSOrderedSet" : "NSSet") : classOf(relationship.destinationEntityName)
      text += "    @NSManaged public var \(SwiftNames.escaped(relationship.name)): \(type)?\n"
    }
    for property in own.fetchedProperties.sorted(by: { CodePointOrder.precedes($0.name, $1.name) })
    where !hidden.contains(property.name) {
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
    let set = named(relationship.isOrdered ? "NSOrderedSet" : "NSSet")
    let (int, indexes) = (named("Int"), named("NSIndexSet"))
    var functions: [(selector: String, declaration: String)] = []
    if relationship.isOrdered {
      functions = [
        ("insertObject:in\(suffix)AtIndex:", "insertInto\(suffix)(_ value: \(value), at idx: \(int))"),
        ("removeObjectFrom\(suffix)AtIndex:", "removeFrom\(suffix)(at idx: \(int))"),
        ("insert\(suffix):atIndexes:", "insertInto\(suffix)(_ values: [\(value)], at indexes: \(indexes))"),
        ("remove\(suffix)AtIndexes:", "removeFrom\(suffix)(at indexes: \(indexes))"),
        ("replaceObjectIn\(suffix)AtIndex:withObject:", "replace\(suffix)(at idx: \(int), with value: \(value))"),
        (
          "replace\(suffix)AtIndexes:with\(suffix):",
          "replace\(suffix)(at indexes: \(indexes), with values: [\(value)])"
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
  private func valueType(_ attribute: AttributeDescription) -> String {
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
    if let scalar, isScalar { return named(scalar) }
    let object: String =
      switch attribute.type {
      case .integer16, .integer32, .integer64, .double, .float, .boolean: named("NSNumber")
      case .decimal: named("NSDecimalNumber")
      case .string: named("String")
      case .date: named("Date")
      case .binary: named("Data")
      case .uuid: named("UUID")
      case .uri: named("URL")
      case .objectID: "NSManagedObjectID"
      case .composite: "[\(named("String")): Any]"
      case .transformable, .undefined:
        SwiftNames.valueClass(attribute.customClassName).flatMap { SwiftNames.mayBeType($0) ? $0 : nil } ?? "NSObject"
      }
    return object + "?"
  }
}
