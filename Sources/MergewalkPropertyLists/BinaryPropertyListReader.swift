/// Reads the binary form of property lists (`bplist00`).
///
/// Any bytes are safe to read: nothing traps, every offset is checked, cycles are refused, and the work is bounded. A
/// list that refers to one object many times is unfolded into a tree, which the limit on objects bounds.
/// Source of the format: Apple's comments in `CFBinaryPList.c` and the public `ForFoundationOnly.h`.
package struct BinaryPropertyListReader {
  private static let greatestDepth = 200

  private let bytes: UnsafeRawBufferPointer
  private var offsetSize = 0
  private var referenceSize = 0
  private var objectCount = 0
  private var offsetTable = 0
  /// How many objects of the unfolded tree may follow.
  private var remaining = 4_000_000
  /// The objects that are being read, outermost first: finding one of them again is a cycle.
  private var path: [Int] = []

  /// Reads a property list.
  ///
  /// - Throws: ``PropertyListError``.
  /// - Complexity: O(bytes + objects of the unfolded tree).
  package static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var result: Result<PropertyList, PropertyListError> = .failure(PropertyListError(.notABinaryPropertyList, at: 0))
    bytes.withUnsafeBytes { buffer in
      do throws(PropertyListError) {
        result = .success(try read(buffer))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// Reads a property list.
  ///
  /// - Throws: ``PropertyListError``.
  package static func read(_ bytes: UnsafeRawBufferPointer) throws(PropertyListError) -> PropertyList {
    var reader = BinaryPropertyListReader(bytes: bytes)
    let top = try reader.readTrailer()
    return try reader.object(top)
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private static let trailerLength = 32
  private static let magic: [UInt8] = Array("bplist0".utf8)

  /// Checks the frame and returns the number of the topmost object.
  private mutating func readTrailer() throws(PropertyListError) -> Int {
    guard bytes.count >= 8 + Self.trailerLength, bytes.prefix(7).elementsEqual(Self.magic) else {
      throw PropertyListError(.notABinaryPropertyList, at: 0)
    }
    let trailer = bytes.count - Self.trailerLength
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = number(at: trailer + 8, size: 8)
    let top = number(at: trailer + 16, size: 8)
    let table = number(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table >= 8, table < UInt64(trailer),
      count > 0, count <= UInt64((trailer - Int(table)) / offsetSize), top < count
    else { throw PropertyListError(.invalidTrailer, at: trailer) }
    offsetTable = Int(table)
    objectCount = Int(count)
    return Int(top)
  }

  /// The big-endian number of `size` bytes at a place that is known to be inside the bytes.
  private func number(at offset: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    var place = offset
    // Every batch of an import writes metadata, and loops over ranges are slow where nothing is optimized: in tests.
    while place < offset + size {
      value = value << 8 | UInt64(bytes[place])
      place += 1
    }
    return value
  }

  /// Checks that `length` bytes from `offset` are in front of the table of offsets.
  private func require(_ length: Int, at offset: Int) throws(PropertyListError) {
    guard offset <= offsetTable, length <= offsetTable - offset else {
      throw PropertyListError(.outOfBounds, at: offset)
    }
  }

  private mutating func object(_ index: Int) throws(PropertyListError) -> PropertyList {
    let entry = offsetTable + index * offsetSize
    let place = number(at: entry, size: offsetSize)
    guard place >= 8, place < UInt64(offsetTable) else { throw PropertyListError(.outOfBounds, at: entry) }
    let start = Int(place)
    remaining -= 1
    guard remaining >= 0 else { throw PropertyListError(.tooManyObjects, at: start) }
    let marker = bytes[start]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x08: return .boolean(false)
      case 0x09: return .boolean(true)
      default: throw PropertyListError(.unknownObject, at: start)
      }
    case 0x1: return try integer(start, exponent: low)
    case 0x2: return .real(try real(start, exponent: low))
    case 0x3:
      guard low == 3 else { throw PropertyListError(.invalidNumber, at: start) }
      return .date(try real(start, exponent: low))
    case 0x4:
      let body = try counted(start, low: low, width: 1)
      return .data(Array(bytes[body]))
    case 0x5, 0x7:
      let body = try counted(start, low: low, width: 1)
      let isASCII = marker >> 4 == 0x5
      // Every scalar beyond ASCII has more bytes than units.
      guard let string = String(validating: bytes[body], as: UTF8.self),
        !isASCII || string.utf8.count == string.utf16.count
      else { throw PropertyListError(.invalidString, at: start) }
      return .string(string)
    case 0x6:
      let body = try counted(start, low: low, width: 2)
      let units = stride(from: body.lowerBound, to: body.upperBound, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      guard let string = String(validating: units, as: UTF16.self) else {
        throw PropertyListError(.invalidString, at: start)
      }
      return .string(string)
    case 0x8:
      guard low < 8 else { throw PropertyListError(.invalidNumber, at: start) }
      try require(low + 1, at: start + 1)
      return .uid(number(at: start + 1, size: low + 1))
    case 0xA:
      try enter(index, at: start)
      let references = try references(start, low: low, lists: 1)
      var elements: [PropertyList] = []
      for reference in references { elements.append(try object(reference)) }
      path.removeLast()
      return .array(elements)
    case 0xD:
      try enter(index, at: start)
      let references = try references(start, low: low, lists: 2)
      let count = references.count / 2
      var entries: [PropertyList.Entry] = []
      for i in 0..<count {
        guard case .string(let key) = try object(references[i]) else { throw PropertyListError(.invalidKey, at: start) }
        entries.append(PropertyList.Entry(key, try object(references[count + i])))
      }
      path.removeLast()
      return .dictionary(entries)
    default: throw PropertyListError(.unknownObject, at: start)
    }
  }

  private mutating func enter(_ index: Int, at start: Int) throws(PropertyListError) {
    if path.contains(index) { throw PropertyListError(.cycle, at: start) }
    guard path.count < Self.greatestDepth else { throw PropertyListError(.tooDeep, at: start) }
    path.append(index)
  }

  /// Integers of 1, 2 and 4 bytes have no sign, those of 8 do, and 16 bytes hold what needs 64 bits without one.
  private func integer(_ start: Int, exponent: Int) throws(PropertyListError) -> PropertyList {
    guard exponent <= 4 else { throw PropertyListError(.invalidNumber, at: start) }
    let size = 1 << exponent
    try require(size, at: start + 1)
    if size <= 8 { return .integer(Int64(bitPattern: number(at: start + 1, size: size))) }
    let high = number(at: start + 1, size: 8)
    let low = number(at: start + 9, size: 8)
    if high == 0 { return low > UInt64(Int64.max) ? .unsigned(low) : .integer(Int64(low)) }
    guard high == .max, low > UInt64(Int64.max) else { throw PropertyListError(.invalidNumber, at: start) }
    return .integer(Int64(bitPattern: low))
  }

  private func real(_ start: Int, exponent: Int) throws(PropertyListError) -> Double {
    guard exponent == 2 || exponent == 3 else { throw PropertyListError(.invalidNumber, at: start) }
    let size = 1 << exponent
    try require(size, at: start + 1)
    let bits = number(at: start + 1, size: size)
    return size == 8 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(bits)))
  }

  /// The bytes after a marker with a count; counts of 15 and more follow as an integer object.
  private func counted(_ start: Int, low: Int, width: Int) throws(PropertyListError) -> Range<Int> {
    var body = start + 1
    var count = low
    if low == 0x0F {
      try require(1, at: body)
      guard bytes[body] >> 4 == 0x1, bytes[body] & 0x0F <= 3 else { throw PropertyListError(.invalidNumber, at: body) }
      let size = 1 << Int(bytes[body] & 0x0F)
      try require(size, at: body + 1)
      let long = number(at: body + 1, size: size)
      guard long <= UInt64(offsetTable) else { throw PropertyListError(.outOfBounds, at: start) }
      count = Int(long)
      body += 1 + size
    }
    try require(count * width, at: body)
    return body..<body + count * width
  }

  /// The object numbers in `lists` lists of equal length that follow a marker.
  private func references(_ start: Int, low: Int, lists: Int) throws(PropertyListError) -> [Int] {
    let body = try counted(start, low: low, width: lists * referenceSize)
    guard body.count / referenceSize <= remaining else { throw PropertyListError(.tooManyObjects, at: start) }
    var result: [Int] = []
    result.reserveCapacity(body.count / referenceSize)
    var place = body.lowerBound
    while place < body.upperBound {
      let reference = number(at: place, size: referenceSize)
      guard reference < UInt64(objectCount) else { throw PropertyListError(.outOfBounds, at: place) }
      result.append(Int(reference))
      place += referenceSize
    }
    return result
  }
}
