public import MergewalkMacros

// The classes of Library.xcdatamodel, as their own model. MacroTwinTests have what code generation makes of the file.

@Managed
final class Author: ManagedObject {
  @Attribute(derived: "books.@count") var bookCount: Int64?
  @Attribute(optional: false, unique: true, minimum: 1, maximum: 80, pattern: "[A-Z].*", renamedFrom: "name")
  var fullName: String?
  @Attribute(transient: true) var mood: String?
  @Relationship(inverse: "author", deleteRule: .cascade) var books: RelatedObjects<Book>
  @Relationship(inverse: "authors", maximum: 9) var shelves: RelatedObjects<Shelf>

  /// No attribute.
  @NotManaged var timesGreeted = 0
  /// Nor this one: static.
  static let greeting = "Dear"
  var salutation: String { Self.greeting + " " + (fullName ?? "") }
}

@Managed(abstract: true, indexes: [["kind", "added"]])
class Publication: ManagedObject {
  var added: Timestamp
  @Attribute(external: true) var cover: [UInt8]?
  var isLent: Bool = false
  var kind: PublicationKind = .paper
  @Attribute(type: .uri) var page: String?
  @Attribute(minimum: 1, maximum: 5000) var pages: Int32 = 1
  var price: DecimalNumber?
  var rank: Int16 = -1
  var rating: Double?
  var returned: Timestamp?
  @Attribute(indexed: true) var title: String
  var token: UniqueID?

  override func awakeFromInsert() { added = Timestamp(secondsSinceReferenceDate: 7) }
}

enum PublicationKind: String, TextValue {
  case paper, film
  static var emptyValue: PublicationKind { .paper }
}

@Managed
final class Book: Publication {
  var isbn: String
  var weight: Float = 0.5
  @Relationship(inverse: "books", optional: false) var author: Author?
  @Relationship(inverse: "books") var shelf: Shelf?
}

/// Public, as the classes of a library are.
@Managed(unique: [["room", "label"]], renamedFrom: "Rack")
public final class Shelf: ManagedObject {
  /// What stands on it.
  public var label: String?
  /// Where it stands.
  public var room: Int = 0
  @Relationship(inverse: "shelves") var authors: RelatedObjects<Author>
  @Relationship(inverse: "shelf", deleteRule: .deny, ordered: true) var books: RelatedObjects<Book>
  /// The shelf beside it.
  @Relationship(deleteRule: .noAction) public var next: Shelf?
}
