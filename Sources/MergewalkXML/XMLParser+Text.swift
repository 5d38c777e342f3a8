import CMergewalkLibXML2

/// Giving libxml2 the text, in pieces that it can take without looking through the same again and again.
extension XMLParser {
  /// Parses a piece of the text.
  package func push(_ piece: UnsafeRawBufferPointer) {
    var i = 0
    if !isStarted, !piece.isEmpty {
      isStarted = true
      // The byte order mark is no part of the document.
      if piece.starts(with: [0xEF, 0xBB, 0xBF]) { i = 3 }
      source.pointee.origin = i
    }
    while i < piece.count, !source.pointee.isFailed, !isStopped {
      var count = min(pieceSize, piece.count - i)
      let cut = isInLongSection ? Self.sectionCut(piece, i, count) : nil
      if let cut { count = cut }
      parse(piece.baseAddress.map { $0 + i }, count)
      i += count
      if cut != nil, isInLongSection { divideSection() }
      // libxml2 waits for the end of the declarations, and looks for it from their begin each time.
      if context.pointee.instate == XML_PARSER_DTD, waiting > Self.longestDeclarations {
        source.pointee.fail(.invalidDocument, "the document type's declarations are longer than 1 MiB")
      }
    }
    checkNames()
    checkTag()
    source.pointee.mark(.pieceEnd)
  }

  /// Tells the parser that the document ends.
  package func finish() {
    if !source.pointee.isFailed {
      xmlParseChunk(context, nil, 0, 1)
      if context.pointee.wellFormed == 0 {
        source.pointee.fail(.invalidDocument, "the document is not well-formed XML")
      }
    }
    source.pointee.mark(.documentEnd)
  }

  /// The bytes that libxml2 has and waits with.
  private var waiting: Int { input.pointee.end - input.pointee.cur }

  private func parse(_ text: UnsafeRawPointer?, _ count: Int) {
    xmlParseChunk(context, text?.assumingMemoryBound(to: CChar.self), Int32(count), 0)
  }

  private static let longestDeclarations = 1 << 20

  // MARK: Bounds

  /// Refuses a document with names without end: libxml2 keeps them all, and looks for each among more and more others.
  private func checkNames() {
    guard !source.pointee.isFailed, let names = context.pointee.dict else { return }
    if Int(xmlDictSize(names)) > Self.mostNames {
      source.pointee.fail(
        .expansionLimit, "the document has more than \(Self.mostNames) different names of elements and attributes")
    } else if Int(xmlDictGetUsage(names)) > Self.longestNames {
      source.pointee.fail(
        .expansionLimit, "the names of the document's elements and attributes are longer than 32 MiB together")
    }
  }

  private static let mostNames = 200_000
  private static let longestNames = 32 << 20

  /// Refuses a tag with so many attributes that libxml2 would take forever: it compares each with all others.
  private func checkTag() {
    guard !source.pointee.isFailed, waiting > Self.longestTag, let start = input.pointee.cur else { return }
    let offset = source.pointee.offset
    if tag.at != offset { tag = (offset, 0, 0) }
    tag.signs += UnsafeBufferPointer(start: start + tag.looked, count: waiting - tag.looked)
      .count { $0 == UInt8(ascii: "=") }
    tag.looked = waiting
    let isTag = start[0] == UInt8(ascii: "<") && start[1] != UInt8(ascii: "!") && start[1] != UInt8(ascii: "?")
    if tag.signs > Self.mostAttributes, isTag {
      source.pointee.fail(
        .invalidDocument, "one tag is longer than 64 KiB and has more than \(Self.mostAttributes) “=”")
    }
  }

  private static let longestTag = 1 << 16
  /// The most attributes of one element that is longer than ``longestTag``.
  private static let mostAttributes = 20_000

  // MARK: CDATA sections

  /// Whether the parser waits for the end of a CDATA section of which it has much.
  private var isInLongSection: Bool {
    context.pointee.instate == XML_PARSER_CDATA_SECTION && waiting > Self.longestSection
  }

  /// Where a section can be divided: behind a character, but not behind what its end may begin with, nor inside a line end.
  ///
  /// - Returns: the bytes from `start` on, at most `count`; nil when it cannot be there.
  private static func sectionCut(_ piece: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int? {
    (1...count).first { k in
      guard start + k < piece.count, piece[start + k] & 0xC0 != 0x80 else { return false }
      let before = piece[start + k - 1]
      return before != UInt8(ascii: "]") && before != 13
    }
  }

  /// Ends the open CDATA section and begins another one, which is the same text.
  ///
  /// libxml2 hands out 300 bytes of a section whose end is not there yet, and looks through all the rest again for each
  /// piece of text.
  private func divideSection() {
    for mark in ["]]>", "<![CDATA["] as [StaticString] {
      parse(mark.utf8Start, mark.utf8CodeUnitCount)
      // It is no part of the document.
      source.pointee.origin -= mark.utf8CodeUnitCount
    }
  }

  /// The most of an open CDATA section that waits for its end.
  private static let longestSection = 1 << 16
}
