import MergewalkClassText
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A class with `@Managed`: what its declaration says and what is written for it.
struct ManagedClassText {
  private let name: String
  private let entity: String
  private let access: String
  /// The access of what subclasses override.
  private let overridableAccess: String
  /// The class it inherits from, when that has an entity too.
  private let parent: String?
  private var isAbstract = false
  private var renamedFrom: String?
  private var unique: [String] = []
  private var indexes: [String] = []
  private(set) var properties: [ManagedProperty] = []

  /// Reads a class; `nil` when it is none, or inherits from nothing.
  init?(_ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ mistakes: inout Mistakes) {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      let wrong = declaration.introducer
      mistakes.add(
        wrong, "noClass",
        "@Managed is for classes, because there is one object for each record: write “final class” in place of "
          + "“\(wrong.text)”, and inherit from ManagedObject")
      return nil
    }
    name = type.name.text
    access = type.modifiers.accessText
    overridableAccess = type.modifiers.contains { $0.name.text == "open" } ? "open " : access
    guard let inherited = type.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription else {
      let fixed = type.with(\.name.trailingTrivia, []).with(
        \.inheritanceClause,
        InheritanceClauseSyntax(
          colon: .colonToken(trailingTrivia: .space),
          inheritedTypes: [
            InheritedTypeSyntax(type: TypeSyntax(stringLiteral: "ManagedObject"), trailingTrivia: .space)
          ]))
      mistakes.add(
        type.name, "noParent",
        "a class with @Managed inherits from ManagedObject, which a macro cannot add: write "
          + "“class \(name): ManagedObject”",
        [.replace(message: Remedy("inherit from ManagedObject"), oldNode: type, newNode: fixed)])
      return nil
    }
    parent = inherited.split(separator: ".").last == "ManagedObject" ? nil : inherited
    if let generics = type.genericParameterClause {
      mistakes.add(generics, "generic", "a class with an entity cannot be generic: remove the parameters")
    }
    var entity = name.trimmingBackticks
    for argument in node.argumentList ?? [] {
      switch argument.label?.text {
      case "entity":
        entity = mistakes.name(argument.expression) ?? entity
      case "abstract":
        isAbstract = argument.expression.trimmedDescription == "true"
        if !argument.expression.is(BooleanLiteralExprSyntax.self) {
          mistakes.add(argument.expression, "noLiteral", "write true or false: the macro has to read it")
        }
      case "renamedFrom": renamedFrom = argument.expression.trimmedDescription
      default: break
      }
    }
    self.entity = entity
    for member in type.memberBlock.members {
      if let condition = member.decl.as(IfConfigDeclSyntax.self) { findProperties(in: condition, &mistakes) }
      guard let variable = member.decl.as(VariableDeclSyntax.self), ManagedProperty.isManaged(variable)
      else { continue }
      guard let property = ManagedProperty(variable, &mistakes) else { continue }
      if let other = properties.first(where: { $0.key == property.key }) {
        mistakes.add(
          variable.bindings, "sameName",
          "“\(property.name)” and “\(other.name)” have one name in the model, “\(property.key)”: give one of them another"
        )
      }
      properties.append(property)
    }
    for property in properties {
      if property.isUnique { unique.append("[\(property.key.literal)]") }
      if property.isIndexed { indexes.append("[\(property.key.literal)]") }
    }
    for argument in node.argumentList ?? [] {
      let label = argument.label?.text
      guard label == "unique" || label == "indexes" else { continue }
      let lists = lists(argument.expression, &mistakes)
      if label == "unique" { unique += lists } else { indexes += lists }
    }
  }

  /// Properties of the model are the same however a program is built.
  private func findProperties(in condition: IfConfigDeclSyntax, _ mistakes: inout Mistakes) {
    for case .decls(let members) in condition.clauses.compactMap(\.elements) {
      for variable in members.compactMap({ $0.decl.as(VariableDeclSyntax.self) })
      where ManagedProperty.isManaged(variable) {
        mistakes.add(
          variable.bindings, "conditional",
          "a property of the model must exist in every build: move it out of “#if”, or write @NotManaged before it")
      }
    }
  }

  /// The lists of names in `[["project", "number"]]`, which have to be properties of the class or of one above it.
  private func lists(_ expression: ExprSyntax, _ mistakes: inout Mistakes) -> [String] {
    guard let outer = expression.as(ArrayExprSyntax.self) else {
      mistakes.add(expression, "noLiteral", "write the lists of names here: [[\"project\", \"number\"]]")
      return []
    }
    return outer.elements.compactMap { element in
      guard let inner = element.expression.as(ArrayExprSyntax.self) else {
        mistakes.add(element.expression, "noLiteral", "write a list of names: [\"project\", \"number\"]")
        return nil
      }
      if inner.elements.isEmpty {
        mistakes.add(inner, "noNames", "name at least one property: [\"project\", \"number\"]")
      }
      for name in inner.elements {
        guard let text = name.expression.stringValue else {
          mistakes.add(name.expression, "noLiteral", "write the name as a text: the macro has to read it")
          continue
        }
        // What a class above has is not seen from here; the check of the model finds what neither has.
        if parent == nil, !properties.contains(where: { $0.key == text }), mistakes.all.isEmpty {
          mistakes.add(
            name.expression, "unknownProperty",
            "\(self.name) has no property “\(text)”; it has \(properties.map(\.key).sorted().joined(separator: ", "))")
        }
      }
      return inner.trimmedDescription
    }
  }

  /// The members that are written into the class.
  var members: [DeclSyntax] {
    [nameMember, entityMember, requestMember] + [slots].compactMap(\.self) + properties.compactMap(key)
      + properties.flatMap(functions)
  }

  private var nameMember: DeclSyntax {
    """
    \(raw: parent == nil ? "" : "override ")\(raw: overridableAccess)class var managedEntityName: String { \
    \(raw: entity.literal) }
    """
  }

  private var entityMember: DeclSyntax {
    var lines = ["\(entity.literal), className: \(name.trimmingBackticks.literal)"]
    if let parent { lines.append("parent: \(parent).managedEntityName") }
    if isAbstract { lines.append("isAbstract: true") }
    let list = properties.map { "    " + description(of: $0) }.joined(separator: ",\n")
    lines.append(properties.isEmpty ? "[]" : "[\n\(list),\n  ]")
    if !unique.isEmpty { lines.append("unique: [\(unique.joined(separator: ", "))]") }
    if !indexes.isEmpty { lines.append("indexes: [\(indexes.joined(separator: ", "))]") }
    if let renamedFrom { lines.append("renamedFrom: \(renamedFrom)") }
    return """
      \(raw: parent == nil ? "" : "override ")\(raw: overridableAccess)class var managedEntity: EntityDraft {
        EntityDraft(\(raw: lines.joined(separator: ", ")))
      }
      """
  }

  /// The property as the model describes it.
  private func description(of property: ManagedProperty) -> String {
    var arguments = property.arguments.filter { $0.value != "nil" }
    func take(_ label: String) -> String? {
      arguments.firstIndex { $0.label == label }.map { arguments.remove(at: $0).value }
    }
    let key = property.key.literal
    switch property.kind {
    case .attribute:
      var parts = [key, "\(property.typeText.parenthesised).self"]
      func move(_ label: String) { if let value = take(label) { parts.append("\(label): \(value)") } }
      move("type")
      move("optional")
      if let value = property.initialValue { parts.append("default: (\(value) as \(property.typeText))") }
      for label in ["transient", "derived", "minimum", "maximum", "pattern", "external", "renamedFrom"] { move(label) }
      return ".attribute(\(parts.joined(separator: ", ")))"
    case .toOne, .toMany:
      var destination = property.type.wrapped
      var function = "toOne"
      if case .toMany(let element) = property.kind { (destination, function) = (element, "toMany") }
      var parts = [key, "\(destination).managedEntityName", "inverse: \(take("inverse") ?? "nil")"]
      parts.append("isOptional: \(take("optional") ?? "true")")
      let (ordered, minimum, maximum) = (take("ordered"), take("minimum"), take("maximum"))
      if function == "toMany" {
        if let ordered { parts.append("isOrdered: \(ordered)") }
        if let minimum { parts.append("minimum: \(minimum)") }
        if let maximum { parts.append("maximum: \(maximum)") }
      }
      if let rule = take("deleteRule") { parts.append("deleteRule: \(rule)") }
      if let old = take("renamedFrom") { parts.append("renamedFrom: \(old)") }
      return ".\(function)(\(parts.joined(separator: ", ")))"
    }
  }

  private var requestMember: DeclSyntax {
    """
    /// A request for all objects of “\(raw: entity)”.
    \(raw: access)class func fetchRequest(_ type: \(raw: name).Type = \(raw: name).self) -> TypedFetchRequest<\(raw: name)> {
      TypedFetchRequest(\(raw: entity.literal))
    }
    """
  }

  /// The name of the type with the places of the properties.
  static func slotsName(_ className: String) -> String { className.trimmingBackticks + "Slots" }

  /// Where the accessors find their properties: looked up once, not at each use.
  private var slots: DeclSyntax? {
    guard !properties.isEmpty else { return nil }
    let lines = properties.map { "  static let \($0.name) = PropertySlot(\($0.key.literal))" }
    return """
      private enum \(raw: Self.slotsName(name)) {
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  /// The key of a property in typed queries.
  private func key(_ property: ManagedProperty) -> DeclSyntax? {
    // The store has no values of these.
    if property.isTransient { return nil }
    let type =
      switch property.kind {
      case .attribute: "AttributeKey<\(property.typeText)>"
      case .toOne: "ToOneKey<\(property.type.wrapped)>"
      case .toMany(let destination): "ToManyKey<\(destination)>"
      }
    let function = type.prefix { $0 != "<" }
    return """
      \(raw: property.access)static var \(raw: property.name): \(raw: type) { \
      \(raw: function)(\(raw: property.key.literal)) }
      """
  }

  /// The functions that change a to-many relationship.
  private func functions(_ property: ManagedProperty) -> [DeclSyntax] {
    guard case .toMany(let destination) = property.kind else { return [] }
    let isOrdered = property.arguments.contains { $0.label == "ordered" && $0.value == "true" }
    let functions = ToManyFunctions(
      of: "self." + property.name, suffix: ClassNames.capitalised(property.name.trimmingBackticks),
      destination: destination, isOrdered: isOrdered)
    return functions.all.map { function in
      """
      /// \(raw: function.summary)
      \(raw: property.access)func \(raw: function.declaration) {
        \(raw: function.statement)
      }
      """
    }
  }
}

extension String {
  /// The text as a literal.
  var literal: String { "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }

  /// A type that `.self` can follow: `String?` becomes `(String?)`.
  var parenthesised: String { hasSuffix("?") ? "(\(self))" : self }
}
