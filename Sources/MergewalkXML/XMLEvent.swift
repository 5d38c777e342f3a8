/// The form of libxml2's calls in an `EventLog`.
///
/// The first word of an event has its kind (4 bits), flags (8), the parser's place in the document (26, from the base
/// on) and a count (26). What follows depends on the kind.
@usableFromInline package enum XMLEvent {
  /// The kinds; the number of a case is its place.
  @usableFromInline package enum Kind: UInt8, Sendable {
    /// An element starts: its local name; with flags also its prefix and its URI, and the attributes.
    case start
    /// The innermost element ends.
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
    /// The reading ends here: the line and the code, and the message as bytes.
    case failure
    /// The end of the events of one piece of text.
    case pieceEnd
    /// The parser has been told that the document ends.
    case documentEnd
    /// The document has a type: its name as bytes.
    case documentType
    /// A comment of `count` bytes.
    case comment

    /// The kind of an event by its first word.
    @inlinable @inline(__always)
    package init(head: UInt64) {
      let number = UInt8(truncatingIfNeeded: head & 15)
      precondition(number <= 12, "a log of XML has an event of an unknown kind")
      self = unsafeBitCast(number, to: Kind.self)
    }
  }

  /// The event comes from an entity.
  @inlinable package static var inEntity: UInt64 { 1 << 4 }
  /// The local name of an element is not all that there is.
  @inlinable package static var isLong: UInt64 { 1 << 5 }
  @inlinable package static var hasAttributes: UInt64 { 1 << 6 }
  /// The text is that of a CDATA section.
  @inlinable package static var isCDATA: UInt64 { 1 << 5 }
  /// The reference stands in an attribute.
  @inlinable package static var isInAttribute: UInt64 { 1 << 5 }
  /// The failure is about the tag that was being read.
  @inlinable package static var isInTag: UInt64 { 1 << 5 }

  @inlinable package static var offsetShift: UInt64 { 12 }
  @inlinable package static var countShift: UInt64 { 38 }
  /// Offsets from the base and counts are less.
  @inlinable package static var limit: Int { 1 << 26 }

  /// The place that a word is.
  @inlinable @inline(__always)
  package static func pointer(_ word: UInt64) -> UnsafePointer<UInt8>? { UnsafePointer(bitPattern: UInt(word)) }
  @inline(__always)
  static func word(_ pointer: UnsafePointer<UInt8>?) -> UInt64 { UInt64(UInt(bitPattern: pointer)) }

  /// The offset of an event, by its first word and the base.
  @inlinable @inline(__always)
  package static func offset(_ head: UInt64, base: Int) -> Int {
    base &+ Int(truncatingIfNeeded: head >> offsetShift & UInt64(limit - 1))
  }

  /// The bytes behind the first word of an event, valid until the log is emptied; moves behind the event.
  package static func bytes(_ next: inout UnsafeMutablePointer<UInt64>) -> UnsafeMutableRawBufferPointer {
    let count = Int(next[1])
    defer { next += 2 + (count + 7) / 8 }
    return UnsafeMutableRawBufferPointer(start: next + 2, count: count)
  }

  /// The failure that an event is; moves behind it.
  package static func fault(_ next: inout UnsafeMutablePointer<UInt64>, base: Int) -> XMLFault {
    let head = next[0]
    let count = Int(truncatingIfNeeded: head >> countShift)
    return XMLFault(
      code: XMLFault.Code(rawValue: count & 3) ?? .invalidDocument,
      message: String(decoding: bytes(&next), as: UTF8.self),
      offset: offset(head, base: base), line: count >> 2, isInTag: head & isInTag != 0)
  }
}
