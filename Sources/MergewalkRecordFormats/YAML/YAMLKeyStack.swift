/// The keys of open mappings, which matter where a merge key adds those that a mapping does not have.
///
/// It is written at every key, so its memory is its own.
final class YAMLKeyStack {
  @exclusivity(unchecked) private var bytes: UnsafeMutableRawBufferPointer = .allocate(byteCount: 1 << 10, alignment: 1)
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var ends: UnsafeMutableBufferPointer<Int> = .allocate(capacity: 64)
  @exclusivity(unchecked) private(set) var count = 0

  deinit {
    bytes.deallocate()
    ends.deallocate()
  }

  @inline(__always)
  func append(_ key: UnsafeRawBufferPointer) {
    if bytes.count - used < key.count || count == ends.count { grow(key.count) }
    if let target = bytes.baseAddress, let source = key.baseAddress {
      (target + used).copyMemory(from: source, byteCount: key.count)
    }
    used += key.count
    ends[count] = used
    count += 1
  }

  /// Forgets all but the first keys.
  @inline(__always)
  func cut(to count: Int) {
    self.count = count
    used = count > 0 ? ends[count - 1] : 0
  }

  /// The keys behind the first ones.
  func names(from first: Int) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for index in first..<count {
      let start = index > 0 ? ends[index - 1] : 0
      names.insert([UInt8](bytes[start..<ends[index]]))
    }
    return names
  }

  @inline(never)
  private func grow(_ room: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (used + room), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
    bytes.deallocate()
    bytes = larger
    let more = UnsafeMutableBufferPointer<Int>.allocate(capacity: 2 * ends.count)
    _ = more.update(fromContentsOf: ends[..<count])
    ends.deallocate()
    ends = more
  }
}
