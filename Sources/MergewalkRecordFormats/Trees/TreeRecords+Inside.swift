/// The text inside a record: the cell that a value goes to.
extension TreeRecordBuilder {
  mutating func beginInside(isMapping: Bool, at offset: Int) {
    let (pending, eachDepth) = takePending()
    let node = itemNode(pending)
    let parent = open.last
    separateIfItem(parent)
    serial += 1
    var entry = Open(node: node, serial: serial, isMapping: isMapping, eachDepth: isMapping ? eachDepth : -1)
    let isEachPlace = eachDepth == each.count && !each.isEmpty
    if isEachPlace {
      if isMapping {
        // In the place of the array: one child.
        entry.eachDepth = -1
        childDepth = open.count
        beginChild()
      } else {
        entry.isEach = true
      }
    } else if let parent, parent.isEach {
      entry.node = parent.node
      childDepth = open.count
      beginChild()
    }
    if !isMapping, !entry.isEach, entry.node >= 0, nodes[entry.node].hasIndexes { entry.number = 0 }
    if open.count + 1 > JSONScanner.deepest {
      refuse(.tooDeep, at: offset, "mappings and sequences nest deeper than \(JSONScanner.deepest)")
    }
    let column = entry.node >= 0 && !entry.isEach ? nodes[entry.node].slot : -1
    if column >= 0, !isRefused {
      captures.append(Capture(column: column, child: child, start: json.count, depth: open.count, at: offset))
    }
    if !captures.isEmpty { json.append(isMapping ? UInt8(ascii: "{") : UInt8(ascii: "[")) }
    push(entry)
    if offset - recordStart > maxRecordBytes { refuseLong() }
  }

  mutating func beginChild() {
    child = rows
    rows += 1
  }

  mutating func takePending() -> (node: Int, each: Int) {
    defer {
      pendingNode = -1
      pendingEach = -1
    }
    return (pendingNode, pendingEach)
  }

  mutating func set(
    _ node: Int, _ bytes: UnsafeRawBufferPointer, _ state: FieldState, _ offset: Int, _ verbatim: Int?
  ) {
    guard node >= 0, nodes[node].slot >= 0, !isRefused else { return }
    var cell = TreeCell(place: .text, state: state, start: verbatim ?? 0, count: bytes.count, at: offset)
    if verbatim == nil {
      cell.place = .copies
      cell.start = copies.count
      copies.append(contentsOf: bytes)
    }
    put(cell, nodes[node].slot, child)
    if copies.count > 2 * maxRecordBytes { refuseLong() }
  }

  mutating func put(_ cell: TreeCell, _ column: Int, _ child: Int) {
    if child >= 0 { childCells.append((child, column, cell)) } else { memory.cells[column] = cell }
  }

  /// Refuses the record for its length; its text is not kept any more.
  mutating func refuseLong() {
    guard fault?.code != .recordTooLong else { return }
    isRefused = true
    fault = (.recordTooLong, recordStart, RecordError.tooLong("the record", maxRecordBytes))
    copies = []
    json = []
    captures = []
    childCells = []
  }
}
