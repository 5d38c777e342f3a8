import CMergewalkScan
import MergewalkSystem

/// A Bloom filter that grows up to a fixed size: whether a key may have been seen before.
///
/// "No" is certain; "yes" is wrong for about one key in 10^7 while the first layer fills, at 40 bits a key, and for one
/// in 10^4 at 16 bits. Keys that may have been seen wait until an index can answer, so a wrong "yes" costs time, never
/// correctness. The filter is a few layers, each about twice as large as the one before: a key is looked up in all of
/// them and added to the last, and layers that are not needed are never allocated. The total size is bounded whatever
/// the number of keys, so memory stays flat.
///
/// Layout of a layer: split blocks of 512 bits, a line of the processor's cache, one bit in each of sixteen 32-bit
/// words (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters", 2007; as the block form of the
/// Parquet specification, with half as many). Layers: Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters",
/// 2007.
final class KeyFilter {
  private typealias Block = SIMD16<UInt32>

  /// One filter of fixed size.
  private struct Layer {
    let blocks: UnsafeMutablePointer<Block>
    let blockCount: UInt64
    var byteCount: Int { Int(blockCount) * 64 }

    init(bytes: Int) {
      let count = max(bytes / 64, 1)
      var memory: UnsafeMutableRawPointer?
      guard posix_memalign(&memory, 64, count * 64) == 0, let memory else {
        preconditionFailure("out of memory for a key filter of \(bytes) bytes")
      }
      memset(memory, 0, count * 64)
      blocks = memory.bindMemory(to: Block.self, capacity: count)
      blockCount = UInt64(count)
    }

    /// Where a key's bits are.
    @inline(__always)
    func block(_ hash: UInt64) -> UnsafeMutablePointer<Block> {
      blocks + Int(truncatingIfNeeded: (hash & 0xFFFF_FFFF_0000_0000).multipliedFullWidth(by: blockCount).high)
    }
  }

  /// The bits for each key in a layer that another one follows.
  private static let keyBits = 40
  /// The layer that keys are added to.
  private var last: Layer
  private var full: ContiguousArray<Layer> = []
  /// How many keys are added before there is another layer.
  private var room: Int
  /// The bytes that further layers may take.
  private var bytesLeft: Int
  /// Whether all keys are noted exactly, in ``NodeImporter/seenKeys``; then the filter itself stays empty.
  var meetsAllKeys = false
  /// Keys that were removed, whose bits are still set; the latest of them.
  private(set) var removed: Set<UInt64> = []
  /// The most keys in ``removed``: a key that was forgotten waits, as one that was seen does.
  static let mostRemoved = 1 << 18

  private static let salts = Block(
    0x47B6_137B, 0x4497_4D91, 0x8824_AD5B, 0xA2B7_289D, 0x7054_95C7, 0x2DF1_424B, 0x9EFC_4947, 0x5C6B_FB31,
    0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F, 0x1656_67B1, 0xCC9E_2D51, 0x1B87_3593, 0xE654_6B65)

  var layerCount: Int { full.count + 1 }

  /// Creates an empty filter that takes about `bytes` bytes in the end.
  ///
  /// - Parameter firstBytes: What the first layer takes at most; by itself it has room for a million keys.
  init(bytes: Int, firstBytes: Int = 5 << 20) {
    let first = min(bytes, firstBytes)
    last = Layer(bytes: first)
    // A rest that is hardly a layer would say "yes" to everything.
    bytesLeft = bytes > first ? max(bytes - first, first) : 0
    room = bytesLeft > 0 ? Self.room(first) : .max
  }

  private static func room(_ bytes: Int) -> Int { bytes * 8 / keyBits }

  deinit {
    for layer in full { free(layer.blocks) }
    free(last.blocks)
  }

  /// Removes a key that ``testAndInsert(_:)`` has taken for new, so that it is new again.
  func remove(_ hash: UInt64) {
    if removed.count == Self.mostRemoved { removed.removeAll(keepingCapacity: true) }
    removed.insert(hash)
  }

  /// Whether a key whose bits are set may be there; one that was removed is added again.
  private func mayContain(_ hash: UInt64) -> Bool { removed.isEmpty || removed.remove(hash) == nil }

  /// Asks for the memory that ``testAndInsert(_:)`` needs.
  @inline(__always)
  func willTest(_ hash: UInt64) {
    cscan_prefetch(last.block(hash))
    for layer in full { cscan_prefetch(layer.block(hash)) }
  }

  /// Adds a key and returns whether it may have been there before.
  @inline(__always)
  func testAndInsert(_ hash: UInt64) -> Bool {
    let low = Block(repeating: UInt32(truncatingIfNeeded: hash))
    let mask = Block(repeating: 1) &<< ((low &* Self.salts) &>> 27)
    for layer in full where layer.block(hash).pointee & mask == mask { return mayContain(hash) }
    if room == 0 { grow() }
    let block = last.block(hash)
    let old = block.pointee
    if old & mask == mask { return mayContain(hash) }
    block.pointee = old | mask
    if room < .max { room -= 1 }
    return false
  }

  /// Begins another layer; the one that takes the rest of the memory takes the rest of the keys.
  private func grow() {
    full.append(last)
    let next = last.byteCount * 2
    let bytes = bytesLeft < next * 2 ? bytesLeft : next
    last = Layer(bytes: bytes)
    bytesLeft -= bytes
    room = bytesLeft > 0 ? Self.room(bytes) : .max
  }
}
