import MergewalkBytes
import MergewalkXML

/// Reads the XML form of property lists, a piece of the text at a time.
///
/// The elements are those of Apple's document type and no others; a file with declarations of its own, such as
/// entities, is refused.
///
/// Source: <http://www.apple.com/DTDs/PropertyList-1.0.dtd>.
final class XMLPropertyListParser: PushParser {
  let columnCount: Int
  let text: PropertyListText
  private var reader: XMLEventReader?

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

  init(_ text: PropertyListText, maxRecordBytes: Int) {
    self.text = text
    self.maxRecordBytes = maxRecordBytes
    columnCount = text.tree.columnCount
  }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    try text.filling(&batch) { () throws(ReadError) in try advance() }
  }

  private func advance() throws(ReadError) -> Bool {
    let piece = try text.window.readPiece()
    let reader = try started()
    let isLast = text.window.isAtEnd
    reader.push(text.window.text(piece), isLast: isLast)
    while let event = try next(reader) { try take(event) }
    if isLast {
      if !isDone { throw text.damage(text.window.end, "the XML document ends too early") }
      try text.finish()
      return false
    }
    let reached = offset
    try text.forget(before: reached)
    if text.window.end - reached > maxRecordBytes + TextWindow.pieceSize {
      throw ReadError(
        .recordTooLong, path: text.window.path, position: text.window.position(of: reached),
        message: RecordError.tooLong("a tag or a comment", maxRecordBytes))
    }
    return true
  }

  private func started() throws(ReadError) -> XMLEventReader {
    if let reader { return reader }
    guard let reader = XMLEventReader(deepest: PropertyListText.deepest) else {
      throw ReadError(.inputFailed, path: text.window.path, message: "the XML parser cannot be started: out of memory")
    }
    self.reader = reader
    return reader
  }

  private func next(_ reader: XMLEventReader) throws(ReadError) -> XMLEventReader.Event? {
    do {
      return try reader.next()
    } catch {
      throw text.damage(error.isInTag ? tagStart(error.offset) : error.offset, error.message)
    }
  }

  private func take(_ event: XMLEventReader.Event) throws(ReadError) {
    switch event {
    case .documentType(let name): if name != "plist" { throw text.damage(offset, "the document's type is not plist") }
    case .start(let tag): try start(tag)
    case .text(let text): try characters(text)
    case .end: try end()
    }
  }

  /// Where the parser stands.
  private var offset: Int { min(reader?.offset ?? 0, text.window.end) }

  /// Where a tag begins: the parser is before the tag's end or behind it, and a tag has no other “<” than its first byte.
  private func tagStart(_ offset: Int) -> Int {
    let offset = min(max(offset, text.window.mark), text.window.end)
    let before = text.window.text(text.window.mark..<offset)
    return before.lastIndex(of: UInt8(ascii: "<")).map { text.window.mark + $0 } ?? offset
  }

  // MARK: Elements

  private func start(_ tag: XMLTag) throws(ReadError) {
    let start = tagStart(offset)
    guard let element = Self.element(tag.name) else {
      throw text.damage(start, "<\(tag.name)> is not an element of property lists")
    }
    if element != .plist, tag.count > 0 {
      throw text.damage(start, "an element has attributes, which only <plist> may have")
    }
    guard let parent = open.last else {
      if element != .plist || isDone { throw text.damage(start, "the document is not a <plist>") }
      open.append((.plist, true))
      return
    }
    guard element != .plist else { throw text.damage(start, "<plist> inside <plist>") }
    switch parent.element {
    case .plist:
      guard parent.isPending, element != .key else { throw text.damage(start, "<plist> has one value and no key") }
      open[open.count - 1].isPending = false
    case .array:
      guard element != .key else { throw text.damage(start, "<key> is not in a <dict>") }
    case .dict:
      guard (element == .key) != parent.isPending else {
        throw text.damage(
          start, parent.isPending ? "<key> in the place of a value" : "a value without a <key> before it")
      }
      open[open.count - 1].isPending = element == .key
    default: throw text.damage(start, "a value has elements inside")
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

  private func characters(_ piece: UnsafeRawBufferPointer) throws(ReadError) {
    guard let element = open.last?.element, element.isLeaf, element != .true, element != .false else {
      if !piece.allSatisfy(\.isSpace) { throw text.damage(offset, "text between elements") }
      return
    }
    if content.count + piece.count > maxRecordBytes { isContentLong = true }
    if !isContentLong { content.append(contentsOf: piece) }
  }

  private func end() throws(ReadError) {
    guard let (element, isPending) = open.popLast() else { return }
    let offset = offset
    switch element {
    case .plist:
      if isPending { throw text.damage(offset, "<plist> has no value") }
      isDone = true
    case .dict, .array:
      if isPending { throw text.damage(offset, "the last <key> has no value") }
      if text.tree.end(at: offset) { text.emit(to: offset) }
    case .key:
      text.held = nil
      if isContentLong { refuseLong() }
      content.withUnsafeBytes { text.tree.key($0, at: leafStart) }
    default: try leaf(element, to: offset)
    }
  }

  private func leaf(_ element: Element, to end: Int) throws(ReadError) {
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
        throw text.damage(leafStart, "<\(element)> has “\(String(decoding: content.prefix(100), as: UTF8.self))”")
      }
      text.tree.refuse(.invalidScalar, at: leafStart, "the content of <\(element)> is invalid")
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
    text.tree.refuse(.recordTooLong, at: leafStart, RecordError.tooLong("a key or a value", maxRecordBytes))
  }

  private static func element(_ name: String) -> Element? {
    switch name {
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
