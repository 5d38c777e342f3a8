extension JSONPaths {
  /// Splits the requested columns into names; none when all are requested.
  ///
  /// - Throws: `invalidPath`.
  static func requested(_ request: ColumnRequest, path: String) throws(ReadError) -> [[[UInt8]]] {
    guard case .named(let names) = request else { return [] }
    var paths: [[[UInt8]]] = []
    for name in names {
      guard let members = split(name) else {
        throw ReadError(
          .invalidPath, path: path,
          message: "\"\(name)\" is not a path of member names; write a dot inside a name as \\.")
      }
      paths.append(members)
    }
    return paths
  }
}

extension StreamingReader {
  /// The names of the top-level members of the first JSON records, which stay unread.
  mutating func sampleMembers() throws(ReadError) -> [String] {
    let before = parser
    var batch = RecordBatch()
    _ = try read(into: &batch, limit: BatchLimit(records: .max, bytes: 1 << 16), keep: true)
    parser = before
    var names: [String] = []
    var seen: Set<String> = []
    for record in 0..<batch.recordCount {
      batch.withRawRecord(record) { raw in
        guard let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        var scanner = JSONScanner(base, from: 0, end: raw.count)
        // The record was checked when it was read, so these steps succeed until the object ends.
        guard scanner.expect(UInt8(ascii: "{")) else { return }
        while true {
          scanner.skipSpace()
          let start = scanner.i + 1
          guard scanner.string() else { return }
          let end = scanner.i - 1
          let name = String(unsafeUninitializedCapacity: end - start) { room in
            room.baseAddress.map { JSONEscape.unescape(base, start, end, to: $0) } ?? 0
          }
          if seen.insert(name).inserted { names.append(name) }
          guard scanner.expect(UInt8(ascii: ":")), scanner.value(depth: 1), scanner.expect(UInt8(ascii: ",")) else {
            return
          }
        }
      }
    }
    return names
  }
}
