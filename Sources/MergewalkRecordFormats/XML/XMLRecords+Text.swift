import MergewalkSystem

extension XMLRecords {
  // MARK: Text

  /// Text inside the innermost element.
  ///
  /// - Parameter at: where the document's text has it as it is; -1 when it has not.
  @inline(__always) mutating func characters(_ text: UnsafePointer<UInt8>, _ count: Int, at: Int) {
    if openCount == 0 || count == 0 { return }
    // Of a refused record the text may not be kept any more.
    if fault != nil { return }
    if collecting > 0 { collect(text, count) }
    if skipped > 0 { return }
    let top = open + (openCount - 1)
    if !top.pointee.hasInk, !XMLText.isBlank(text, count) {
      top.pointee.hasInk = true
      if !top.pointee.wantsText {
        // For the place of a fault.
        top.pointee.text.start = at
        if top.pointee.hasChildren { checkMixed(top) }
      }
    }
    if top.pointee.wantsText { addText(top, text, count, at) }
  }

  /// A piece of a CDATA section, whose line ends libxml2 leaves as they are.
  mutating func cdata(_ text: UnsafePointer<UInt8>, _ count: Int, at: Int) {
    if openCount == 0 || (skipped > 0 && collecting == 0) { return }
    var i = 0
    if count > 0, at >= 0, at == cdataEnd, cdataEndsInReturn, text[0] == 10 { i = 1 }
    cdataEnd = at >= 0 ? at + count : -1
    cdataEndsInReturn = count > 0 && text[count - 1] == 13
    while i < count {
      let rest = count - i
      guard let found = memchr(text + i, 13, rest) else {
        characters(text + i, rest, at: at >= 0 ? at + i : -1)
        return
      }
      let end = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - text
      if end > i { characters(text + i, end - i, at: at >= 0 ? at + i : -1) }
      // A line feed in place of the return, and of the line feed behind it.
      withUnsafePointer(to: UInt8(10)) { characters($0, 1, at: -1) }
      i = end + 1
      if i < count, text[i] == 10 { i += 1 }
    }
  }

  @inline(__always)
  mutating func addText(
    _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: UnsafePointer<UInt8>, _ count: Int, _ at: Int
  ) {
    if top.pointee.text.count == 0, at >= 0 {
      top.pointee.text = XMLTextRange(isCopy: false, start: at, count: count)
    } else if at >= 0, !top.pointee.text.isCopy, at == top.pointee.text.start + top.pointee.text.count {
      top.pointee.text.count += count
    } else {
      appendText(top, text, count)
    }
  }

  mutating func appendText(
    _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: UnsafePointer<UInt8>, _ count: Int
  ) {
    let bytes = UnsafeBufferPointer(start: text, count: count)
    if copies.count + count > 2 * maxRecordBytes { return refuseLong() }
    if !top.pointee.text.isCopy {
      let before = top.pointee.text
      top.pointee.text = XMLTextRange(isCopy: true, start: copies.count, count: before.count)
      appendCopy(of: before)
    }
    if !top.pointee.hasPieces, top.pointee.text.start + top.pointee.text.count == copies.count {
      top.pointee.text.count += count
    } else if top.pointee.hasPieces, pieces[Int(top.pointee.lastPiece)].end == copies.count {
      pieces[Int(top.pointee.lastPiece)].end += count
    } else {
      let piece = Int32(truncatingIfNeeded: pieces.count)
      pieces.append(XMLTextPiece(start: copies.count, end: copies.count + count))
      if top.pointee.hasPieces {
        pieces[Int(top.pointee.lastPiece)].next = piece
      } else {
        top.pointee.firstPiece = piece
        top.pointee.hasPieces = true
      }
      top.pointee.lastPiece = piece
      if pieces.count > maxRecordBytes { return refuseLong() }
    }
    copies.append(contentsOf: bytes)
  }

  mutating func appendCopy(of range: XMLTextRange) {
    guard range.count > 0, let textBase else { return }
    copies.append(contentsOf: UnsafeBufferPointer(start: textBase + (range.start - textStart), count: range.count))
  }

  /// The whole text of an element, in one piece.
  mutating func wholeText(_ top: UnsafeMutablePointer<XMLOpenElement>) -> XMLTextRange {
    guard top.pointee.hasPieces else { return top.pointee.text }
    let start = copies.count
    // Copied first: a slice would keep the memory shared, and all of it would be copied.
    let first = Array(copies[top.pointee.text.start..<top.pointee.text.start + top.pointee.text.count])
    copies.append(contentsOf: first)
    var piece = top.pointee.firstPiece
    while piece >= 0 {
      let next = Array(copies[pieces[Int(piece)].start..<pieces[Int(piece)].end])
      copies.append(contentsOf: next)
      piece = pieces[Int(piece)].next
    }
    return XMLTextRange(isCopy: true, start: start, count: copies.count - start)
  }

  mutating func collect(_ text: UnsafePointer<UInt8>, _ count: Int) {
    if strings.count + count > 2 * maxRecordBytes { return refuseLong() }
    strings.append(contentsOf: UnsafeBufferPointer(start: text, count: count))
  }
}
