/// Writes the binary form of property lists (`bplist00`).
package struct BinaryPropertyListWriter {
  private var bytes: [UInt8] = Array("bplist00".utf8)
  private var objects: [Object] = []
  private var strings: [String: Int] = [:]

  /// An object whose parts have numbers already.
  private enum Object {
    case leaf(PropertyList)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// Writes a property list; equal strings are written once.
  ///
  /// - Complexity: O(size of the list).
  package static func write(_ list: PropertyList) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    _ = writer.number(list)
    return writer.finish()
  }

  /// Gives numbers to an object and to all its parts, the object first, and returns its number.
  private mutating func number(_ list: PropertyList) -> Int {
    if case .string(let string) = list {
      if let known = strings[string] { return known }
      strings[string] = objects.count
    }
    let index = objects.count
    objects.append(.leaf(list))
    switch list {
    case .array(let elements):
      objects[index] = .array(elements.map { number($0) })
    case .dictionary(let entries):
      let keys = entries.map { number(.string($0.key)) }
      objects[index] = .dictionary(keys: keys, values: entries.map { number($0.value) })
    default: break
    }
    return index
  }

  private mutating func finish() -> [UInt8] {
    let referenceSize = Self.size(of: objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .leaf(let list): appendLeaf(list)
      case .array(let elements):
        appendMarker(0xA0, count: elements.count)
        for element in elements { append(UInt64(element), size: referenceSize) }
      case .dictionary(let keys, let values):
        appendMarker(0xD0, count: keys.count)
        for reference in keys + values { append(UInt64(reference), size: referenceSize) }
      }
    }
    let table = bytes.count
    let offsetSize = Self.size(of: table)
    for offset in offsets { append(UInt64(offset), size: offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    append(UInt64(objects.count), size: 8)
    append(0, size: 8)
    append(UInt64(table), size: 8)
    return bytes
  }

  /// The bytes that every number up to and including `value` fits into: 1, 2, 4 or 8.
  private static func size(of value: Int) -> Int {
    switch value {
    case ..<0x100: 1
    case ..<0x1_0000: 2
    case ..<0x1_0000_0000: 4
    default: 8
    }
  }

  private mutating func append(_ value: UInt64, size: Int) {
    var shift = UInt64(8 * size)
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  private mutating func appendMarker(_ marker: UInt8, count: Int) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 0x0F)
      appendInteger(Int64(count))
    }
  }

  /// Numbers from 0 take 1, 2, 4 or 8 bytes; negative ones always 8, as shorter ones have no sign.
  private mutating func appendInteger(_ value: Int64) {
    let size = value < 0 ? 8 : Self.size(of: Int(value))
    bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(UInt64(bitPattern: value), size: size)
  }

  private mutating func appendLeaf(_ list: PropertyList) {
    switch list {
    case .string(let string):
      let count = string.utf16.count
      // Every scalar beyond ASCII has more bytes than units.
      if string.utf8.count == count {
        appendMarker(0x50, count: count)
        bytes += string.utf8
      } else {
        appendMarker(0x60, count: count)
        for unit in string.utf16 { append(UInt64(unit), size: 2) }
      }
    case .integer(let value): appendInteger(value)
    case .unsigned(let value):
      bytes.append(0x14)
      append(0, size: 8)
      append(value, size: 8)
    case .real(let value):
      bytes.append(0x23)
      append(value.bitPattern, size: 8)
    case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
    case .data(let data):
      appendMarker(0x40, count: data.count)
      bytes += data
    case .date(let seconds):
      bytes.append(0x33)
      append(seconds.bitPattern, size: 8)
    case .uid(let value):
      let size = value > UInt64(UInt32.max) ? 8 : Self.size(of: Int(value))
      bytes.append(0x80 | UInt8(size - 1))
      append(value, size: size)
    case .array, .dictionary: break  // Written by finish(), with the numbers of their parts.
    }
  }
}
