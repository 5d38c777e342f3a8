import MergewalkBytes

/// Replays nodes at aliases and merge keys.
///
/// Replayed nodes have the position of the alias. Aliases inside are followed, never deeper than nodes may nest, and
/// their cost is taken from the ``YAMLBudget``.
extension YAMLParser {
  /// Plays the node of an alias that was read.
  mutating func playAlias(_ node: Int, at offset: Int, into batch: inout RecordBatch) {
    if !isKeyNext, !tree.isValueWanted {
      return place(scalar: UnsafeRawBufferPointer(start: nil, count: 0), .null, at: offset, into: &batch)
    }
    let isRecord = tree.isOpen
    let base = frames.count
    // Records that one alias stands for share what one record may be.
    if !isRecord { budget.startRecord(textRead: offset) }
    budget.isShared = !isRecord
    play(node, at: offset, depth: 0, into: &batch)
    budget.isShared = false
    guard budget.isSpent else { return }
    refuseExpansion(at: offset)
    while frames.count > base { end(at: offset, into: &batch) }
    // Records that were not played are lost.
    if !isRecord, failure == nil {
      failure = ReadError(
        .expansionLimit, path: text.window.path, position: text.window.position(of: offset),
        message: "the expansion of the alias exceeds the limits")
    }
  }

  /// Takes the place of an alias that leads nowhere.
  mutating func placeMissing(_ reason: YAMLLog.Missing, at offset: Int, into batch: inout RecordBatch) {
    // Outside records it matters only where records were expected.
    if !tree.isOpen, tree.isValueWanted, failure == nil {
      failure = ReadError(
        .invalidDocument, path: text.window.path, position: text.window.position(of: offset), message: reason.message)
    }
    tree.refuse(reason == .forgotten ? .expansionLimit : .invalidAlias, at: offset, reason.message)
    place(scalar: UnsafeRawBufferPointer(start: nil, count: 0), .null, at: offset, into: &batch)
  }

  private mutating func refuseExpansion(at offset: Int) {
    guard tree.isOpen else { return }
    tree.refuse(
      .expansionLimit, at: offset, "the record is more than the limits allow once its aliases are replaced")
  }

  private var isKeyNext: Bool { frame.isKeyNext }

  /// Places a node of the log, with all that is in it.
  private mutating func play(_ node: Int, at offset: Int, depth: Int, into batch: inout RecordBatch) {
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    guard playing < 2 * JSONScanner.deepest else {
      tree.refuse(.tooDeep, at: offset, "aliases and merge keys lead to each other too often")
      return place(scalar: empty, .null, at: offset, into: &batch)
    }
    let last = log.end(of: node)
    playing += 1
    defer { playing -= 1 }
    var i = node
    while i < last {
      let item = log.items[i]
      guard budget.spend(item.count) else { return }
      switch item.kind {
      case .scalar, .merge:
        if item.kind == .merge, isKeyNext, tree.isOpen, i + 1 < last {
          frame.isKeyNext = false
          addSource(.success(i + 1), at: offset)
          i = log.end(of: i + 1)
          continue
        }
        place(scalar: log.text(item), item.state, at: offset, into: &batch)
      case .mapping, .sequence:
        if isKeyNext {
          placeComplexKey(i, at: offset)
          i = log.end(of: i)
          continue
        }
        begin(isMapping: item.kind == .mapping, at: offset)
      case .end: end(at: offset, into: &batch)
      case .alias:
        if isKeyNext {
          placeKey(of: item.next, at: offset)
        } else if !tree.isValueWanted {
          place(scalar: empty, .null, at: offset, into: &batch)
        } else if depth < JSONScanner.deepest {
          play(item.next, at: offset, depth: depth + 1, into: &batch)
        } else {
          tree.refuse(.tooDeep, at: offset, "aliases lead to aliases more than \(JSONScanner.deepest) times")
          place(scalar: empty, .null, at: offset, into: &batch)
        }
      case .missing:
        placeMissing(YAMLLog.Missing(rawValue: item.next) ?? .unknown, at: offset, into: &batch)
      }
      i += 1
    }
  }

  // MARK: Keys

  /// Places a node as a key: the text of a scalar, the JSON text of anything else.
  private mutating func placeKey(of node: Int, at offset: Int) {
    switch log.items[node].kind {
    case .scalar, .merge: placeKey(log.text(log.items[node]), at: offset)
    case .mapping, .sequence, .alias, .missing, .end: placeComplexKey(node, at: offset)
    }
  }

  /// The longest JSON text of a key that stands in another one, in bytes.
  private static var longestKey: Int { 1 << 16 }

  /// Places a mapping or a sequence as a key: its JSON text.
  mutating func placeComplexKey(_ node: Int?, at offset: Int) {
    var json: [UInt8] = []
    if let node {
      writeJSON(node, depth: 0, at: offset, &json)
    } else {
      tree.refuse(.expansionLimit, at: offset, "a key that is not a scalar exceeds the limit")
    }
    if budget.isSpent { refuseExpansion(at: offset) }
    json.withUnsafeBytes { placeKey($0, at: offset) }
  }

  private mutating func writeJSON(_ node: Int, depth: Int, at offset: Int, _ json: inout [UInt8]) {
    let item = log.items[node]
    guard budget.spend(item.count), depth <= JSONScanner.deepest else { return }
    switch item.kind {
    case .scalar, .merge: JSONColumn.append(log.text(item), item.state, to: &json)
    case .mapping, .sequence:
      let isMapping = item.kind == .mapping
      json.append(isMapping ? UInt8(ascii: "{") : UInt8(ascii: "["))
      var i = node + 1
      var count = 0
      while i < item.next - 1 {
        if count > 0 { json.append(isMapping && count & 1 == 1 ? UInt8(ascii: ":") : UInt8(ascii: ",")) }
        if isMapping, count & 1 == 0 {
          var key: [UInt8] = []
          if let text = scalar(i) {
            key.append(contentsOf: text)
          } else {
            writeJSON(i, depth: depth + 1, at: offset, &key)
          }
          // A key in a key in a key is escaped as often, and doubles each time.
          if key.count > Self.longestKey { budget.exhaust() }
          guard budget.spend(key.count) else { return }
          key.withUnsafeBytes { json.append(json: $0, .least) }
        } else {
          writeJSON(i, depth: depth + 1, at: offset, &json)
        }
        count += 1
        i = log.end(of: i)
      }
      json.append(isMapping ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    case .alias: writeJSON(item.next, depth: depth + 1, at: offset, &json)
    case .missing, .end:
      tree.refuse(.invalidAlias, at: offset, (YAMLLog.Missing(rawValue: item.next) ?? .unknown).message)
    }
  }

  /// The text of a node that is a scalar or an alias of one.
  private func scalar(_ node: Int) -> UnsafeRawBufferPointer? {
    var item = log.items[node]
    for _ in 0..<JSONScanner.deepest {
      switch item.kind {
      case .scalar, .merge: return log.text(item)
      case .alias: item = log.items[item.next]
      case .mapping, .sequence, .end, .missing: return nil
      }
    }
    return nil
  }

  // MARK: Merge keys

  /// Remembers what the innermost mapping merges when it ends.
  mutating func addSource(_ target: Result<Int, YAMLLog.MissingNode>, at offset: Int) {
    frame.isKeyNext = true
    switch target {
    case .success(let node): sources.append(Source(frame: frames.count, node: node, offset: offset))
    case .failure(let missing):
      tree.refuse(missing.reason == .forgotten ? .expansionLimit : .invalidAlias, at: offset, missing.reason.message)
    }
  }

  /// Adds to the innermost mapping, which is about to end, what its merge keys lead to and it does not have.
  mutating func merge(into batch: inout RecordBatch) {
    var first = sources.count
    while first > 0, sources[first - 1].frame == frames.count { first -= 1 }
    let merged = Array(sources[first...])
    sources.removeLast(sources.count - first)
    mergeDepth += 1
    defer { mergeDepth -= 1 }
    guard mergeDepth <= JSONScanner.deepest else {
      if let source = merged.first {
        tree.refuse(
          .tooDeep, at: source.offset, "merge keys lead to merge keys more than \(JSONScanner.deepest) times")
      }
      return
    }
    var known = keys.names(from: frame.keys)
    for source in merged {
      merge(source.node, known: &known, at: source.offset, depth: 0, into: &batch)
      if budget.isSpent { refuseExpansion(at: source.offset) }
    }
  }

  private mutating func merge(
    _ node: Int, known: inout Set<[UInt8]>, at offset: Int, depth: Int, into batch: inout RecordBatch
  ) {
    let item = log.items[node]
    guard budget.spend(0) else { return }
    guard depth <= JSONScanner.deepest else {
      return tree.refuse(.tooDeep, at: offset, "merge keys lead to merge keys more than \(JSONScanner.deepest) times")
    }
    switch item.kind {
    case .alias: merge(item.next, known: &known, at: offset, depth: depth + 1, into: &batch)
    case .mapping: mergeMembers(of: node, known: &known, at: offset, depth: depth, into: &batch)
    case .sequence:
      var i = node + 1
      while i < item.next - 1 {
        if isMapping(i) {
          merge(i, known: &known, at: offset, depth: depth + 1, into: &batch)
        } else {
          refuseMerge(i, at: offset)
        }
        i = log.end(of: i)
      }
    case .scalar, .merge, .missing, .end: refuseMerge(node, at: offset)
    }
  }

  private mutating func refuseMerge(_ node: Int, at offset: Int) {
    let missing = log.items[node].kind == .missing ? YAMLLog.Missing(rawValue: log.items[node].next) : nil
    tree.refuse(
      missing == .forgotten ? .expansionLimit : .invalidAlias, at: offset,
      missing?.message ?? "“<<” takes a mapping or a sequence of mappings")
  }

  /// Whether a node is a mapping or an alias of one.
  private func isMapping(_ node: Int) -> Bool {
    var node = node
    for _ in 0..<JSONScanner.deepest {
      guard log.items[node].kind == .alias else { return log.items[node].kind == .mapping }
      node = log.items[node].next
    }
    return false
  }

  private mutating func mergeMembers(
    of node: Int, known: inout Set<[UInt8]>, at offset: Int, depth: Int, into batch: inout RecordBatch
  ) {
    let last = log.items[node].next - 1
    // What the mapping merges itself comes behind its own members.
    var sources: [Int] = []
    var i = node + 1
    while i < last {
      let value = log.end(of: i)
      guard budget.spend(log.items[i].count) else { return }
      if log.items[i].kind == .merge {
        sources.append(value)
      } else if let name = scalar(i) {
        if known.insert([UInt8](name)).inserted {
          placeKey(name, at: offset)
          let base = frames.count
          play(value, at: offset, depth: depth, into: &batch)
          if budget.isSpent {
            while frames.count > base { end(at: offset, into: &batch) }
            return
          }
        }
      } else {
        tree.refuse(.invalidAlias, at: offset, "a mapping that is merged has a key that is not a scalar")
      }
      i = log.end(of: value)
    }
    for source in sources { merge(source, known: &known, at: offset, depth: depth + 1, into: &batch) }
  }
}
