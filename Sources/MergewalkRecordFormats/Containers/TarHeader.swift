/// One block of a tar archive that describes a member.
///
/// Source: POSIX.1-2024, pax, <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html>; GNU tar's manual,
/// "Basic Tar Format".
struct TarHeader {
  static let size = 512

  /// The kind of member that a block describes.
  enum Kind {
    /// A file with bytes.
    case file
    /// A folder, a link, a device: nothing to read.
    case other
    /// pax records for the next member, or for all that follow.
    case paxRecords, globalPaxRecords
    /// GNU's long name of the next member.
    case longName
    /// GNU's long target of the next member's link.
    case longLink
    /// A file with holes that GNU tar does not store.
    case sparse
  }

  /// The member's path as the header has it.
  var name: [UInt8]
  var kind: Kind
  var byteCount: Int

  /// Reads a block; nil when it is no header.
  init?(_ block: UnsafeRawBufferPointer) {
    guard Self.isHeader(block), let byteCount = Self.number(block[124..<136]) else { return nil }
    self.byteCount = byteCount
    name = Self.text(block[0..<100])
    // GNU's older format has other things where POSIX has the first part of the path.
    if block[257..<263].elementsEqual(Array("ustar".utf8) + [0]) {
      let prefix = Self.text(block[345..<500])
      if !prefix.isEmpty { name = prefix + [UInt8(ascii: "/")] + name }
    }
    switch block[156] {
    case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): kind = name.last == UInt8(ascii: "/") ? .other : .file
    case UInt8(ascii: "x"): kind = .paxRecords
    case UInt8(ascii: "g"): kind = .globalPaxRecords
    case UInt8(ascii: "L"): kind = .longName
    case UInt8(ascii: "K"): kind = .longLink
    case UInt8(ascii: "S"): kind = .sparse
    // Of these, archives hold no bytes whatever the size says.
    case UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "5"),
      UInt8(ascii: "6"):
      kind = .other
      self.byteCount = 0
    default: kind = .other
    }
  }

  /// Whether a block says that it is a header, with another checksum than its bytes have.
  static func isDamaged(_ block: UnsafeRawBufferPointer) -> Bool {
    block.count >= size && block[257..<262].elementsEqual("ustar".utf8) && block[..<257].contains(0) && !isHeader(block)
  }

  /// Whether a block's checksum is that of its bytes, which nothing but a header's is.
  static func isHeader(_ block: UnsafeRawBufferPointer) -> Bool {
    guard block.count >= size, let expected = number(block[148..<156]) else { return false }
    var unsigned = 0
    var signed = 0
    for i in 0..<size {
      let byte = (148..<156).contains(i) ? 32 : block[i]
      unsigned += Int(byte)
      signed += Int(Int8(bitPattern: byte))
    }
    // Some old programs summed signed characters. A block of zeros is an end, not a header.
    return (expected == unsigned || expected == signed) && block[0] != 0
  }

  /// A number in octal digits, or in binary as GNU writes large ones; nil for anything else and for negative ones.
  static func number(_ field: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let first = field.first else { return nil }
    if first == 0x80 {
      var value = 0
      for byte in field.dropFirst() {
        guard value < 1 << 54 else { return nil }
        value = value << 8 | Int(byte)
      }
      return value
    }
    var value = 0
    var digits = 0
    var isOver = false
    for byte in field {
      switch byte {
      case 0x30...0x37:
        if isOver { return nil }
        value = value << 3 | Int(byte - 0x30)
        digits += 1
      case 0, 32: isOver = isOver || digits > 0
      default: return nil
      }
    }
    return value
  }

  private static func text(_ field: Slice<UnsafeRawBufferPointer>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }
}

/// The records of a pax header: `LENGTH KEY=VALUE` and a line feed each.
struct PaxRecords {
  var path: [UInt8]?
  var size: Int?
  /// The member has holes, as GNU tar writes them into pax archives.
  var isSparse = false

  init() {}

  /// Adds records; false when the bytes are none.
  mutating func add(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let space = rest.firstIndex(of: 32), let length = Self.decimal(rest[..<space]),
        length > space - rest.startIndex + 1, length <= rest.count,
        rest[rest.startIndex + length - 1] == 10
      else { return false }
      let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
      guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { return false }
      let value = record[(equals + 1)...]
      switch String(decoding: record[..<equals], as: UTF8.self) {
      case "path": path = value.isEmpty ? nil : Array(value)
      case "size":
        guard let number = Self.decimal(value) else { return false }
        size = number
      case let key where key.hasPrefix("GNU.sparse."): isSparse = true
      default: break
      }
      rest = rest[(rest.startIndex + length)...]
    }
    return true
  }

  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
