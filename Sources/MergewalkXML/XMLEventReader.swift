import MergewalkEventLogs

/// Reads a document of any structure: the caller gives it the text in pieces and takes its events one by one.
///
/// For property lists, models and stores, which need neither threads nor the places of their values; records have
/// `XMLRecords` on the same log.
package final class XMLEventReader {
  package enum Event {
    /// The document says that it has a type of this name.
    case documentType(String)
    case start(XMLTag)
    /// Text inside the innermost element; a text may come in several pieces. Line ends are line feeds.
    case text(UnsafeRawBufferPointer)
    /// The innermost element ends.
    case end
  }

  private let parser: XMLParser
  private let log: EventLog
  private var base = 0
  private var failure: XMLFault?
  /// Where the last piece of a CDATA section ended, and whether it ended with a return.
  private var section = (end: -1, endsInReturn: false)
  /// Where the parser stood when it reported the last event, in bytes from the document's first one.
  package private(set) var offset = 0

  /// Makes a reader; nil when there is no memory for one.
  ///
  /// - Parameter deepest: the deepest nesting of elements.
  package init?(deepest: Int) {
    log = EventLog(usual: 1 << 12)
    guard let parser = XMLParser(.plain(deepest: deepest), log: log) else { return nil }
    self.parser = parser
  }

  /// Parses a piece of the document, of which all events were taken before.
  ///
  /// - Parameter isLast: whether the document ends behind it.
  package func push(_ text: UnsafeRawBufferPointer, isLast: Bool) {
    parser.restart()
    parser.push(text)
    if isLast { parser.finish() }
    parser.close()
  }

  /// The next event; nil when there is none in the text so far.
  ///
  /// What an event holds is valid until the next piece is pushed.
  package func next() throws(XMLFault) -> Event? {
    if let failure { throw failure }
    var next = log.words + log.position
    let end = log.words + log.count
    defer { log.position = next - log.words }
    while next < end {
      let head = next[0]
      offset = XMLEvent.offset(head, base: base)
      switch XMLEvent.Kind(head: head) {
      case .start:
        if head & XMLEvent.isLong != 0 { return .start(XMLTag(&next, text: nil, start: 0, end: 0)) }
        next += 2
        return .start(XMLTag(local: XMLEvent.pointer(next[-1])))
      case .end:
        next += 1
        return .end
      case .textCopy:
        let text = XMLEvent.bytes(&next)
        return .text(head & XMLEvent.isCDATA == 0 ? UnsafeRawBufferPointer(text) : withLineFeeds(text))
      case .documentType: return .documentType(String(decoding: XMLEvent.bytes(&next), as: UTF8.self))
      case .base:
        base = Int(next[1])
        next += 2
      case .unknownEntity:
        let name = String(decoding: XMLEvent.bytes(&next), as: UTF8.self)
        throw fail(
          XMLFault(
            code: .invalidDocument, message: "the entity “\(name)” is not declared", offset: offset, line: 0,
            isInTag: false))
      case .failure: throw fail(XMLEvent.fault(&next, base: base))
      case .usedEntity, .comment, .pieceEnd, .documentEnd: next += 1
      case .text, .textAt: preconditionFailure("this log has copies of all text")
      }
    }
    return nil
  }

  private func fail(_ fault: XMLFault) -> XMLFault {
    failure = fault
    return fault
  }

  /// A piece of a CDATA section, whose line ends libxml2 leaves as they are, with line feeds for them.
  private func withLineFeeds(_ text: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    var used = 0
    var isBehindReturn = section.endsInReturn && section.end == offset
    for i in 0..<text.count {
      let byte = text[i]
      if byte != 10 || !isBehindReturn {
        text[used] = byte == 13 ? 10 : byte
        used += 1
      }
      isBehindReturn = byte == 13
    }
    section = (offset + text.count, isBehindReturn)
    return UnsafeRawBufferPointer(rebasing: text[..<used])
  }
}
