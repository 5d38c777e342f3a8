import MergewalkBytes
import MergewalkDiagnostics

/// The numbered objects of a binary property list.
///
/// Source: the comments of CoreFoundation's `CFBinaryPList.c`,
/// <https://github.com/swiftlang/swift-corelibs-foundation/blob/main/Sources/CoreFoundation/CFBinaryPList.c>.
final class BinaryPropertyListObjects {
  /// The kinds that a list is made of.
  enum Kind {
    case null, `false`, `true`, integer, real, date, data, ascii, utf16, utf8, uid, list, dictionary
  }

  /// An object's kind and where its content is.
  struct Object {
    var kind: Kind
    /// Where its first byte is.
    var start: Int
    /// Where its content is; the numbers of a list's items, of a dictionary's keys and behind them of its values.
    var body: Int
    /// The number of bytes, of UTF-16 units, or of items.
    var count: Int
  }

  let bytes: PagedBytes
  let path: String
  /// The number of the object that holds the others.
  private(set) var top = 0
  private var count = 0
  private var offsetSize = 0
  private var referenceSize = 0
  /// Where the table of offsets begins, which is where objects end.
  private var table = 0
  /// The number of the record that is read, from 1, for messages.
  var record = 1

  private static let trailerSize = 32

  /// Reads the trailer.
  ///
  /// - Throws: `invalidDocument` when it points outside of the file; `truncated` when the file ends before.
  init(_ file: any RandomAccessStream) throws(ReadError) {
    bytes = PagedBytes(file)
    path = file.path
    let size = bytes.size
    guard size >= 8 + 1 + 1 + Self.trailerSize else {
      throw ReadError(.invalidDocument, path: path, message: "the binary property list ends too early")
    }
    let magic = try bytes.bytes(from: 0)
    // 00 is what everyone writes; the second digit never meant anything.
    guard magic.starts(with: "bplist0".utf8) else {
      throw ReadError(.invalidDocument, path: path, message: "not a binary property list of version 0 (bplist00)")
    }
    let trailer = size - Self.trailerSize
    offsetSize = Int(try bytes.number(at: trailer + 6, size: 1))
    referenceSize = Int(try bytes.number(at: trailer + 7, size: 1))
    let count = try bytes.number(at: trailer + 8, size: 8)
    let top = try bytes.number(at: trailer + 16, size: 8)
    let table = try bytes.number(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count >= 1, top < count, table >= 9,
      table <= UInt64(trailer), count <= (UInt64(trailer) - table) / UInt64(offsetSize)
    else {
      throw damage(
        trailer, "the last 32 bytes are not the trailer of a binary property list, so the file is cut or damaged")
    }
    self.count = Int(count)
    self.top = Int(top)
    self.table = Int(table)
  }

  /// The failure that the list is not what it should be.
  func damage(_ offset: Int, _ message: String) -> ReadError {
    ReadError(
      .invalidDocument, path: path, position: SourcePosition(line: record, column: 1, byteOffset: offset),
      message: "byte \(offset): \(message)")
  }

  /// The number of the object that a list or a dictionary names at a place.
  func reference(_ body: Int, _ index: Int) throws(ReadError) -> Int {
    let place = body + index * referenceSize
    let number = try bytes.number(at: place, size: referenceSize)
    guard number < UInt64(count) else {
      throw damage(place, "a reference to object \(number), but there are \(count)")
    }
    return Int(number)
  }

  func object(_ number: Int) throws(ReadError) -> Object {
    let entry = table + number * offsetSize
    let offset = try bytes.number(at: entry, size: offsetSize)
    guard offset >= 8, offset < UInt64(table) else {
      throw damage(entry, "object \(number) is said to be at byte \(offset), where there are no objects")
    }
    let start = Int(offset)
    let marker = UInt8(truncatingIfNeeded: try bytes.number(at: start, size: 1))
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0 where low == 0: return Object(kind: .null, start: start, body: start, count: 0)
    case 0 where low == 8: return Object(kind: .false, start: start, body: start, count: 0)
    case 0 where low == 9: return Object(kind: .true, start: start, body: start, count: 0)
    case 1 where low <= 4: return try plain(.integer, start, 1 << low)
    case 2 where low == 2 || low == 3: return try plain(.real, start, 1 << low)
    case 3 where low == 3: return try plain(.date, start, 8)
    case 4: return try counted(.data, start, low, width: 1)
    case 5: return try counted(.ascii, start, low, width: 1)
    case 6: return try counted(.utf16, start, low, width: 2)
    case 7: return try counted(.utf8, start, low, width: 1)
    case 8 where low < 8: return try plain(.uid, start, low + 1)
    // Arrays and the two kinds of sets.
    case 10, 11, 12: return try counted(.list, start, low, width: referenceSize)
    case 13: return try counted(.dictionary, start, low, width: 2 * referenceSize)
    default: throw damage(start, "there is no kind of object that begins with the byte \(marker)")
    }
  }

  /// Where the references to the values of a dictionary begin.
  func values(of dictionary: Object) -> Int { dictionary.body + dictionary.count * referenceSize }

  private func plain(_ kind: Kind, _ start: Int, _ size: Int) throws(ReadError) -> Object {
    guard size <= table - start - 1 else { throw endsEarly(start) }
    return Object(kind: kind, start: start, body: start + 1, count: size)
  }

  /// A count of 15 stands for one that follows as an integer.
  private func counted(_ kind: Kind, _ start: Int, _ low: Int, width: Int) throws(ReadError) -> Object {
    var body = start + 1
    var count = low
    if low == 15 {
      guard body < table else { throw endsEarly(start) }
      let marker = Int(try bytes.number(at: body, size: 1))
      guard marker >> 4 == 1, marker & 15 <= 3 else { throw damage(body, "no count of a long object") }
      let size = 1 << (marker & 15)
      guard size <= table - body - 1 else { throw endsEarly(start) }
      let long = try bytes.number(at: body + 1, size: size)
      guard long <= UInt64(table) else { throw endsEarly(start) }
      count = Int(long)
      body += 1 + size
    }
    guard count <= (table - body) / width else { throw endsEarly(start) }
    return Object(kind: kind, start: start, body: body, count: count)
  }

  private func endsEarly(_ start: Int) -> ReadError {
    damage(start, "the object that begins here is longer than the rest of the objects")
  }
}

extension BinaryPropertyListObjects {
  enum TextFault { case invalidText, loneSurrogate }

  /// Appends the UTF-8 of a string, or of an integer that is a key.
  ///
  /// - Returns: what is wrong with it; what was appended is then something close to it.
  func append(text object: Object, to output: inout [UInt8]) throws(ReadError) -> TextFault? {
    if object.kind == .integer {
      try append(integer: object, to: &output)
      return nil
    }
    let start = output.count
    guard object.kind == .utf16 else {
      try bytes.append(object.body..<object.body + object.count, to: &output)
      let isValid = output.withUnsafeBytes { all in
        let text = UnsafeRawBufferPointer(rebasing: all[start...])
        return object.kind == .ascii ? text.allSatisfy { $0 < 0x80 } : text.isUTF8
      }
      return isValid ? nil : .invalidText
    }
    var fault: TextFault?
    var index = 0
    func unit(_ index: Int) throws(ReadError) -> UInt32 {
      UInt32(try bytes.number(at: object.body + 2 * index, size: 2))
    }
    while index < object.count {
      var scalar = try unit(index)
      index += 1
      if scalar & 0xFC00 == 0xD800, index < object.count, case let low = try unit(index), low & 0xFC00 == 0xDC00 {
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
        index += 1
      }
      if scalar & 0xF800 == 0xD800 {
        fault = .loneSurrogate
        output.append(contentsOf: "\\u".utf8)
        output.append(contentsOf: String(scalar, radix: 16).utf8)
      } else {
        PropertyListScalars.append(scalar: scalar, to: &output)
      }
    }
    return fault
  }

  /// Appends an integer: 1, 2 and 4 bytes have no sign, 8 and 16 do.
  func append(integer object: Object, to output: inout [UInt8]) throws(ReadError) {
    let high = try bytes.number(at: object.body, size: min(8, object.count))
    let text: String
    if object.count == 16 {
      let low = try bytes.number(at: object.body + 8, size: 8)
      text = String(Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low)))
    } else {
      text = String(Int64(bitPattern: high))
    }
    output.append(contentsOf: text.utf8)
  }

  /// The number of a real or a date.
  func real(_ object: Object) throws(ReadError) -> Double {
    let bits = try bytes.number(at: object.body, size: object.count)
    return object.count == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }
}
