/// How the records list the targets of a to-many relationship.
///
/// The columns of the target's fields are members of an element, or `.` for the element itself.
public struct ListImport: Sendable {
  /// How a list is written.
  public enum Form: Sendable, Hashable {
    /// A JSON array of objects or of scalars; a value that is none is a list of one element.
    case json
    /// A text with a separator between the elements; a JSON array is taken too.
    case split(separator: String)
  }
  /// The treatment of related objects that are not in the list.
  public enum Links: String, Sendable, CaseIterable {
    /// They are no longer related: the list is the truth.
    case replace
    /// They stay.
    case add
  }
  /// The treatment of objects that lose their relation.
  public enum Orphans: String, Sendable, CaseIterable {
    /// They stay, without the relationship.
    case unlink
    /// They are deleted, as the model's delete rules say.
    case delete
  }
  /// Where an element's object is looked for.
  public enum Scope: String, Sendable, CaseIterable {
    /// Among those that the owner has: the same key may be there for another owner.
    case owner
    /// Among all objects of the entity.
    case everywhere
  }
  /// The meaning of a null, an empty text and a list without elements.
  public enum Empty: String, Sendable, CaseIterable {
    /// A list without elements.
    case clear
    /// As if the record said nothing.
    case keep
    /// The record is rejected.
    case reject
  }
  /// The meaning of an empty element: an empty piece, `null` or `""`.
  public enum EmptyElement: String, Sendable, CaseIterable {
    /// It is passed over.
    case skip
    /// The record is rejected.
    case reject
  }

  /// The column that holds the list.
  public var column: String
  /// How it is written.
  public var form: Form
  /// Whether white space around the pieces of a text is removed.
  public var trims = true
  /// The treatment of related objects that are not in the list.
  public var links = Links.replace
  /// The treatment of objects that lose their relation.
  public var orphans = Orphans.unlink
  /// Where elements are looked for; `nil` for what the model says: among the owner's when each object belongs to one
  /// owner, unless a uniqueness constraint covers the key.
  public var scope: Scope?
  /// The meaning of a list without elements.
  public var whenEmpty = Empty.clear
  /// The meaning of an element without a value.
  public var whenElementEmpty = EmptyElement.skip

  /// The options of relationships in pipeline files that only lists have.
  static let options = ["each", "split", "trim", "links", "orphans", "find_in", "empty", "empty_elements"]
  /// The option that says how the list is written.
  var formOption: String { form == .json ? "each" : "split" }

  /// Creates a list with the default policies.
  public init(column: String, form: Form) {
    self.column = column
    self.form = form
  }
}
