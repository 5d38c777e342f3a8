/// Counts the text in records and around them, by offsets that only grow.
///
/// A byte belongs to a record or is skipped; if records share their text, it belongs to the first one.
struct TextLedger {
  private var account = TextAccount()
  /// The offset up to which all is counted.
  private var counted = 0
  /// The bytes of comments behind it.
  private var comments = 0

  /// Whether the beginning was counted.
  private var isBegun = false

  /// Begins, unless it has begun.
  mutating func begin(hasMark: Bool) {
    if isBegun { return }
    isBegun = true
    guard hasMark else { return }
    account.skipped.add(.byteOrderMark, lines: 0, bytes: 3)
    account.bytes += 3
    counted = 3
  }

  /// A comment stands outside of records.
  mutating func addComment(_ bytes: Int) { comments += bytes }

  /// A record begins and ends at these offsets.
  @inline(__always)
  mutating func settle(_ start: Int, _ end: Int) {
    pass(to: start)
    account.recordBytes += max(0, end - counted)
    move(to: end)
  }

  /// A record that has none of the elements of `each` begins and ends at these offsets.
  mutating func settleChildless(_ start: Int, _ end: Int, _ raw: UnsafeRawBufferPointer) {
    pass(to: start)
    account.addChildless(raw, lines: 0, bytes: max(0, end - counted))
    move(to: end)
  }

  mutating func finish(at end: Int) { pass(to: end) }

  /// Takes the counts since the last call.
  mutating func take() -> TextAccount {
    defer { account.removeAll() }
    return account
  }

  /// Skips what stands before an offset.
  @inline(__always)
  private mutating func pass(to offset: Int) {
    if offset <= counted { return }
    let comments = min(comments, offset - counted)
    account.skipped.add(.structure, lines: 0, bytes: offset - counted - comments)
    if comments > 0 { account.skipped.add(.comment, lines: 0, bytes: comments) }
    self.comments = 0
    move(to: offset)
  }

  @inline(__always)
  private mutating func move(to offset: Int) {
    if offset <= counted { return }
    account.bytes += offset - counted
    counted = offset
  }
}
