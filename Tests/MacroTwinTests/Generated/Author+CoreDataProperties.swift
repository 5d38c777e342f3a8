//
//  Author+CoreDataProperties.swift
//
//  Made of the entity “Author” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Author {

  /// A request for all objects of “Author”.
  public class func fetchRequest(_ type: Author.Type = Author.self) -> TypedFetchRequest<Author> {
    TypedFetchRequest("Author")
  }

  /// Integer 64, optional, derived from books.@count, so read-only.
  public var bookCount: Int64? { self.get(AuthorSlots.bookCount) }

  /// String, at least 1, at most 80.
  public var fullName: String? {
    get { get(AuthorSlots.fullName) }
    set { set(AuthorSlots.fullName, newValue) }
  }

  /// String, optional, transient.
  public var mood: String? {
    get { get(AuthorSlots.mood) }
    set { set(AuthorSlots.mood, newValue) }
  }

  /// To many Book; the way back is “author”.
  public var books: RelatedObjects<Book> { self.relatedObjects(AuthorSlots.books) }

  /// To many Shelf; the way back is “authors”.
  public var shelves: RelatedObjects<Shelf> { self.relatedObjects(AuthorSlots.shelves) }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Author {
  /// Integer 64, optional, derived from books.@count, so read-only.
  public var bookCount: AttributeKey<Int64?> { AttributeKey("bookCount") }

  /// String, at least 1, at most 80.
  public var fullName: AttributeKey<String?> { AttributeKey("fullName") }

  /// To many Book; the way back is “author”.
  public var books: ToManyKey<Book> { ToManyKey("books") }

  /// To many Shelf; the way back is “authors”.
  public var shelves: ToManyKey<Shelf> { ToManyKey("shelves") }
}

/// Where the accessors find their properties.
private enum AuthorSlots {
  static let bookCount = PropertySlot("bookCount")
  static let fullName = PropertySlot("fullName")
  static let mood = PropertySlot("mood")
  static let books = PropertySlot("books")
  static let shelves = PropertySlot("shelves")
}

// MARK: Accessors of books
extension Author {

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

// MARK: Accessors of shelves
extension Author {

  /// Adds an object.
  public func addToShelves(_ value: Shelf) {
    shelves.insert(value)
  }

  /// Takes an object away.
  public func removeFromShelves(_ value: Shelf) {
    shelves.remove(value)
  }

  /// Adds objects.
  public func addToShelves(_ values: some Sequence<Shelf>) {
    for value in values { shelves.insert(value) }
  }

  /// Takes objects away.
  public func removeFromShelves(_ values: some Sequence<Shelf>) {
    for value in Array(values) { shelves.remove(value) }
  }
}
