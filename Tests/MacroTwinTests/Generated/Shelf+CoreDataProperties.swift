//
//  Shelf+CoreDataProperties.swift
//
//  Made of the entity “Shelf” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Shelf {

  /// A request for all objects of “Shelf”.
  public class func fetchRequest(_ type: Shelf.Type = Shelf.self) -> TypedFetchRequest<Shelf> {
    TypedFetchRequest("Shelf")
  }

  /// String, optional.
  public var label: String? {
    get { get(ShelfSlots.label) }
    set { set(ShelfSlots.label, newValue) }
  }

  /// Integer 64, default 0.
  public var room: Int64 {
    get { get(ShelfSlots.room) }
    set { set(ShelfSlots.room, newValue) }
  }

  /// To many Author; the way back is “shelves”.
  public var authors: RelatedObjects<Author> { self.relatedObjects(ShelfSlots.authors) }

  /// To many Book, ordered; the way back is “shelf”.
  public var books: RelatedObjects<Book> { self.relatedObjects(ShelfSlots.books) }

  /// To one Shelf.
  public var next: Shelf? {
    get { related(ShelfSlots.next) }
    set { setRelated(ShelfSlots.next, newValue) }
  }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Shelf {
  /// String, optional.
  public var label: AttributeKey<String?> { AttributeKey("label") }

  /// Integer 64, default 0.
  public var room: AttributeKey<Int64> { AttributeKey("room") }

  /// To many Author; the way back is “shelves”.
  public var authors: ToManyKey<Author> { ToManyKey("authors") }

  /// To many Book, ordered; the way back is “shelf”.
  public var books: ToManyKey<Book> { ToManyKey("books") }

  /// To one Shelf.
  public var next: ToOneKey<Shelf> { ToOneKey("next") }
}

/// Where the accessors find their properties.
private enum ShelfSlots {
  static let label = PropertySlot("label")
  static let room = PropertySlot("room")
  static let authors = PropertySlot("authors")
  static let books = PropertySlot("books")
  static let next = PropertySlot("next")
}

// MARK: Accessors of authors
extension Shelf {

  /// Adds an object.
  public func addToAuthors(_ value: Author) {
    authors.insert(value)
  }

  /// Takes an object away.
  public func removeFromAuthors(_ value: Author) {
    authors.remove(value)
  }

  /// Adds objects.
  public func addToAuthors(_ values: some Sequence<Author>) {
    for value in values { authors.insert(value) }
  }

  /// Takes objects away.
  public func removeFromAuthors(_ values: some Sequence<Author>) {
    for value in Array(values) { authors.remove(value) }
  }
}

// MARK: Accessors of books
extension Shelf {

  /// Puts an object at a place.
  public func insertIntoBooks(_ value: Book, at index: Int) {
    books.insert(value, at: index)
  }

  /// Takes away the object at a place.
  public func removeFromBooks(at index: Int) {
    books.remove(at: index)
  }

  /// Puts objects at places, which count in the result and ascend.
  public func insertIntoBooks(_ values: [Book], at indexes: [Int]) {
    for (index, value) in zip(indexes, values) { books.insert(value, at: index) }
  }

  /// Takes away the objects at places, which ascend.
  public func removeFromBooks(at indexes: [Int]) {
    for index in indexes.reversed() { books.remove(at: index) }
  }

  /// Puts an object in the place of another.
  public func replaceBooks(at index: Int, with value: Book) {
    books.replace(at: index, with: value)
  }

  /// Puts objects in the places of others.
  public func replaceBooks(at indexes: [Int], with values: [Book]) {
    for (index, value) in zip(indexes, values) { books.replace(at: index, with: value) }
  }

  /// Adds an object.
  public func addToBooks(_ value: Book) {
    books.insert(value)
  }

  /// Takes an object away.
  public func removeFromBooks(_ value: Book) {
    books.remove(value)
  }

  /// Adds objects.
  public func addToBooks(_ values: some Sequence<Book>) {
    for value in values { books.insert(value) }
  }

  /// Takes objects away.
  public func removeFromBooks(_ values: some Sequence<Book>) {
    for value in Array(values) { books.remove(value) }
  }
}
