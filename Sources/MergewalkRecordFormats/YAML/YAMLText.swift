import CMergewalkScan

/// The text that libyaml pulls, and the places of its marks, which count code points.
///
/// libyaml abandons a stream at the first byte that is not UTF-8 or not printable. It therefore gets a letter in place
/// of each such byte, and the receiver of the events refuses the value or record around it.
final class YAMLText {
  /// A byte that libyaml was not shown.
  struct Fault {
    var offset: Int
    var isNUL: Bool
    /// Whether it looks like a byte inside a character, which is not counted.
    var isContinuation: Bool
  }

  /// The progress that the receiver of events reports after each of them; it is read when more text is needed.
  struct Progress {
    /// The offset behind the last event, from which on there may be no more than `limit` bytes.
    var lastEvent = 0
    /// The offset from which on text is kept.
    var keptFrom = 0
    /// The offset of the first fault that nothing was refused for yet.
    var firstFault = Int.max
  }

  let window: TextWindow
  let progress: UnsafeMutablePointer<Progress>
  /// The faults that nothing was refused for yet.
  private(set) var faults: [Fault] = []
  private(set) var failure: ReadError?
  private let limit: Int
  /// The offsets of the text that was read and checked, of the text that may be handed out, and of the text that was.
  private var checked = 0
  private var passed = 0
  private var handed = 0
  /// The text that was read and may not be handed out yet.
  private var pieces: [Piece] = []
  private var isAtEnd = false
  private var isStarted = false
  /// `%TAG` and other directives since the last event: libyaml compares each with all before.
  private var directives = 0
  private var directivesFrom = 0

  /// A piece of the text that was read.
  struct Piece {
    var start: Int
    var end: Int
    /// Lines that begin with a percent sign.
    var directives = 0
    var count: Int { end - start }
  }

  // A code point and its offset, and how far only ASCII follows. Nothing here calls back while one of them changes.
  @exclusivity(unchecked) private var codePoint = 0
  @exclusivity(unchecked) private var offset = 0
  @exclusivity(unchecked) private var asciiEnd = 0

  /// So many faults that are not dealt with make the input no text.
  private static let mostFaults = 4096
  static let mostDirectives = 1024

  init(_ window: TextWindow, limit: Int) {
    self.window = window
    self.limit = limit + (1 << 16)
    progress = .allocate(capacity: 1)
    progress.initialize(to: Progress())
  }

  deinit { progress.deallocate() }

  // MARK: Handing out

  /// Copies text to libyaml's buffer.
  ///
  /// - Returns: the number of bytes, 0 at the end; nil when reading failed, see ``failure``.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(ReadError) {
      while handed == passed, !isAtEnd {
        try prepare()
        _ = try read()
        try passNext()
      }
    } catch {
      failure = error
      return nil
    }
    let count = min(buffer.count, passed - handed)
    if count == 0 { return 0 }
    copy(Piece(start: handed, end: handed + count), to: buffer)
    handed += count
    return count
  }

  /// Whether all that was read was handed out.
  var isHandedOut: Bool { handed == checked && !isAtEnd }
  var isRead: Bool { isAtEnd }

  /// Says what ended the reading.
  func fail(_ error: ReadError) { failure = error }

  /// Copies text, with a letter in the place of each byte that libyaml is not shown.
  func copy(_ piece: Piece, to buffer: UnsafeMutableRawBufferPointer) {
    let text = window.text(piece.start..<piece.end)
    if let target = buffer.baseAddress, let source = text.baseAddress { cscan_copy_out(target, source, text.count) }
    for fault in faults.reversed() {
      if fault.offset < piece.start { break }
      if fault.offset < piece.end { buffer[fault.offset - piece.start] = UInt8(ascii: "x") }
    }
  }

  /// Reads a piece, which may be handed out when ``pass()`` has been called for it.
  func read() throws(ReadError) -> Piece {
    isAtEnd = try window.readPiece().isEmpty
    if !isStarted {
      isStarted = true
      if window.end >= 3, window.text(0..<3).elementsEqual([0xEF, 0xBB, 0xBF]) {
        checked = 3
        passed = 3
        handed = 3
        offset = 3
        asciiEnd = 3
      }
    }
    var piece = Piece(start: checked, end: checked)
    check(&piece.directives)
    piece.end = checked
    pieces.append(piece)
    return piece
  }

  /// Moves on to the next piece that was read, for which libyaml has asked: releases text and looks at the limits.
  func pass() throws(ReadError) {
    try prepare()
    try passNext()
    handed = passed
  }

  private func prepare() throws(ReadError) {
    let lastEvent = progress.pointee.lastEvent
    window.forget(before: progress.pointee.keptFrom)
    if lastEvent != directivesFrom {
      directivesFrom = lastEvent
      directives = 0
    }
    if passed - lastEvent > limit {
      throw ReadError(
        .recordTooLong, path: window.path, position: window.position(of: lastEvent),
        message: RecordError.tooLong("what follows without a value, a key or the end of either", limit))
    }
  }

  private func passNext() throws(ReadError) {
    let piece = pieces.removeFirst()
    passed = piece.end
    directives += piece.directives
    if faults.count > Self.mostFaults, faults.count(where: { $0.offset < passed }) > Self.mostFaults {
      throw ReadError(
        .invalidDocument, path: window.path, position: window.position(of: faults[0].offset),
        message: "the input has too many bytes that are not text")
    }
    if directives > Self.mostDirectives {
      throw ReadError(
        .invalidDocument, path: window.path, position: window.position(of: progress.pointee.lastEvent),
        message: "more than \(Self.mostDirectives) lines that begin with % follow each other")
    }
  }

  /// Looks for bytes that are no text in what was read last; a character that is cut is left for the next piece.
  private func check(_ directives: inout Int) {
    let text = window.text(checked..<window.end)
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let end = text.count
    var i = 0
    while i < end {
      if i + 8 <= end {
        // A byte of `plain` has its high bit set if the text's is neither a control character but LF, nor above
        // 0x7E, nor a percent sign: sums do not carry from byte to byte.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)
        let low = word & (0x7F &* ones)
        let isPrintable = low &+ 0x60 &* ones
        let isOther = (low ^ (0x0A &* ones)) &+ 0x7F &* ones
        let isNoPercent = (low ^ (0x25 &* ones)) &+ 0x7F &* ones
        let isNoDelete = ~(low &+ ones)
        let plain = (isPrintable | ~isOther) & isNoPercent & isNoDelete & ~word & (0x80 &* ones)
        if plain == 0x80 &* ones {
          i += 8
          continue
        }
      }
      let byte = base[i]
      if byte < 0x80 {
        if byte < 0x20 ? byte != 10 && byte != 13 && byte != 9 : byte == 0x7F { addFault(i, byte) }
        if byte == UInt8(ascii: "%"), i > 0 ? base[i - 1] == 10 : checked == 0 { directives += 1 }
        i += 1
        continue
      }
      let length = TextCheck.length(base, i, end)
      if length < 0, !isAtEnd { break }
      if length <= 0 {
        addFault(i, byte)
        i += 1
        continue
      }
      let isControl = byte == 0xC2 && base[i + 1] < 0xA0 && base[i + 1] != 0x85
      let isNoCharacter = byte == 0xEF && base[i + 1] == 0xBF && base[i + 2] >= 0xBE
      if isControl || isNoCharacter { for k in 0..<length { addFault(i + k, base[i + k]) } }
      i += length
    }
    checked += i
  }

  private func addFault(_ index: Int, _ byte: UInt8) {
    faults.append(Fault(offset: checked + index, isNUL: byte == 0, isContinuation: byte & 0xC0 == 0x80))
    progress.pointee.firstFault = faults[0].offset
  }

  func fault(before offset: Int) -> Fault? {
    guard let first = faults.first, first.offset < offset else { return nil }
    return first
  }

  /// Forgets the faults before an offset, which were dealt with.
  func forgetFaults(before offset: Int) {
    faults.removeAll { $0.offset < offset }
    progress.pointee.firstFault = faults.first?.offset ?? .max
  }

  // MARK: Scalars

  /// The offset of a scalar's bytes, when they stand as they are between two offsets, but for a quote on each side.
  @inline(__always)
  func verbatim(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, quote: Int) -> Int? {
    let first = start + quote
    return first + bytes.count + quote == end && window.areEqual(bytes, at: first) ? first : nil
  }

  /// Whether a scalar's text has the tag `!`, which makes it text, and which libyaml skips.
  func hasMark(_ range: Range<Int>) -> Bool {
    guard window.holds(range.lowerBound), !range.isEmpty else { return false }
    // An anchor may stand before it.
    var rest = window.text(range)[...]
    if rest.first == UInt8(ascii: "&") {
      while let byte = rest.first, byte > 32 { rest.removeFirst() }
      while let byte = rest.first, byte <= 32 { rest.removeFirst() }
    }
    return rest.first == UInt8(ascii: "!")
  }

  // MARK: Marks

  /// The offset of a code point that libyaml has read.
  ///
  /// - Complexity: O(1) in ASCII, else O(distance from the last code point asked for).
  @inline(__always)
  func offset(ofCodePoint index: Int) -> Int {
    let guess = offset + (index - codePoint)
    if index >= codePoint, guess <= asciiEnd { return guess }
    return walk(to: index)
  }

  @inline(never)
  private func walk(to index: Int) -> Int {
    if index < codePoint { return walkBack(to: index) }
    // What lies before may be forgotten: nothing is asked for that is not kept, and it is at most at `asciiEnd`.
    codePoint += asciiEnd - offset
    offset = asciiEnd
    let text = window.text(offset..<passed)
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return offset }
    var i = 0
    var count = codePoint
    while i + 8 <= text.count {
      let word = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)
      let continuations = (word & ~(word &<< 1) & 0x8080_8080_8080_8080).nonzeroBitCount
      let hidden = faults.isEmpty ? 0 : hiddenFaults(offset + i, 8)
      // Only what ends before the code point, so that the rest is counted one by one.
      if count + 8 - continuations + hidden > index { break }
      count += 8 - continuations + hidden
      i += 8
    }
    func isCounted(_ i: Int) -> Bool {
      base[i] & 0xC0 != 0x80 || (!faults.isEmpty && hiddenFaults(offset + i, 1) > 0)
    }
    // Behind the code points before: bytes inside the last of them may follow.
    while i < text.count, count < index || !isCounted(i) {
      if isCounted(i) { count += 1 }
      i += 1
    }
    codePoint = count
    offset += i
    var end = i
    while end + 8 <= text.count,
      UnsafeRawPointer(base + end).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    { end += 8 }
    while end < text.count, base[end] < 0x80 { end += 1 }
    asciiEnd = offset + end - i
    return offset
  }

  private func walkBack(to index: Int) -> Int {
    var count = codePoint
    var place = offset
    while count > index, window.holds(place - 1) {
      place -= 1
      let isContinuation = window.text(place..<place + 1)[0] & 0xC0 == 0x80
      if !isContinuation || hiddenFaults(place, 1) > 0 { count -= 1 }
    }
    return place
  }

  /// How many faults of a range look like bytes inside a character.
  private func hiddenFaults(_ start: Int, _ count: Int) -> Int {
    faults.count { $0.isContinuation && $0.offset >= start && $0.offset < start + count }
  }
}
