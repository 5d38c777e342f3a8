import MergewalkBytes

/// Rows as a table: a sample is buffered to find the columns' widths, the rest streams.
///
/// If the columns do not fit side by side, not even truncated, each row becomes a block of lines `title  value`.
struct TableLayout {
  /// The kind of a cell, which decides its alignment.
  enum Kind { case null, word, number }

  private struct Cell {
    var start: Int
    var width: Int
    var kind: Kind
    /// Whether the text was cut already because it is wider than any column can be.
    var isCut: Bool
  }

  private struct Column {
    var title: [UInt8]
    var titleWidth: Int
    var subtitle: [UInt8] = []
    var subtitleWidth = 0
    var width: Int
    var isNumeric = false
  }

  private let options: TableOptions
  private var columns: [Column] = []
  /// The cells that are held back, and those of the row that is being written.
  private var cells: [Cell] = []
  private var bytes: [UInt8] = []
  private var rowCount = 0
  private var isLaidOut = false
  private var isBlocks = false
  private var blockCount = 0
  /// Whether the cell that is being written was cut.
  private var pendingIsCut = false
  /// The bytes that are ready to be written.
  private(set) var page = OutputBytes()

  /// Fewer columns of characters than these say too little; numbers get more where it is possible.
  private static let leastWidth = 6
  private static let sampleBytes = 1 << 18
  private static let gap = 2

  init(_ options: TableOptions, titles: [String]) {
    precondition(options.subtitles.isEmpty || options.subtitles.count == titles.count, "a subtitle for each column")
    self.options = options
    for (index, title) in titles.enumerated() {
      let (text, width) = visible(title)
      var column = Column(title: text, titleWidth: width, width: width)
      if !options.subtitles.isEmpty {
        (column.subtitle, column.subtitleWidth) = visible(options.subtitles[index])
        column.width = max(width, column.subtitleWidth)
      }
      columns.append(column)
    }
  }

  /// A title as it is shown, and its width.
  private mutating func visible(_ title: String) -> (text: [UInt8], width: Int) {
    var text = OutputBytes()
    if title.isEmpty { return ([], 0) }
    var title = title
    _ = title.withUTF8 { append(UnsafeRawBufferPointer($0), to: &text, limit: .max) }
    return (text.bytes, Self.measure(text.bytes[...]))
  }

  // MARK: Cells

  /// Appends text as a person may see it: nothing in it moves the cursor, colours the screen or turns the direction of writing.
  ///
  /// C0 controls become the pictures of U+2400, such as ␊; C1 controls and marks of direction become `<U+XXXX>`; what is not UTF-8
  /// becomes U+FFFD. The empty text is `""`.
  ///
  /// - Returns: whether the text is UTF-8, as far as it was looked at.
  mutating func append(_ text: UnsafeRawBufferPointer, to out: inout OutputBytes) -> Bool {
    append(text, to: &out, limit: limit)
  }

  /// The columns of characters that a cell can have.
  private var limit: Int { options.width ?? TableOptions.widestCell }

  private mutating func append(_ text: UnsafeRawBufferPointer, to out: inout OutputBytes, limit: Int) -> Bool {
    if text.isEmpty {
      out.append("\"\"" as StaticString)
      return true
    }
    if text.allSatisfy({ $0 &- 0x20 < 0x5F }) {
      pendingIsCut = text.count > limit
      out.append(UnsafeRawBufferPointer(rebasing: text.prefix(limit)))
      return true
    }
    var isUTF8 = true
    var width = 0
    var counter = DisplayWidth()
    var iterator = text.makeIterator()
    var decoder = UTF8()
    while true {
      let scalar: Unicode.Scalar
      switch decoder.decode(&iterator) {
      case .scalarValue(let value): scalar = value
      case .emptyInput: return isUTF8
      case .error:
        scalar = "\u{FFFD}"
        isUTF8 = false
      }
      if width >= limit {
        pendingIsCut = true
        return isUTF8
      }
      width += Self.append(scalar, to: &out, &counter)
    }
  }

  private static func append(
    _ scalar: Unicode.Scalar, to out: inout OutputBytes, _ counter: inout DisplayWidth
  ) -> Int {
    switch scalar.value {
    case 0..<0x20: return put(Unicode.Scalar(0x2400 + scalar.value)!, to: &out, &counter)
    case 0x7F: return put("\u{2421}", to: &out, &counter)
    case 0x20..<0x7F:
      out.bytes.append(UInt8(scalar.value))
      return counter.add(scalar)
    case 0x80..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      out.write("<U+" + Hexadecimal.text(scalar.value, width: 4, .capital) + ">")
      // Whatever stood before, what follows is a plain character.
      _ = counter.add(">")
      return 8
    default: return put(scalar, to: &out, &counter)
    }
  }

  private static func put(_ scalar: Unicode.Scalar, to out: inout OutputBytes, _ counter: inout DisplayWidth) -> Int {
    if let encoded = UTF8.encode(scalar) { out.bytes.append(contentsOf: encoded) }
    return counter.add(scalar)
  }

  /// Takes the text of a cell, and leaves `out` empty.
  mutating func endCell(_ out: inout OutputBytes, _ kind: Kind) {
    cells.append(
      Cell(start: bytes.count, width: Self.measure(out.bytes[...]), kind: kind, isCut: pendingIsCut))
    bytes.append(contentsOf: out.bytes)
    out.bytes.removeAll(keepingCapacity: true)
    pendingIsCut = false
  }

  // MARK: Rows

  /// Ends a row: it is held back, or put on the page.
  mutating func endRow() {
    rowCount += 1
    if !isLaidOut, rowCount < options.sampleRows, bytes.count < Self.sampleBytes { return }
    finish()
  }

  /// Puts what is held back on the page.
  mutating func finish() {
    if !isLaidOut { layOut() }
    writeRows()
  }

  /// Gives the page away for an empty one.
  mutating func takePage(_ out: inout OutputBytes) { swap(&page, &out) }

  /// Decides the columns' widths from the rows held back, and writes the titles.
  private mutating func layOut() {
    isLaidOut = true
    for index in columns.indices {
      var hasNumber = false
      var hasWord = false
      for cell in stride(from: index, to: cells.count, by: columns.count) {
        columns[index].width = max(columns[index].width, cells[cell].width)
        hasNumber = hasNumber || cells[cell].kind == .number
        hasWord = hasWord || cells[cell].kind == .word
      }
      columns[index].isNumeric = hasNumber && !hasWord
    }
    if let width = options.width { fit(width) }
    if !isBlocks { writeTitles() }
  }

  /// Makes wide columns narrower until all fit: texts first, then numbers, too.
  private mutating func fit(_ width: Int) {
    let gaps = Self.gap * (columns.count - 1)
    let natural = columns.map(\.width)
    guard natural.reduce(gaps, +) > width else { return }
    for cutsNumbers in [false, true] {
      let fixed = columns.indices.filter { !cutsNumbers && columns[$0].isNumeric }
      let free = width - gaps - fixed.map { natural[$0] }.reduce(0, +)
      let others = columns.indices.filter { cutsNumbers || !columns[$0].isNumeric }
      guard let cap = Self.cap(others.map { natural[$0] }, free) else { continue }
      for index in others { columns[index].width = min(natural[index], cap.width) }
      // What dividing left over goes to the first of those that were cut.
      for index in others.filter({ natural[$0] > cap.width }).prefix(cap.rest) { columns[index].width += 1 }
      return
    }
    isBlocks = true
  }

  /// The greatest width such that all of `widths`, cut to it, fit into `space`; `nil` when it is too small.
  private static func cap(_ widths: [Int], _ space: Int) -> (width: Int, rest: Int)? {
    var left = space
    var count = widths.count
    for width in widths.sorted() {
      guard count > 0, left > 0 else { return nil }
      let share = left / count
      if width > share { return share >= leastWidth ? (share, left % count) : nil }
      left -= width
      count -= 1
    }
    return (.max, 0)
  }

  private mutating func writeTitles() {
    for (index, column) in columns.enumerated() {
      writeCell(column.title[...], width: column.titleWidth, isCut: false, index)
    }
    endLine()
    if !options.subtitles.isEmpty {
      for (index, column) in columns.enumerated() {
        writeCell(column.subtitle[...], width: column.subtitleWidth, isCut: false, index)
      }
      endLine()
    }
    for (index, column) in columns.enumerated() {
      if index > 0 { page.append("  " as StaticString) }
      for _ in 0..<column.width { page.append("─" as StaticString) }
    }
    endLine()
  }

  private mutating func writeRows() {
    var first = 0
    while first < cells.count {
      if isBlocks {
        writeBlock(first)
      } else {
        for index in columns.indices {
          let cell = cells[first + index]
          writeCell(text(first + index), width: cell.width, isCut: cell.isCut, index)
        }
        endLine()
      }
      first += columns.count
    }
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  private func text(_ cell: Int) -> ArraySlice<UInt8> {
    bytes[cells[cell].start..<(cell + 1 < cells.count ? cells[cell + 1].start : bytes.count)]
  }

  /// Writes a cell, cut or filled up to its column's width.
  private mutating func writeCell(
    _ text: ArraySlice<UInt8>, width: Int, isCut: Bool, _ index: Int
  ) {
    if index > 0 { page.append("  " as StaticString) }
    let column = columns[index]
    if isCut || options.width != nil && width > column.width {
      let rest = Self.cut(text, options.width == nil ? max(column.width, limit) : column.width, &page)
      for _ in 0..<rest { page.append(UInt8(ascii: " ")) }
      return
    }
    let space = max(0, column.width - width)
    if column.isNumeric { for _ in 0..<space { page.append(UInt8(ascii: " ")) } }
    page.append(text)
    if !column.isNumeric { for _ in 0..<space { page.append(UInt8(ascii: " ")) } }
  }

  /// Ends a line without blanks at its end.
  private mutating func endLine() {
    while page.bytes.last == UInt8(ascii: " ") { page.bytes.removeLast() }
    page.append(UInt8(ascii: "\n"))
  }

  /// Writes a row as a block of lines.
  private mutating func writeBlock(_ first: Int) {
    let width = options.width ?? 80
    blockCount += 1
    page.append("── " as StaticString)
    let start = page.bytes.count
    page.append(integer: Int64(blockCount))
    let digits = page.bytes.count - start
    page.append(UInt8(ascii: " "))
    for _ in 0..<max(0, min(width, 60) - digits - 4) { page.append("─" as StaticString) }
    page.append(UInt8(ascii: "\n"))
    let titles = min(columns.map(\.titleWidth).max() ?? 0, max(Self.leastWidth, width / 3))
    let subtitles = columns.map(\.subtitleWidth).max() ?? 0
    for index in columns.indices {
      let column = columns[index]
      var space = titles - column.titleWidth
      if space < 0 { space = Self.cut(column.title[...], titles, &page) } else { page.append(column.title[...]) }
      for _ in 0..<space + Self.gap { page.append(UInt8(ascii: " ")) }
      if subtitles > 0 {
        page.append(column.subtitle[...])
        for _ in column.subtitleWidth..<subtitles + Self.gap { page.append(UInt8(ascii: " ")) }
      }
      let cell = cells[first + index]
      let taken = titles + Self.gap + (subtitles > 0 ? subtitles + Self.gap : 0)
      let room = max(Self.leastWidth, width - taken)
      if cell.width > room || cell.isCut {
        _ = Self.cut(text(first + index), room, &page)
      } else {
        page.append(text(first + index))
      }
      endLine()
    }
  }

  // MARK: Widths

  /// The columns of characters that visible text takes.
  private static func measure(_ text: ArraySlice<UInt8>) -> Int {
    if text.allSatisfy({ $0 < 0x80 }) { return text.count }
    var counter = DisplayWidth()
    var width = 0
    forEachScalar(text) { scalar, _ in
      width += counter.add(scalar)
      return true
    }
    return width
  }

  /// Appends as much of visible text as fits beside `…`, then `…`.
  ///
  /// - Returns: how many columns stay free because a wide character did not fit.
  private static func cut(_ text: ArraySlice<UInt8>, _ width: Int, _ out: inout OutputBytes) -> Int {
    var counter = DisplayWidth()
    var used = 0
    var end = text.startIndex
    forEachScalar(text) { scalar, next in
      let more = counter.add(scalar)
      guard used + more <= width - 1 else { return false }
      used += more
      end = next
      return true
    }
    out.append(text[..<end])
    out.append("…" as StaticString)
    return width - 1 - used
  }

  /// Calls `body` with the characters of valid UTF-8 and the index behind each, until it returns `false`.
  private static func forEachScalar(_ text: ArraySlice<UInt8>, _ body: (Unicode.Scalar, Int) -> Bool) {
    var iterator = text.makeIterator()
    var decoder = UTF8()
    var next = text.startIndex
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      next += UTF8.width(scalar)
      guard body(scalar, next) else { return }
    }
  }
}
