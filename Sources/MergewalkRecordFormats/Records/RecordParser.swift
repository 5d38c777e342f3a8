import MergewalkDiagnostics

/// A parser without I/O: finds records in the bytes of its window.
///
/// It is a value; a copy remembers its place, which makes a second look at a header possible.
///
/// For the next developer:
/// - Input may be split at any byte. Results must not depend on where: tests cut every file at every place and compare.
/// - An incomplete record stays: leave the cursor at its start and request more text. Keep no state of half a record.
/// - Only `window.isLast` shows that nothing follows. A quote or a line end at the window's end may continue behind it.
/// - Offsets are those of the decoded text; ``OffsetMap`` turns them into bytes of the file. Do not count bytes twice.
/// - Each byte is accounted for in `account`, by its record or as skipped text; the sums are checked at the end.
/// - `refuseLong` is the only way to skip a record that does not fit: memory stays bounded whatever the input.
/// - Parsers that are driven by a C library and cannot stop at a record are a ``PushParser`` instead.
protocol RecordParser {
  static var lineEnds: LineEnds { get }
  /// The number of columns it stores.
  var columnCount: Int { get }
  /// The outcomes of the text since they were last taken out; all but `bytes`, which the caller knows.
  var account: TextAccount { get set }

  /// Appends whole records to the batch, from the window's cursor on, and moves the cursor behind them.
  ///
  /// Where a batch without a record is full, what was skipped is forgotten, and its memory used again.
  ///
  /// - Parameters:
  ///   - window: what part of `batch.bytes` is text; 64 bytes behind it may be read, whatever they hold.
  ///   - check: where the text is not valid UTF-8.
  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome

  /// The unfinished record at the cursor is longer than `limit`: refuses it and skips it, or ends the reading.
  mutating func refuseLong(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: Int
  ) -> ParseOutcome
}

/// The part of a batch's bytes that is text, and where it lies in its file.
struct ParseWindow {
  /// The offset in the decoded text of the batch's first byte.
  var origin: Int
  /// Where the next record starts.
  var cursor: Int
  /// Where the text ends for now.
  var end: Int
  /// Nothing follows `end`.
  var isLast: Bool
  /// The batch's records refer to bytes up to here even if the next batch begins at a cursor before.
  var kept = 0
}

/// Why a parser stopped.
enum ParseOutcome {
  /// All text up to `end` was used (cursor = end), or a record has begun and does not end there.
  case needsInput
  /// The batch has reached its limit, or what was skipped is so much that its memory is to be used again.
  case full
  /// The batch has no room for the fields of another record.
  case needsSpace
  /// Nothing more can be read from this input.
  case failed(ParseFailure)
}

/// A failure that ends an input, before it knows the input's path.
struct ParseFailure {
  var code: ReadError.Code
  var position: SourcePosition
  var message: String
}
