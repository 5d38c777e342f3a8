/// The Swift types that generated code gives the model's values.
///
/// A class of the model may have the name of such a type; the type is then written with its module in front.
struct SwiftTypes {
  /// The names of all classes of the model.
  let classNames: Set<String>
  /// The modules whose types stand in public declarations of the file that is being written.
  private(set) var modules: Set<String> = []

  /// The types that generated code may name, by module.
  static let typeNames: [String: [String]] = [
    "Swift": ["Array", "Bool", "Double", "Float", "Int", "Int16", "Int32", "Int64", "Sequence", "String", "UInt8"],
    "MergewalkObjectContext": [
      "AttributeKey", "PropertySlot", "ManagedObject", "ObjectKeys", "RelatedObjects", "ToManyKey", "ToOneKey",
      "TypedFetchRequest",
    ],
    "MergewalkObjectModel": [
      "AttributeValue", "ConstantValue", "DecimalNumber", "FetchRequest", "ManagedObjectID", "ManagedValue",
      "ObjectPredicate", "PredicateError", "Timestamp", "UniqueID",
    ],
  ]

  /// Forgets the modules of the file before.
  mutating func beginFile() { modules = ["MergewalkObjectContext"] }

  mutating func type(_ name: String, in module: String) -> String {
    if module != "Swift" { modules.insert(module) }
    return classNames.contains(name) ? "\(module).\(name)" : name
  }

  /// The type of an attribute's values, without the question mark.
  mutating func value(_ attribute: AttributeDescription) -> String {
    switch attribute.type {
    case .integer16: type("Int16", in: "Swift")
    case .integer32: type("Int32", in: "Swift")
    case .integer64: type("Int64", in: "Swift")
    case .double: type("Double", in: "Swift")
    case .float: type("Float", in: "Swift")
    case .boolean: type("Bool", in: "Swift")
    case .string, .uri: type("String", in: "Swift")
    case .decimal: type("DecimalNumber", in: "MergewalkObjectModel")
    case .date: type("Timestamp", in: "MergewalkObjectModel")
    case .uuid: type("UniqueID", in: "MergewalkObjectModel")
    case .objectID: type("ManagedObjectID", in: "MergewalkObjectModel")
    case .binary: "[\(type("UInt8", in: "Swift"))]"
    case .transformable, .undefined:
      if let custom = SwiftNames.valueClass(attribute.customClassName), SwiftNames.isIdentifier(custom) {
        custom
      } else if attribute.type == .transformable {
        "[\(type("UInt8", in: "Swift"))]"
      } else {
        type("AttributeValue", in: "MergewalkObjectModel")
      }
    // Nothing says what its elements are, so it is not stored.
    case .composite: type("AttributeValue", in: "MergewalkObjectModel")
    }
  }

  /// Whether generated code leaves the question mark out: numbers and truth values that objects must have.
  ///
  /// Xcode leaves it out for all scalars, so that no value reads as 0; here an optional attribute stays optional.
  static func isPlain(_ attribute: AttributeDescription) -> Bool {
    guard !attribute.isOptional, !attribute.isDerived, attribute.usesScalarValueType != false else { return false }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: return true
    default: return false
    }
  }
}
