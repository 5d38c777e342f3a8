import MergewalkXML

extension XMLRecords {
  // MARK: Elements

  @inline(__always) mutating func start(_ tag: XMLTag) {
    depth &+= 1
    if openCount == 0 { return startOutside(tag) }
    if skipped > 0 || fault != nil {
      skipped += 1
      if openCount + skipped > Self.deepest { refuseDepth() }
      return
    }
    let top = open + (openCount - 1)
    if openCount == 1 { members?.add(child: tag, comparesURIs: comparesURIs) }
    if !top.pointee.hasChildren { noteFirstChild(top) }
    let node = top.pointee.node >= 0 ? child(of: top.pointee.node, tag) : -1
    if node < 0, top.pointee.tree < 0 {
      if openCount == 1 { hasSurplus = true }
      skipped = 1
      return
    }
    if openCount == Self.deepest { return refuseDepth() }
    push(node, tag, tree: top.pointee.tree)
  }

  /// The innermost element ends.
  @inline(__always) mutating func end() {
    depth &-= 1
    if openCount == 0 { return }
    if skipped > 0 {
      skipped &-= 1
      return
    }
    let top = open + (openCount - 1)
    if fault == nil { finish(top) }
    if top.pointee.node == each, each > 0 { child = -1 }
    openCount -= 1
    if openCount == 0 { finishRecord() }
  }

  mutating func startOutside(_ tag: XMLTag) {
    guard depth <= Self.deepest else {
      return fail(.invalidDocument, "elements around records nest deeper than \(Self.deepest)")
    }
    let before = masks[depth - 1]
    var mask: UInt64 = isAnywhere ? 1 : 0
    for (i, step) in steps.enumerated() where before & (1 << UInt64(i)) != 0 && step.matches(tag, comparesURIs) {
      mask |= 1 << UInt64(i + 1)
    }
    masks[depth] = mask
    if let last = around.last, last.depth >= depth { leaveDeclarations() }
    if mask & (1 << UInt64(steps.count)) != 0 {
      openRecord(tag)
    } else {
      noteDeclarations()
      if !hasRecords { outline.note(tag, before: before, after: mask) }
    }
    guard let unknown = entityInTag else { return }
    entityInTag = nil
    if openCount > 0 {
      refuse(.unresolvedEntity, at: unknown.at, unknown.message)
    } else {
      fail(.invalidDocument, at: unknown.at, unknown.message)
    }
  }

  mutating func openRecord(_ tag: XMLTag) {
    let at = offset
    if isInEntity {
      let start = last(UInt8(ascii: "&"), before: at)
      reference = start..<at
      recordStart = start
    } else {
      recordStart = last(UInt8(ascii: "<"), before: at)
    }
    dropFaults(before: recordStart)
    if failure != nil { return }
    hasRecords = true
    push(0, tag, tree: -1)
    members?.add(record: tag, comparesURIs: comparesURIs)
  }

  /// The node of a child, or -1.
  @inline(__always) func child(of parent: Int32, _ tag: XMLTag) -> Int32 {
    let node = elements + Int(parent)
    let count = node.pointee.elementCount
    if count == 0 { return -1 }
    if node.pointee.hasNamedValues, tag.local == known.value {
      let named = namedValue(of: parent, tag)
      if named >= 0 { return named }
    }
    let first = node.pointee.firstElement
    let space = comparesURIs ? tag.uri : tag.prefix
    var k = node.pointee.hint
    // Those that are not asked for would be compared with all; but members often come in the same order.
    if count > XMLColumns.fewElements {
      let next = elements + Int(first &+ k)
      if next.pointee.local != tag.local || next.pointee.space != space {
        let found = columns.child(of: parent, tag.local, space)
        if found >= 0 { node.pointee.hint = found &- first &+ 1 == count ? 0 : found &- first &+ 1 }
        return found
      }
    }
    for _ in 0..<count {
      let candidate = elements + Int(first &+ k)
      k &+= 1
      if k >= count { k = 0 }
      if candidate.pointee.local == tag.local, candidate.pointee.space == space {
        node.pointee.hint = k
        return Int32(truncatingIfNeeded: candidate - elements)
      }
    }
    return -1
  }

  /// The node of a child that is written as `<value name="…">`, or -1.
  func namedValue(of parent: Int32, _ tag: XMLTag) -> Int32 {
    guard tag.prefix == nil, let value = tag.value(known.name, nil) else { return -1 }
    let first = elements[Int(parent)].firstElement
    for k in first..<first + elements[Int(parent)].elementCount where elements[Int(k)].isNamedValue {
      if columns.names[elements[Int(k)].name].elementsEqual(value) { return k }
    }
    return -1
  }

  /// Opens a requested element, or one inside a requested one.
  mutating func push(_ node: Int32, _ tag: XMLTag, tree parent: Int32) {
    let entry = open + openCount
    openCount += 1
    let wantsText = node >= 0 && elements[Int(node)].takesText
    entry.pointee.begin(node: node, tagEnd: offset, wantsText: wantsText || parent >= 0)
    if node == each, each > 0 { beginChild() }
    if parent >= 0 {
      entry.pointee.tree = tree.add(.element, tag.local, tag.prefix, parent)
      hasTree = true
    } else if wantsText {
      let needsTree = tag.count > 0 && mixed == .reject && elements[Int(node)].slot >= 0
      if needsTree || elements[Int(node)].wholeSlot >= 0 {
        entry.pointee.tree = tree.add(.element, tag.local, tag.prefix, -1)
        hasTree = true
      }
    }
    if tag.count > 0 { takeAttributes(entry, tag) }
    if hasTree, tree.isLarge(maxRecordBytes) { refuseLong() }
  }

  mutating func beginChild() {
    child = rows
    rows += 1
    childStart = childCells.count
  }

  mutating func takeAttributes(_ entry: UnsafeMutablePointer<XMLOpenElement>, _ tag: XMLTag) {
    let node = entry.pointee.node
    for i in 0..<tag.count {
      // A record that has become too long has let go of everything.
      if fault != nil { return }
      guard let attribute = tag.attribute(i), let start = attribute.value.baseAddress else { continue }
      let (local, prefix, uri, count) = (attribute.local, attribute.prefix, attribute.uri, attribute.value.count)
      if local == known.nilName, uri == known.schemaInstance {
        entry.pointee.isNil = XMLText.isTrue(start, count)
        continue
      }
      if entry.pointee.tree >= 0 {
        let node = tree.add(.attribute, local, prefix, entry.pointee.tree)
        let at = copies.count
        copies.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        tree.setText(node, XMLTextRange(isCopy: true, start: at, count: count))
      }
      if local == known.of, tag.count > 1, prefix == nil { entry.pointee.isCoded = isCodedText(tag) }
      guard node >= 0, elements[Int(node)].attributeCount > 0 || notesSurplus else { continue }
      let first = Int(elements[Int(node)].firstAttribute)
      let space = comparesURIs ? uri : prefix
      var isKnown = false
      for k in first..<first + Int(elements[Int(node)].attributeCount)
      where attributes[k].local == local && attributes[k].space == space {
        isKnown = true
        if attributes[k].slot >= 0 {
          putAttribute(attributes[k].slot, start, count, at: attribute.at, tag: entry.pointee.tagEnd)
        }
      }
      // Those of records and of their members are columns.
      if !isKnown, openCount <= 2, uri != known.schemaInstance { hasSurplus = true }
    }
  }

  /// Whether attributes say `encoding="base64" of="text"`.
  func isCodedText(_ tag: XMLTag) -> Bool {
    guard let encoding = tag.value(known.encoding, nil), let of = tag.value(known.of, nil) else { return false }
    return encoding.elementsEqual("base64".utf8) && of.elementsEqual("text".utf8)
  }

  mutating func putAttribute(_ slot: Int32, _ start: UnsafePointer<UInt8>, _ count: Int, at: Int, tag: Int) {
    if at >= 0 {
      put(Int(slot), XMLCell(.text, .text, start: at, count: count, at: at))
    } else {
      let copy = copies.count
      copies.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
      if copies.count > 2 * maxRecordBytes { return refuseLong() }
      let place = isInEntity ? recordStart : last(UInt8(ascii: "<"), before: tag)
      put(Int(slot), XMLCell(.copies, .text, start: copy, count: count, at: place))
    }
  }
}
