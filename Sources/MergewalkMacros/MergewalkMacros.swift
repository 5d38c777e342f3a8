// One import for classes that are their own model.

@_exported public import MergewalkObjects

/// Makes a class one of a model: writes accessors, typed keys, a fetch request and the entity.
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
/// Each stored `var` is a property of the model. It is optional there when it is in Swift; a value behind it is the default.
/// Computed and static properties and those with `@NotManaged` are left alone. A class that inherits from another one with
/// `@Managed` has a subentity.
///
/// - Parameters:
///   - entity: The entity's name; that of the class when nothing is said.
///   - abstract: Whether the entity has no objects of its own.
///   - unique: Uniqueness constraints: lists of property names.
///   - indexes: Fetch indexes: lists of property names.
///   - renamedFrom: The name the entity had in earlier versions of the model.
@attached(member, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: ManagedClass)
public macro Managed(
  entity: String? = nil, abstract: Bool = false, unique: [[String]] = [], indexes: [[String]] = [],
  renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "ManagedClassMacro")

/// Makes a property the attribute of this name, as the property wrapper does without macros.
@attached(accessor, names: named(get), named(set))
public macro Managed(_ name: String) =
  #externalMacro(module: "MergewalkMacroPlugin", type: "ManagedPropertyMacro")

/// Says more about an attribute than the property does.
///
/// - Parameters:
///   - name: The attribute's name; that of the property when nothing is said.
///   - type: The attribute's type; that of the Swift type when nothing is said.
///   - optional: Whether objects may have no value; whether the Swift type is optional when nothing is said.
///   - unique: Whether no two objects have the same value.
///   - indexed: Whether there is a fetch index, `byTitleIndex` for `title`.
///   - transient: Whether the value is never stored; it has no key for queries then.
///   - derived: The expression by which the store computes the value, such as `comments.@count`; the property is read-only.
///   - minimum: The least number, or the least length of a text.
///   - maximum: The greatest number, or the greatest length of a text.
///   - pattern: An ICU regular expression that a whole text must match.
///   - external: Whether large values may live in files beside the store.
///   - renamedFrom: The name the attribute had in earlier versions of the model.
@attached(peer)
public macro Attribute(
  name: String? = nil, type: AttributeType? = nil, optional: Bool? = nil, unique: Bool = false, indexed: Bool = false,
  transient: Bool = false, derived: String? = nil, minimum: Double? = nil, maximum: Double? = nil,
  pattern: String? = nil, external: Bool = false, renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Says that a property is a relationship: to-one of type `Project?`, to-many of type `RelatedObjects<Comment>`.
///
/// - Parameters:
///   - inverse: The name of the relationship back; `nil` for none.
///   - deleteRule: What deletion does to the objects at the other end.
///   - optional: Whether an object may refer to nothing.
///   - ordered: Whether a to-many relationship keeps an order.
///   - minimum: The least number of objects of a to-many relationship.
///   - maximum: The greatest number of objects of a to-many relationship; 0 for any.
///   - name: The relationship's name; that of the property when nothing is said.
///   - renamedFrom: The name the relationship had in earlier versions of the model.
@attached(peer)
public macro Relationship(
  inverse: String? = nil, deleteRule: DeleteRule = .nullify, optional: Bool = true, ordered: Bool = false,
  minimum: Int = 0, maximum: Int = 0, name: String? = nil, renamedFrom: String? = nil
) = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Leaves a stored property out of the model: it lives in the Swift object only, and ends with it.
@attached(peer)
public macro NotManaged() = #externalMacro(module: "MergewalkMacroPlugin", type: "MarkerMacro")

/// Writes the accessors of a property; `@Managed` of the class adds it.
@attached(accessor, names: named(get), named(set))
public macro ManagedAccessors(_ slots: String) =
  #externalMacro(module: "MergewalkMacroPlugin", type: "AccessorsMacro")
