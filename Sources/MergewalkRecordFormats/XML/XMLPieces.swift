import CMergewalkScan
import MergewalkEventLogs
import MergewalkXML

/// Reads a document's text in pieces and has them parsed, and gives what the parser wrote about each.
///
/// The first pieces are parsed when they are requested. Then libxml2 gets a thread, and the text is read ahead for it.
final class XMLPieces {
  struct Piece {
    var count: Int
    var isLast: Bool
  }

  private let window: TextWindow
  private let parser: XMLParser
  private var splitsAt: Int
  /// The thread of libxml2, if it has one.
  private(set) var link: ParserChannel?
  /// The log whose events are next.
  private(set) var log: EventLog
  /// Pieces that are or were parsed and not asked for.
  private var ahead: [Piece] = []
  /// Bytes that are no text, where libxml2 got a dot, which it did not report.
  private(set) var faults: [(at: Int, isNul: Bool)] = []
  /// Whether there is more to read, and why not, if it was no good end.
  private var isRead = false
  private var failure: ReadError?

  /// - Parameter log: the one that the parser writes to.
  init(_ window: TextWindow, _ parser: XMLParser, log: EventLog, splitsAt: Int) {
    self.window = window
    self.parser = parser
    self.log = log
    self.splitsAt = splitsAt
  }

  /// The next piece, whose events are in ``log`` and those that follow; they end with a mark.
  ///
  /// - Throws: what reading threw, behind what it gave before.
  func next() throws(ReadError) -> Piece {
    if link == nil, window.end >= splitsAt, !isRead { startThread() }
    guard let link else {
      try parsePiece()
      return ahead.removeFirst()
    }
    readAhead(link)
    while ahead.isEmpty {
      if let failure { throw failure }
      // It comes when libxml2 has parsed it, whose last events may have been taken already.
      link.waitForText()
      readAhead(link)
    }
    return ahead.removeFirst()
  }

  func nextLog() {
    guard let link else { preconditionFailure("the events of a piece of XML end without a mark") }
    link.giveBack(log)
    while true {
      readAhead(link)
      if let next = link.take(orText: !isRead) {
        log = next
        return
      }
      precondition(!isRead, "the thread of libxml2 has ended before the text")
    }
  }

  /// The places of bytes that are no text, in what was read since the last call.
  func takeFaults() -> [(at: Int, isNul: Bool)] {
    defer { faults = [] }
    return faults
  }

  /// Ends the thread; there are no more pieces.
  func stop() { link?.stop() }

  // MARK: Reading

  private func parsePiece() throws(ReadError) {
    let range = try window.readPiece()
    let piece = Piece(count: range.count, isLast: window.isAtEnd)
    ahead.append(piece)
    parser.restart()
    if window.fault < range.upperBound {
      var copy = Array(window.text(range))
      copy.withUnsafeMutableBytes { hideFaults(range, $0) }
      copy.withUnsafeBytes { parser.push($0) }
    } else {
      parser.push(window.text(range))
    }
    if piece.isLast { parser.finish() }
    parser.close()
  }

  /// Reads as much as there are texts to fill.
  private func readAhead(_ link: ParserChannel) {
    while !isRead, let index = link.freeText() {
      var text = ParserChannel.Text(index: index)
      do throws(ReadError) {
        while !isRead, link.texts[index].count - text.count >= TextWindow.pieceSize {
          let range = try window.readPiece()
          let copy = UnsafeMutableRawBufferPointer(rebasing: link.texts[index][text.count...].prefix(range.count))
          let piece = window.text(range)
          if let target = copy.baseAddress, let source = piece.baseAddress {
            cscan_copy_out(target, source, range.count)
          }
          if window.fault < range.upperBound { hideFaults(range, copy) }
          text.count += range.count
          text.ends.append(text.count)
          isRead = window.isAtEnd
          ahead.append(Piece(count: range.count, isLast: isRead))
        }
      } catch {
        failure = error
        isRead = true
      }
      text.isLast = isRead && failure == nil
      link.post(text)
    }
  }

  /// Replaces bytes that are no text by dots, which continue names and texts and end or begin nothing.
  private func hideFaults(_ piece: Range<Int>, _ copy: UnsafeMutableRawBufferPointer) {
    while window.fault < piece.upperBound {
      let index = window.fault - piece.lowerBound
      if index >= 0 {
        faults.append((at: window.fault, isNul: copy[index] == 0))
        copy[index] = UInt8(ascii: ".")
      }
      window.passFault()
    }
  }

  // MARK: The thread

  private func startThread() {
    let link = ParserChannel()
    let parser = parser
    parser.attach(link)
    // This side begins with a log that has been read; the parser keeps the one that it has.
    parser.restart()
    let isStarted = link.start { link in
      while let text = link.takeText() {
        let bytes = UnsafeRawBufferPointer(rebasing: link.texts[text.index][..<text.count])
        parser.push(bytes, ends: text.ends)
        if text.isLast { parser.finish() }
        parser.flush()
        if text.isLast || parser.isStopped { return }
        link.giveBack(text: text.index)
      }
    }
    guard isStarted else {
      parser.attach(nil)
      splitsAt = .max
      return
    }
    log = EventLog(usual: ParserChannel.logSize)
    self.link = link
  }
}
