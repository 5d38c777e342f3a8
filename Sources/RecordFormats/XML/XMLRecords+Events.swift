import CLibXML2

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
      offset = base &+ Int(truncatingIfNeeded: head >> XMLEvent.offsetShift & UInt64(XMLEvent.limit - 1))
      isInEntity = head & XMLEvent.inEntity != 0
      guard let kind = XMLEvent.Kind(rawValue: UInt8(truncatingIfNeeded: head & 15)) else {
        preconditionFailure("a log of XML has an event of an unknown kind")
      }
      switch kind {
      case .start:
        if head & XMLEvent.isLong == 0 {
          start(XMLTag(local: XMLEvent.pointer(next[1])))
          next += 2
        } else {
          startOther(&next, hasAttributes: head & XMLEvent.hasAttributes != 0)
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
        let count = Int(next[1])
        let text = UnsafeRawPointer(next + 2).assumingMemoryBound(to: xmlChar.self)
        if head & XMLEvent.isCDATA != 0 {
          cdata(text, count, at: -1)
        } else {
          characters(text, count, at: -1)
        }
        next += 2 + (count + 7) / 8
      case .base:
        base = Int(next[1])
        next += 2
      case .usedEntity:
        usedEntities = true
        next += 1
      case .unknownEntity:
        refuseEntity(bytes(&next), isInAttribute: head & XMLEvent.isInAttribute != 0)
      case .failure:
        let code = XMLFailure(rawValue: Int(truncatingIfNeeded: head >> XMLEvent.countShift)) ?? .invalidDocument
        fail(code.code, bytes(&next))
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
    // Of what is asked for all text is kept.
    guard let textBase, at >= textStart, at + count <= textEnd else { return }
    let text = textBase + (at - textStart)
    if isCDATA { cdata(text, count, at: at) } else { characters(text, count, at: at) }
  }

  /// The bytes behind the first word of an event, as a string.
  private func bytes(_ next: inout UnsafeMutablePointer<UInt64>) -> String {
    let count = Int(next[1])
    let text = String(decoding: UnsafeRawBufferPointer(start: next + 2, count: count), as: UTF8.self)
    next += 2 + (count + 7) / 8
    return text
  }

  /// An element with a prefix, a namespace or attributes.
  private mutating func startOther(_ next: inout UnsafeMutablePointer<UInt64>, hasAttributes: Bool) {
    var tag = XMLTag(
      local: XMLEvent.pointer(next[1]), prefix: XMLEvent.pointer(next[2]), uri: XMLEvent.pointer(next[3]))
    guard hasAttributes else {
      next += 4
      return start(tag)
    }
    let event = next
    tag.count = Int(event[4] & 0xFFFF_FFFF)
    next += Int(event[4] >> 32)
    let attributes = event + 5
    let places = attributes + 5 * tag.count
    for i in 0..<tag.count {
      let place = Int(truncatingIfNeeded: places[i])
      let entry = attributes + 5 * i
      // Values of default attributes are pointers already.
      if place == -2 { continue }
      let count = Int(entry[4])
      var value = UnsafeRawPointer(event + Int(entry[3]))
      if place >= 0 {
        guard let textBase, place >= textStart, place + count <= textEnd else {
          entry[3] = 0
          entry[4] = 0
          continue
        }
        value = UnsafeRawPointer(textBase + (place - textStart))
      }
      entry[3] = UInt64(UInt(bitPattern: value))
      entry[4] = entry[3] + UInt64(count)
    }
    tag.attributes = attributes
    start(tag)
  }
}
