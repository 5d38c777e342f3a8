import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkRecordFormats

/// A running hash of the records that were read, independent of batches: shows whether an input still begins with the
/// same records.
///
/// Good and refused records have a hash each, so that both can be followed in their own order. Positions count, so a
/// record that moved is a different one; in the first record of each file or archive member, the fields count by
/// column, so that a header with other columns shows.
struct InputChain: Sendable, Equatable {
  /// Records read, refused ones included.
  private(set) var records = 0
  /// Records that were not refused.
  private(set) var good = 0
  private var goodHash: UInt64
  /// The hash of refused ones.
  private var errorHash: UInt64
  private var source = -1
  private var member: String?

  init(seed: UInt64) {
    goodHash = seed
    errorHash = ~seed
  }

  mutating func add(_ batch: RecordBatch) {
    if batch.source != source || batch.member != member { begin(batch) }
    records += batch.recordCount + batch.errors.count
    good += batch.recordCount
    var hash = goodHash
    batch.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for index in 0..<batch.recordCount {
        let record = batch.records[index]
        let seed = CellHash.mix(hash ^ UInt64(truncatingIfNeeded: record.byteOffset), 0x9E37_79B9_7F4A_7C15)
        hash = CellHash.bytes(base + Int(record.rawStart), Int(record.rawLength), seed: seed)
      }
    }
    goodHash = hash
    for error in batch.errors {
      let seed = errorHash ^ UInt64(truncatingIfNeeded: error.position.byteOffset)
      errorHash = error.raw.withUnsafeBytes { raw in
        raw.baseAddress.map { CellHash.bytes($0, raw.count, seed: seed) } ?? CellHash.mix(seed, 0xD6E8_FEB8_6659_FD93)
      }
    }
  }

  /// Notes that records of another file or archive member follow.
  private mutating func begin(_ batch: RecordBatch) {
    guard batch.recordCount > 0 else { return }
    source = batch.source
    member = batch.member
    goodHash = CellHash.mix(goodHash ^ UInt64(source), 0xA24B_AED4_963E_E407)
    for column in 0..<batch.columnCount {
      let state = UInt64(batch.state(0, column).rawValue)
      batch.withField(0, column) { field in
        guard let base = field.baseAddress else { return }
        goodHash = CellHash.bytes(base, field.count, seed: goodHash ^ state)
      }
    }
  }

  /// How far the inputs have been read.
  func position(source: Int) -> InputPosition {
    InputPosition(source: source, records: records, good: good, hash: value)
  }

  /// The hash of everything that was added.
  var value: UInt64 { CellHash.mix(goodHash ^ 0xE703_7ED1_A0B4_28DB, errorHash ^ UInt64(records)) }
}

/// How far a part's inputs have been read.
struct InputPosition: Sendable, Equatable {
  /// The input that was read last.
  var source = 0
  /// Records read, refused ones included.
  var records = 0
  /// Records that were not refused.
  var good = 0
  /// The hash of what was read, see ``InputChain``.
  var hash: UInt64 = 0
}
