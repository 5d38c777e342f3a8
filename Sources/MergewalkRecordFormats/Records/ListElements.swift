import MergewalkBytes

/// Makes records from the elements of lists in fields: the values of JSON arrays, or the pieces of texts.
///
/// Lists are collected first, each with its elements' places, and become records of one batch at once, so that the
/// memory of the batch is opened once. A column is a dotted path of members of an element; `.` is the element itself.
package struct ListElements: Sendable {
  /// Why a list, or one of its elements, cannot be read.
  package struct Fault: Error, Sendable, Hashable {
    package var code: RecordError.Code
    /// The element's number in its batch, from 0; nil when the list as a whole is no list.
    package var element: Int?
    /// Where the fault is, in bytes from the start of the list's text.
    package var offset: Int

    /// A value in the place of a list that is no object itself.
    package static let noObject = Fault(code: .notAnObject, element: nil, offset: 0)
  }

  private let request: JSONRequest
  /// Whether an element may be something else than an object.
  package let takesScalars: Bool
  /// Which columns are the element itself, or the text of one that has nothing else.
  private let scalars: [Bool]
  private var starts: ContiguousArray<UInt32> = []
  private var ends: ContiguousArray<UInt32> = []
  /// Where the text of each element's list starts in the batch.
  private var origins: ContiguousArray<UInt32> = []
  /// The number of each element in its list, from 0; those that were taken out count.
  private var numbers: ContiguousArray<UInt32> = []
  private var scratch: ContiguousArray<UInt8> = []

  /// Prepares for elements with these columns; nil when one of them is no path.
  package init?(columns: [String]) {
    var paths: [[[UInt8]]] = []
    for column in columns {
      if column == "." {
        paths.append([])
      } else if let path = JSONPaths.split(column) {
        paths.append(path)
      } else {
        return nil
      }
    }
    scalars = paths.map { $0.isEmpty || $0 == [Array("#text".utf8)] }
    takesScalars = scalars.contains(true)
    request = JSONRequest(paths, takesText: true)
  }

  /// Whether a column is a path of members, or `.`.
  package static func isColumn(_ text: String) -> Bool { text == "." || JSONPaths.split(text) != nil }

  /// The number of elements that were collected.
  package var count: Int { starts.count }

  package mutating func start(_ batch: inout RecordBatch, source: Int) {
    batch.start(columnCount: request.columnCount, source: source)
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
  }

  /// The number of an element in its list, from 0, empty ones before it included.
  package func number(_ element: Int) -> Int { Int(numbers[element]) }

  /// Where an element begins and ends, in bytes from the start of its list's text.
  package func range(_ element: Int) -> Range<Int> {
    Int(starts[element] - origins[element])..<Int(ends[element] - origins[element])
  }

  // MARK: Collecting

  /// Adds the elements of a JSON array; a value that is no array is a list of this one element.
  ///
  /// - Complexity: O(bytes).
  package mutating func add(json text: UnsafeRawBufferPointer, to batch: inout RecordBatch) throws(Fault) {
    let range = batch.appendBytes(text)
    let before = starts.count
    let fault: Fault? = batch.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var scanner = JSONScanner(base, from: range.lowerBound, end: range.upperBound)
      guard elements(&scanner, range.lowerBound) else {
        return Fault(code: scanner.fault, element: nil, offset: scanner.faultAt - range.lowerBound)
      }
      return nil
    }
    guard let fault else { return }
    removeLast(starts.count - before)
    throw fault
  }

  private mutating func elements(_ scanner: inout JSONScanner, _ origin: Int) -> Bool {
    func end(_ scanner: inout JSONScanner) -> Bool {
      scanner.skipSpace()
      return scanner.i == scanner.end || scanner.fail()
    }
    scanner.skipSpace()
    guard scanner.i < scanner.end else { return scanner.fail() }
    guard scanner.base[scanner.i] == UInt8(ascii: "[") else {
      let start = scanner.i
      guard scanner.value(depth: 0) else { return false }
      append(start, scanner.i, origin)
      return end(&scanner)
    }
    scanner.i += 1
    scanner.skipSpace()
    if scanner.i < scanner.end, scanner.base[scanner.i] == UInt8(ascii: "]") {
      scanner.i += 1
      return end(&scanner)
    }
    while true {
      scanner.skipSpace()
      let start = scanner.i
      guard scanner.value(depth: 1) else { return false }
      append(start, scanner.i, origin)
      scanner.skipSpace()
      guard scanner.i < scanner.end else { return scanner.fail() }
      let next = scanner.base[scanner.i]
      scanner.i += 1
      if next == UInt8(ascii: "]") { return end(&scanner) }
      guard next == UInt8(ascii: ",") else { return scanner.fail(at: scanner.i - 1) }
    }
  }

  /// Adds the pieces of a text between separators.
  ///
  /// - Parameters:
  ///   - separator: at least one byte.
  ///   - trims: whether white space around a piece is no part of it.
  package mutating func add(
    pieces text: UnsafeRawBufferPointer, separator: [UInt8], trims: Bool, to batch: inout RecordBatch
  ) {
    precondition(!separator.isEmpty, "a separator has at least one byte")
    let range = batch.appendBytes(text)
    var start = 0
    var i = 0
    func piece(_ end: Int) -> (Int, Int) {
      var (low, high) = (start, end)
      if trims {
        while low < high, text[low].isSpace { low += 1 }
        while high > low, text[high - 1].isSpace { high -= 1 }
      }
      return (range.lowerBound + low, range.lowerBound + high)
    }
    while i + separator.count <= text.count {
      if text[i] == separator[0],
        separator.count == 1 || text[i..<i + separator.count].elementsEqual(separator)
      {
        let (low, high) = piece(i)
        append(low, high, range.lowerBound)
        i += separator.count
        start = i
      } else {
        i += 1
      }
    }
    let (low, high) = piece(text.count)
    append(low, high, range.lowerBound)
  }

  package mutating func add(value: UnsafeRawBufferPointer, to batch: inout RecordBatch) {
    let range = batch.appendBytes(value)
    append(range.lowerBound, range.upperBound, range.lowerBound)
  }

  /// Removes the elements that were added last.
  package mutating func removeLast(_ count: Int) {
    starts.removeLast(count)
    ends.removeLast(count)
    origins.removeLast(count)
    numbers.removeLast(count)
  }

  private mutating func append(_ start: Int, _ end: Int, _ origin: Int) {
    let before = origins.last == UInt32(truncatingIfNeeded: origin) ? numbers.last : nil
    numbers.append(before.map { $0 &+ 1 } ?? 0)
    starts.append(UInt32(truncatingIfNeeded: start))
    ends.append(UInt32(truncatingIfNeeded: end))
    origins.append(UInt32(truncatingIfNeeded: origin))
  }

  /// Takes out the empty elements behind the first ones.
  ///
  /// - Parameters:
  ///   - isJSON: whether the elements are those of a JSON array.
  ///   - drops: whether they are taken out; else the first one is told.
  /// - Returns: the number of the first empty element, when they are not taken out and there is one.
  package mutating func dropEmpty(
    from first: Int, isJSON: Bool, in batch: RecordBatch, drops: Bool
  ) -> Int? {
    var kept = first
    for element in first..<starts.count {
      if isEmpty(element, isJSON: isJSON, in: batch) {
        if drops { continue }
        return element
      }
      starts[kept] = starts[element]
      ends[kept] = ends[element]
      origins[kept] = origins[element]
      numbers[kept] = numbers[element]
      kept += 1
    }
    removeLast(starts.count - kept)
    return nil
  }

  // MARK: Making records

  /// Whether an element is empty: a piece without bytes, `null` or `""`.
  ///
  /// - Parameter isJSON: whether the element is of a JSON array.
  package func isEmpty(_ element: Int, isJSON: Bool, in batch: RecordBatch) -> Bool {
    let (start, end) = (Int(starts[element]), Int(ends[element]))
    if start == end { return true }
    guard isJSON else { return false }
    let text = batch.bytes[start..<end]
    return text.elementsEqual("null".utf8) || text.elementsEqual("\"\"".utf8)
  }

  /// Makes a record of each element: its number is that of the element.
  ///
  /// - Parameters:
  ///   - isJSON: whether each element, by number, is JSON; the others are texts.
  ///   - isSplit: whether these are pieces of texts, which are all columns; else they are elements without members.
  ///   - faults: gets what is wrong with single elements; the columns of these are absent.
  package mutating func finish(
    _ batch: inout RecordBatch, isJSON: ContiguousArray<Bool>, isSplit: Bool = true, faults: inout [Fault]
  ) {
    guard count > 0 else { return }
    batch.reserveRecords(count + 1)
    var request = request
    let (columnCount, repeats, takesScalars) = (request.columnCount, request.paths.repeats, takesScalars)
    let scalars = scalars
    let elements = (starts, ends, origins)
    var found: [Fault] = []
    _ = batch.withObjectParser(&request, scratch: &scratch) { object, rows in
      for element in 0..<elements.0.count {
        let (start, end) = (Int(elements.0[element]), Int(elements.1[element]))
        let row = element * columnCount
        if isJSON[element] {
          object.scanner = JSONScanner(rows.base, from: start, end: end, readable: rows.readable)
          let isObject = rows.base[start] == UInt8(ascii: "{")
          let escapes = object.escapes.count
          var isRead = object.parseValue(row: row, columnCount: columnCount)
          if isRead, !isObject, !takesScalars { isRead = object.scanner.fail(.notAnObject, at: start) }
          if isRead {
            for (copy, original) in repeats { object.repeatField(original, copy, escapes) }
          } else {
            object.escapes.removeLast(object.escapes.count - escapes)
            found.append(
              Fault(
                code: object.scanner.fault, element: element,
                offset: object.scanner.faultAt - Int(elements.2[element])))
            object.setAbsent(row: row, columnCount: columnCount)
          }
        } else {
          object.setText(row: row, columnCount: columnCount, start, end) { isSplit || scalars[$0] }
        }
        rows.records[element] = RecordPosition(
          index: element, line: 1, column: 1, byteOffset: start - Int(elements.2[element]),
          rawStart: UInt32(truncatingIfNeeded: start), rawLength: UInt32(truncatingIfNeeded: end - start))
        rows.count = element + 1
      }
    }
    faults += found
    batch.unescapeFields()
  }
}
