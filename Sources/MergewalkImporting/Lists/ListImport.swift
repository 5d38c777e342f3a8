/// The list of a to-many relationship's targets in a record.
///
/// The columns of the target's fields are members of an element, or `.` for the element itself.
public struct ListImport: Sendable {
  /// The form of a list.
  public enum Form: Sendable, Hashable {
    /// A JSON array of objects or of scalars; any other value is a list of one element.
    case json
    /// A text with a separator between the elements; a JSON array is accepted, too.
    case split(separator: String)
  }
  /// The treatment of related objects that are not in the list.
  public enum Links: String, Sendable, CaseIterable {
    /// They are no longer related: the list is complete.
    case replace
    /// They stay.
    case add
  }
  /// The treatment of objects that lose their owner.
  public enum Orphans: String, Sendable, CaseIterable {
    /// They stay, without an owner.
    case unlink
    /// They are deleted, according to the model's delete rules.
    case delete
  }
  /// The objects among which an element's object is looked up.
  public enum Scope: String, Sendable, CaseIterable {
    /// Those of the owner: other owners may have objects with the same key.
    case owner
    /// All objects of the entity.
    case everywhere
  }
  /// The meaning of a null, an empty text and a list without elements.
  public enum Empty: String, Sendable, CaseIterable {
    /// A list without elements.
    case clear
    /// As if the record had no such column.
    case keep
    /// The record is rejected.
    case reject
  }
  /// The meaning of an empty element: an empty piece, `null` or `""`.
  public enum EmptyElement: String, Sendable, CaseIterable {
    /// It is skipped.
    case skip
    /// The record is rejected.
    case reject
  }

  /// The column that holds the list.
  public var column: String
  /// The form of the list.
  public var form: Form
  /// Whether white space around the pieces of a text is removed.
  public var trims = true
  /// The treatment of related objects that are not in the list.
  public var links = Links.replace
  /// The treatment of objects that lose their owner.
  public var orphans = Orphans.unlink
  /// The objects among which elements are looked up; `nil` follows the model: those of the owner if each object belongs
  /// to one owner, unless a uniqueness constraint covers the key.
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
