import MergewalkBytes

extension XMLRecords {
  // MARK: Content of elements

  /// An element that seemed to have text only has an element inside.
  mutating func noteFirstChild(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    top.pointee.hasChildren = true
    let node = Int(top.pointee.node)
    if node >= 0, elements[node].slot >= 0 {
      switch mixed {
      case .reject:
        if top.pointee.tree < 0 {
          top.pointee.tree = tree.add(.element, nil, nil, -1)
          hasTree = true
        }
      case .text:
        top.pointee.collectStart = strings.count
        collecting += 1
        let text = top.pointee.text
        if text.isCopy {
          strings.append(contentsOf: copies[text.start..<text.start + text.count])
        } else if let textBase {
          strings.append(contentsOf: UnsafeBufferPointer(start: textBase + (text.start - textStart), count: text.count))
        }
      case .markup: break
      }
    }
    if top.pointee.hasInk { checkMixed(top) }
    if node >= 0, elements[node].textSlot >= 0 { return }
    // What is no fault there is part of the JSON.
    if mixed != .reject, top.pointee.tree >= 0 { return }
    // White space between elements.
    top.pointee.text = XMLTextRange()
    top.pointee.hasPieces = false
    top.pointee.wantsText = false
  }

  mutating func checkMixed(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    guard mixed == .reject else { return }
    let node = Int(top.pointee.node)
    if node >= 0, elements[node].textSlot >= 0 { return }
    let text = top.pointee.text
    let isPlaced = !text.isCopy && text.start >= recordStart && (text.count > 0 || !top.pointee.wantsText)
    refuse(
      .mixedContent, at: isPlaced ? text.start : offset,
      "the element contains both text and elements; set “mixed”, or read the text as #text")
  }

  /// Puts the values of an element that ends.
  @inline(__always) mutating func finish(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    let node = Int(top.pointee.node)
    if top.pointee.tree < 0, node >= 0, elements[node].textSlot < 0, !top.pointee.hasPieces, !top.pointee.isCoded {
      // Almost all: an element with text, or one on the way.
      if elements[node].slot < 0 { return }
      if !top.pointee.hasChildren { return putText(Int(elements[node].slot), top, top.pointee.text) }
    }
    finishOther(top)
  }

  @inline(__always)
  mutating func putText(_ slot: Int, _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: XMLTextRange) {
    var cell = XMLCell(text.isCopy ? .copies : .text, .text, start: text.start, count: text.count, at: text.start)
    if text.isCopy || text.count == 0 {
      cell.at = min(top.pointee.tagEnd + 1, offset)
      if text.count == 0 {
        cell.place = .copies
        cell.start = 0
        if top.pointee.isNil { cell.state = .null }
      }
    }
    put(slot, cell)
  }

  mutating func finishOther(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    var text = wholeText(top)
    let entry = top.pointee
    if entry.isCoded, !entry.hasChildren { text = decoded(text) }
    if entry.tree >= 0 {
      if text.count > 0, !entry.hasChildren || entry.hasInk { tree.setText(entry.tree, text) }
      if entry.isNil { tree.setNil(entry.tree) }
    }
    guard entry.node >= 0 else { return }
    let node = elements[Int(entry.node)]
    if node.textSlot >= 0, !entry.hasChildren || entry.hasInk { putText(Int(node.textSlot), top, text) }
    if node.wholeSlot >= 0 { putTree(node.wholeSlot, entry) }
    guard node.slot >= 0 else { return }
    if !entry.hasChildren { return putText(Int(node.slot), top, text) }
    if mixed == .reject { return putTree(node.slot, entry) }
    let end = isInEntity ? -1 : last(UInt8(ascii: "<"), before: offset)
    var cell = XMLCell(.json, .json, start: 0, count: 0, at: min(entry.tagEnd + 1, offset))
    switch mixed {
    case .reject: break
    case .text:
      cell.place = .strings
      cell.state = .text
      cell.start = entry.collectStart
      cell.count = Int32(truncatingIfNeeded: strings.count - entry.collectStart)
      collecting -= 1
    case .markup:
      cell.place = .text
      cell.state = .text
      cell.start = entry.tagEnd + 1
      cell.count = Int32(truncatingIfNeeded: max(0, end - cell.start))
      if usedEntities || end < cell.start {
        refuse(
          .unresolvedEntity, at: entry.tagEnd,
          "markup that refers to entities of the document has no meaning without it; set mixed: text")
      }
    }
    put(Int(node.slot), cell)
  }

  mutating func putTree(_ slot: Int32, _ entry: XMLOpenElement) {
    var cell = XMLCell(.json, .json, start: json.count, count: 0, at: min(entry.tagEnd + 1, offset))
    tree.write(entry.tree, texts: self.texts, to: &json)
    cell.count = Int32(truncatingIfNeeded: json.count - cell.start)
    if json.count > 2 * maxRecordBytes { refuseLong() }
    put(Int(slot), cell)
  }

  /// The text that a base64 stands for; the base64 itself when it is none.
  mutating func decoded(_ text: XMLTextRange) -> XMLTextRange {
    var bytes: [UInt8]?
    texts.with(text) { bytes = Base64.decode($0, .spaced) }
    guard let bytes, bytes.withUnsafeBytes({ $0.isUTF8 }) else { return text }
    let start = copies.count
    copies.append(contentsOf: bytes)
    return XMLTextRange(isCopy: true, start: start, count: bytes.count)
  }

  /// Where texts are, for the tree.
  var texts: XMLTexts {
    XMLTexts(copies: copies, base: textBase, start: textStart)
  }

  @inline(__always) mutating func put(_ column: Int, _ cell: XMLCell) {
    if child < 0 {
      if cells[column].state == .absent {
        cells[column] = cell
      } else if fault == nil {
        addExtra(cell, behind: cells + column)
      }
      return
    }
    // What the cells of a record that is too long refer to has been let go, also when an element has more than one cell.
    if fault != nil { return }
    let place = Int(childPlaces[column])
    if place >= childStart {
      var first = childCells[place].cell
      addExtra(cell, behind: &first)
      childCells[place].cell = first
    } else {
      childPlaces[column] = Int32(truncatingIfNeeded: childCells.count)
      childCells.append(XMLChildCell(row: child, column: column, cell: cell))
    }
  }

  mutating func addExtra(_ cell: XMLCell, behind first: UnsafeMutablePointer<XMLCell>) {
    let index = Int32(truncatingIfNeeded: extras.count)
    extras.append(cell)
    if first.pointee.last >= 0 { extras[Int(first.pointee.last)].next = index } else { first.pointee.next = index }
    first.pointee.last = index
    if extras.count * MemoryLayout<XMLCell>.stride > 8 * maxRecordBytes { refuseLong() }
  }
}
