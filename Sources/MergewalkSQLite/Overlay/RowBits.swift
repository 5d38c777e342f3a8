/// A set of row numbers of any sign: a bit for each, in pieces of ``rowsInPiece`` rows, which exist only where a row
/// is.
///
/// - Complexity: O(1) for one row, fastest for rows that are near each other.
package final class RowBits {
  private final class Piece {
    var words = [UInt64](repeating: 0, count: Int(RowBits.rowsInPiece) / 64)
  }

  private static let shift: Int64 = 12
  private static let rowsInPiece: Int64 = 1 << shift
  static let bytesInPiece = Int(rowsInPiece) / 8

  private var pieces: [Int64: Piece] = [:]
  private var last: (number: Int64, piece: Piece)?
  package private(set) var count = 0

  package init() {}

  /// Adds a row; returns the number of its piece when it was not there.
  @discardableResult
  package func insert(_ row: Int64) -> Int64? {
    let number = row >> Self.shift
    let piece = find(number) ?? Piece()
    if last?.number != number {
      pieces[number] = piece
      last = (number, piece)
    }
    let (word, bit) = Self.place(row)
    if piece.words[word] & bit != 0 { return nil }
    piece.words[word] |= bit
    count += 1
    return number
  }

  /// Whether a row is in the set.
  package func contains(_ row: Int64) -> Bool {
    guard let piece = find(row >> Self.shift) else { return false }
    let (word, bit) = Self.place(row)
    return piece.words[word] & bit != 0
  }

  /// Takes a row out.
  package func remove(_ row: Int64) {
    guard contains(row), let piece = find(row >> Self.shift) else { return }
    let (word, bit) = Self.place(row)
    piece.words[word] &= ~bit
    count -= 1
  }

  /// The rows within a range, ascending.
  package func rows(in range: ClosedRange<Int64>) -> some Sequence<Int64> {
    let numbers = pieceNumbers.filter { $0 >= range.lowerBound >> Self.shift && $0 <= range.upperBound >> Self.shift }
    return numbers.lazy.flatMap { [pieces] number -> [Int64] in
      var rows: [Int64] = []
      for (index, word) in (pieces[number]?.words ?? []).enumerated() {
        var word = word
        while word != 0 {
          rows.append(number << Self.shift + Int64(index * 64 + word.trailingZeroBitCount))
          word &= word - 1
        }
      }
      return rows.filter(range.contains)
    }
  }

  private func find(_ number: Int64) -> Piece? {
    if let last, last.number == number { return last.piece }
    guard let piece = pieces[number] else { return nil }
    last = (number, piece)
    return piece
  }

  private static func place(_ row: Int64) -> (word: Int, bit: UInt64) {
    let index = Int(row & (rowsInPiece - 1))
    return (index >> 6, 1 << UInt64(index & 63))
  }

  // MARK: Pieces

  /// The numbers of the pieces, ascending.
  var pieceNumbers: [Int64] { pieces.keys.sorted() }

  /// The bits of a piece, ``bytesInPiece`` of them.
  func bytes(ofPiece number: Int64) -> [UInt8]? { pieces[number]?.words.withUnsafeBytes { Array($0) } }

  func setPiece(_ number: Int64, _ bytes: UnsafeRawBufferPointer) {
    let piece = Piece()
    piece.words.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
    count += piece.words.reduce(0) { $0 + $1.nonzeroBitCount }
    count -= pieces[number]?.words.reduce(0) { $0 + $1.nonzeroBitCount } ?? 0
    pieces[number] = piece
    last = nil
  }
}

@available(*, unavailable, message: "a set of rows is confined to the task of its connection")
extension RowBits: Sendable {}
