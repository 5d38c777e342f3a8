/// A start tag as libxml2 reports it; valid until the next event.
///
/// Names are pointers of the parser's dictionary, in which equal names are one; they end with a NUL.
@usableFromInline package struct XMLTag {
  /// The name behind the prefix.
  package var local: UnsafePointer<UInt8>?
  /// The prefix; nil for none.
  package var prefix: UnsafePointer<UInt8>?
  /// The URI of the namespace; nil for none.
  package var uri: UnsafePointer<UInt8>?
  /// The number of attributes.
  package var count = 0
  /// Five words for each attribute: local name, prefix, URI, start and end of the value; behind them one for each: the
  /// offset of the value where the document's text has it as it is, else less than 0.
  private var attributes: UnsafeMutablePointer<UInt64>?

  /// A tag without a prefix, a namespace and attributes.
  @inline(__always) @inlinable
  package init(local: UnsafePointer<UInt8>?) { self.init(plain: local) }

  @usableFromInline
  init(plain local: UnsafePointer<UInt8>?) { self.local = local }

  /// Reads a start event that says more than the local name, and moves behind it.
  ///
  /// - Parameters:
  ///   - text: the document's text that is kept, which begins at the offset `start` and ends at `end`.
  package init(
    _ next: inout UnsafeMutablePointer<UInt64>, text: UnsafePointer<UInt8>?, start: Int, end: Int
  ) {
    let event = next
    local = XMLEvent.pointer(event[1])
    prefix = XMLEvent.pointer(event[2])
    uri = XMLEvent.pointer(event[3])
    guard event[0] & XMLEvent.hasAttributes != 0 else {
      next += 4
      return
    }
    count = Int(event[4] & 0xFFFF_FFFF)
    next += Int(event[4] >> 32)
    let attributes = event + 5
    let places = attributes + 5 * count
    for i in 0..<count {
      let place = Int(truncatingIfNeeded: places[i])
      let entry = attributes + 5 * i
      // Values of default attributes are pointers already.
      if place == -2 { continue }
      let length = Int(entry[4])
      var value = UnsafeRawPointer(event + Int(entry[3]))
      if place >= 0 {
        guard let text, place >= start, place + length <= end else {
          entry[3] = 0
          entry[4] = 0
          continue
        }
        value = UnsafeRawPointer(text + (place - start))
      }
      entry[3] = UInt64(UInt(bitPattern: value))
      entry[4] = entry[3] + UInt64(length)
    }
    self.attributes = attributes
  }

  /// An attribute; nil when it has no value.
  package func attribute(_ index: Int) -> XMLAttribute? {
    guard let attributes else { return nil }
    let entry = attributes + 5 * index
    guard let start = XMLEvent.pointer(entry[3]), let end = XMLEvent.pointer(entry[4]) else { return nil }
    return XMLAttribute(
      local: XMLEvent.pointer(entry[0]), prefix: XMLEvent.pointer(entry[1]), uri: XMLEvent.pointer(entry[2]),
      value: UnsafeBufferPointer(start: start, count: end - start),
      at: Int(truncatingIfNeeded: attributes[5 * count + index]))
  }

  /// The value of an attribute by its interned names.
  package func value(
    _ local: UnsafePointer<UInt8>?, _ prefix: UnsafePointer<UInt8>?
  ) -> UnsafeBufferPointer<UInt8>? {
    for i in 0..<count {
      if let attribute = attribute(i), attribute.local == local, attribute.prefix == prefix { return attribute.value }
    }
    return nil
  }

  package var name: String { Self.name(local, prefix) }

  /// The attributes' names as they are written, and their values.
  package var namedValues: [(name: String, value: String)] {
    (0..<count).compactMap { i in
      attribute(i).map { (Self.name($0.local, $0.prefix), String(decoding: $0.value, as: UTF8.self)) }
    }
  }

  /// A name of the parser's dictionary as it is written.
  package static func name(_ local: UnsafePointer<UInt8>?, _ prefix: UnsafePointer<UInt8>?) -> String {
    (prefix.map { String(cString: $0) + ":" } ?? "") + (local.map { String(cString: $0) } ?? "")
  }
}

/// An attribute of an ``XMLTag``.
package struct XMLAttribute {
  /// The name behind the prefix.
  package var local: UnsafePointer<UInt8>?
  /// The prefix; nil for none.
  package var prefix: UnsafePointer<UInt8>?
  /// The URI of the namespace; nil for none.
  package var uri: UnsafePointer<UInt8>?
  /// The value, with references replaced and white space normalised.
  package var value: UnsafeBufferPointer<UInt8>
  /// The offset of the value where the document's text has it as it is; else less than 0.
  package var at: Int
}
