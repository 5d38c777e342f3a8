import MergewalkBytes

/// Parses one record: finds the requested members of an object and checks all the rest.
struct JSONObjectParser {
  var scanner: JSONScanner
  let nodes: UnsafeMutableBufferPointer<JSONPaths.Node>
  let names: UnsafeBufferPointer<UInt8>
  let starts: UnsafeMutableBufferPointer<UInt32>
  let lengths: UnsafeMutableBufferPointer<UInt32>
  let states: UnsafeMutableBufferPointer<UInt8>
  var escapes: ContiguousArray<EscapedField> = []
  var scratch: ContiguousArray<UInt8> = []
  /// Where the record's fields start in the arrays.
  private var row = 0
  /// The number of the object that is parsed, to find members that stand twice.
  private var serial = 0
  /// Whether of members that stand twice the last one counts.
  var keepsLast = false

  init(
    _ base: UnsafePointer<UInt8>, nodes: UnsafeMutableBufferPointer<JSONPaths.Node>, names: UnsafeBufferPointer<UInt8>,
    starts: UnsafeMutableBufferPointer<UInt32>, lengths: UnsafeMutableBufferPointer<UInt32>,
    states: UnsafeMutableBufferPointer<UInt8>
  ) {
    scanner = JSONScanner(base, from: 0, end: 0)
    self.nodes = nodes
    self.names = names
    self.starts = starts
    self.lengths = lengths
    self.states = states
  }

  /// Parses the scanner's text as one object; on false the scanner has the fault.
  mutating func parse(row: Int, columnCount: Int) -> Bool {
    scanner.skipSpace()
    let first = scanner.i
    guard scanner.i < scanner.end, scanner.base[scanner.i] == UInt8(ascii: "{") else {
      // JSON, but not an object, deserves another code than what is not JSON.
      return scanner.document() && scanner.fail(.notAnObject, at: first)
    }
    guard parseObject(row: row, columnCount: columnCount) else { return false }
    scanner.skipSpace()
    return scanner.i == scanner.end || scanner.fail()
  }

  /// Parses the object whose brace is next, whatever follows it; on false the scanner has the fault.
  @inline(__always)
  mutating func parseObject(row: Int, columnCount: Int) -> Bool {
    begin(row, columnCount)
    return object(0, depth: 0)
  }

  /// Parses any value that is next; the column without a path is the value itself.
  mutating func parseValue(row: Int, columnCount: Int) -> Bool {
    begin(row, columnCount)
    return member(0, depth: 0)
  }

  /// Makes a value that is no object, and lies in `start..<end`, a record with one column at most.
  mutating func setScalar(row: Int, columnCount: Int, column: Int, _ start: Int, _ end: Int) {
    begin(row, columnCount)
    if column < 0 { return }
    let state: FieldState =
      switch scanner.base[start] {
      case UInt8(ascii: "["): .json
      case UInt8(ascii: "\""): .quoted
      case UInt8(ascii: "n"): .null
      case UInt8(ascii: "t"): .true
      case UInt8(ascii: "f"): .false
      default: .number
      }
    if state != .quoted { return set(row + column, start, end, state) }
    set(row + column, start + 1, end - 1, .quoted)
    if scanner.hasEscapes { noteEscapes(column, start + 1, end - 1) }
  }

  /// Makes a record of nothing.
  mutating func setAbsent(row: Int, columnCount: Int) { begin(row, columnCount) }

  /// Makes a text, which lies in `start..<end` and is not JSON, a record of which some columns are the text.
  mutating func setText(row: Int, columnCount: Int, _ start: Int, _ end: Int, where isText: (Int) -> Bool) {
    begin(row, columnCount)
    for column in 0..<columnCount where isText(column) { set(row + column, start, end, .text) }
  }

  /// Prepares a record's fields.
  @inline(__always)
  private mutating func begin(_ row: Int, _ columnCount: Int) {
    self.row = row
    serial += 1
    for entry in row..<row + columnCount {
      starts[entry] = 0
      lengths[entry] = 0
      states[entry] = FieldState.absent.rawValue
    }
  }

  /// Parses an object whose brace is next and some of whose members are wanted.
  private mutating func object(_ node: Int, depth: Int) -> Bool {
    if depth >= JSONScanner.deepest { return scanner.fail(.tooDeep) }
    scanner.i += 1
    scanner.skipSpace()
    if scanner.i < scanner.end, scanner.base[scanner.i] == UInt8(ascii: "}") {
      scanner.i += 1
      return true
    }
    let children = nodes[node].children
    // Members usually come in the same order in all records: the guess is the one behind the last hit.
    var guess = children.lowerBound
    let isWide = children.count > JSONPaths.fewChildren
    while true {
      scanner.skipSpace()
      let key = scanner.i
      var child: Int
      if isWide {
        child = searchMany(children, guess)
        if child >= 0 { guess = child &+ 1 == children.upperBound ? children.lowerBound : child &+ 1 }
      } else {
        child = search(children, &guess)
      }
      if child >= 0 {
        scanner.i &+= nodes[unchecked: child].spelling.count
      } else {
        guard scanner.string() else { return false }
        if scanner.hasEscapes || key &+ 8 > scanner.readable {
          child = findEscaped(key + 1, scanner.i - 1, children)
        }
      }
      if scanner.i < scanner.end, scanner.base[scanner.i] == UInt8(ascii: ":") {
        scanner.i &+= 1
      } else {
        guard scanner.expect(UInt8(ascii: ":")) else { return false }
      }
      if child < 0 {
        guard scanner.value(depth: depth + 1) else { return false }
      } else {
        if nodes[child].seen == serial {
          if !keepsLast { return scanner.fail(.duplicateMember, at: key) }
          forget(child)
        }
        nodes[child].seen = serial
        guard member(child, depth: depth + 1) else { return false }
      }
      scanner.skipSpace()
      guard scanner.i < scanner.end else { return scanner.fail() }
      let next = scanner.base[scanner.i]
      if next == UInt8(ascii: ",") {
        scanner.i += 1
        continue
      }
      guard next == UInt8(ascii: "}") else { return scanner.fail() }
      scanner.i += 1
      return true
    }
  }

  /// Parses the value of a wanted member, or of one on the way to it.
  private mutating func member(_ node: Int, depth: Int) -> Bool {
    scanner.skipSpace()
    guard scanner.i < scanner.end else { return scanner.fail() }
    let start = scanner.i
    let slot = nodes[node].slot
    let isInner = !nodes[node].children.isEmpty
    let first = scanner.base[start]
    var state = FieldState.number
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      state = .json
      if isInner, first == UInt8(ascii: "{") {
        guard object(node, depth: depth) else { return false }
      } else if isInner, nodes[node].hasIndexes {
        guard array(node, depth: depth) else { return false }
      } else {
        guard scanner.value(depth: depth) else { return false }
      }
    case UInt8(ascii: "\""):
      guard scanner.string() else { return false }
      if slot >= 0 {
        set(row + slot, start + 1, scanner.i - 1, .quoted)
        if scanner.hasEscapes { noteEscapes(slot, start + 1, scanner.i - 1) }
      }
      if isInner, nodes[node].textSlot >= 0 {
        set(row + nodes[node].textSlot, start + 1, scanner.i - 1, .quoted)
        if scanner.hasEscapes { noteEscapes(nodes[node].textSlot, start + 1, scanner.i - 1) }
      }
      return true
    default:
      guard scanner.scalar() else { return false }
      switch first {
      case UInt8(ascii: "n"):
        state = .null
        if isInner { setNull(below: node) }
      case UInt8(ascii: "t"): state = .true
      case UInt8(ascii: "f"): state = .false
      default: break
      }
      if isInner, nodes[node].textSlot >= 0 { set(row + nodes[node].textSlot, start, scanner.i, state) }
    }
    if slot >= 0 { set(row + slot, start, scanner.i, state) }
    return true
  }

  /// Parses an array whose bracket is next and some of whose elements are wanted.
  ///
  /// It is gone through twice: from the end they can be counted only when that is known.
  @inline(never)
  private mutating func array(_ node: Int, depth: Int) -> Bool {
    let start = scanner.i
    guard scanner.value(depth: depth) else { return false }
    let end = scanner.i
    scanner.i = start
    var count = 0
    while element(isFirst: count == 0) {
      _ = scanner.value(depth: depth + 1)
      count += 1
    }
    scanner.i = start
    let wanted = nodes[node].children.compactMap { child -> (place: Int, node: Int)? in
      guard let index = nodes[child].index else { return nil }
      let place = index < 0 ? count + index : index
      return place >= 0 && place < count ? (place, child) : nil
    }
    guard let last = wanted.map(\.place).max() else {
      scanner.i = end
      return true
    }
    for place in 0...last {
      _ = element(isFirst: place == 0)
      let at = scanner.i
      for child in wanted where child.place == place {
        scanner.i = at
        guard member(child.node, depth: depth + 1) else { return false }
      }
      if scanner.i == at { _ = scanner.value(depth: depth + 1) }
    }
    scanner.i = end
    return true
  }

  /// Moves to the next element of an array that was checked; false at its end.
  private mutating func element(isFirst: Bool) -> Bool {
    scanner.skipSpace()
    if !isFirst, scanner.base[scanner.i] == UInt8(ascii: "]") { return false }
    // The bracket, or a comma.
    scanner.i += 1
    scanner.skipSpace()
    return scanner.base[scanner.i] != UInt8(ascii: "]")
  }

  /// The child whose name is next in the text, without escapes; -1 if there is none, or it cannot be told like this.
  @inline(__always)
  private func search(_ children: Range<Int>, _ guess: inout Int) -> Int {
    guard scanner.i &+ 8 <= scanner.readable, let names = names.baseAddress else { return -1 }
    var child = guess
    for _ in 0..<children.count {
      let spelling = nodes[unchecked: child].spelling
      let next = child &+ 1 == children.upperBound ? children.lowerBound : child &+ 1
      if spelling.count > 0, scanner.i &+ spelling.count <= scanner.end,
        spelling.matches(scanner.base, scanner.i, names, nodes[unchecked: child].name.lowerBound)
      {
        guess = next
        return child
      }
      child = next
    }
    return -1
  }

  /// The same among many children: the one that is expected, else by the name's hash.
  @inline(never)
  private func searchMany(_ children: Range<Int>, _ guess: Int) -> Int {
    guard scanner.i &+ 8 <= scanner.readable, let names = names.baseAddress else { return -1 }
    func isNext(_ child: Int) -> Bool {
      let spelling = nodes[child].spelling
      return spelling.count > 0 && scanner.i &+ spelling.count <= scanner.end
        && spelling.matches(scanner.base, scanner.i, names, nodes[child].name.lowerBound)
    }
    if isNext(guess) { return guess }
    var hash = FNVHash()
    var i = scanner.i + 1
    while i < scanner.end, scanner.base[i] != UInt8(ascii: "\"") {
      // An escape is for another way.
      if scanner.base[i] == UInt8(ascii: "\\") { return -1 }
      hash.add(scanner.base[i])
      i += 1
    }
    var child = Int(nodes[children.lowerBound + hash.place(among: children.count)].firstOfHash)
    while child >= 0 {
      if isNext(child) { return child }
      child = Int(nodes[child].nextOfHash)
    }
    return -1
  }

  @inline(never)
  private mutating func findEscaped(_ start: Int, _ end: Int, _ children: Range<Int>) -> Int {
    if scratch.count < end - start { scratch = ContiguousArray(repeating: 0, count: 2 * (end - start)) }
    let base = scanner.base
    var scratch = ContiguousArray<UInt8>()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    return scratch.withUnsafeMutableBufferPointer { scratch in
      guard let room = scratch.baseAddress else { return -1 }
      let count = JSONEscape.unescape(base, start, end, to: room)
      if children.count > JSONPaths.fewChildren {
        var hash = FNVHash()
        for byte in scratch[..<count] { hash.add(byte) }
        var child = Int(nodes[children.lowerBound + hash.place(among: children.count)].firstOfHash)
        while child >= 0 {
          if names[nodes[child].name].elementsEqual(scratch[..<count]) { return child }
          child = Int(nodes[child].nextOfHash)
        }
        return -1
      }
      return children.first { child in
        let range = nodes[child].name
        return range.count == count && names[range].elementsEqual(scratch[..<count])
      } ?? -1
    }
  }

  /// Notes that the text of a column is to be unescaped.
  private mutating func noteEscapes(_ column: Int, _ start: Int, _ end: Int) {
    escapes.append(
      EscapedField(
        slot: UInt32(truncatingIfNeeded: row + column), start: UInt32(truncatingIfNeeded: start),
        end: UInt32(truncatingIfNeeded: end), kind: .json))
  }

  /// Forgets a member and what is in it, because it stands in the object once more.
  @inline(never)
  private mutating func forget(_ node: Int) {
    let slot = nodes[node].slot
    if slot >= 0 {
      set(row + slot, 0, 0, .absent)
      // Those of this record are the last ones, at most one for each column.
      var i = escapes.count
      while i > 0, Int(escapes[i - 1].slot) >= row {
        i -= 1
        if Int(escapes[i].slot) == row + slot { escapes.remove(at: i) }
      }
    }
    for child in nodes[node].children {
      nodes[child].seen = 0
      forget(child)
    }
  }

  /// Sets all requested values below a null to null.
  private func setNull(below node: Int) {
    for child in nodes[node].children {
      if nodes[child].slot >= 0 { set(row + nodes[child].slot, 0, 0, .null) }
      setNull(below: child)
    }
  }

  @inline(__always)
  private func set(_ entry: Int, _ start: Int, _ end: Int, _ state: FieldState) {
    starts[unchecked: entry] = UInt32(truncatingIfNeeded: start)
    lengths[unchecked: entry] = UInt32(truncatingIfNeeded: end - start)
    states[unchecked: entry] = state.rawValue
  }

  /// Copies a field to a second column that requested it too.
  mutating func repeatField(_ original: Int, _ copy: Int, _ escapesBefore: Int) {
    starts[row + copy] = starts[row + original]
    lengths[row + copy] = lengths[row + original]
    states[row + copy] = states[row + original]
    for i in escapesBefore..<escapes.count where Int(escapes[i].slot) == row + original {
      var second = escapes[i]
      second.slot = UInt32(truncatingIfNeeded: row + copy)
      escapes.append(second)
      break
    }
  }
}
