import MergewalkSystem
import MergewalkXML

extension XMLStoreHandler {
  /// The deepest nesting that is read: metadata may nest a little.
  private static let maximumDepth = 64
  /// How many bytes are read at a time.
  private static let pieceSize = 1 << 16

  /// Reads the file in pieces, so that its size does not matter.
  ///
  /// - Throws: ``StoreError`` with `damagedFile` or `inputOutput`.
  func read() throws(StoreError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileSystem.failure(path, "cannot open") }
    defer { close(file) }
    guard let reader = XMLEventReader(deepest: Self.maximumDepth) else {
      throw damaged("the XML parser cannot be started: out of memory")
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { piece.deallocate() }
    var isLast = false
    while !isLast {
      let got = Glibc.read(file, piece.baseAddress, piece.count)
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw FileSystem.failure(path, "cannot read") }
      isLast = got == 0
      reader.push(UnsafeRawBufferPointer(rebasing: piece[..<got]), isLast: isLast)
      while let event = try next(reader) {
        switch event {
        case .documentType: break
        case .start(let tag): try start(tag.name, tag.namedValues)
        case .text(let text): try self.text(text)
        case .end: if try !end() { return }
        }
      }
    }
  }

  private func next(_ reader: XMLEventReader) throws(StoreError) -> XMLEventReader.Event? {
    do {
      return try reader.next()
    } catch {
      let place = error.line > 0 ? "line \(error.line): " : ""
      throw damaged("the file cannot be read as an XML store: \(place)\(error.message)")
    }
  }
}
