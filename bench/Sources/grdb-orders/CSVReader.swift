import Foundation

/// A streaming RFC 4180 reader.
struct CSVReader {
  private let handle: FileHandle
  private var buffer: [UInt8] = []
  private var position = 0

  init(path: String) throws {
    handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    _ = try next()
  }

  /// The fields of the next record, or nil at the end.
  mutating func next() throws -> [String]? {
    while true {
      if let fields = parse(atEnd: false) { return fields }
      guard let more = try handle.read(upToCount: 1 << 20), !more.isEmpty else { return parse(atEnd: true) }
      buffer.removeSubrange(..<position)
      position = 0
      buffer.append(contentsOf: more)
    }
  }

  private mutating func parse(atEnd: Bool) -> [String]? {
    let result: (fields: [String], end: Int)? = buffer.withUnsafeBufferPointer { bytes in
      var fields: [String] = []
      fields.reserveCapacity(11)
      var i = position
      if i == bytes.count { return nil }
      while true {
        if i < bytes.count, bytes[i] == UInt8(ascii: "\"") {
          let start = i + 1
          var quotes = 0
          i = start
          while true {
            while i < bytes.count, bytes[i] != UInt8(ascii: "\"") { i += 1 }
            if i + 1 >= bytes.count, !(atEnd && i < bytes.count) { return nil }
            if i + 1 < bytes.count, bytes[i + 1] == UInt8(ascii: "\"") {
              quotes += 1
              i += 2
            } else {
              break
            }
          }
          let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<i]), as: UTF8.self)
          fields.append(quotes > 0 ? text.replacingOccurrences(of: "\"\"", with: "\"") : text)
          i += 1
        } else {
          let start = i
          while i < bytes.count, bytes[i] != UInt8(ascii: ","), bytes[i] != UInt8(ascii: "\n") { i += 1 }
          if i == bytes.count, !atEnd { return nil }
          fields.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<i]), as: UTF8.self))
        }
        if i == bytes.count { return atEnd ? (fields, i) : nil }
        i += 1
        if bytes[i - 1] == UInt8(ascii: "\n") { return (fields, i) }
      }
    }
    guard let result else { return nil }
    position = result.end
    return result.fields
  }
}
