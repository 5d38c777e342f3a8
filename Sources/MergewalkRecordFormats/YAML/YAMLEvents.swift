import MergewalkEventLogs

/// An event of libyaml, read from a log.
struct YAMLEvent {
  enum Kind: UInt8 {
    case scalar, mappingStart, mappingEnd, sequenceStart, sequenceEnd, alias, documentStart, streamEnd
    /// An event without meaning here.
    case other
    /// The text that libyaml has is not enough, and it gets another piece.
    case piece
    /// The base of places changes to the next word.
    case base
    /// The text is no YAML, or could not be read: whether memory is missing, and a message.
    case failure
  }

  var kind: Kind
  /// The code points where it starts and ends.
  var start: Int
  var end: Int
  /// A scalar is plain, or a collection in the flow style.
  var isPlainOrFlow = false
  /// The text of a scalar or of a message; valid until the next event.
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  var tag: UnsafeRawBufferPointer?
  /// The anchor of a node, or that of an alias.
  var anchor: UnsafeRawBufferPointer?
  var declaredTags = 0

  static var isPlainOrFlow: UInt64 { 1 << 4 }
  static var hasTag: UInt64 { 1 << 5 }
  static var hasAnchor: UInt64 { 1 << 6 }
  /// A word with the end follows the first word.
  static var isLong: UInt64 { 1 << 7 }
  static var startShift: UInt64 { 12 }
  static var lengthShift: UInt64 { 38 }
  /// Starts from the base and lengths are less.
  static var limit: Int { 1 << 26 }

  /// Reads the event at a place, which is moved behind it.
  @inline(__always)
  init(_ next: inout UnsafeMutablePointer<UInt64>, base: Int) {
    let head = next[0]
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: head & 15)) else {
      preconditionFailure("a log of YAML has an event of an unknown kind")
    }
    self.kind = kind
    start = base &+ Int(truncatingIfNeeded: head >> Self.startShift & UInt64(Self.limit - 1))
    end = start &+ Int(truncatingIfNeeded: head >> Self.lengthShift)
    isPlainOrFlow = head & Self.isPlainOrFlow != 0
    next += 1
    if head & Self.isLong != 0 {
      end = Int(next[0])
      next += 1
    }
    switch kind {
    case .scalar, .failure: bytes = Self.bytes(&next)
    case .documentStart, .base:
      declaredTags = Int(next[0])
      next += 1
    default: break
    }
    if head & Self.hasTag != 0 { tag = Self.bytes(&next) }
    if head & Self.hasAnchor != 0 { anchor = Self.bytes(&next) }
  }

  @inline(__always)
  private static func bytes(_ next: inout UnsafeMutablePointer<UInt64>) -> UnsafeRawBufferPointer {
    let count = Int(next[0])
    let bytes = UnsafeRawBufferPointer(start: next + 1, count: count)
    next += 1 + (count + 7) / 8
    return bytes
  }
}

/// Has a text parsed by libyaml and gives its events one by one.
///
/// The events of the first text are parsed when they are requested. Then libyaml gets a thread (``ParserChannel``), and the
/// text is read ahead for it; what depends on how far records are made is checked where libyaml asked for more text, so
/// that it makes no difference.
final class YAMLEvents {
  let text: YAMLText
  private let source: UnsafeMutablePointer<YAMLEventSource>
  /// The thread of libyaml, if it has one.
  private(set) var link: ParserChannel?
  private var log: EventLog
  @exclusivity(unchecked) private var next: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var end: UnsafeMutablePointer<UInt64>
  /// The code point from which those of events count.
  @exclusivity(unchecked) private var base = 0
  private var splitsAt: Int
  /// Whether there is no more text to read ahead.
  private var isRead = false

  /// - Parameter splitsAt: how much of the text is read before libyaml gets a thread.
  init(_ text: YAMLText, splitsAt: Int) {
    self.text = text
    self.splitsAt = splitsAt
    log = EventLog(usual: ParserChannel.logSize)
    next = log.words
    end = log.words
    source = .allocate(capacity: 1)
    source.initialize(to: YAMLEventSource(text, log: log))
    source.pointee.start(source)
  }

  deinit {
    link?.stop()
    source.pointee.deallocate()
    source.deinitialize(count: 1)
    source.deallocate()
  }

  /// Reads the next event, whose memory stays until the one behind it is read.
  ///
  /// - Throws: what reading throws; `invalidDocument` for what libyaml refuses.
  @inline(__always)
  func advance() throws(ReadError) -> YAMLEvent {
    while true {
      if next == end { try fill() }
      let event = YAMLEvent(&next, base: base)
      switch event.kind {
      case .piece: try text.pass()
      case .base: base = event.declaredTags
      case .failure: throw failure(event)
      default: return event
      }
    }
  }

  private func failure(_ event: YAMLEvent) -> ReadError {
    if let failure = text.failure { return failure }
    if event.isPlainOrFlow { preconditionFailure("no memory while parsing YAML") }
    let offset = text.offset(ofCodePoint: event.start)
    let place = text.window.holds(offset) ? offset : text.progress.pointee.lastEvent
    return ReadError(
      .invalidDocument, path: text.window.path, position: text.window.position(of: place),
      message: String(decoding: event.bytes, as: UTF8.self))
  }

  /// Gets more events.
  @inline(never)
  private func fill() throws(ReadError) {
    if link == nil, text.window.end >= splitsAt, text.isHandedOut { startThread() }
    guard let link else {
      source.pointee.writer.restart()
      source.pointee.parse()
      source.pointee.writer.close()
      read(log)
      return
    }
    link.giveBack(log)
    while true {
      readAhead(link)
      if let log = link.take(orText: !isRead) { return read(log) }
      precondition(!isRead, "the thread of libyaml has ended before the text")
    }
  }

  private func read(_ log: EventLog) {
    self.log = log
    next = log.words
    end = log.words + log.count
  }

  /// Reads as much as there are texts to fill.
  private func readAhead(_ link: ParserChannel) {
    while !isRead, let index = link.freeText() {
      var posted = ParserChannel.Text(index: index)
      do throws(ReadError) {
        while !isRead, link.texts[index].count - posted.count >= TextWindow.pieceSize + 8 {
          let piece = try text.read()
          text.copy(piece, to: UnsafeMutableRawBufferPointer(rebasing: link.texts[index][posted.count...]))
          posted.count += piece.count
          posted.ends.append(posted.count)
          isRead = text.isRead
        }
      } catch {
        text.fail(error)
        posted.isCut = true
        isRead = true
      }
      posted.isLast = isRead
      link.post(posted)
    }
  }

  private func startThread() {
    let link = ParserChannel()
    let source = source
    source.pointee.writer.restart()
    source.pointee.attach(link)
    if link.start({ _ in source.pointee.run() }) {
      self.link = link
      // This side begins with a log that has been read; the source keeps the one that it has.
      log = EventLog(usual: ParserChannel.logSize)
    } else {
      source.pointee.attach(nil)
      splitsAt = .max
    }
  }
}
