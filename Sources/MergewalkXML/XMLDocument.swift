package import MergewalkDiagnostics

/// A small document as a tree of elements.
///
/// Codes of the findings: `xmlSyntax`, `xmlLimit`, `notUTF8`.
package enum XMLDocument {
  /// The deepest nesting that is read; a model has at most seven levels.
  private static let maximumDepth = 32
  /// The greatest number of elements.
  private static let maximumElements = 500_000
  /// How much is parsed at a time.
  private static let pieceSize = 1 << 16

  /// Parses a document of UTF-8 bytes.
  ///
  /// - Returns: the root.
  package static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> XMLElement {
    func failure(_ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil) -> DiagnosticList {
      DiagnosticList(error: code, path: path, position: position, message: message, hint: hint)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw failure("notUTF8", .file, "the file is not UTF-8", hint: "Xcode writes models in UTF-8")
    }
    guard let reader = XMLEventReader(deepest: maximumDepth) else {
      throw failure("xmlLimit", .file, "the XML parser cannot be started: out of memory")
    }
    let lines = LineIndex(bytes)
    // libxml2 reports a tag at its end. `<` cannot occur inside a tag, so the nearest one starts it.
    func tagStart(_ offset: Int) -> Int {
      var start = min(offset, bytes.count - 1)
      while start > 0, bytes[start] != UInt8(ascii: "<") { start -= 1 }
      return start
    }
    var open: [XMLElement] = []
    var root: XMLElement?
    var count = 0
    func take(_ event: XMLEventReader.Event) throws(DiagnosticList) {
      switch event {
      case .documentType: break
      case .start(let tag):
        let position = lines.position(of: tagStart(reader.offset))
        count += 1
        if count > maximumElements {
          throw failure("xmlLimit", position, "the file has more than \(maximumElements) elements")
        }
        open.append(XMLElement(name: tag.name, attributes: tag.namedValues, position: position))
      case .text(let text):
        if !open.isEmpty { open[open.count - 1].text += String(decoding: text, as: UTF8.self) }
      case .end:
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
      }
    }
    func next() throws(DiagnosticList) -> XMLEventReader.Event? {
      do {
        return try reader.next()
      } catch {
        let place = error.isInTag ? tagStart(error.offset) : min(error.offset, bytes.count)
        throw failure(
          error.code == .tooDeep ? "xmlLimit" : "xmlSyntax", lines.position(of: place), error.message)
      }
    }
    var pushed = 0
    repeat {
      let end = min(bytes.count, pushed + pieceSize)
      bytes[pushed..<end].withUnsafeBytes { reader.push($0, isLast: end == bytes.count) }
      pushed = end
      while let event = try next() { try take(event) }
    } while pushed < bytes.count
    guard let root else { throw failure("xmlSyntax", .file, "the file has no XML element") }
    return root
  }
}
