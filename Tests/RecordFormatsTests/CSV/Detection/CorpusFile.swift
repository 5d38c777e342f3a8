import MergewalkRecordFormats

/// A file and the cells that a reader should find in it, the header's included.
struct CorpusFile {
  var kind: String
  var name: String
  var bytes: [UInt8]
  var expected: [[String]]

  init(_ kind: String, _ name: String, _ text: String, _ expected: [[String]]) {
    self.init(kind, name, Array(text.utf8), expected)
  }

  init(_ kind: String, _ name: String, _ bytes: [UInt8], _ expected: [[String]]) {
    self.kind = kind
    self.name = name
    self.bytes = bytes
    self.expected = expected
  }

  /// How many cells are right, and of how many; cells that should not be there count as wrong ones.
  struct Score {
    var right = 0
    var cells = 0
    var share: Double { cells == 0 ? 1 : Double(right) / Double(cells) }

    static func += (left: inout Score, right: Score) {
      left.right += right.right
      left.cells += right.cells
    }
  }

  /// Detects the dialect, reads the file with it, and compares.
  func score() -> (score: Score, dialect: CSVDialect?, found: [[String]?]) {
    let dialect = CSVDialectDetector.detect(sample: bytes, isWhole: true)
    let found = dialect.map { Self.read(bytes, $0.options) } ?? []
    return (Self.compare(found, expected), dialect, found)
  }

  /// A record that was refused (nil) stands for one that is expected, or for what should not be there.
  static func compare(_ all: [[String]?], _ expected: [[String]]) -> Score {
    var score = Score()
    // Refused lines that are no records, such as a remark, stand for nothing.
    let records = all.compactMap { $0 }
    let found = all.count > expected.count && records.count == expected.count ? records : all
    for (row, cells) in expected.enumerated() {
      if row < found.count, found[row] == nil { continue }
      score.cells += cells.count
      guard row < found.count, let given = found[row] else { continue }
      for (column, cell) in cells.enumerated() where column < given.count && given[column] == cell {
        score.right += 1
      }
      score.cells += given.dropFirst(cells.count).count { !$0.isEmpty }
    }
    for row in found.dropFirst(expected.count) { score.cells += row?.count { !$0.isEmpty } ?? 0 }
    return score
  }

  /// The names, if there are some, and all records as texts, nulls as they are spelt; nil for each that was refused.
  static func read(_ bytes: [UInt8], _ options: CSVOptions) -> [[String]?] {
    var rows: [[String]?] = []
    do throws(ReadError) {
      var reader = try CSVReader(source: ByteSource(bytes: bytes), options: options)
      if options.header != .none { rows.append(reader.header) }
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: BatchLimit()) {
        var all: [(Int, [String]?)] = batch.errors.map { ($0.recordIndex, nil) }
        for record in 0..<batch.recordCount {
          all.append(
            (
              batch.records[record].index,
              (0..<batch.columnCount).map { batch.withField(record, $0) { String(decoding: $0, as: UTF8.self) } }
            ))
        }
        rows += all.sorted { $0.0 < $1.0 }.map(\.1)
      }
    } catch {
      rows.append(["failed: \(error)"])
    }
    return rows
  }
}
