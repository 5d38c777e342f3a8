import MergewalkEventLogs
import MergewalkXML

/// Reading what libxml2's side wrote.
extension XMLRecords {
  /// Takes events of a log up to the end of a piece of text or of the document, which is returned; nil when there are no
  /// more events, or nothing counts any more because the reading has failed.
  mutating func take(_ log: EventLog) -> XMLEvent.Kind? {
    var next = log.words + log.position
    let end = log.words + log.count
    defer { log.position = next - log.words }
    while next < end, failure == nil {
      let head = next[0]
      offset = XMLEvent.offset(head, base: base)
      isInEntity = head & XMLEvent.inEntity != 0
      let kind = XMLEvent.Kind(head: head)
      switch kind {
      case .start:
        if head & XMLEvent.isLong == 0 {
          start(XMLTag(local: XMLEvent.pointer(next[1])))
          next += 2
        } else {
          start(XMLTag(&next, text: textBase, start: textStart, end: textEnd))
        }
      case .end:
        self.end()
        next += 1
      case .text:
        let count = Int(truncatingIfNeeded: head >> XMLEvent.countShift)
        takeText(at: offset &- count, count, isCDATA: head & XMLEvent.isCDATA != 0)
        next += 1
      case .textAt:
        takeText(at: Int(next[1]), Int(next[2]), isCDATA: head & XMLEvent.isCDATA != 0)
        next += 3
      case .textCopy:
        let bytes = UnsafeBufferPointer(XMLEvent.bytes(&next).assumingMemoryBound(to: UInt8.self))
        guard let text = bytes.baseAddress else { break }
        if head & XMLEvent.isCDATA != 0 {
          cdata(text, bytes.count, at: -1)
        } else {
          characters(text, bytes.count, at: -1)
        }
      case .base:
        base = Int(next[1])
        next += 2
      case .usedEntity:
        usedEntities = true
        next += 1
      case .unknownEntity:
        let name = String(decoding: XMLEvent.bytes(&next), as: UTF8.self)
        refuseEntity(name, isInAttribute: head & XMLEvent.isInAttribute != 0)
      case .documentType: _ = XMLEvent.bytes(&next)
      case .comment:
        // With the marks around it.
        if openCount == 0 { ledger.addComment(Int(truncatingIfNeeded: head >> XMLEvent.countShift) + 7) }
        next += 1
      case .failure:
        let fault = XMLEvent.fault(&next, base: base)
        fail(
          fault.code == .expansionLimit ? .expansionLimit : .invalidDocument,
          at: fault.isInTag ? last(UInt8(ascii: "<"), before: offset) : nil, fault.message)
      case .pieceEnd, .documentEnd:
        next += 1
        return kind
      }
    }
    return nil
  }

  /// Text that the document has as it is.
  @inline(__always)
  private mutating func takeText(at: Int, _ count: Int, isCDATA: Bool) {
    // All text of requested elements is kept.
    guard let textBase, at >= textStart, at + count <= textEnd else { return }
    let text = textBase + (at - textStart)
    if isCDATA { cdata(text, count, at: at) } else { characters(text, count, at: at) }
  }
}
