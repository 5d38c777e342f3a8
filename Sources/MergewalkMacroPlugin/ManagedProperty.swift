import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a managed class, as it is declared.
struct ManagedProperty {
  /// An attribute of the model, or a relationship.
  enum Kind: Equatable {
    case attribute
    case toOne
    case toMany(String)
  }

  /// The name in code, with backticks where it has them.
  var name: String
  /// The name in the model.
  var key: String
  var kind = Kind.attribute
  var type: PropertyType
  /// The type as it is written.
  var typeText: String
  /// The value that a new object gets, as it is written.
  var initialValue: String?
  /// The arguments of the marker that the description takes as they are.
  var arguments: [(label: String, value: String)] = []
  var isUnique = false
  var isIndexed = false
  /// `public `, `private ` or nothing.
  var access: String

  /// Whether the value is computed by the store.
  var isDerived: Bool { arguments.contains { $0.label == "derived" && $0.value != "nil" } }
  /// Whether the value is never stored.
  var isTransient: Bool { arguments.contains { $0.label == "transient" && $0.value != "false" } }

  /// Whether a member of a class is a property that the macro writes.
  static func isManaged(_ variable: VariableDeclSyntax) -> Bool {
    let unmanaged: Set<String> = ["static", "class", "lazy", "override"]
    return !variable.modifiers.contains { unmanaged.contains($0.name.text) }
      && attribute("NotManaged", of: variable) == nil && !variable.bindings.contains { isComputed($0) }
  }

  /// Whether a property has accessors other than observers.
  private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
    switch binding.accessorBlock?.accessors {
    case .getter: true
    case .accessors(let list): !list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    case nil: false
    }
  }

  /// An attribute of a declaration by its name.
  static func attribute(_ name: String, of variable: VariableDeclSyntax) -> AttributeSyntax? {
    for case .attribute(let attribute) in variable.attributes
    where attribute.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) == name {
      return attribute
    }
    return nil
  }

  /// Reads a declaration; `nil` when something is wrong with it.
  init?(_ variable: VariableDeclSyntax, _ mistakes: inout Mistakes) {
    let before = mistakes.all.count
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      let fixed = variable.with(
        \.bindingSpecifier,
        .keyword(
          .var, leadingTrivia: variable.bindingSpecifier.leadingTrivia,
          trailingTrivia: variable.bindingSpecifier.trailingTrivia))
      mistakes.add(
        variable.bindingSpecifier, "constant",
        "a property of the model is a variable: write “var”, or @NotManaged before what only this object has",
        [.replace(message: Remedy("write “var”"), oldNode: variable, newNode: fixed)])
    }
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else {
      mistakes.add(variable.bindings, "severalProperties", "write each property of the model on a line of its own")
      return nil
    }
    name = pattern.identifier.text
    key = name.trimmingBackticks
    if let observers = binding.accessorBlock {
      mistakes.add(
        observers, "observers",
        "a property of the model has no observers: override willChangeValue or didChangeValue of the class")
    }
    guard let annotation = binding.typeAnnotation?.type else {
      mistakes.add(
        pattern, "noType", "write the type of “\(key)”, which the model needs, too: “var \(name): String”")
      return nil
    }
    if Self.taken.contains(key) {
      mistakes.add(
        pattern, "takenName",
        "every object has “\(key)” already: name the property otherwise, with @Attribute(name: \"\(key)\") or "
          + "@Relationship(name: \"\(key)\") if the model has that name")
    }
    typeText = annotation.trimmedDescription
    type = PropertyType(annotation, &mistakes)
    access = variable.modifiers.accessText
    readMarkers(variable, annotation, &mistakes)
    if let value = binding.initializer?.value { readInitialValue(value, &mistakes) }
    guard mistakes.all.count == before else { return nil }
  }

  /// The names that ``ManagedObject`` itself has.
  private static let taken: Set<String> = [
    "objectID", "entity", "context", "isValid", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
    "hasPersistentChangedValues", "faultingState", "hashValue", "evaluatedObjectID", "constantValue",
  ]

  private mutating func readMarkers(
    _ variable: VariableDeclSyntax, _ annotation: TypeSyntax, _ mistakes: inout Mistakes
  ) {
    if let named = Self.attribute("Managed", of: variable), let list = named.argumentList, let first = list.first {
      key = first.expression.stringValue ?? key
    }
    if let wrapper = Self.attribute("ManagedRelation", of: variable) {
      mistakes.add(wrapper, "wrapper", "in a class with @Managed write @Relationship(inverse: …) before relationships")
    }
    let attribute = Self.attribute("Attribute", of: variable)
    let relationship = Self.attribute("Relationship", of: variable)
    switch type.kind {
    case .objects(let destination): kind = .toMany(destination)
    case .value: kind = relationship == nil ? .attribute : .toOne
    }
    if kind == .toOne, !type.isOptional {
      mistakes.add(
        annotation, "plainObject",
        "a to-one relationship may refer to nothing, if only until it is set: write “\(typeText)?”, with "
          + "“@Relationship(optional: false)” for one that saves demand",
        [
          .replace(
            message: Remedy("write “\(typeText)?”"), oldNode: annotation,
            newNode: TypeSyntax(stringLiteral: typeText + "?"))
        ])
    }
    if let relationship {
      let destination = if case .toMany(let element) = kind { element } else { type.wrapped }
      if PropertyType.isValue(destination) {
        mistakes.add(
          relationship, "valueRelationship",
          "“\(key)” has values of type \(destination), not objects: remove @Relationship, or write the objects' class"
        )
      }
    }
    if let attribute, kind != .attribute {
      mistakes.add(attribute, "wrongMarker", "“\(key)” is a relationship: write @Relationship in place of @Attribute")
    }
    for argument in (attribute ?? relationship)?.argumentList ?? [] {
      let (label, value) = (argument.label?.text ?? "", argument.expression.trimmedDescription)
      switch label {
      case "name":
        key = value == "nil" ? key : mistakes.name(argument.expression) ?? key
      case "inverse":
        if value != "nil" { _ = mistakes.name(argument.expression) }
        arguments.append((label, value))
      case "derived":
        if argument.expression.stringValue?.allSatisfy(\.isWhitespace) == true {
          mistakes.add(argument.expression, "noExpression", "write the expression, such as \"comments.@count\"")
        }
        arguments.append((label, value))
      case "unique": isUnique = value == "true"
      case "indexed": isIndexed = value == "true"
      default: arguments.append((label, value))
      }
      if ["unique", "indexed", "transient", "ordered"].contains(label), !["true", "false"].contains(value) {
        mistakes.add(argument.expression, "noLiteral", "write true or false: the macro has to read it")
      }
    }
    readBounds(attribute ?? relationship, &mistakes)
    if let ordered = arguments.first(where: { $0.label == "ordered" }), ordered.value == "true", kind == .toOne {
      mistakes.add(
        relationship ?? attribute ?? AttributeSyntax(stringLiteral: "@Relationship"), "orderedToOne",
        "a to-one relationship has no order: remove “ordered: true”")
    }
  }

  /// Numbers between which there is none; 0 is any number of objects.
  private func readBounds(_ marker: AttributeSyntax?, _ mistakes: inout Mistakes) {
    func bound(_ label: String) -> (expression: ExprSyntax, value: Double)? {
      guard let expression = marker?.argumentList?.first(where: { $0.label?.text == label })?.expression,
        let value = Double(expression.trimmedDescription.replacing("_", with: ""))
      else { return nil }
      return (expression, value)
    }
    let (minimum, maximum) = (bound("minimum"), bound("maximum"))
    for bound in [minimum, maximum].compactMap(\.self) where kind != .attribute && bound.value < 0 {
      mistakes.add(bound.expression, "negativeCount", "there cannot be fewer than 0 objects: write 0 or more")
    }
    if let minimum, let maximum, minimum.value > maximum.value, kind == .attribute || maximum.value > 0 {
      mistakes.add(
        minimum.expression, "emptyRange",
        "nothing lies between \(minimum.expression.trimmedDescription) and \(maximum.expression.trimmedDescription): write "
          + "the smaller number as the minimum")
    }
  }

  private mutating func readInitialValue(_ value: ExprSyntax, _ mistakes: inout Mistakes) {
    guard kind == .attribute else {
      mistakes.add(
        value, "initialObject", "a relationship has no default: remove the value and set it in awakeFromInsert()")
      return
    }
    if value.is(NilLiteralExprSyntax.self) { return }
    if isDerived {
      mistakes.add(value, "derivedDefault", "a derived attribute has no default: remove the value")
    } else if value.isConstant {
      initialValue = value.trimmedDescription
    } else {
      mistakes.add(
        value, "computedDefault",
        "a default of the model is a constant, such as 4, \"new\" or .open: set computed values in awakeFromInsert()")
    }
  }
}

extension AttributeSyntax {
  /// The arguments in parentheses.
  var argumentList: LabeledExprListSyntax? { arguments?.as(LabeledExprListSyntax.self) }
}

extension ExprSyntax {
  /// The text of a literal without interpolations.
  var stringValue: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }

  /// Whether it is the same whenever it is looked at: a literal, a negative one or a member such as `.open`.
  var isConstant: Bool {
    if let text = self.as(StringLiteralExprSyntax.self) { return text.representedLiteralValue != nil }
    if let prefix = self.as(PrefixOperatorExprSyntax.self) { return prefix.expression.isConstant }
    if let member = self.as(MemberAccessExprSyntax.self) {
      return member.base.map { $0.is(DeclReferenceExprSyntax.self) || $0.isConstant } ?? true
    }
    return self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
      || self.is(BooleanLiteralExprSyntax.self)
  }
}

extension DeclModifierListSyntax {
  /// The access that what is written beside a declaration has, with a space behind it; nothing for internal.
  var accessText: String {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.text {
      case "public", "open": return "public "
      case "package", "private", "fileprivate": return modifier.name.text + " "
      default: continue
      }
    }
    return ""
  }
}

extension String {
  /// The name between backticks.
  var trimmingBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
  }
}
