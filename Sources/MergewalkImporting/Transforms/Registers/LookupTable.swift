import MergewalkObjectStore

/// A table of texts by texts that many threads can use.
///
/// Keys are found by their bytes; of equal keys, the first one counts, and a key with several values is marked.
public final class LookupTable: Sendable, Hashable, CustomReflectable {
  /// The number of keys.
  public let count: Int
  private let bytes: [UInt8]
  private let entries: [Entry]
  private let slots: [Int32]
  private let mask: Int
  private let hasDoubts: Bool

  /// The memory that the table takes, about.
  var byteCount: Int { bytes.count + entries.count * 56 }

  private struct Entry {
    var key: Range<Int>
    var value: Range<Int>
    var isDoubtful = false
  }

  /// Creates a table from pairs.
  public convenience init(_ pairs: [(key: String, value: String)]) {
    var builder = Builder()
    for pair in pairs { builder.add(Array(pair.key.utf8), Array(pair.value.utf8)) }
    self.init(builder)
  }

  init(_ builder: Builder) {
    bytes = builder.bytes
    var capacity = 8
    while capacity < 2 * builder.entries.count { capacity *= 2 }
    mask = capacity - 1
    var slots = [Int32](repeating: -1, count: capacity)
    var entries: [Entry] = []
    for (key, value) in builder.entries {
      var slot = bytes[key].withUnsafeBytes { Self.hash($0) } & mask
      while slots[slot] >= 0, bytes[entries[Int(slots[slot])].key] != bytes[key] { slot = (slot + 1) & mask }
      if slots[slot] >= 0 {
        let first = Int(slots[slot])
        if bytes[entries[first].value] != bytes[value] { entries[first].isDoubtful = true }
        continue
      }
      slots[slot] = Int32(entries.count)
      entries.append(Entry(key: key, value: value))
    }
    count = entries.count
    hasDoubts = entries.contains(where: \.isDoubtful)
    self.slots = slots
    self.entries = entries
  }

  /// Collects the pairs of a table.
  struct Builder {
    fileprivate var bytes: [UInt8] = []
    fileprivate var entries: [(key: Range<Int>, value: Range<Int>)] = []

    /// The memory that the table will take, about.
    var byteCount: Int { bytes.count + entries.count * 56 }

    mutating func add(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>) {
      let start = bytes.count
      bytes.append(contentsOf: key)
      let middle = bytes.count
      bytes.append(contentsOf: value)
      entries.append((start..<middle, middle..<bytes.count))
    }
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
    // No bytes may have an address or none.
    guard key.count > 0, let start = key.baseAddress else { return 0 }
    return Int(truncatingIfNeeded: CellHash.bytes(start, key.count, seed: 0) & 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// Calls `body` with the value of a key; nil when the table does not have it.
  @inline(__always)
  func withValue<Result>(of key: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result?
  {
    withEntry(of: key) { bytes, entry in body(UnsafeBufferPointer(rebasing: bytes[entry.value])) }
  }

  @inline(__always)
  private func withEntry<Result>(
    of key: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, Entry) -> Result
  ) -> Result? {
    bytes.withUnsafeBufferPointer { bytes in
      var slot = Self.hash(UnsafeRawBufferPointer(key)) & mask
      while slots[slot] >= 0 {
        let entry = entries[Int(slots[slot])]
        if entry.key.count == key.count, bytes[entry.key].elementsEqual(key) { return body(bytes, entry) }
        slot = (slot + 1) & mask
      }
      return nil
    }
  }

  /// Whether a key came with several values.
  func isDoubtful(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
    hasDoubts && withEntry(of: key) { $1.isDoubtful } ?? false
  }

  @inline(__always)
  func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool { withValue(of: key) { _ in true } ?? false }

  /// The mirror that represents the table when a definition is compared with an earlier one.
  public var customMirror: Mirror {
    let digest = bytes.withUnsafeBytes { Self.hash($0) }
    return Mirror(self, children: ["count": count, "digest": digest])
  }

  /// Tables are equal if they are identical.
  public static func == (left: LookupTable, right: LookupTable) -> Bool { left === right }

  /// Feeds the table's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
