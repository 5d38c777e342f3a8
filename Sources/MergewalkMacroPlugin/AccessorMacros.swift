public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@ManagedAccessors`, which `@Managed` adds to the properties of its class.
public struct AccessorsMacro: AccessorMacro {
  /// Generates the accessors.
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    var mistakes = Mistakes()
    guard let variable = declaration.as(VariableDeclSyntax.self), let property = ManagedProperty(variable, &mistakes),
      let slots = node.argumentList?.first?.expression.stringValue
    else { return [] }
    let slot = "\(slots).\(property.name)"
    switch property.kind {
    case .attribute where property.isDerived: return ["get { self.get(\(raw: slot)) }"]
    case .attribute: return ["get { self.get(\(raw: slot)) }", "set { self.set(\(raw: slot), newValue) }"]
    case .toOne: return ["get { self.related(\(raw: slot)) }", "set { self.setRelated(\(raw: slot), newValue) }"]
    case .toMany: return ["get { self.relatedObjects(\(raw: slot)) }"]
    }
  }
}

/// `@Managed("name")` before a property: the accessors of the attribute with that name, like those of the property
/// wrapper.
public struct ManagedPropertyMacro: AccessorMacro {
  /// Generates the accessors.
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let argument = node.argumentList?.first?.expression else { return [] }
    guard let key = argument.stringValue else {
      var mistakes = Mistakes()
      mistakes.add(argument, "noLiteral", "write the name as a text: the macro has to read it")
      mistakes.show(in: context)
      return []
    }
    return ["get { self.get(\(raw: key.literal)) }", "set { self.set(\(raw: key.literal), newValue) }"]
  }
}

/// `@Attribute`, `@Relationship`, `@NotManaged`: generate nothing; `@Managed` of the class reads them.
public struct MarkerMacro: PeerMacro {
  /// Generates nothing, and reports markers that have no effect.
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let name = node.attributeName.trimmedDescription
    var mistakes = Mistakes()
    if !declaration.is(VariableDeclSyntax.self) {
      mistakes.add(node, "misplaced", "@\(name) is for properties: remove it here")
    } else if !isInManagedClass(context) {
      mistakes.add(
        node, "misplaced", "@\(name) means something in classes with @Managed only: write @Managed before the class")
    }
    if name != "NotManaged", let variable = declaration.as(VariableDeclSyntax.self),
      ManagedProperty.attribute("NotManaged", of: variable) != nil
    {
      mistakes.add(
        node, "contradiction", "@NotManaged leaves the property out of the model: take @\(name) away, or @NotManaged")
    }
    mistakes.show(in: context)
    return []
  }

  private static func isInManagedClass(_ context: some MacroExpansionContext) -> Bool {
    guard let type = context.lexicalContext.first?.as(ClassDeclSyntax.self) else { return false }
    for case .attribute(let attribute) in type.attributes
    where attribute.attributeName.trimmedDescription.split(separator: ".").last == "Managed" {
      return true
    }
    return false
  }
}
