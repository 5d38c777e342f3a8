import MergewalkBytes
import MergewalkDiagnostics

extension XMLRecords {
  // MARK: Faults

  /// Ends the reading of the document; the first failure counts.
  mutating func fail(_ code: ReadError.Code, at place: Int? = nil, _ message: String) {
    guard failure == nil else { return }
    failure = (code, place ?? offset, message)
  }

  /// A fault of the record that is open; the first one counts.
  mutating func refuse(_ code: RecordError.Code, at offset: Int, _ message: String) {
    if fault == nil { fault = (code, offset, message) }
  }

  mutating func refuseDepth() {
    refuse(.tooDeep, at: offset, "elements nest deeper than \(Self.deepest)")
  }

  /// Refuses the record for its length; its text is not kept any more.
  mutating func refuseLong() {
    guard fault?.code != .recordTooLong else { return }
    fault = (.recordTooLong, recordStart, RecordError.tooLong("the record", maxRecordBytes))
    // Its text is let go.
    if window.holds(recordStart) { longPosition = window.position(of: recordStart) }
    let end = min(textEnd, recordStart + 1 << 16)
    if let textBase, recordStart >= textStart, recordStart < end {
      longRaw = Array(UnsafeBufferPointer(start: textBase + (recordStart - textStart), count: end - recordStart))
    }
    copies = []
    json = []
    pieces = []
    strings = []
    childCells = []
    extras = []
    tree = XMLTree()
  }

  /// A reference to an entity that is not declared in the document, or is outside of it.
  mutating func refuseEntity(_ name: String, isInAttribute: Bool) {
    let message = "the entity “\(name)” is not declared in the document; others are never read"
    let place = last(UInt8(ascii: "&"), before: offset)
    if openCount > 0 {
      refuse(.unresolvedEntity, at: place, message)
    } else if isInAttribute {
      // Perhaps an attribute of the record, whose tag is reported when it has been parsed.
      if entityInTag == nil { entityInTag = (place, message) }
    } else {
      fail(.invalidDocument, at: place, message)
    }
  }

  /// Skips bytes before an offset that are no text; outside of records they cannot be skipped.
  mutating func dropFaults(before offset: Int) {
    guard let first = faults.first, first.at < offset else { return }
    if failure == nil {
      failure = (
        .invalidDocument, first.at,
        first.isNul
          ? "there is a NUL outside of the records" : "outside of the records there are bytes that are not text"
      )
    }
  }

  /// Takes the bytes that are no text and that the parser has passed into account.
  mutating func takeFaults() {
    if faults.isEmpty { return }
    let reached = offset
    if openCount == 0 { return dropFaults(before: reached) }
    if let first = faults.first(where: { $0.at >= recordStart && $0.at < reached }) { refuseText(first) }
    faults.removeAll { $0.at < reached }
  }

  private mutating func refuseText(_ place: (at: Int, isNul: Bool)) {
    if place.isNul {
      refuse(.nulByte, at: place.at, "the record contains a NUL")
    } else {
      refuse(.invalidText, at: place.at, "the bytes are not text in the document's encoding")
    }
  }

  // MARK: Records

  /// The record's element has ended.
  mutating func finishRecord() {
    let end = reference?.upperBound ?? offset
    if !faults.isEmpty { takeFaults(before: end) }
    if end - recordStart > maxRecordBytes { refuseLong() }
    if open.pointee.hasInk { members?.addText() }
    emit(end: end)
    reset()
  }

  /// Like ``takeFaults()``, for a record that has just ended.
  private mutating func takeFaults(before end: Int) {
    if let first = faults.first(where: { $0.at >= recordStart && $0.at < end }) { refuseText(first) }
    faults.removeAll { $0.at < end }
  }

  /// Appends the record, or its error, to the batch.
  private mutating func emit(end: Int) {
    // What comes behind a failure, from the entity that it stands in, does not count.
    guard let batch, let textBase, failure == nil else { return }
    if isScopeNew || (!scope.isEmpty && batch.pointee.scopes.isEmpty) {
      batch.pointee.note(namespaces: scope, from: recordIndex)
      isScopeNew = false
    }
    if let fault {
      let isLong = fault.code == .recordTooLong
      let raw =
        isLong
        ? longRaw : Array(UnsafeBufferPointer(start: textBase + (recordStart - textStart), count: end - recordStart))
      batch.pointee.appendError(
        RecordError(
          code: fault.code, position: isLong ? longPosition : window.position(of: fault.at), recordIndex: recordIndex,
          message: fault.message, raw: raw))
      recordIndex += 1
      ledger.settle(recordStart, end)
      return
    }
    if rows == 0, each > 0 {
      let raw = UnsafeRawBufferPointer(start: textBase + (recordStart - textStart), count: end - recordStart)
      return ledger.settleChildless(recordStart, end, raw)
    }
    ledger.settle(recordStart, end)
    writeArrays()
    let rawRange = batch.pointee.appendBytes(
      UnsafeRawBufferPointer(start: textBase + (recordStart - textStart), count: end - recordStart))
    var places = XMLPlaces(raw: rawRange, recordStart: recordStart)
    if !copies.isEmpty { places.copies = copies.withUnsafeBytes { batch.pointee.appendBytes($0) }.lowerBound }
    if !json.isEmpty { places.json = json.withUnsafeBytes { batch.pointee.appendBytes($0) }.lowerBound }
    if !strings.isEmpty { places.strings = strings.withUnsafeBytes { batch.pointee.appendBytes($0) }.lowerBound }
    let place = window.position(of: recordStart)
    var nextChild = 0
    let firstRow = batch.pointee.recordCount
    defer {
      if hasSurplus, notesSurplus, batch.pointee.surplus == nil, batch.pointee.recordCount > firstRow {
        batch.pointee.surplus = batch.pointee.records[firstRow]
      }
      hasSurplus = false
    }
    let hasCopies = !copies.isEmpty || !json.isEmpty || !strings.isEmpty
    for row in 0..<(each > 0 ? rows : 1) {
      let record = batch.pointee.recordCount
      let position = RecordPosition(
        index: recordIndex, line: place.line, column: place.column, byteOffset: place.byteOffset,
        rawStart: UInt32(truncatingIfNeeded: rawRange.lowerBound),
        rawLength: UInt32(truncatingIfNeeded: rawRange.count))
      recordIndex += 1
      let (count, cells) = (columns.count, cells)
      batch.pointee.appendRecord(position) { starts, lengths, states in
        for column in 0..<count {
          let cell = cells + column
          starts[column] = UInt32(truncatingIfNeeded: places.start(cell.pointee))
          lengths[column] = UInt32(bitPattern: cell.pointee.count)
          states[column] = cell.pointee.state.rawValue
        }
      }
      if hasCopies {
        for column in 0..<count where cells[column].state != .absent && cells[column].place != .text {
          batch.pointee.noteOrigin(column, places.origin(cells[column]))
        }
      }
      while nextChild < childCells.count, childCells[nextChild].row == row {
        let (column, cell) = (childCells[nextChild].column, childCells[nextChild].cell)
        let start = places.start(cell)
        batch.pointee.setField(
          column, of: record, cell.state, start..<start + Int(cell.count),
          origin: cell.place == .text ? nil : places.origin(cell))
        nextChild += 1
      }
      if !columns.repeats.isEmpty { repeatColumns(record, &batch.pointee) }
    }
  }

  private func repeatColumns(_ record: Int, _ batch: inout RecordBatch) {
    for (copy, original) in columns.repeats {
      let state = batch.state(record, original)
      if state == .absent { continue }
      let slot = record * columns.count + original
      let start = Int(batch.starts[slot])
      batch.setField(
        copy, of: record, state, start..<start + Int(batch.lengths[slot]), origin: batch.rawStart(ofEscaped: slot))
    }
  }

  /// Makes JSON arrays of columns that have several values.
  private mutating func writeArrays() {
    if extras.isEmpty { return }
    for column in 0..<columns.count where cells[column].next >= 0 { writeArray(&cells[column]) }
    for index in childCells.indices where childCells[index].cell.next >= 0 {
      var cell = childCells[index].cell
      writeArray(&cell)
      childCells[index].cell = cell
    }
  }

  private mutating func writeArray(_ cell: inout XMLCell) {
    let start = json.count
    json.append(UInt8(ascii: "["))
    var current = cell
    while true {
      switch (current.state, current.place) {
      case (.null, _): json.append(contentsOf: "null".utf8)
      case (.json, _):
        // Copied first: a slice would keep the memory shared, and all of it would be copied.
        let text = Array(json[current.start..<current.start + Int(current.count)])
        json.append(contentsOf: text)
      case (_, .copies): append(copies, current)
      case (_, .strings): append(strings, current)
      case (_, .json): append(json, current)
      case (_, .text):
        let text = UnsafeRawBufferPointer(
          start: textBase.map { $0 + (current.start - textStart) }, count: Int(current.count))
        json.append(json: text, .least)
      }
      if current.next < 0 { break }
      json.append(UInt8(ascii: ","))
      current = extras[Int(current.next)]
    }
    json.append(UInt8(ascii: "]"))
    cell.place = .json
    cell.state = .json
    cell.start = start
    cell.count = Int32(truncatingIfNeeded: json.count - start)
    cell.next = -1
  }

  private mutating func append(_ bytes: [UInt8], _ cell: XMLCell) {
    bytes.withUnsafeBytes {
      json.append(json: UnsafeRawBufferPointer(rebasing: $0[cell.start..<cell.start + Int(cell.count)]), .least)
    }
  }

  private mutating func reset() {
    for column in 0..<columns.count {
      cells[column].state = .absent
      cells[column].place = .text
      cells[column].start = recordStart
      cells[column].count = 0
    }
    if each > 0 {
      for column in 0..<columns.count { childPlaces[column] = -1 }
      childCells.removeAll(keepingCapacity: true)
      childStart = 0
      rows = 0
      child = -1
    }
    if !copies.isEmpty { copies.removeAll(keepingCapacity: copies.count < 1 << 16) }
    if !json.isEmpty { json.removeAll(keepingCapacity: json.count < 1 << 16) }
    if !strings.isEmpty { strings.removeAll(keepingCapacity: strings.count < 1 << 16) }
    if !extras.isEmpty { extras.removeAll(keepingCapacity: true) }
    if !pieces.isEmpty { pieces.removeAll(keepingCapacity: true) }
    if hasTree {
      tree.removeAll()
      hasTree = false
    }
    collecting = 0
    skipped = 0
    reference = nil
    usedEntities = false
    if fault != nil {
      fault = nil
      longRaw = []
    }
  }
}

/// Where the parts of a record are in the batch.
private struct XMLPlaces {
  let raw: Range<Int>
  let recordStart: Int
  var copies = 0
  var json = 0
  var strings = 0

  @inline(__always)
  func start(_ cell: XMLCell) -> Int {
    if cell.place == .text { return raw.lowerBound + max(0, cell.start - recordStart) }
    if cell.count == 0 { return origin(cell) }
    switch cell.place {
    case .copies: return copies + cell.start
    case .json: return json + cell.start
    case .strings, .text: return strings + cell.start
    }
  }

  /// Where in the raw text a cell is from.
  func origin(_ cell: XMLCell) -> Int { raw.lowerBound + min(max(0, cell.at - recordStart), raw.count) }
}
