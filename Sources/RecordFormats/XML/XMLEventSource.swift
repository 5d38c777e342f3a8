import CLibXML2
import Glibc

/// libxml2's side of a document: it gets the text in pieces and writes to a log what it finds.
///
/// Advice for the next editor: this runs for every tag of the input, perhaps on a thread of its own. It lives behind a
/// pointer, so that the parser's callbacks reach it without counting references or checking for exclusive access, and
/// shares nothing with the other side but the parser's dictionary, in which names stay as they are once they are there.
struct XMLEventSource {
  let context: xmlParserCtxtPtr
  /// The document's own text as libxml2 has it, which stays the lowest of its inputs.
  let input: xmlParserInputPtr
  var writer: EventWriter
  /// The offset of the first byte that libxml2 got.
  private var origin = 0
  private var isStarted = false
  /// The offset from which those of events count.
  private var base = 0
  /// Whether the reading has ended with a failure.
  private(set) var isFailed = false
  /// What entities and default attributes have added to the document, in bytes, as far as their cost goes.
  private var expanded = 0
  private var declaredAttributes = 0
  /// The most bytes that are pushed at once.
  private let pieceSize: Int
  private static let longestDeclarations = 1 << 20

  init(_ context: xmlParserCtxtPtr, _ input: xmlParserInputPtr, log: EventLog, pieceSize: Int) {
    self.context = context
    self.input = input
    self.pieceSize = pieceSize
    writer = EventWriter(log)
  }

  /// The offset at which the parser stands in the document.
  @inline(__always) var offset: Int {
    origin &+ Int(truncatingIfNeeded: input.pointee.consumed) &+ (input.pointee.cur - input.pointee.base)
  }

  // MARK: Text

  /// Parses a piece of the text.
  mutating func push(_ piece: UnsafeRawBufferPointer) {
    var i = 0
    if !isStarted, !piece.isEmpty {
      isStarted = true
      // The byte order mark is no part of the document.
      if piece.starts(with: [0xEF, 0xBB, 0xBF]) { i = 3 }
      origin = i
    }
    while i < piece.count, !isFailed, !writer.isStopped {
      var count = min(pieceSize, piece.count - i)
      let cut = isInLongSection ? Self.sectionCut(piece, i, count) : nil
      if let cut { count = cut }
      parse(piece.baseAddress.map { $0 + i }, count)
      i += count
      if cut != nil, isInLongSection { divideSection() }
      // libxml2 waits for the end of the declarations, and looks for it from their begin each time.
      if context.pointee.instate == XML_PARSER_DTD, input.pointee.end - input.pointee.cur > Self.longestDeclarations {
        fail(.invalidDocument, "the document type's declarations are longer than 1 MiB")
      }
    }
    checkNames()
    mark(.pieceEnd)
  }

  private func parse(_ text: UnsafeRawPointer?, _ count: Int) {
    xmlParseChunk(context, text?.assumingMemoryBound(to: CChar.self), Int32(count), 0)
  }

  /// Refuses a document with names without end: libxml2 keeps them all, and looks for each among more and more others.
  private mutating func checkNames() {
    guard !isFailed, let names = context.pointee.dict else { return }
    if Int(xmlDictSize(names)) > Self.mostNames {
      fail(.expansionLimit, "the document has more than \(Self.mostNames) different names of elements and attributes")
    } else if Int(xmlDictGetUsage(names)) > Self.longestNames {
      fail(.expansionLimit, "the names of the document's elements and attributes are longer than 32 MiB together")
    }
  }

  private static let mostNames = 200_000
  private static let longestNames = 32 << 20

  /// Parses several pieces.
  mutating func push(_ text: UnsafeRawBufferPointer, ends: [Int]) {
    var start = 0
    for end in ends {
      push(UnsafeRawBufferPointer(rebasing: text[start..<end]))
      start = end
    }
  }

  /// Tells the parser that the document ends.
  mutating func finish() {
    if !isFailed {
      xmlParseChunk(context, nil, 0, 1)
      if context.pointee.wellFormed == 0 { fail(.invalidDocument, "the document is no well-formed XML") }
    }
    mark(.documentEnd)
  }

  // MARK: CDATA sections

  /// Whether the parser waits for the end of a CDATA section of which it has much.
  private var isInLongSection: Bool {
    context.pointee.instate == XML_PARSER_CDATA_SECTION && input.pointee.end - input.pointee.cur > Self.longestSection
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
  private mutating func divideSection() {
    for mark in ["]]>", "<![CDATA["] as [StaticString] {
      parse(mark.utf8Start, mark.utf8CodeUnitCount)
      // It is no part of the document.
      origin -= mark.utf8CodeUnitCount
    }
  }

  /// The most of an open CDATA section that waits for its end.
  private static let longestSection = 1 << 16

  // MARK: Events

  /// The first word of an event.
  @inline(__always)
  private mutating func head(_ kind: XMLEvent.Kind, _ flags: UInt64 = 0, count: Int = 0) -> UInt64 {
    let offset = offset
    if UInt(bitPattern: offset &- base) >= UInt(XMLEvent.limit) { rebase(offset) }
    var head = UInt64(kind.rawValue) | flags | UInt64(UInt(bitPattern: offset &- base)) << XMLEvent.offsetShift
    if context.pointee.depth > 0 { head |= XMLEvent.inEntity }
    return head | UInt64(UInt(bitPattern: count)) << XMLEvent.countShift
  }

  @inline(never)
  private mutating func rebase(_ offset: Int) {
    let place = writer.room(2)
    place[0] = UInt64(XMLEvent.Kind.base.rawValue)
    place[1] = UInt64(UInt(bitPattern: offset))
    base = offset
  }

  private mutating func mark(_ kind: XMLEvent.Kind) {
    rebase(offset)
    let head = head(kind)
    writer.room(1)[0] = head
  }

  @inline(__always)
  mutating func start(
    _ local: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?, count: Int,
    defaulted: Int, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    if prefix == nil, uri == nil, count == 0 {
      let head = head(.start)
      let place = writer.room(2)
      place[0] = head
      place[1] = XMLEvent.word(local)
      return
    }
    startOther(local, prefix, uri, count, defaulted, attributes)
  }

  private mutating func startOther(
    _ local: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?, _ count: Int,
    _ defaulted: Int, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    if defaulted > 0 {
      spend(16 * defaulted)
      // A parser that was stopped has let the values go.
      if isFailed { return }
    }
    guard count > 0, let attributes else {
      let head = head(.start, XMLEvent.isLong)
      let place = writer.room(4)
      place[0] = head
      place[1] = XMLEvent.word(local)
      place[2] = XMLEvent.word(prefix)
      place[3] = XMLEvent.word(uri)
      return
    }
    let head = head(.start, XMLEvent.isLong | XMLEvent.hasAttributes)
    // Values that stand nowhere as they are follow behind the attributes; those of default ones are the dictionary's.
    var words = 5 + 6 * count
    for i in 0..<count - defaulted {
      guard let start = attributes[5 * i + 3], let end = attributes[5 * i + 4] else { continue }
      if verbatim(start, end - start) < 0 { words += (end - start + 7) / 8 }
    }
    let place = writer.room(words)
    place[0] = head
    place[1] = XMLEvent.word(local)
    place[2] = XMLEvent.word(prefix)
    place[3] = XMLEvent.word(uri)
    place[4] = UInt64(words) << 32 | UInt64(count)
    var used = 5 + 6 * count
    for i in 0..<count {
      let entry = place + 5 + 5 * i
      for k in 0..<5 { entry[k] = XMLEvent.word(attributes[5 * i + k]) }
      let at = place + 5 + 5 * count + i
      guard i < count - defaulted, let start = attributes[5 * i + 3], let end = attributes[5 * i + 4] else {
        at.pointee = UInt64(bitPattern: -2)
        continue
      }
      let (found, length) = (verbatim(start, end - start), end - start)
      at.pointee = UInt64(bitPattern: Int64(found))
      entry[3] = UInt64(used)
      entry[4] = UInt64(length)
      if found < 0 {
        UnsafeMutableRawPointer(place + used).copyMemory(from: start, byteCount: length)
        used += (length + 7) / 8
      }
    }
  }

  @inline(__always) mutating func end() {
    let head = head(.end)
    writer.room(1)[0] = head
  }

  @inline(__always)
  mutating func characters(_ text: UnsafePointer<xmlChar>, _ count: Int) {
    if input.pointee.cur == text + count, context.pointee.depth == 0, count < XMLEvent.limit {
      let head = head(.text, count: count)
      writer.room(1)[0] = head
      return
    }
    charactersElsewhere(text, count, 0)
  }

  mutating func cdata(_ text: UnsafePointer<xmlChar>, _ count: Int) {
    charactersElsewhere(text, count, XMLEvent.isCDATA)
  }

  private mutating func charactersElsewhere(_ text: UnsafePointer<xmlChar>, _ count: Int, _ flags: UInt64) {
    let at = verbatim(text, count)
    if at >= 0, at + count == offset, count < XMLEvent.limit {
      let head = head(.text, flags, count: count)
      writer.room(1)[0] = head
    } else if at >= 0 {
      let head = head(.textAt, flags)
      let place = writer.room(3)
      place[0] = head
      place[1] = UInt64(at)
      place[2] = UInt64(count)
    } else {
      let head = head(.textCopy, flags)
      writer.write(head, text, count)
    }
  }

  /// Where the document's text has a value as it is; -1 when it has not.
  @inline(__always)
  private func verbatim(_ text: UnsafePointer<xmlChar>, _ count: Int) -> Int {
    guard context.pointee.depth == 0 else { return -1 }
    if text >= input.pointee.base, text <= input.pointee.end {
      return origin &+ Int(truncatingIfNeeded: input.pointee.consumed) &+ (text - input.pointee.base)
    }
    // Of text that is not ASCII libxml2 has made a copy.
    guard let end = input.pointee.cur, end - input.pointee.base >= count, memcmp(end - count, text, count) == 0 else {
      return -1
    }
    return offset - count
  }

  // MARK: Entities and failures

  /// Ends the reading of the document; the first failure counts.
  mutating func fail(_ code: XMLFailure, _ message: String) {
    guard !isFailed else { return }
    let head = head(.failure, count: code.rawValue)
    var message = message
    message.withUTF8 { writer.write(head, $0.baseAddress, $0.count) }
    isFailed = true
    xmlStopParser(context)
  }

  /// What entities or default attributes cost, in bytes of text: the document may grow tenfold by them.
  mutating func spend(_ bytes: Int) {
    let (sum, overflow) = expanded.addingReportingOverflow(bytes)
    expanded = overflow ? .max : sum
    if expanded > 1 << 21, expanded / 10 > offset {
      fail(.expansionLimit, "entities and default attributes make the document more than ten times as long")
    }
  }

  mutating func declareAttribute() {
    declaredAttributes += 1
    // libxml2 compares each default attribute of an element with all others.
    if declaredAttributes > 1000 {
      fail(.expansionLimit, "the document type declares more than 1000 attributes")
    }
  }

  /// A reference to an entity that is not declared in the document, or is outside of it.
  mutating func refuseEntity(_ name: UnsafePointer<xmlChar>?) {
    let isInAttribute = context.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE
    let head = head(.unknownEntity, isInAttribute ? XMLEvent.isInAttribute : 0)
    writer.write(head, name, name.map { Int(xmlStrlen($0)) } ?? 0)
  }

  mutating func useEntity(_ length: Int) {
    let head = head(.usedEntity)
    writer.room(1)[0] = head
    spend(32 + max(0, length))
  }
}

/// Why libxml2's side ends the reading.
enum XMLFailure: Int {
  case invalidDocument, expansionLimit

  var code: ReadError.Code {
    switch self {
    case .invalidDocument: .invalidDocument
    case .expansionLimit: .expansionLimit
    }
  }
}
