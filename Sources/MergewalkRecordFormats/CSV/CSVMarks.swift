import CMergewalkScan

/// The marks that C finds in the text of a CSV file, piece by piece: the ends of fields, and oddities.
///
/// A piece is short enough to be still in the processor's nearest cache when its fields are made. The marks of a record
/// that continues behind the piece are put before those of the next one.
struct CSVMarks {
  /// Memory for marks, which one parsing after the other uses.
  final class Memory {
    fileprivate let breaks: UnsafeMutablePointer<UInt32>
    fileprivate let flags: UnsafeMutablePointer<UInt8>
    fileprivate let odds: UnsafeMutablePointer<UInt32>
    /// Places before the first mark, which making rows uses.
    fileprivate static let before = 64
    /// Where C puts the fields with doubled quotes of a run of records.
    let escapes: UnsafeMutablePointer<cscan_escape>
    static let mostEscapes = 256

    init() {
      // Those of a piece, what is left of those before, and what C writes too much.
      let room = Self.before + 2 * CSVMarks.longest + 64
      breaks = .allocate(capacity: room)
      flags = .allocate(capacity: room)
      odds = .allocate(capacity: room)
      escapes = .allocate(capacity: Self.mostEscapes)
    }

    deinit {
      breaks.deallocate()
      flags.deallocate()
      odds.deallocate()
      escapes.deallocate()
    }
  }

  private let memory: Memory
  /// Indices of delimiters and line ends outside quotes; those from `next` on are not used.
  let breaks: UnsafeMutablePointer<UInt32>
  /// The flags of the rows, if C makes rows of the marks.
  let flags: UnsafeMutablePointer<UInt8>
  /// The first mark of the current record.
  var next = 0
  private var count = 0
  /// Indices of what is odd; those from `nextOdd` on are not used.
  private let odds: UnsafeMutablePointer<UInt32>
  private var nextOdd = 0
  private var oddCount = 0
  private let level: cscan_level
  private let isFlagged: Bool
  private var state: cscan_csv
  /// Where the marks end.
  private var marked = 0
  private var piece = Self.first

  fileprivate static let longest = 1 << 14
  /// The bytes of the first piece behind a record that is not plain: the next one may be none either, and then the
  /// marks behind it are worth nothing.
  private static let shortest = 1 << 9
  /// The bytes of the first piece of a parsing, which a batch of one record does not use up.
  private static let first = 1 << 10

  /// - Parameter isFlagged: whether `flags` are wanted.
  init(_ memory: Memory, level: cscan_level, delimiter: UInt8, quote: UInt8, isFlagged: Bool) {
    self.memory = memory
    self.level = level
    self.isFlagged = isFlagged
    state = cscan_csv(delimiter: delimiter, quote: quote, inside: 0, closed: 0, ended: 1)
    breaks = memory.breaks + Memory.before
    flags = memory.flags + Memory.before
    odds = memory.odds
  }

  /// Forgets all marks; a record starts at `start`.
  mutating func begin(at start: Int) {
    (next, count, nextOdd, oddCount, marked) = (0, 0, 0, 0, start)
    (state.inside, state.closed, state.ended) = (0, 0, 1)
  }

  /// The record at `next` is not plain.
  mutating func meetOdd() { piece = Self.shortest }

  /// Marks another piece of the text, which ends at `end`; false if there is none, or no room for its marks: the
  /// record is then a long one.
  mutating func advance(_ base: UnsafePointer<UInt8>, to end: Int) -> Bool {
    count -= next
    oddCount -= nextOdd
    if marked >= end || count > Self.longest || oddCount > Self.longest { return false }
    breaks.update(from: breaks + next, count: count)
    odds.update(from: odds + nextOdd, count: oddCount)
    if isFlagged { flags.update(from: flags + next, count: count) }
    (next, nextOdd) = (0, 0)
    let to = min(end, marked + piece)
    let found =
      isFlagged
      ? cscan_csv_fields_flagged(
        level, &state, base, marked, to, breaks + count, odds + oddCount, flags + count)
      : cscan_csv_fields(level, &state, base, marked, to, breaks + count, odds + oddCount)
    count += found.breaks
    oddCount += found.odds
    marked = to
    piece = min(2 * piece, Self.longest)
    return true
  }

  /// The last mark that is a line end and is not a CR that an LF may follow behind the marks; -1 if there is none.
  func lastLineEnd(_ base: UnsafePointer<UInt8>, delimiter: UInt8) -> Int {
    var last = count - 1
    while last >= 0 {
      let at = Int(breaks[last])
      if base[at] == 10 || (base[at] != delimiter && at + 1 < marked) { break }
      last -= 1
    }
    return last
  }

  /// Whether something is odd before `end`, and was not taken.
  @inline(__always)
  func hasOdds(before end: Int) -> Bool { nextOdd < oddCount && Int(odds[nextOdd]) < end }

  /// Says what records are made of in C: the marks from `next` to `last`.
  func fill(_ rows: inout cscan_rows, through last: Int) {
    rows.breaks = breaks + next
    rows.flags = flags + next
    rows.count = last - next + 1
    rows.odds = UnsafePointer(odds + nextOdd)
    rows.odd_count = oddCount - nextOdd
    rows.next_odd = 0
  }

  /// Goes over the marks that records were made of.
  mutating func use(_ rows: cscan_rows) {
    next += rows.next
    nextOdd += rows.next_odd
  }

  /// Takes the next odd thing, which there must be.
  mutating func takeOdd() -> Int {
    nextOdd += 1
    return Int(odds[nextOdd - 1])
  }
}
