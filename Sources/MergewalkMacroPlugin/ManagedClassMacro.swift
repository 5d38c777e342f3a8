import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Managed` before a class: generates its entity, keys, request and accessors.
public struct ManagedClassMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
  /// Generates the entity, the keys and the methods that change relationships.
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var mistakes = Mistakes()
    let text = ManagedClassText(declaration, node, &mistakes)
    // All mistakes are shown here, and once: the other roles leave out what is wrong.
    mistakes.show(in: context)
    return text?.members ?? []
  }

  /// Adds accessors to each property of the model.
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    var mistakes = Mistakes()
    guard let type = declaration.as(ClassDeclSyntax.self), type.inheritanceClause != nil,
      let variable = member.as(VariableDeclSyntax.self), ManagedProperty.isManaged(variable),
      ManagedProperty.attribute("Managed", of: variable) == nil, ManagedProperty(variable, &mistakes) != nil,
      // Those within “#if” are a mistake, and have no place.
      type.memberBlock.members.contains(where: {
        $0.decl.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription
          == variable.bindings.first?.pattern.trimmedDescription
      })
    else { return [] }
    return ["@ManagedAccessors(\(literal: ManagedClassText.slotsName(type.name.text)))"]
  }

  /// Adds the conformance of a class with an entity, unless its superclass has it.
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    var mistakes = Mistakes()
    guard !protocols.isEmpty, ManagedClassText(declaration, node, &mistakes) != nil else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): ManagedClass {}")]
  }
}
