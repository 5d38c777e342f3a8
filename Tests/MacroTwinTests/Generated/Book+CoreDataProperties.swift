//
//  Book+CoreDataProperties.swift
//
//  Made of the entity “Book” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Book {

  /// A request for all objects of “Book”.
  public class func fetchRequest(_ type: Book.Type = Book.self) -> TypedFetchRequest<Book> {
    TypedFetchRequest("Book")
  }

  /// String.
  public var isbn: String? {
    get { get(BookSlots.isbn) }
    set { set(BookSlots.isbn, newValue) }
  }

  /// Float, default 0.5.
  public var weight: Float {
    get { get(BookSlots.weight) }
    set { set(BookSlots.weight, newValue) }
  }

  /// To one Author; the way back is “books”.
  public var author: Author? {
    get { related(BookSlots.author) }
    set { setRelated(BookSlots.author, newValue) }
  }

  /// To one Shelf; the way back is “books”.
  public var shelf: Shelf? {
    get { related(BookSlots.shelf) }
    set { setRelated(BookSlots.shelf, newValue) }
  }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Book {
  /// String.
  public var isbn: AttributeKey<String?> { AttributeKey("isbn") }

  /// Float, default 0.5.
  public var weight: AttributeKey<Float> { AttributeKey("weight") }

  /// To one Author; the way back is “books”.
  public var author: ToOneKey<Author> { ToOneKey("author") }

  /// To one Shelf; the way back is “books”.
  public var shelf: ToOneKey<Shelf> { ToOneKey("shelf") }
}

/// Where the accessors find their properties.
private enum BookSlots {
  static let isbn = PropertySlot("isbn")
  static let weight = PropertySlot("weight")
  static let author = PropertySlot("author")
  static let shelf = PropertySlot("shelf")
}
