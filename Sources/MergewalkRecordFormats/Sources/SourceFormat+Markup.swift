extension SourceFormat {
  /// The format of a text that begins with “<”: a property list, or any other XML document; nil for no such text.
  ///
  /// A document has a declaration, a document type or a comment before its first element, or an element that ends.
  init?(markup text: ArraySlice<UInt8>) {
    guard text.first == UInt8(ascii: "<") else { return nil }
    var rest = text
    var isDocument = false
    // What may stand before the first element.
    while let end = Self.prologueEnd(rest) {
      isDocument = true
      if rest.starts(with: "<!DOCTYPE".utf8) {
        let name = rest.dropFirst(9).drop { $0 <= 32 }.prefix { $0 > 32 && $0 != UInt8(ascii: ">") }
        self = name.elementsEqual("plist".utf8) ? .propertyList : .xml
        return
      }
      rest = rest[end...].drop { $0 <= 32 }
    }
    guard rest.first == UInt8(ascii: "<") else {
      guard isDocument else { return nil }
      self = .xml
      return
    }
    let name = rest.dropFirst().prefix { $0 > 32 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    let isName =
      name.first.map { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 >= 0x80 } == true
    let hasEnd = zip(rest, rest.dropFirst()).contains {
      $0 == UInt8(ascii: "<") && $1 == UInt8(ascii: "/") || $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ">")
    }
    guard isDocument || (isName && hasEnd) else { return nil }
    self = name.elementsEqual("plist".utf8) ? .propertyList : .xml
  }

  /// Where a declaration, an instruction, a comment or a document type ends that a text begins with; nil for others.
  private static func prologueEnd(_ text: ArraySlice<UInt8>) -> Int? {
    let ends: [(start: String, end: String)] = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">")]
    for (start, end) in ends where text.starts(with: start.utf8) {
      let end = Array(end.utf8)
      var place = text.startIndex
      while place < text.endIndex {
        if text[place...].starts(with: end) { return place + end.count }
        place += 1
      }
      // Cut by the sample's end.
      return text.endIndex
    }
    return nil
  }
}
