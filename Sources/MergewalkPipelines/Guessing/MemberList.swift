import MergewalkRecordFormats

/// The names of all members of many JSON objects, in the order in which they first occur.
struct MemberList {
  private var list: [String]
  private var known: Set<String>
  /// Objects whose members were not looked at, a line for each.
  private var lines: [UInt8] = []

  /// The reader takes its columns from the first 64 KiB.
  private static let pieceSize = 1 << 16

  init(_ names: [String] = []) {
    list = names
    known = Set(names)
  }

  /// Adds the members of an object's text; what is no object has none.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    if lines.count + text.count >= Self.pieceSize { look() }
    // Line ends stand between tokens only.
    lines += text.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    lines.append(10)
  }

  /// The paths of the members.
  mutating func names() -> [String] {
    look()
    return list
  }

  private mutating func look() {
    defer { lines.removeAll(keepingCapacity: true) }
    guard let reader = try? NDJSONReader(source: ByteSource(bytes: lines), columns: .all) else { return }
    for name in reader.columns where known.insert(name).inserted {
      list.append(name)
    }
  }
}
