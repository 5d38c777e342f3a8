/// The events of anchored nodes of one document, kept to be replayed at aliases.
///
/// A node is known by the index of its first item. Nodes inside others share their items. The log is bounded: a node
/// that does not fit is dropped, and an alias to it is refused.
final class YAMLLog {
  enum Kind: UInt8 {
    case scalar
    /// A plain `<<`, which is a merge key where a key stands.
    case merge
    case mapping
    case sequence
    case end
    /// An alias; `next` is its node.
    case alias
    /// An alias that leads nowhere; `next` is the raw value of a ``Missing``.
    case missing
  }

  /// Why an alias has no node.
  enum Missing: Int {
    case unknown, open, forgotten

    var message: String {
      switch self {
      case .unknown: "there is no anchor of this name before the alias"
      case .open: "the alias is inside the node that it stands for"
      case .forgotten: "the anchor's node exceeds the limit for the document's anchors"
      }
    }
  }

  struct Item {
    var kind: Kind
    var state: FieldState = .absent
    /// The text of a scalar in `bytes`.
    var start: Int = 0
    var count: Int = 0
    /// The index behind the node that begins here; of an alias see ``Kind``.
    var next: Int = 0
  }

  private(set) var items: [Item] = []
  private var bytes: UnsafeMutableRawBufferPointer = .allocate(byteCount: 1 << 12, alignment: 1)
  private var used = 0
  /// The anchors' nodes: an index, or -1 - the raw value of a ``Missing``.
  private var names: [[UInt8]: Int] = [:]
  private var nameBytes = 0
  /// Mappings and sequences that are being written, and what was opened for a purpose: an anchor or a collection.
  private var containers: [Int] = []
  private struct Opening {
    var name: [UInt8]?
    var start: Int
    var depth: Int
  }
  private var openings: [Opening] = []
  /// Where the log stood when the first of the openings began.
  private var base = (items: 0, bytes: 0)
  /// The names of nodes that were closed since then.
  private var closed: [[UInt8]] = []
  private var isFull = false
  private let budget: Int
  /// The size after the last compaction.
  private var compacted = 0

  init(budget: Int) { self.budget = budget }

  deinit { bytes.deallocate() }

  /// Whether events are to be written down.
  var isOpen: Bool { openCount > 0 }
  @exclusivity(unchecked) private var openCount = 0
  private var size: Int { items.count * MemoryLayout<Item>.stride + used + nameBytes }

  /// Forgets everything: anchors belong to one document.
  func reset() {
    if items.isEmpty, names.isEmpty { return }
    items.removeAll(keepingCapacity: true)
    names.removeAll()
    nameBytes = 0
    used = 0
    compacted = 0
    base = (0, 0)
  }

  /// The text of a scalar; valid until something is written.
  func text(_ item: Item) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start + item.count])
  }

  /// The index behind the node that begins at an index.
  func end(of index: Int) -> Int {
    switch items[index].kind {
    case .mapping, .sequence: items[index].next
    case .scalar, .merge, .end, .alias, .missing: index + 1
    }
  }

  // MARK: Writing

  /// Starts to write down the node that comes next, under a name or for the caller.
  func open(_ name: UnsafeRawBufferPointer?) {
    if openings.isEmpty {
      base = (items.count, used)
      closed.removeAll(keepingCapacity: true)
    }
    let name = name.map { [UInt8]($0) }
    if let name {
      if names[name] != nil || nameBytes + name.count + 64 <= budget {
        if names.updateValue(-1 - Missing.open.rawValue, forKey: name) == nil { nameBytes += name.count + 64 }
      }
    }
    openings.append(Opening(name: name, start: items.count, depth: containers.count))
    openCount = openings.count
  }

  func scalar(_ text: UnsafeRawBufferPointer, _ state: FieldState, isMerge: Bool) {
    if append(Item(kind: isMerge ? .merge : .scalar, state: state, start: used, count: text.count), text.count) {
      if bytes.count - used < text.count { grow(text.count) }
      UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + text.count]).copyMemory(from: text)
      used += text.count
    }
    closeNodes()
  }

  func alias(_ target: Result<Int, MissingNode>) {
    switch target {
    case .success(let node): _ = append(Item(kind: .alias, next: node), 0)
    case .failure(let missing): _ = append(Item(kind: .missing, next: missing.reason.rawValue), 0)
    }
    closeNodes()
  }

  func begin(isMapping: Bool) {
    containers.append(items.count)
    _ = append(Item(kind: isMapping ? .mapping : .sequence), 0)
  }

  func end() {
    let start = containers.removeLast()
    if append(Item(kind: .end), 0) { items[start].next = items.count }
    closeNodes()
  }

  private func append(_ item: Item, _ count: Int) -> Bool {
    if isFull { return false }
    if size + count + MemoryLayout<Item>.stride > budget {
      isFull = true
      return false
    }
    items.append(item)
    return true
  }

  private func grow(_ count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (used + count), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
    bytes.deallocate()
    bytes = larger
  }

  /// The last node that the caller opened without a name: its index, or nil if it did not fit.
  private(set) var collected: Int?

  /// Closes what was opened for the node that is complete now.
  private func closeNodes() {
    while let opening = openings.last, opening.depth == containers.count {
      openings.removeLast()
      openCount = openings.count
      if let name = opening.name {
        guard names[name] != nil else { continue }
        names[name] = isFull ? -1 - Missing.forgotten.rawValue : opening.start
        if !isFull { closed.append(name) }
      } else {
        collected = isFull ? nil : opening.start
      }
    }
    if openings.isEmpty, isFull {
      for name in closed where (names[name] ?? -1) >= base.items { names[name] = -1 - Missing.forgotten.rawValue }
      items.removeLast(items.count - base.items)
      used = base.bytes
      isFull = false
    }
  }

  // MARK: Aliases

  struct MissingNode: Error { var reason: Missing }

  /// The node that an alias stands for.
  func node(of name: UnsafeRawBufferPointer) -> Result<Int, MissingNode> {
    guard let node = names[[UInt8](name)] else {
      let mayBeForgotten = nameBytes + name.count + 64 > budget
      return .failure(MissingNode(reason: mayBeForgotten ? .forgotten : .unknown))
    }
    if node >= 0 { return .success(node) }
    return .failure(MissingNode(reason: Missing(rawValue: -1 - node) ?? .unknown))
  }

  /// Gives up nodes that no name leads to any more, when that is worth it; indices change.
  func compact() {
    guard openings.isEmpty, size > budget / 2, size - compacted > budget / 4 else { return }
    // What names lead to, and what aliases therein lead to.
    var starts = Set(names.values.filter { $0 >= 0 })
    var open = Array(starts)
    while let start = open.popLast() {
      for index in start..<end(of: start) where items[index].kind == .alias {
        if starts.insert(items[index].next).inserted { open.append(items[index].next) }
      }
    }
    var oldItems: [Item] = []
    swap(&oldItems, &items)
    let oldBytes = bytes
    bytes = .allocate(byteCount: max(1 << 12, used), alignment: 1)
    used = 0
    var moved: [Int: Int] = [:]
    var copied = 0..<0
    var shift = 0
    for start in starts.sorted() {
      if !copied.contains(start) {
        let isContainer = oldItems[start].kind == .mapping || oldItems[start].kind == .sequence
        copied = start..<(isContainer ? oldItems[start].next : start + 1)
        shift = items.count - start
        for index in copied {
          var item = oldItems[index]
          switch item.kind {
          case .scalar, .merge:
            let text = UnsafeRawBufferPointer(rebasing: oldBytes[item.start..<item.start + item.count])
            UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + item.count]).copyMemory(from: text)
            item.start = used
            used += item.count
          case .mapping, .sequence: item.next += shift
          case .end, .alias, .missing: break
          }
          items.append(item)
        }
      }
      moved[start] = start + shift
    }
    for index in items.indices where items[index].kind == .alias { items[index].next = moved[items[index].next] ?? 0 }
    for (name, node) in names where node >= 0 { names[name] = moved[node] }
    oldBytes.deallocate()
    compacted = size
  }
}
