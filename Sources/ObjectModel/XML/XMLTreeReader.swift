import CLibXML2
import Diagnostics

/// Reads a small XML file into a tree of elements with libxml2's SAX interface.
///
/// Nothing is loaded besides the bytes: there are handlers for elements, text and errors only, so entity declarations
/// are never kept, external subsets never fetched, and a reference to an entity other than the five predefined ones is
/// an error. Codes of the findings: `xmlSyntax`, `xmlLimit`, `notUTF8`.
final class XMLTreeReader {
  /// The deepest nesting that is read; a model has at most seven levels.
  static let maximumDepth = 32
  /// The greatest number of elements.
  static let maximumElements = 500_000

  private let bytes: [UInt8]
  private let path: String
  private let lines: LineIndex
  private var context: xmlParserCtxtPtr?
  private var open: [XMLElement] = []
  private var root: XMLElement?
  private var elements = 0
  private var failure: Diagnostic?

  private init(_ bytes: [UInt8], path: String) {
    self.bytes = bytes
    self.path = path
    lines = LineIndex(bytes)
  }

  /// Parses a document of UTF-8 bytes.
  static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> XMLElement {
    let reader = XMLTreeReader(bytes, path: path)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw DiagnosticList([
        Diagnostic(
          .error, code: "notUTF8", path: path, position: .file, message: "the file is not UTF-8",
          hint: "Xcode writes models in UTF-8")
      ])
    }
    reader.run()
    if let failure = reader.failure { throw DiagnosticList([failure]) }
    guard let root = reader.root else {
      throw DiagnosticList([
        Diagnostic(.error, code: "xmlSyntax", path: path, position: .file, message: "the file has no XML element")
      ])
    }
    return root
  }

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  private func run() {
    Self.initialise
    guard !bytes.isEmpty, bytes.count <= Int(Int32.max) else { return }
    bytes.withUnsafeBytes { buffer in
      guard
        let context = xmlCreateMemoryParserCtxt(
          buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
      else { return }
      defer {
        // Entity declarations make libxml2 keep a document of its own, which a stopped parser does not free.
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
      }
      self.context = context
      var handler = xmlSAXHandler()
      handler.initialized = UInt32(XML_SAX2_MAGIC)
      handler.startElementNs = { user, name, prefix, _, _, _, count, _, attributes in
        XMLTreeReader.of(user)?.start(name, prefix, Int(count), attributes)
      }
      handler.endElementNs = { user, _, _, _ in XMLTreeReader.of(user)?.end() }
      handler.characters = { user, text, count in XMLTreeReader.of(user)?.characters(text, Int(count)) }
      handler.cdataBlock = { user, text, count in XMLTreeReader.of(user)?.characters(text, Int(count)) }
      handler.serror = { user, error in
        guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
        XMLTreeReader.of(user)?.fail(
          "xmlSyntax", error.pointee.message.map { String(cString: $0) } ?? "not well-formed XML")
      }
      context.pointee.sax.pointee = handler
      context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
      // NOENT makes libxml2 put the predefined entities' characters into attribute values; others are never known.
      let options = XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
      xmlCtxtUseOptions(context, Int32(options))
      xmlParseDocument(context)
      if failure == nil, context.pointee.wellFormed == 0 { fail("xmlSyntax", "not well-formed XML") }
      self.context = nil
    }
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLTreeReader? {
    user.map { Unmanaged<XMLTreeReader>.fromOpaque($0).takeUnretainedValue() }
  }

  /// How many bytes libxml2 has consumed.
  private var offset: Int {
    guard let input = context?.pointee.input else { return 0 }
    let consumed = Int(input.pointee.consumed)
    guard let base = input.pointee.base, let current = input.pointee.cur else { return consumed }
    return min(bytes.count, consumed + (current - base))
  }

  /// Keeps the first failure and stops the parser.
  private func fail(_ code: String, _ message: String, at place: Int? = nil) {
    guard failure == nil else { return }
    let text = message.last == "\n" ? String(message.dropLast()) : message
    failure = Diagnostic(.error, code: code, path: path, position: lines.position(of: place ?? offset), message: text)
    if let context { xmlStopParser(context) }
  }

  private func start(
    _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ count: Int,
    _ raw: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    guard failure == nil else { return }
    // libxml2 calls back at the end of the tag. `<` cannot occur inside a tag, so the nearest one starts it.
    var start = min(offset, bytes.count - 1)
    while start > 0, bytes[start] != UInt8(ascii: "<") { start -= 1 }
    elements += 1
    guard open.count < Self.maximumDepth, elements <= Self.maximumElements else {
      return fail(
        "xmlLimit", "the file has more than \(Self.maximumDepth) levels or \(Self.maximumElements) elements", at: start)
    }
    var attributes: [(name: String, value: String)] = []
    for i in 0..<count {
      guard let raw, let local = raw[5 * i], let first = raw[5 * i + 3], let end = raw[5 * i + 4] else { continue }
      let value = String(decoding: UnsafeBufferPointer(start: first, count: end - first), as: UTF8.self)
      let space = raw[5 * i + 1].map { String(cString: $0) + ":" } ?? ""
      attributes.append((space + String(cString: local), value))
    }
    let space = prefix.map { String(cString: $0) + ":" } ?? ""
    open.append(
      XMLElement(
        name: space + (name.map { String(cString: $0) } ?? ""), attributes: attributes,
        position: lines.position(of: start)))
  }

  private func end() {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private func characters(_ text: UnsafePointer<xmlChar>?, _ count: Int) {
    guard let text, !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
}
