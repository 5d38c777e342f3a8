import CLibXML2

/// How libxml2's calls stand in an ``EventLog``.
///
/// The first word of an event has its kind (4 bits), flags (8), where the parser stood in the document (26, from the
/// base on) and a count (26). What follows depends on the kind.
enum XMLEvent {
  enum Kind: UInt8 {
    /// An element starts: its local name; with flags also its prefix and its URI, and the attributes.
    case start
    case end
    /// Text that stands in the document as it is, `count` bytes up to where the parser stood.
    case text
    /// Text that stands in the document as it is: where, and its length.
    case textAt
    /// Text that stands nowhere as it is: its length and its bytes.
    case textCopy
    /// The base of offsets changes to the next word.
    case base
    /// A reference to an entity that is not known: its name as bytes.
    case unknownEntity
    /// An entity of the document is used.
    case usedEntity
    /// The reading ends here: the number of the code, and the message as bytes.
    case failure
    /// All that the parser says of one piece of text.
    case pieceEnd
    /// The parser has been told that the document ends.
    case documentEnd
  }

  /// The event comes from an entity.
  static var inEntity: UInt64 { 1 << 4 }
  /// The local name of an element is not all that there is.
  static var isLong: UInt64 { 1 << 5 }
  static var hasAttributes: UInt64 { 1 << 6 }
  /// The text is that of a CDATA section.
  static var isCDATA: UInt64 { 1 << 5 }
  /// The reference stands in an attribute.
  static var isInAttribute: UInt64 { 1 << 5 }

  static var offsetShift: UInt64 { 12 }
  static var countShift: UInt64 { 38 }
  /// Offsets from the base and counts are less.
  static var limit: Int { 1 << 26 }

  @inline(__always)
  static func pointer(_ word: UInt64) -> UnsafePointer<xmlChar>? { UnsafePointer(bitPattern: UInt(word)) }
  @inline(__always)
  static func word(_ pointer: UnsafePointer<xmlChar>?) -> UInt64 { UInt64(UInt(bitPattern: pointer)) }
}
