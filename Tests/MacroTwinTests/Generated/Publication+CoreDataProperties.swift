//
//  Publication+CoreDataProperties.swift
//
//  Made of the entity “Publication” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Publication {

  /// A request for all objects of “Publication”.
  public class func fetchRequest(_ type: Publication.Type = Publication.self) -> TypedFetchRequest<Publication> {
    TypedFetchRequest("Publication")
  }

  /// Date.
  public var added: Timestamp? {
    get { get(PublicationSlots.added) }
    set { set(PublicationSlots.added, newValue) }
  }

  /// Binary, optional.
  public var cover: [UInt8]? {
    get { get(PublicationSlots.cover) }
    set { set(PublicationSlots.cover, newValue) }
  }

  /// Boolean, default NO.
  public var isLent: Bool {
    get { get(PublicationSlots.isLent) }
    set { set(PublicationSlots.isLent, newValue) }
  }

  /// String, default paper.
  public var kind: String? {
    get { get(PublicationSlots.kind) }
    set { set(PublicationSlots.kind, newValue) }
  }

  /// URI, optional.
  public var page: String? {
    get { get(PublicationSlots.page) }
    set { set(PublicationSlots.page, newValue) }
  }

  /// Integer 32, default 1, at least 1, at most 5000.
  public var pages: Int32 {
    get { get(PublicationSlots.pages) }
    set { set(PublicationSlots.pages, newValue) }
  }

  /// Decimal, optional.
  public var price: DecimalNumber? {
    get { get(PublicationSlots.price) }
    set { set(PublicationSlots.price, newValue) }
  }

  /// Integer 16, default -1.
  public var rank: Int16 {
    get { get(PublicationSlots.rank) }
    set { set(PublicationSlots.rank, newValue) }
  }

  /// Double, optional.
  public var rating: Double? {
    get { get(PublicationSlots.rating) }
    set { set(PublicationSlots.rating, newValue) }
  }

  /// Date, optional.
  public var returned: Timestamp? {
    get { get(PublicationSlots.returned) }
    set { set(PublicationSlots.returned, newValue) }
  }

  /// String.
  public var title: String? {
    get { get(PublicationSlots.title) }
    set { set(PublicationSlots.title, newValue) }
  }

  /// UUID, optional.
  public var token: UniqueID? {
    get { get(PublicationSlots.token) }
    set { set(PublicationSlots.token, newValue) }
  }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Publication {
  /// Date.
  public var added: AttributeKey<Timestamp?> { AttributeKey("added") }

  /// Binary, optional.
  public var cover: AttributeKey<[UInt8]?> { AttributeKey("cover") }

  /// Boolean, default NO.
  public var isLent: AttributeKey<Bool> { AttributeKey("isLent") }

  /// String, default paper.
  public var kind: AttributeKey<String?> { AttributeKey("kind") }

  /// URI, optional.
  public var page: AttributeKey<String?> { AttributeKey("page") }

  /// Integer 32, default 1, at least 1, at most 5000.
  public var pages: AttributeKey<Int32> { AttributeKey("pages") }

  /// Decimal, optional.
  public var price: AttributeKey<DecimalNumber?> { AttributeKey("price") }

  /// Integer 16, default -1.
  public var rank: AttributeKey<Int16> { AttributeKey("rank") }

  /// Double, optional.
  public var rating: AttributeKey<Double?> { AttributeKey("rating") }

  /// Date, optional.
  public var returned: AttributeKey<Timestamp?> { AttributeKey("returned") }

  /// String.
  public var title: AttributeKey<String?> { AttributeKey("title") }

  /// UUID, optional.
  public var token: AttributeKey<UniqueID?> { AttributeKey("token") }
}

/// Where the accessors find their properties.
private enum PublicationSlots {
  static let added = PropertySlot("added")
  static let cover = PropertySlot("cover")
  static let isLent = PropertySlot("isLent")
  static let kind = PropertySlot("kind")
  static let page = PropertySlot("page")
  static let pages = PropertySlot("pages")
  static let price = PropertySlot("price")
  static let rank = PropertySlot("rank")
  static let rating = PropertySlot("rating")
  static let returned = PropertySlot("returned")
  static let title = PropertySlot("title")
  static let token = PropertySlot("token")
}
