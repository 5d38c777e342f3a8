import CLibXML2
import Glibc

/// Makes records of what libxml2 reports about one document.
///
/// Events come in the order of the text. Elements outside records only move `depth` and the masks of the records' path.
/// Inside a record, `open` has an entry for each element that is on the way to a requested column or inside one;
/// everything else is counted in `skipped`. Values stay ranges of the text where the text has them as they are.
///
/// Advice for the next editor: this runs for every tag of the input. It lives behind a pointer, so that the parser's
/// callbacks reach it without counting references or checking for exclusive access.
struct XMLRecords {
  // What is asked for.
  let columns: XMLColumns
  let elements: UnsafeMutablePointer<XMLElementNode>
  let attributes: UnsafeMutablePointer<XMLAttributeNode>
  let each: Int32
  let mixed: XMLOptions.MixedContent
  let maxRecordBytes: Int
  let comparesURIs: Bool
  let known: XMLKnownNames
  let steps: [XMLStep]
  let isAnywhere: Bool

  // The text.
  let window: TextWindow
  var context: xmlParserCtxtPtr
  /// The offset of the first byte that libxml2 got.
  var origin = 0
  /// The text that is kept, whose first byte has the offset `textStart`.
  var textBase: UnsafePointer<UInt8>?
  var textStart = 0
  var textEnd = 0
  /// Where bytes stand that are no text and were replaced, in order.
  var faults: [(at: Int, isNul: Bool)] = []

  // The document.
  var depth = 0
  /// For each open element outside records, how many names of the records' path may be matched by it: bit i for i names.
  let masks: UnsafeMutablePointer<UInt64>
  /// Whether the element that holds records was found.
  var foundPlace = false
  var failure: (code: ReadError.Code, at: Int, message: String)?
  /// What entities and default attributes have added to the document, in bytes, as far as their cost goes.
  var expanded = 0
  var declaredAttributes = 0

  // The record that is open.
  let open: UnsafeMutablePointer<XMLOpenElement>
  var openCount = 0
  /// How many elements are open inside the innermost one of `open`, of which nothing is asked.
  var skipped = 0
  var recordStart = 0
  /// Where the reference stands that the record comes from; nil for most.
  var reference: Range<Int>?
  var fault: (code: RecordError.Code, at: Int, message: String)?
  var longRaw: [UInt8] = []
  var usedEntities = false
  var recordIndex = 0
  var batch: UnsafeMutablePointer<RecordBatch>?

  // Its values.
  let cells: UnsafeMutablePointer<XMLCell>
  var childCells: [XMLChildCell] = []
  /// Where the cells of the current child record start, and for each column where its cell is.
  var childStart = 0
  let childPlaces: UnsafeMutablePointer<Int32>
  var child = -1
  var rows = 0
  var extras: [XMLCell] = []
  var copies: [UInt8] = []
  var json: [UInt8] = []
  var pieces: [XMLTextPiece] = []
  /// The text of elements whose text with that of all inside is asked for, and how many of them are open.
  var strings: [UInt8] = []
  var collecting = 0
  var tree = XMLTree()
  var cdataEnd = -1
  var cdataEndsInReturn = false

  /// Member names for requests of all columns; nil when they are not collected.
  var members: XMLMembers?

  /// The deepest nesting inside a record, and of elements around records.
  static var deepest: Int { JSONScanner.deepest }
  /// The deepest nesting of a document, whose stack libxml2 keeps.
  static let deepestDocument = 100_000

  init(
    columns: XMLColumns, steps: [XMLStep], isAnywhere: Bool, options: XMLOptions, known: XMLKnownNames,
    window: TextWindow, context: xmlParserCtxtPtr
  ) {
    self.columns = columns
    elements = columns.elements.baseAddress!
    attributes = columns.attributes.baseAddress!
    each = columns.each
    mixed = options.mixed
    maxRecordBytes = min(max(1, options.maxRecordBytes), 1 << 29)
    comparesURIs = !options.namespaces.isEmpty
    self.known = known
    self.steps = steps
    self.isAnywhere = isAnywhere
    self.window = window
    self.context = context
    masks = .allocate(capacity: Self.deepest + 2)
    masks.initialize(repeating: 0, count: Self.deepest + 2)
    masks[0] = 1
    open = .allocate(capacity: Self.deepest + 2)
    open.initialize(repeating: XMLOpenElement(), count: Self.deepest + 2)
    cells = .allocate(capacity: max(1, columns.count))
    cells.initialize(repeating: XMLCell(), count: max(1, columns.count))
    childPlaces = .allocate(capacity: max(1, columns.count))
    childPlaces.initialize(repeating: -1, count: max(1, columns.count))
  }

  func deallocate() {
    masks.deallocate()
    open.deallocate()
    cells.deallocate()
    childPlaces.deallocate()
  }

  // MARK: Places

  /// The offset at which the parser stands in the document.
  @inline(__always) var offset: Int {
    guard let input = context.pointee.inputTab?.pointee else { return origin }
    return origin &+ Int(truncatingIfNeeded: input.pointee.consumed) &+ (input.pointee.cur - input.pointee.base)
  }

  /// Whether what is reported comes from an entity and not from the document's text.
  @inline(__always) var isInEntity: Bool { context.pointee.depth > 0 }

  /// The offset of the last byte of a value before an offset; the offset itself when there is none.
  func last(_ byte: UInt8, before offset: Int) -> Int {
    guard let textBase, offset > textStart, offset <= textEnd else { return offset }
    var i = offset - textStart
    while i > 0 {
      i -= 1
      if textBase[i] == byte { return textStart + i }
    }
    return offset
  }

  /// Where the document's text has a value as it is; -1 when it has not.
  @inline(__always) func verbatim(_ text: UnsafePointer<xmlChar>, _ count: Int) -> Int {
    guard context.pointee.depth == 0, let input = context.pointee.input else { return -1 }
    if text >= input.pointee.base, text <= input.pointee.end {
      return origin &+ Int(truncatingIfNeeded: input.pointee.consumed) &+ (text - input.pointee.base)
    }
    let at = offset - count
    guard let textBase, at >= textStart, at + count <= textEnd, memcmp(textBase + (at - textStart), text, count) == 0
    else { return -1 }
    return at
  }

  // MARK: Elements

  /// An element starts.
  @inline(__always) mutating func start(_ tag: XMLTag) {
    depth &+= 1
    if tag.defaulted > 0 { spend(16 * tag.defaulted) }
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

  private mutating func startOutside(_ tag: XMLTag) {
    guard depth <= Self.deepest else {
      return fail(.invalidDocument, "elements around records nest deeper than \(Self.deepest)")
    }
    let before = masks[depth - 1]
    var mask: UInt64 = isAnywhere ? 1 : 0
    for (i, step) in steps.enumerated() where before & (1 << UInt64(i)) != 0 && step.matches(tag, comparesURIs) {
      mask |= 1 << UInt64(i + 1)
    }
    masks[depth] = mask
    if (mask | before) & (1 << UInt64(steps.count - 1)) != 0 { foundPlace = true }
    if mask & (1 << UInt64(steps.count)) != 0 { openRecord(tag) }
  }

  private mutating func openRecord(_ tag: XMLTag) {
    let at = offset
    if isInEntity {
      let start = last(UInt8(ascii: "&"), before: at)
      reference = start..<at
      recordStart = start
    } else {
      recordStart = last(UInt8(ascii: "<"), before: at)
    }
    dropFaults(before: recordStart)
    push(0, tag, tree: -1)
    members?.add(record: tag, comparesURIs: comparesURIs)
  }

  /// The node of a child, or -1.
  @inline(__always) private func child(of parent: Int32, _ tag: XMLTag) -> Int32 {
    let node = elements + Int(parent)
    let count = node.pointee.elementCount
    if count == 0 { return -1 }
    let first = node.pointee.firstElement
    let space = comparesURIs ? tag.uri : tag.prefix
    var k = node.pointee.hint
    for _ in 0..<count {
      let candidate = elements + Int(first &+ k)
      k &+= 1
      if k >= count { k = 0 }
      if candidate.pointee.local == tag.local, candidate.pointee.space == space {
        node.pointee.hint = k
        return Int32(truncatingIfNeeded: candidate - elements)
      }
    }
    return node.pointee.hasNamedValues ? namedValue(of: parent, tag) : -1
  }

  /// The node of a child that is written as `<value name="…">`, or -1.
  private func namedValue(of parent: Int32, _ tag: XMLTag) -> Int32 {
    guard tag.local == known.value, tag.prefix == nil else { return -1 }
    guard let value = tag.attribute(known.name, nil) else { return -1 }
    let first = elements[Int(parent)].firstElement
    for k in first..<first + elements[Int(parent)].elementCount where elements[Int(k)].isNamedValue {
      if columns.names[elements[Int(k)].name].elementsEqual(value) { return k }
    }
    return -1
  }

  /// Opens an element that is asked for, or inside one.
  private mutating func push(_ node: Int32, _ tag: XMLTag, tree parent: Int32) {
    let entry = open + openCount
    openCount += 1
    entry.pointee = XMLOpenElement()
    entry.pointee.node = node
    entry.pointee.tagEnd = offset
    if node >= 0 {
      if node == each, each > 0 { beginChild() }
      entry.pointee.wantsText = elements[Int(node)].slot >= 0 || elements[Int(node)].textSlot >= 0
    }
    if parent >= 0 {
      entry.pointee.tree = tree.add(.element, tag.local, tag.prefix, parent)
      entry.pointee.wantsText = true
    } else if tag.count > 0, mixed == .reject, node >= 0, elements[Int(node)].slot >= 0 {
      entry.pointee.tree = tree.add(.element, tag.local, tag.prefix, -1)
    }
    if tag.count > 0 { takeAttributes(entry, tag) }
    if tree.isLarge(maxRecordBytes) { refuseLong() }
  }

  private mutating func beginChild() {
    child = rows
    rows += 1
    childStart = childCells.count
  }

  private mutating func takeAttributes(_ entry: UnsafeMutablePointer<XMLOpenElement>, _ tag: XMLTag) {
    let node = entry.pointee.node
    for i in 0..<tag.count {
      guard let local = tag.attributes?[5 * i], let start = tag.attributes?[5 * i + 3],
        let end = tag.attributes?[5 * i + 4]
      else { continue }
      let prefix = tag.attributes?[5 * i + 1]
      let uri = tag.attributes?[5 * i + 2]
      let count = end - start
      if local == known.nilName, uri == known.schemaInstance || (uri == nil && prefix == known.schemaPrefix) {
        entry.pointee.isNil = XMLText.isTrue(start, count)
        continue
      }
      if entry.pointee.tree >= 0 {
        let attribute = tree.add(.attribute, local, prefix, entry.pointee.tree)
        let at = copies.count
        copies.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        tree.setText(attribute, XMLTextRange(isCopy: true, start: at, count: count))
      }
      guard node >= 0, elements[Int(node)].attributeCount > 0 else { continue }
      let first = Int(elements[Int(node)].firstAttribute)
      let space = comparesURIs ? uri : prefix
      for k in first..<first + Int(elements[Int(node)].attributeCount)
      where attributes[k].local == local && attributes[k].space == space {
        if attributes[k].slot >= 0 { putAttribute(attributes[k].slot, start, count, tag: entry.pointee.tagEnd) }
      }
    }
  }

  private mutating func putAttribute(_ slot: Int32, _ start: UnsafePointer<xmlChar>, _ count: Int, tag: Int) {
    let at = verbatim(start, count)
    if at >= 0 {
      put(Int(slot), XMLCell(place: .text, state: .text, start: at, count: count, at: at))
    } else {
      let copy = copies.count
      copies.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
      let place = isInEntity ? recordStart : last(UInt8(ascii: "<"), before: tag)
      put(Int(slot), XMLCell(place: .copies, state: .text, start: copy, count: count, at: place))
    }
    if copies.count > 2 * maxRecordBytes { refuseLong() }
  }

  // MARK: Text

  /// Text inside the innermost element.
  @inline(__always) mutating func characters(_ text: UnsafePointer<xmlChar>, _ count: Int) {
    if openCount == 0 || count == 0 { return }
    if collecting > 0 { collect(text, count) }
    if skipped > 0 { return }
    let top = open + (openCount - 1)
    if !top.pointee.hasInk, !XMLText.isBlank(text, count) {
      top.pointee.hasInk = true
      if top.pointee.hasChildren { checkMixed(top) }
    }
    if top.pointee.wantsText { addText(top, text, count) }
  }

  /// A piece of a CDATA section, whose line ends libxml2 leaves as they are.
  mutating func cdata(_ text: UnsafePointer<xmlChar>, _ count: Int) {
    if openCount == 0 || (skipped > 0 && collecting == 0) { return }
    let at = isInEntity ? -1 : verbatim(text, count)
    var i = 0
    if count > 0, at >= 0, at == cdataEnd, cdataEndsInReturn, text[0] == 10 { i = 1 }
    cdataEnd = at >= 0 ? at + count : -1
    cdataEndsInReturn = count > 0 && text[count - 1] == 13
    while i < count {
      let rest = count - i
      guard let found = memchr(text + i, 13, rest) else {
        characters(text + i, rest)
        return
      }
      let end = UnsafePointer(found.assumingMemoryBound(to: xmlChar.self)) - text
      if end > i { characters(text + i, end - i) }
      // A line feed in place of the return, and of the line feed behind it.
      withUnsafePointer(to: xmlChar(10)) { characters($0, 1) }
      i = end + 1
      if i < count, text[i] == 10 { i += 1 }
    }
  }

  @inline(__always)
  private mutating func addText(
    _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: UnsafePointer<xmlChar>, _ count: Int
  ) {
    let at = verbatim(text, count)
    if top.pointee.text.count == 0, at >= 0 {
      top.pointee.text = XMLTextRange(isCopy: false, start: at, count: count)
    } else if at >= 0, !top.pointee.text.isCopy, at == top.pointee.text.start + top.pointee.text.count {
      top.pointee.text.count += count
    } else {
      appendText(top, text, count)
    }
  }

  private mutating func appendText(
    _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: UnsafePointer<xmlChar>, _ count: Int
  ) {
    let bytes = UnsafeBufferPointer(start: text, count: count)
    if copies.count + count > 2 * maxRecordBytes { return refuseLong() }
    if !top.pointee.text.isCopy {
      let before = top.pointee.text
      top.pointee.text = XMLTextRange(isCopy: true, start: copies.count, count: before.count)
      appendCopy(of: before)
    }
    if top.pointee.lastPiece < 0, top.pointee.text.start + top.pointee.text.count == copies.count {
      top.pointee.text.count += count
    } else if top.pointee.lastPiece >= 0, pieces[Int(top.pointee.lastPiece)].end == copies.count {
      pieces[Int(top.pointee.lastPiece)].end += count
    } else {
      let piece = Int32(truncatingIfNeeded: pieces.count)
      pieces.append(XMLTextPiece(start: copies.count, end: copies.count + count))
      if top.pointee.lastPiece >= 0 {
        pieces[Int(top.pointee.lastPiece)].next = piece
      } else {
        top.pointee.firstPiece = piece
      }
      top.pointee.lastPiece = piece
      if pieces.count > maxRecordBytes { return refuseLong() }
    }
    copies.append(contentsOf: bytes)
  }

  private mutating func appendCopy(of range: XMLTextRange) {
    guard range.count > 0, let textBase else { return }
    copies.append(contentsOf: UnsafeBufferPointer(start: textBase + (range.start - textStart), count: range.count))
  }

  /// The whole text of an element, in one piece.
  private mutating func wholeText(_ top: UnsafeMutablePointer<XMLOpenElement>) -> XMLTextRange {
    guard top.pointee.firstPiece >= 0 else { return top.pointee.text }
    let start = copies.count
    copies.append(contentsOf: copies[top.pointee.text.start..<top.pointee.text.start + top.pointee.text.count])
    var piece = top.pointee.firstPiece
    while piece >= 0 {
      copies.append(contentsOf: copies[pieces[Int(piece)].start..<pieces[Int(piece)].end])
      piece = pieces[Int(piece)].next
    }
    return XMLTextRange(isCopy: true, start: start, count: copies.count - start)
  }

  private mutating func collect(_ text: UnsafePointer<xmlChar>, _ count: Int) {
    if strings.count + count > 2 * maxRecordBytes { return refuseLong() }
    strings.append(contentsOf: UnsafeBufferPointer(start: text, count: count))
  }

  // MARK: Content of elements

  /// An element that seemed to have text only has an element inside.
  private mutating func noteFirstChild(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    top.pointee.hasChildren = true
    let node = Int(top.pointee.node)
    if node >= 0, elements[node].slot >= 0 {
      switch mixed {
      case .reject:
        if top.pointee.tree < 0 { top.pointee.tree = tree.add(.element, nil, nil, -1) }
      case .text:
        top.pointee.collectStart = strings.count
        collecting += 1
        top.pointee.collects = true
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
    // White space between elements.
    top.pointee.text = XMLTextRange()
    top.pointee.wantsText = false
  }

  private mutating func checkMixed(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    guard mixed == .reject else { return }
    let node = Int(top.pointee.node)
    if node >= 0, elements[node].textSlot >= 0 { return }
    refuse(
      .mixedContent, at: top.pointee.text.count > 0 && !top.pointee.text.isCopy ? top.pointee.text.start : offset,
      "text stands beside elements; say with “mixed” what it means, or ask for it as #text")
  }

  /// Puts the values of an element that ends.
  @inline(__always) private mutating func finish(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    let node = Int(top.pointee.node)
    if top.pointee.tree < 0, node >= 0, elements[node].textSlot < 0, !top.pointee.hasChildren,
      top.pointee.firstPiece < 0
    {
      // Almost all: an element with text, or one on the way.
      if elements[node].slot >= 0 { putText(Int(elements[node].slot), top, top.pointee.text) }
      return
    }
    finishOther(top)
  }

  @inline(__always)
  private mutating func putText(_ slot: Int, _ top: UnsafeMutablePointer<XMLOpenElement>, _ text: XMLTextRange) {
    var cell = XMLCell(
      place: text.isCopy ? .copies : .text, state: .text, start: text.start, count: text.count, at: text.start)
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

  private mutating func finishOther(_ top: UnsafeMutablePointer<XMLOpenElement>) {
    let text = wholeText(top)
    let entry = top.pointee
    if entry.tree >= 0 {
      if text.count > 0, !entry.hasChildren || entry.hasInk { tree.setText(entry.tree, text) }
      if entry.isNil { tree.setNil(entry.tree) }
    }
    guard entry.node >= 0 else { return }
    let node = elements[Int(entry.node)]
    if node.textSlot >= 0, !entry.hasChildren || entry.hasInk { putText(Int(node.textSlot), top, text) }
    guard node.slot >= 0 else { return }
    if !entry.hasChildren { return putText(Int(node.slot), top, text) }
    let end = isInEntity ? -1 : last(UInt8(ascii: "<"), before: offset)
    var cell = XMLCell(place: .json, state: .json, start: 0, count: 0, at: min(entry.tagEnd + 1, offset))
    switch mixed {
    case .reject:
      cell.start = json.count
      tree.write(entry.tree, texts: self.texts, to: &json)
      cell.count = json.count - cell.start
      if json.count > 4 * maxRecordBytes { refuseLong() }
    case .text:
      cell.place = .strings
      cell.state = .text
      cell.start = entry.collectStart
      cell.count = strings.count - entry.collectStart
      collecting -= 1
    case .markup:
      cell.place = .text
      cell.state = .text
      cell.start = entry.tagEnd + 1
      cell.count = end - cell.start
      if usedEntities || end < cell.start {
        refuse(
          .unresolvedEntity, at: entry.tagEnd,
          "markup that refers to entities of the document means nothing without it; say mixed: text")
      }
    }
    put(Int(node.slot), cell)
  }

  /// Where texts are, for the tree.
  private var texts: XMLTexts {
    XMLTexts(copies: copies, base: textBase, start: textStart)
  }

  @inline(__always) private mutating func put(_ column: Int, _ cell: XMLCell) {
    if child < 0 {
      if cells[column].state == .absent {
        cells[column] = cell
      } else {
        addExtra(cell, behind: cells + column)
      }
      return
    }
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

  private mutating func addExtra(_ cell: XMLCell, behind first: UnsafeMutablePointer<XMLCell>) {
    let index = Int32(truncatingIfNeeded: extras.count)
    extras.append(cell)
    if first.pointee.last >= 0 { extras[Int(first.pointee.last)].next = index } else { first.pointee.next = index }
    first.pointee.last = index
    if extras.count * MemoryLayout<XMLCell>.stride > 8 * maxRecordBytes { refuseLong() }
  }
}
