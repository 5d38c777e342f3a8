import SwiftSyntax
import SwiftSyntaxBuilder

/// The parts of a property's type.
struct PropertyType {
  /// The kind of a property's values.
  enum Kind: Equatable {
    /// A value, or the object of a to-one relationship, which a marker tells apart.
    case value
    /// The objects of a to-many relationship, by their class.
    case objects(String)
  }

  var kind = Kind.value
  /// The type as it is written, without the question mark.
  var wrapped: String
  /// Whether there is a question mark.
  var isOptional = false

  /// Reads a type, or says what no attribute and no relationship has.
  init(_ type: TypeSyntax, _ mistakes: inout Mistakes) {
    var inner = type
    while let element = Self.wrappedType(inner) {
      if isOptional {
        mistakes.add(type, "nestedOptional", "“\(type.trimmedDescription)” is optional twice; write one question mark")
        break
      }
      isOptional = true
      inner = element
    }
    wrapped = inner.trimmedDescription
    if let problem = Self.problem(inner) {
      mistakes.add(type, "unsupportedType", "“\(type.trimmedDescription)” is not an attribute type; \(problem)")
      return
    }
    guard let (name, argument) = Self.generic(inner), name == "RelatedObjects", let argument else { return }
    kind = .objects(argument)
    if isOptional {
      mistakes.add(
        type, "optionalObjects", "a to-many relationship is never nil; write “\(wrapped)” without the question mark")
    }
  }

  /// Whether a type is known to be one of values.
  static func isValue(_ name: String) -> Bool {
    let name = name.split(separator: ".").last.map(String.init) ?? name
    return [
      "String", "Int", "Int16", "Int32", "Int64", "Double", "Float", "Bool", "Timestamp", "DecimalNumber", "UniqueID",
      "Date",
      "Decimal", "UUID", "Data", "URL", "[UInt8]",
    ].contains(name)
  }

  /// The type within `T?` or `Optional<T>`.
  private static func wrappedType(_ type: TypeSyntax) -> TypeSyntax? {
    if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    guard let (name, argument) = generic(type), name == "Optional", let argument else { return nil }
    return TypeSyntax(stringLiteral: argument)
  }

  /// The last name of a type and its only generic argument.
  private static func generic(_ type: TypeSyntax) -> (name: String, argument: String?)? {
    let clause: GenericArgumentClauseSyntax?
    let name: String
    if let simple = type.as(IdentifierTypeSyntax.self) {
      (name, clause) = (simple.name.text, simple.genericArgumentClause)
    } else if let member = type.as(MemberTypeSyntax.self) {
      (name, clause) = (member.name.text, member.genericArgumentClause)
    } else {
      return nil
    }
    guard let arguments = clause?.arguments, arguments.count == 1 else { return (name, nil) }
    return (name, arguments.first?.argument.trimmedDescription)
  }

  /// Why no attribute has a type, and what to write; `nil` when it may have it.
  private static func problem(_ type: TypeSyntax) -> String? {
    let memory = "for a property of the object in memory write @NotManaged before it"
    func objects(_ element: String) -> String {
      "for a to-many relationship write “RelatedObjects<\(element)>”, \(memory)"
    }
    if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "write a question mark for an optional attribute" }
    if let array = type.as(ArrayTypeSyntax.self) {
      let element = array.element.trimmedDescription
      return element == "UInt8" ? nil : objects(element)
    }
    if type.is(DictionaryTypeSyntax.self) || type.is(TupleTypeSyntax.self) {
      return "write a type of your own that is a ManagedValue; \(memory)"
    }
    if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) || type.is(SomeOrAnyTypeSyntax.self)
      || type.is(CompositionTypeSyntax.self) || type.is(MetatypeTypeSyntax.self)
    {
      return memory
    }
    guard let (name, argument) = generic(type) else { return nil }
    switch name {
    case "Set", "NSSet", "NSOrderedSet", "NSArray": return objects(argument ?? "Element")
    case "Array": return argument == "UInt8" ? nil : objects(argument ?? "Element")
    case "Dictionary", "NSDictionary": return "write a type of your own that is a ManagedValue; \(memory)"
    case "Any", "AnyObject", "Void", "Never": return memory
    case "Self": return "write the name of the class"
    case "Int8", "UInt8": return "write Int16"
    case "UInt16": return "write Int32"
    case "UInt32", "UInt", "UInt64": return "write Int64"
    case "Character", "Substring", "NSString": return "write String"
    case "NSNumber": return "write Int64, Double or Bool"
    case "NSDate": return "write Date"
    case "NSDecimalNumber": return "write Decimal"
    case "NSData": return "write Data"
    default: return nil
    }
  }
}
