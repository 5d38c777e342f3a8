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
  /// What a list says about objects that are related already and are not in it.
  public enum Links: String, Sendable, CaseIterable {
    /// They are no longer related: the list is the truth.
    case replace
    /// They stay.
    case add
  }
  /// What becomes of objects that are no longer related.
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
  /// What a null, an empty text and a list without elements mean.
  public enum Empty: String, Sendable, CaseIterable {
    /// A list without elements.
    case clear
    /// As if the record said nothing.
    case keep
    /// The record is rejected.
    case reject
  }
  /// What an empty element means: an empty piece, `null` or `""`.
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
  /// What the list says about those that are not in it.
  public var links = Links.replace
  /// What becomes of objects that are no longer related.
  public var orphans = Orphans.unlink
  /// Where elements are looked for; `nil` for what the model says: among the owner's when each object belongs to one
  /// owner, unless a uniqueness constraint covers the key.
  public var scope: Scope?
  /// What a list without elements means.
  public var whenEmpty = Empty.clear
  /// What an element without a value means.
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
