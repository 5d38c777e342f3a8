/// Finding the records: what stands around them.
extension TreeRecordBuilder {
  /// Whether the next value is a record: an item of the sequence, or the document itself.
  var isRecordPlace: Bool { recordsDepth >= 0 && depth == recordsDepth }

  /// Whether the next value is what the path of the records leads to.
  var isRecordsPlace: Bool {
    recordsDepth < 0 && matched == max(0, recordsPath.count - 1)
      && (recordsPath.isEmpty ? depth == 0 : isNextMatched && depth == recordsPath.count)
  }

  mutating func outlineScalar(_ bytes: UnsafeRawBufferPointer, _ state: FieldState, at offset: Int) -> Bool {
    let isRecords = isRecordsPlace
    isNextMatched = false
    if isRecords {
      // An empty document, or null for no records.
      if state == .null {
        foundRecords = true
        return false
      }
      // A scalar where the path leads: no records there, unless scalars are taken.
      let isTaken = recordsPath.isEmpty || takesScalars
      if isTaken { foundRecords = true } else { isPathTaken = true }
      guard isTaken || hasDocuments else { return false }
    } else if !isRecordPlace {
      return false
    }
    openRecord(at: offset)
    if takesScalars {
      push(Open(node: 0, serial: serial, isMapping: true, eachDepth: each.isEmpty ? -1 : 0))
      Self.valueName.withUnsafeBytes { key($0, at: offset) }
      _ = scalar(bytes, state, at: offset)
      open.removeLast()
    } else {
      refuse(.notAnObject, at: offset, "the record is not a mapping of names to values")
    }
    return true
  }

  @inline(__always)
  mutating func push(_ entry: Open) {
    if let last = open.indices.last { open[last].next = next }
    open.append(entry)
    next = 0
  }

  mutating func openRecord(at offset: Int) {
    isInRecord = true
    recordStart = offset
    serial += 1
  }

  static var valueName: [UInt8] { Array("value".utf8) }

  mutating func begin(isMapping: Bool, at offset: Int) {
    defer { depth += 1 }
    if isInRecord { return beginInside(isMapping: isMapping, at: offset) }
    let isRecords = isRecordsPlace
    if isRecords {
      foundRecords = true
      if !isMapping {
        isNextMatched = false
        recordsDepth = depth + 1
        return
      }
    }
    if isRecordPlace || (isRecords && isMapping && takesSingleMapping) {
      isNextMatched = false
      openRecord(at: offset)
      if isMapping {
        push(Open(node: 0, serial: serial, isMapping: true, eachDepth: each.isEmpty ? -1 : 0))
      } else if takesScalars {
        // As if it were the value of a mapping's one member; the mapping ends with it.
        push(Open(node: 0, serial: serial, isMapping: true, eachDepth: each.isEmpty ? -1 : 0))
        Self.valueName.withUnsafeBytes { key($0, at: offset) }
        beginInside(isMapping: false, at: offset)
        open.removeFirst()
        for i in captures.indices { captures[i].depth -= 1 }
      } else {
        refuse(.notAnObject, at: offset, "the record is not a mapping of names to values")
        push(Open(node: -1, serial: serial, isMapping: isMapping, eachDepth: -1))
      }
      return
    }
    if isMapping, isNextMatched || (depth == 0 && !recordsPath.isEmpty) {
      // On the way to the records.
      if isNextMatched { matched += 1 }
    }
    isNextMatched = false
  }
}
