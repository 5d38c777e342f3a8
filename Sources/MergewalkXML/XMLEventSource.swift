import CMergewalkLibXML2
import MergewalkEventLogs
import MergewalkSystem

/// The target of libxml2's callbacks: they log the events in the text that ``XMLParser`` pushes.
///
/// Advice for the next editor: this runs for every tag of the input, perhaps on a thread of its own. It lives behind a
/// pointer, so that the callbacks reach it without counting references or checking for exclusive access, and shares
/// nothing with the other side but the parser's dictionary, in which names stay as they are once they are there.
struct XMLEventSource {
  let context: xmlParserCtxtPtr
  let policy: XMLPolicy
  /// The document's own text as libxml2 has it, which stays the lowest of its inputs.
  let input: xmlParserInputPtr
  var writer: EventWriter
  /// The offset of the first byte that libxml2 got.
  var origin = 0
  /// The offset from which those of events count.
  private var base = 0
  /// Whether the reading has ended with a failure.
  private(set) var isFailed = false
  /// The bytes that entities and default attributes have added to the document, as far as their cost goes.
  private var expanded = 0
  private var declaredAttributes = 0
  /// Texts that are shorter may be given as places of the document.
  private let placeLimit: Int

  init(_ context: xmlParserCtxtPtr, _ input: xmlParserInputPtr, _ policy: XMLPolicy, log: EventLog) {
    self.context = context
    self.input = input
    self.policy = policy
    placeLimit = policy.hasPlaces ? XMLEvent.limit : 0
    writer = EventWriter(log)
  }

  /// The offset at which the parser stands in the document.
  @inline(__always) var offset: Int {
    origin &+ Int(truncatingIfNeeded: input.pointee.consumed) &+ (input.pointee.cur - input.pointee.base)
  }

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

  mutating func mark(_ kind: XMLEvent.Kind) {
    rebase(offset)
    let head = head(kind)
    writer.room(1)[0] = head
  }

  @inline(__always)
  mutating func start(
    _ local: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?, count: Int,
    defaulted: Int, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    if Int(context.pointee.nameNr) >= policy.deepest {
      return fail(.tooDeep, "elements nest deeper than \(policy.deepest)", isInTag: true)
    }
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
    if input.pointee.cur == text + count, context.pointee.depth == 0, count < placeLimit {
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
    guard context.pointee.depth == 0, placeLimit > 0 else { return -1 }
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
  mutating func fail(_ code: XMLFault.Code, _ message: String, line: Int = 0, isInTag: Bool = false) {
    guard !isFailed else { return }
    let line = min(max(0, line), 1 << 24 - 1)
    let head = head(.failure, isInTag ? XMLEvent.isInTag : 0, count: code.rawValue | line << 2)
    var message = message
    message.withUTF8 { writer.write(head, $0.baseAddress, $0.count) }
    isFailed = true
    xmlStopParser(context)
  }

  /// Spends the cost of entities or default attributes, in bytes of text: the document may grow tenfold by them.
  mutating func spend(_ bytes: Int) {
    let (sum, overflow) = expanded.addingReportingOverflow(bytes)
    expanded = overflow ? .max : sum
    if expanded > 1 << 21, expanded / 10 > offset {
      fail(.expansionLimit, "entities and default attributes make the document more than ten times as long")
    }
  }

  /// Refuses a declaration where there may be none; whether there may be.
  mutating func allowsDeclaration() -> Bool {
    if policy.mayDeclare { return true }
    fail(.invalidDocument, "the document has declarations of its own, which files of this kind do not have")
    return false
  }

  mutating func declareAttribute() {
    guard allowsDeclaration() else { return }
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

  mutating func comment(_ text: UnsafePointer<xmlChar>?) {
    guard let text, context.pointee.depth == 0 else { return }
    let head = head(.comment, count: min(Int(xmlStrlen(text)), XMLEvent.limit - 1))
    writer.room(1)[0] = head
  }

  mutating func noteType(_ name: UnsafePointer<xmlChar>?) {
    let head = head(.documentType)
    writer.write(head, name, name.map { Int(xmlStrlen($0)) } ?? 0)
  }

  mutating func useEntity(_ length: Int) {
    let head = head(.usedEntity)
    writer.room(1)[0] = head
    spend(32 + max(0, length))
  }
}
