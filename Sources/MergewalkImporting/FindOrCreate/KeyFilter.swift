import CMergewalkScan
import Glibc

/// A Bloom filter of fixed size: whether a key may have been seen before.
///
/// "No" is certain; "yes" is wrong for about one key in 10^5 at 20 bits a key. Keys that may have been seen are put off
/// until an index can answer, so a wrong "yes" costs time and never correctness. The size does not depend on the
/// number of keys, so memory stays flat.
///
/// Layout: split blocks of 256 bits, one bit in each of eight 32-bit words (Putze, Sanders, Singler, "Cache-, hash- and
/// space-efficient Bloom filters", 2007; the block form of the Parquet specification).
final class KeyFilter {
  private let blocks: UnsafeMutablePointer<SIMD8<UInt32>>
  private let blockCount: UInt64
  /// Whether added keys can be removed; it costs 64 bytes a key.
  private var keepsJournal = false
  /// The blocks that were changed since the last mark, as they were.
  private var journal: [(block: Int, old: SIMD8<UInt32>)] = []

  private static let salts = SIMD8<UInt32>(
    0x47B6_137B, 0x4497_4D91, 0x8824_AD5B, 0xA2B7_289D, 0x7054_95C7, 0x2DF1_424B, 0x9EFC_4947, 0x5C6B_FB31)

  /// Creates an empty filter of about `bytes` bytes.
  init(bytes: Int) {
    blockCount = UInt64(max(bytes / 32, 1))
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 64, Int(blockCount) * 32) == 0, let memory else {
      preconditionFailure("out of memory for a key filter of \(bytes) bytes")
    }
    memset(memory, 0, Int(blockCount) * 32)
    blocks = memory.bindMemory(to: SIMD8<UInt32>.self, capacity: Int(blockCount))
  }

  deinit { free(blocks) }

  /// Starts to remember what is added, so that ``undo()`` can take it back.
  func mark() {
    keepsJournal = true
    journal.removeAll(keepingCapacity: true)
  }

  /// Forgets what was added since ``mark()``; nothing when there was no mark.
  func undo() {
    for (block, old) in journal.reversed() { blocks[block] = old }
    journal.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private func block(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: (hash & 0xFFFF_FFFF_0000_0000).multipliedFullWidth(by: blockCount).high)
  }

  /// Asks for the memory that ``testAndInsert(_:)`` needs.
  @inline(__always)
  func willTest(_ hash: UInt64) { cscan_prefetch(blocks + block(hash)) }

  /// Adds a key and returns whether it may have been there before.
  @inline(__always)
  func testAndInsert(_ hash: UInt64) -> Bool {
    let block = block(hash)
    let low = SIMD8<UInt32>(repeating: UInt32(truncatingIfNeeded: hash))
    let mask = SIMD8<UInt32>(repeating: 1) &<< ((low &* Self.salts) &>> 27)
    let old = blocks[block]
    if keepsJournal { journal.append((block, old)) }
    blocks[block] = old | mask
    return (old & mask) == mask
  }
}
