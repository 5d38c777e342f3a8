// One import for classes that are their own model.

@_exported public import MergewalkObjects

/// Makes a class part of a model: generates accessors, typed keys, a fetch request and the entity.
///
/// ```swift
/// @Managed(unique: [["project", "number"]]) final class Issue: ManagedObject {
///   var title: String
///   var number: Int32
///   var points: Int16 = 1
///   var closedAt: Date?
///   @Relationship(inverse: "issues") var project: Project?
///   @Relationship(inverse: "issue", deleteRule: .cascade) var comments: RelatedObjects<Comment>
/// }
/// ```
///
/// Each stored `var` is a property of the model. It is optional in the model if it is in Swift; its initial value is
/// the default. Computed and static properties and those with `@NotManaged` are left alone. A class that inherits from
/// another one with `@Managed` is a subentity.
///
/// - Parameters:
///   - entity: The entity's name; by default that of the class.
///   - abstract: Whether the entity has no objects of its own.
///   - unique: Uniqueness constraints: lists of property names.
///   - indexes: Fetch indexes: lists of property names.
///   - renamedFrom: The entity's name in earlier versions of the model.
@attached(member, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: ManagedClass)
public macro Managed(
  entity: String? = nil, abstract: Bool = false, unique: [[String]] = [], indexes: [[String]] = [],
  renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "ManagedClassMacro")

/// Makes a property the attribute of this name, like the property wrapper without macros.
@attached(accessor, names: named(get), named(set))
public macro Managed(_ name: String) =
  #externalMacro(module: "MergewalkMacroPlugin", type: "ManagedPropertyMacro")

/// Sets further options of an attribute.
///
/// - Parameters:
///   - name: The attribute's name; by default that of the property.
///   - type: The attribute's type; by default that of the Swift type.
///   - optional: Whether objects may have no value; by default, whether the Swift type is optional.
///   - unique: Whether values must be unique.
///   - indexed: Whether there is a fetch index, `byTitleIndex` for `title`.
///   - transient: Whether the value is never stored; it then has no key for queries.
///   - derived: The expression by which the store computes the value, such as `comments.@count`; the property is
///     read-only.
///   - minimum: The minimum number, or the minimum length of a text.
///   - maximum: The maximum number, or the maximum length of a text.
///   - pattern: An ICU regular expression that a whole text must match.
///   - external: Whether large values may be in files beside the store.
///   - renamedFrom: The attribute's name in earlier versions of the model.
@attached(peer)
public macro Attribute(
  name: String? = nil, type: AttributeType? = nil, optional: Bool? = nil, unique: Bool = false, indexed: Bool = false,
  transient: Bool = false, derived: String? = nil, minimum: Double? = nil, maximum: Double? = nil,
  pattern: String? = nil, external: Bool = false, renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Declares that a property is a relationship: to-one of type `Project?`, to-many of type `RelatedObjects<Comment>`.
///
/// - Parameters:
///   - inverse: The name of the relationship back; `nil` for none.
///   - deleteRule: The effect of a deletion on the objects at the other end.
///   - optional: Whether an object may refer to nothing.
///   - ordered: Whether a to-many relationship is ordered.
///   - minimum: The minimum number of objects of a to-many relationship.
///   - maximum: The maximum number of objects of a to-many relationship; 0 for any.
///   - name: The relationship's name; by default that of the property.
///   - renamedFrom: The relationship's name in earlier versions of the model.
@attached(peer)
public macro Relationship(
  inverse: String? = nil, deleteRule: DeleteRule = .nullify, optional: Bool = true, ordered: Bool = false,
  minimum: Int = 0, maximum: Int = 0, name: String? = nil, renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Leaves a stored property out of the model: it belongs to the Swift object only, and is lost with it.
@attached(peer)
public macro NotManaged() = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Generates the accessors of a property; `@Managed` of the class adds it.
@attached(accessor, names: named(get), named(set))
public macro ManagedAccessors(_ slots: String) =
  #externalMacro(module: "MergewalkMacroPlugin", type: "AccessorsMacro")
