import CLibXML2
import Diagnostics

/// Reads the XML form of property lists with libxml2's SAX interface, a piece of the text at a time.
///
/// The elements are those of Apple's document type and no others; nothing is loaded besides the file, and a file that
/// declares anything itself, above all entities, is refused.
///
/// Source: <http://www.apple.com/DTDs/PropertyList-1.0.dtd>; <http://xmlsoft.org/html/libxml-parser.html>.
final class XMLPropertyListParser: StagingParser {
  let columnCount: Int
  let text: PropertyListText
  private var context: xmlParserCtxtPtr?
  private var failure: ReadError?
  private var isStopped = false
  /// The offset of the first byte that libxml2 got: behind a byte order mark.
  private var origin = 0
  private var isStarted = false
  /// The offset behind what libxml2 got.
  private var pushed = 0
  /// Where libxml2 waits for the end of a tag, and how many attributes may be in it so far.
  private var stall = (at: -1, signs: 0)

  /// The most attributes of one element: libxml2 compares each with all others.
  private static let mostAttributes = 20_000

  private enum Element {
    case plist, dict, array, key, string, integer, real, date, data, `true`, `false`

    var isLeaf: Bool { self != .plist && self != .dict && self != .array }
  }
  /// An open element, and whether it has its value: the list's one value, a key's value in a dictionary.
  private var open: [(element: Element, isPending: Bool)] = []
  private var isDone = false
  private var content: [UInt8] = []
  private var isContentLong = false
  private var value: [UInt8] = []
  /// Where the innermost leaf begins.
  private var leafStart = 0
  private let maxRecordBytes: Int

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  init(_ text: PropertyListText, maxRecordBytes: Int) {
    self.text = text
    self.maxRecordBytes = maxRecordBytes
    columnCount = text.tree.columnCount
  }

  deinit {
    guard let context else { return }
    // Declarations make libxml2 keep a document of its own, which a stopped parser does not free.
    if let document = context.pointee.myDoc { xmlFreeDoc(document) }
    xmlFreeParserCtxt(context)
  }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    try text.filling(&batch) { () throws(ReadError) in try advance() }
  }

  /// Reads one piece.
  private func advance() throws(ReadError) -> Bool {
    let piece = try text.window.readPiece()
    if !isStarted {
      isStarted = true
      origin = piece.lowerBound + (text.window.text(piece).starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
      pushed = origin
      try start()
    }
    guard let context else { return false }
    let isLast = text.window.isAtEnd
    let waiting = offset()
    countSigns(piece, from: waiting)
    // What has no end yet is looked through anew each time: half as much again makes that linear.
    if isLast || piece.upperBound - pushed >= (pushed - waiting) / 2 {
      let bytes = text.window.text(pushed..<piece.upperBound)
      pushed = piece.upperBound
      if failure == nil {
        xmlParseChunk(
          context, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), isLast ? 1 : 0)
      }
    }
    if failure == nil, isLast {
      if context.pointee.wellFormed == 0 || !isDone { fail(text.window.end, "the XML document ends too early") }
      if failure == nil { failure = text.missingRecords() }
    }
    if let failure { throw failure }
    if isLast { return false }
    let reached = offset()
    try text.forget(before: reached)
    if text.window.end - reached > maxRecordBytes + TextWindow.pieceSize {
      throw ReadError(
        .recordTooLong, path: text.window.path, position: text.window.position(of: reached),
        message: "a tag or a comment is longer than \(maxRecordBytes) bytes")
    }
    return true
  }

  /// Refuses a tag with so many attributes that libxml2 would take for ever.
  private func countSigns(_ piece: Range<Int>, from waiting: Int) {
    if stall.at != waiting { stall = (waiting, 0) }
    guard waiting < piece.lowerBound else { return }
    stall.signs += text.window.text(piece).count { $0 == UInt8(ascii: "=") }
    if stall.signs > Self.mostAttributes, text.window.text(waiting..<waiting + 1)[0] == UInt8(ascii: "<") {
      fail(waiting, "one tag has more than \(Self.mostAttributes) “=”")
    }
  }

  private func start() throws(ReadError) {
    Self.initialise
    var sax = xmlSAXHandler()
    sax.initialized = UInt32(XML_SAX2_MAGIC)
    sax.startElementNs = { user, name, prefix, _, namespaces, _, count, _, attributes in
      XMLPropertyListParser.of(user)?.start(name, prefix, Int(namespaces), Int(count), attributes)
    }
    sax.endElementNs = { user, _, _, _ in XMLPropertyListParser.of(user)?.end() }
    sax.characters = { user, text, count in XMLPropertyListParser.of(user)?.characters(text, Int(count)) }
    sax.cdataBlock = { user, text, count in XMLPropertyListParser.of(user)?.characters(text, Int(count)) }
    sax.internalSubset = { user, name, _, _ in XMLPropertyListParser.of(user)?.documentType(name) }
    sax.entityDecl = { user, _, _, _, _, _ in XMLPropertyListParser.of(user)?.declaration() }
    sax.elementDecl = { user, _, _, _ in XMLPropertyListParser.of(user)?.declaration() }
    sax.notationDecl = { user, _, _, _ in XMLPropertyListParser.of(user)?.declaration() }
    sax.unparsedEntityDecl = { user, _, _, _, _ in XMLPropertyListParser.of(user)?.declaration() }
    sax.attributeDecl = { user, _, _, _, _, _, values in
      xmlFreeEnumeration(values)
      XMLPropertyListParser.of(user)?.declaration()
    }
    sax.reference = { user, name in
      let text = name.map { String(cString: $0) } ?? ""
      XMLPropertyListParser.of(user)?.fail("the entity &\(text); is not declared")
    }
    sax.serror = { user, error in
      guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
      var message = error.pointee.message.map { String(cString: $0) } ?? ""
      while message.last?.isNewline == true { message.removeLast() }
      XMLPropertyListParser.of(user)?.fail(
        "the list is no well-formed XML: \(message.isEmpty ? "error \(error.pointee.code)" : message)")
    }
    context = xmlCreatePushParserCtxt(&sax, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
    guard let context else {
      throw ReadError(.inputFailed, path: text.window.path, message: "the XML parser cannot be started")
    }
    // The text is UTF-8 already, whatever its declaration says. HUGE lifts libxml2's limits; length and depth are ours.
    xmlCtxtUseOptions(
      context,
      Int32(XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLPropertyListParser? {
    user.map { Unmanaged<XMLPropertyListParser>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Where libxml2 is.
  private func offset() -> Int {
    guard let context else { return origin }
    return min(origin + max(0, Int(xmlByteConsumed(context))), text.window.end)
  }

  // MARK: Faults

  private func fail(_ message: String) { fail(offset(), message) }

  /// Keeps the first failure and stops libxml2.
  private func fail(_ offset: Int, _ message: String) {
    guard !isStopped else { return }
    failure = text.damage(offset, message)
    isStopped = true
    if let context { xmlStopParser(context) }
  }

  private func documentType(_ name: UnsafePointer<xmlChar>?) {
    if name.map({ String(cString: $0) }) != "plist" { fail("the document's type is not plist") }
  }

  private func declaration() { fail("the document declares something, which property lists do not do") }

  // MARK: Elements

  private func start(
    _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ namespaces: Int, _ count: Int,
    _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    guard !isStopped else { return }
    let offset = offset()
    // libxml2 is before the tag's end or behind it; a tag has no other “<” than its first byte.
    let before = text.window.text(text.window.mark..<offset)
    let start = before.lastIndex(of: UInt8(ascii: "<")).map { text.window.mark + $0 } ?? offset
    guard let element = name.flatMap(Self.element), prefix == nil else {
      let name = name.map { String(cString: $0) } ?? ""
      return fail(start, "<\(name)> is no element of property lists")
    }
    if element != .plist, count > 0 || namespaces > 0 {
      return fail(start, "an element has attributes, which only <plist> may have")
    }
    guard let parent = open.last else {
      if element != .plist || isDone { return fail(start, "the document is no <plist>") }
      open.append((.plist, true))
      return
    }
    guard element != .plist else { return fail(start, "<plist> inside <plist>") }
    switch parent.element {
    case .plist:
      guard parent.isPending, element != .key else { return fail(start, "<plist> has one value and no key") }
      open[open.count - 1].isPending = false
    case .array:
      guard element != .key else { return fail(start, "<key> is not in a <dict>") }
    case .dict:
      guard (element == .key) != parent.isPending else {
        return fail(start, parent.isPending ? "<key> in the place of a value" : "a value without a <key> before it")
      }
      open[open.count - 1].isPending = element == .key
    default: return fail(start, "a value has elements inside")
    }
    guard open.count < PropertyListText.deepest else {
      return fail(start, "elements nest deeper than \(PropertyListText.deepest)")
    }
    open.append((element, false))
    switch element {
    case .dict: text.tree.beginMapping(at: start)
    case .array: text.tree.beginSequence(at: start)
    default:
      leafStart = start
      // It may be a record by itself.
      text.held = text.tree.wantsNext ? start : nil
      isContentLong = false
      content.removeAll(keepingCapacity: true)
    }
  }

  private func characters(_ bytes: UnsafePointer<xmlChar>?, _ count: Int) {
    guard !isStopped, let bytes else { return }
    let piece = UnsafeRawBufferPointer(start: bytes, count: count)
    guard let element = open.last?.element, element.isLeaf, element != .true, element != .false else {
      if !piece.allSatisfy(PropertyListScalars.isSpace) { fail("text between elements") }
      return
    }
    if content.count + count > maxRecordBytes { isContentLong = true }
    if !isContentLong { content.append(contentsOf: piece) }
  }

  private func end() {
    guard !isStopped, let (element, isPending) = open.popLast() else { return }
    let offset = offset()
    switch element {
    case .plist:
      if isPending { return fail(offset, "<plist> has no value") }
      isDone = true
    case .dict, .array:
      if isPending { return fail(offset, "the last <key> has no value") }
      if text.tree.end(at: offset) { text.emit(to: offset) }
    case .key:
      text.held = nil
      if isContentLong { refuseLong() }
      content.withUnsafeBytes { text.tree.key($0, at: leafStart) }
    default: leaf(element, to: offset)
    }
  }

  private func leaf(_ element: Element, to end: Int) {
    defer { text.held = nil }
    if isContentLong { refuseLong() }
    value.removeAll(keepingCapacity: true)
    var isFault = false
    var state = FieldState.text
    content.withUnsafeBytes { content in
      switch element {
      case .integer:
        state = .number
        isFault = !PropertyListScalars.integer(content, to: &value)
      case .real:
        let isFinite = PropertyListScalars.real(content, to: &value)
        isFault = isFinite == nil
        state = isFinite == true ? .number : .text
      case .date:
        let text = PropertyListScalars.trimmed(content)
        isFault = !PropertyListScalars.isDate(text)
        value.append(contentsOf: text)
      case .data: isFault = !PropertyListScalars.base64(content, to: &value)
      case .true, .false:
        state = element == .true ? .true : .false
        value.append(contentsOf: element == .true ? "true".utf8 : "false".utf8)
      default: break
      }
    }
    if isFault, !isContentLong {
      guard text.tree.wantsNext else {
        return fail(leafStart, "<\(element)> has “\(String(decoding: content.prefix(100), as: UTF8.self))”")
      }
      text.tree.refuse(.invalidScalar, at: leafStart, "what <\(element)> has is none")
    }
    let isComplete =
      element == .string
      ? content.withUnsafeBytes { text.tree.scalar($0, .quoted, at: leafStart) }
      : value.withUnsafeBytes { text.tree.scalar($0, state, at: leafStart) }
    if isComplete { text.emit(to: end) }
  }

  /// A key or a value was not kept for its length: its record is refused; outside of records it does not matter.
  private func refuseLong() {
    guard text.tree.wantsNext else { return }
    text.tree.checkLength(to: text.window.end)
    text.tree.refuse(.recordTooLong, at: leafStart, "a key or a value is longer than \(maxRecordBytes) bytes")
  }

  private static func element(_ name: UnsafePointer<xmlChar>) -> Element? {
    switch String(cString: name) {
    case "plist": .plist
    case "dict": .dict
    case "array": .array
    case "key": .key
    case "string": .string
    case "integer": .integer
    case "real": .real
    case "date": .date
    case "data": .data
    case "true": .true
    case "false": .false
    default: nil
    }
  }
}
