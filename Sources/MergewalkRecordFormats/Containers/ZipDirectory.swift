import MergewalkBytes

/// One member as the directory of a zip archive has it.
struct ZipEntry {
  var name: String
  /// The name's own bytes.
  var rawName: [UInt8]
  var method: Int
  var isEncrypted: Bool
  /// Whether it is a regular file, not a folder or a link.
  var isFile: Bool
  var checksum: UInt32
  var packedSize: Int
  var size: Int
  /// Where its own header is.
  var offset: Int
}

/// Reads the directory of a zip archive.
struct ZipDirectory {
  private let file: any RandomAccessStream

  /// The largest directory that is read, and the most members.
  private static let largest = 256 << 20
  private static let mostEntries = 1 << 20

  init(_ file: any RandomAccessStream) { self.file = file }

  /// All members in the directory's order.
  ///
  /// - Throws: `truncated` when there is no directory; `corrupt`, `unsupportedContainer`.
  func entries() throws(ReadError) -> [ZipEntry] {
    let end = try findEnd()
    let bytes = try read(end.offset, end.size)
    var entries: [ZipEntry] = []
    var at = 0
    for _ in 0..<end.count {
      guard let entry = Self.entry(bytes, &at) else { throw fault("its directory is damaged", end.offset + at) }
      entries.append(entry)
    }
    if at != bytes.count { throw fault("its directory has something after its end", end.offset + at) }
    try checkOverlaps(entries, directory: end.offset)
    return entries
  }

  /// Where a member's bytes begin, behind its own header, which must agree with the directory.
  func dataStart(of entry: ZipEntry) throws(ReadError) -> Int {
    let header = try read(entry.offset, 30)
    let nameLength = Self.u16(header, 26)
    guard Self.u32(header, 0) == 0x0403_4B50, Self.u16(header, 8) == entry.method,
      nameLength == entry.rawName.count, try read(entry.offset + 30, nameLength) == entry.rawName
    else {
      throw ReadError(
        container: .corrupt, file.path + "/" + entry.name, at: entry.offset,
        "the member's header and the archive's directory disagree")
    }
    let start = entry.offset + 30 + nameLength + Self.u16(header, 28)
    guard start + entry.packedSize <= file.size else {
      throw fault("a member continues after its end", entry.offset)
    }
    return start
  }

  // MARK: The end of the directory

  private struct End {
    var offset: Int
    var size: Int
    var count: Int
  }

  private func findEnd() throws(ReadError) -> End {
    let tail = min(file.size, 22 + 65_535)
    let bytes = try read(file.size - tail, tail)
    var at = tail - 22
    // The comment's length tells a signature from bytes that look like one.
    while at >= 0, !(Self.u32(bytes, at) == 0x0605_4B50 && at + 22 + Self.u16(bytes, at + 20) == tail) { at -= 1 }
    if at < 0 {
      throw ReadError(
        container: .truncated, file.path, at: file.size,
        "the zip archive ends too early: the directory at its end is missing")
    }
    var offset = file.size - tail + at
    var end = End(offset: Self.u32(bytes, at + 16), size: Self.u32(bytes, at + 12), count: Self.u16(bytes, at + 10))
    var disks = [Self.u16(bytes, at + 4), Self.u16(bytes, at + 6)]
    var countHere = Self.u16(bytes, at + 8)
    if offset >= 20 {
      let locator = try read(offset - 20, 20)
      if Self.u32(locator, 0) == 0x0706_4B50 {
        guard let place = Self.u64(locator, 8), place <= offset - 20 - 56 else {
          throw fault("its zip64 directory is not where it should be", offset - 20)
        }
        let record = try read(place, 56)
        guard Self.u32(record, 0) == 0x0606_4B50, let count = Self.u64(record, 32), let here = Self.u64(record, 24),
          let size = Self.u64(record, 40), let start = Self.u64(record, 48)
        else { throw fault("its zip64 directory is damaged", place) }
        end = End(offset: start, size: size, count: count)
        countHere = here
        disks = [Self.u32(record, 16), Self.u32(record, 20)]
        offset = place
      }
    }
    if disks != [0, 0] || countHere != end.count {
      throw ReadError(
        .unsupportedContainer, path: file.path, message: "the zip archive is one of several parts; join them first")
    }
    guard end.size <= Self.largest, end.count <= Self.mostEntries else {
      throw ReadError(
        .unsupportedContainer, path: file.path,
        message: "the zip archive has more than \(Self.mostEntries) members or a directory of more than 256 MiB")
    }
    guard end.offset <= offset, end.offset + end.size == offset else {
      throw fault("its directory is not where it should be", offset)
    }
    return end
  }

  // MARK: Entries

  private static func entry(_ bytes: [UInt8], _ at: inout Int) -> ZipEntry? {
    guard at + 46 <= bytes.count, u32(bytes, at) == 0x0201_4B50 else { return nil }
    let flags = u16(bytes, at + 8)
    let (nameLength, extraLength) = (u16(bytes, at + 28), u16(bytes, at + 30))
    let end = at + 46 + nameLength + extraLength + u16(bytes, at + 32)
    guard end <= bytes.count else { return nil }
    let rawName = Array(bytes[(at + 46)..<(at + 46 + nameLength)])
    let mode = u32(bytes, at + 38) >> 16
    let isUnix = bytes[at + 5] == 3
    let type = mode & 0xF000
    var entry = ZipEntry(
      name: name(rawName, isUTF8: flags & 0x800 != 0), rawName: rawName, method: u16(bytes, at + 10),
      isEncrypted: flags & 1 != 0,
      isFile: rawName.last != UInt8(ascii: "/") && !(isUnix && type != 0 && type != 0x8000),
      checksum: UInt32(u32(bytes, at + 16)), packedSize: u32(bytes, at + 20), size: u32(bytes, at + 24),
      offset: u32(bytes, at + 42))
    let extra = (at + 46 + nameLength)..<(at + 46 + nameLength + extraLength)
    guard widen(&entry, bytes, extra) else { return nil }
    at = end
    return entry
  }

  /// Takes the numbers that do not fit 32 bits from zip64's extra field; false when one is missing.
  private static func widen(_ entry: inout ZipEntry, _ bytes: [UInt8], _ extra: Range<Int>) -> Bool {
    let full = 0xFFFF_FFFF
    guard entry.size == full || entry.packedSize == full || entry.offset == full else { return true }
    var at = extra.lowerBound
    while at + 4 <= extra.upperBound {
      let stop = at + 4 + u16(bytes, at + 2)
      guard stop <= extra.upperBound else { return false }
      if u16(bytes, at) == 1 {
        var next = at + 4
        for field in [\ZipEntry.size, \.packedSize, \.offset] where entry[keyPath: field] == full {
          guard next + 8 <= stop, let value = u64(bytes, next) else { return false }
          entry[keyPath: field] = value
          next += 8
        }
        return true
      }
      at = stop
    }
    // Exactly 4 GiB less one byte, without zip64.
    return true
  }

  /// A member's name: UTF-8 when the archive says so or the bytes are, else as MS-DOS wrote them, in code page 437.
  private static func name(_ bytes: [UInt8], isUTF8: Bool) -> String {
    if isUTF8 || String(validating: bytes, as: UTF8.self) != nil { return String(spelling: bytes) }
    return String(decoding: CodePage437.decode(bytes), as: UTF8.self)
  }

  private func checkOverlaps(_ entries: [ZipEntry], directory: Int) throws(ReadError) {
    var last = 0
    for entry in entries.sorted(by: { $0.offset < $1.offset }) {
      let (end, overflow) = entry.offset.addingReportingOverflow(30 + entry.rawName.count + entry.packedSize)
      if entry.offset < last || overflow || end > directory {
        throw fault("its members overlap, as those of a bomb do", entry.offset)
      }
      last = end
    }
  }

  // MARK: Bytes

  private func read(_ offset: Int, _ count: Int) throws(ReadError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= file.size, count <= file.size - offset else {
      throw fault("a part of it would be after its end", offset)
    }
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
      try file.read(at: offset, into: UnsafeMutableRawBufferPointer(all))
    }
    return bytes
  }

  private func fault(_ message: String, _ offset: Int) -> ReadError {
    ReadError(container: .corrupt, file.path, at: offset, "the zip archive is damaged: \(message)")
  }

  private static func u16(_ bytes: [UInt8], _ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }

  private static func u32(_ bytes: [UInt8], _ at: Int) -> Int { u16(bytes, at) | u16(bytes, at + 2) << 16 }

  /// A number that a file can have; nil for one that is no offset of any.
  private static func u64(_ bytes: [UInt8], _ at: Int) -> Int? {
    let high = u32(bytes, at + 4)
    return high < 1 << 24 ? u32(bytes, at) | high << 32 : nil
  }
}
