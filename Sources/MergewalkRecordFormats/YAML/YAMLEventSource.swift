import CMergewalkLibYAML
import MergewalkEventLogs

/// libyaml's side of a text: it asks for text in pieces and writes to a log what it finds.
///
/// It lives behind a pointer, which libyaml keeps, and runs perhaps on a thread of its own.
struct YAMLEventSource {
  var writer: EventWriter
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>
  /// Where the text comes from while both sides are on one thread.
  private let text: Unmanaged<YAMLText>
  /// Where it comes from otherwise: a text with its pieces, of which some were handed out.
  private var link: ParserChannel?
  private var current: ParserChannel.Text?
  private var piece = 0
  private var used = 0
  /// The code point from which those of events count.
  private var base = 0
  private var isFinished = false

  /// - Parameter text: whoever makes the source keeps it.
  init(_ text: YAMLText, log: EventLog) {
    self.text = .passUnretained(text)
    writer = EventWriter(log)
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  /// Tells libyaml where the source is.
  func start(_ source: UnsafeMutablePointer<YAMLEventSource>) {
    yaml_parser_set_input(
      parser,
      { data, buffer, size, count in
        guard let data, let buffer, let count else { return 0 }
        let source = data.assumingMemoryBound(to: YAMLEventSource.self)
        guard let supplied = source.pointee.supply(UnsafeMutableRawBufferPointer(start: buffer, count: size)) else {
          return 0
        }
        count.pointee = supplied
        return 1
      }, source)
  }

  func deallocate() {
    yaml_parser_delete(parser)
    event.deallocate()
    parser.deallocate()
  }

  /// Takes texts from a link and hands logs over to it from now on.
  mutating func attach(_ link: ParserChannel?) {
    self.link = link
    writer.attach(link)
  }

  /// Parses all of it, on a thread of its own.
  mutating func run() {
    while !isFinished, !writer.isStopped { parse() }
    writer.flush()
  }

  // MARK: Text

  /// Copies text to libyaml's buffer.
  ///
  /// - Returns: the number of bytes, 0 at the end; nil when reading failed, or the text is no longer wanted.
  private mutating func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let link else { return text._withUnsafeGuaranteedRef { $0.supply(buffer) } }
    while true {
      if let current {
        if piece < current.ends.count {
          let end = current.ends[piece]
          if used < end {
            let count = min(buffer.count, end - used)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: link.texts[current.index][used..<used + count]))
            used += count
            return count
          }
          piece += 1
          if piece < current.ends.count { markPiece() }
          continue
        }
        if current.isCut { return nil }
        if current.isLast { return 0 }
        link.giveBack(text: current.index)
      }
      // What was found so far decides whether the text may go on, and where it is kept.
      writer.flush()
      current = link.takeText()
      guard let current else { return nil }
      piece = 0
      used = 0
      if !current.ends.isEmpty { markPiece() }
    }
  }

  private mutating func markPiece() { writer.room(1)[0] = UInt64(YAMLEvent.Kind.piece.rawValue) }

  // MARK: Events

  /// Parses up to the next event and writes it.
  mutating func parse() {
    if isFinished { return }
    if yaml_parser_parse(parser, event) != 1 { return fail() }
    switch event.pointee.type {
    case YAML_SCALAR_EVENT: writeScalar()
    case YAML_MAPPING_START_EVENT:
      let data = event.pointee.data.mapping_start
      writeNode(.mappingStart, isFlow: data.style == YAML_FLOW_MAPPING_STYLE, data.anchor)
    case YAML_MAPPING_END_EVENT: write(.mappingEnd)
    case YAML_SEQUENCE_START_EVENT:
      let data = event.pointee.data.sequence_start
      writeNode(.sequenceStart, isFlow: data.style == YAML_FLOW_SEQUENCE_STYLE, data.anchor)
    case YAML_SEQUENCE_END_EVENT: write(.sequenceEnd)
    case YAML_ALIAS_EVENT: writeNode(.alias, isFlow: false, event.pointee.data.alias.anchor)
    case YAML_DOCUMENT_START_EVENT:
      let data = event.pointee.data.document_start
      let count = data.tag_directives.start.flatMap { first in data.tag_directives.end.map { $0 - first } } ?? 0
      write(.documentStart, more: 1)[0] = UInt64(count)
    case YAML_STREAM_END_EVENT:
      write(.streamEnd)
      isFinished = true
    default: write(.other)
    }
    yaml_event_delete(event)
  }

  /// Writes the first word of an event, and makes room for others.
  @inline(__always) @discardableResult
  private mutating func write(
    _ kind: YAMLEvent.Kind, _ flags: UInt64 = 0, more: Int = 0
  ) -> UnsafeMutablePointer<UInt64> {
    write(kind, flags, event.pointee.start_mark.index, event.pointee.end_mark.index, more: more)
  }

  @inline(__always)
  private mutating func write(
    _ kind: YAMLEvent.Kind, _ flags: UInt64, _ start: Int, _ end: Int, more: Int
  ) -> UnsafeMutablePointer<UInt64> {
    if UInt(bitPattern: start &- base) >= UInt(YAMLEvent.limit) { rebase(start) }
    let head = UInt64(kind.rawValue) | flags | UInt64(start &- base) << YAMLEvent.startShift
    if UInt(bitPattern: end &- start) < UInt(YAMLEvent.limit) {
      let place = writer.room(1 + more)
      place[0] = head | UInt64(end &- start) << YAMLEvent.lengthShift
      return place + 1
    }
    let place = writer.room(2 + more)
    place[0] = head | YAMLEvent.isLong
    place[1] = UInt64(end)
    return place + 2
  }

  @inline(never)
  private mutating func rebase(_ start: Int) {
    let place = writer.room(2)
    place[0] = UInt64(YAMLEvent.Kind.base.rawValue)
    place[1] = UInt64(start)
    base = start
  }

  @inline(__always)
  private mutating func writeScalar() {
    let length = event.pointee.data.scalar.length
    var flags: UInt64 = event.pointee.data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? YAMLEvent.isPlainOrFlow : 0
    var words = 1 + (length + 7) / 8
    let tag = YAMLEventSource.bytes(event.pointee.data.scalar.tag)
    let anchor = YAMLEventSource.bytes(event.pointee.data.scalar.anchor)
    if let tag {
      flags |= YAMLEvent.hasTag
      words += 1 + (tag.count + 7) / 8
    }
    if let anchor {
      flags |= YAMLEvent.hasAnchor
      words += 1 + (anchor.count + 7) / 8
    }
    var place = write(.scalar, flags, more: words)
    put(UnsafeRawBufferPointer(start: event.pointee.data.scalar.value, count: length), &place)
    if let tag { put(tag, &place) }
    if let anchor { put(anchor, &place) }
  }

  private mutating func writeNode(
    _ kind: YAMLEvent.Kind, isFlow: Bool, _ anchor: UnsafeMutablePointer<yaml_char_t>?
  ) {
    let flags = isFlow ? YAMLEvent.isPlainOrFlow : 0
    guard let anchor = YAMLEventSource.bytes(anchor) else {
      write(kind, flags)
      return
    }
    var place = write(kind, flags | YAMLEvent.hasAnchor, more: 1 + (anchor.count + 7) / 8)
    put(anchor, &place)
  }

  @inline(__always)
  private func put(_ bytes: UnsafeRawBufferPointer, _ place: inout UnsafeMutablePointer<UInt64>) {
    place[0] = UInt64(bytes.count)
    if let start = bytes.baseAddress {
      UnsafeMutableRawPointer(place + 1).copyMemory(from: start, byteCount: bytes.count)
    }
    place += 1 + (bytes.count + 7) / 8
  }

  private mutating func fail() {
    isFinished = true
    let state = parser.pointee
    var message = state.problem.map { String(cString: $0) } ?? "the text is not YAML"
    if let context = state.context { message = String(cString: context) + ": " + message }
    let flags = state.error == YAML_MEMORY_ERROR ? YAMLEvent.isPlainOrFlow : 0
    message.withUTF8 { bytes in
      var place = write(
        .failure, flags, state.problem_mark.index, state.problem_mark.index, more: 1 + (bytes.count + 7) / 8)
      put(UnsafeRawBufferPointer(bytes), &place)
    }
  }

  @inline(__always)
  private static func bytes(_ text: UnsafeMutablePointer<yaml_char_t>?) -> UnsafeRawBufferPointer? {
    guard let text else { return nil }
    return UnsafeRawBufferPointer(start: text, count: strlen(UnsafeRawPointer(text)))
  }
}
