import CLibXML2
import Glibc

/// What happens while an XML file is read from its start to its end.
protocol XMLEventHandler: AnyObject {
  /// An element starts.
  func start(_ name: String, _ attributes: [(name: String, value: String)]) throws(StoreError)
  /// Bytes of text inside the innermost element; a text may come in several pieces.
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(StoreError)
  /// The innermost element ends.
  ///
  /// - Returns: Whether to read on.
  func end() throws(StoreError) -> Bool
}

/// Reads an XML file in pieces with libxml2's SAX interface, so that its size does not matter.
///
/// Nothing is loaded besides the file: external subsets are never fetched, and a file that declares entities is refused.
final class XMLEventReader {
  /// The deepest nesting that is read: metadata may nest a little.
  static let maximumDepth = 64
  /// How many bytes are read at a time.
  private static let pieceSize = 1 << 16

  private let handler: any XMLEventHandler
  private let path: String
  private var context: xmlParserCtxtPtr?
  private var depth = 0
  private var failure: StoreError?
  private var isStopped = false

  private init(_ path: String, _ handler: any XMLEventHandler) {
    self.path = path
    self.handler = handler
  }

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  /// Reads a file.
  ///
  /// - Throws: What the handler throws, or ``StoreError`` with `damagedFile` or `inputOutput`.
  static func read(_ path: String, _ handler: any XMLEventHandler) throws(StoreError) {
    let reader = XMLEventReader(path, handler)
    try reader.run()
    if let failure = reader.failure { throw failure }
  }

  private func run() throws(StoreError) {
    Self.initialise
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileSystem.failure(path, "cannot open") }
    defer { close(file) }
    var sax = xmlSAXHandler()
    sax.initialized = UInt32(XML_SAX2_MAGIC)
    sax.startElementNs = { user, name, prefix, _, _, _, count, _, attributes in
      XMLEventReader.of(user)?.start(name, prefix, Int(count), attributes)
    }
    sax.endElementNs = { user, _, _, _ in XMLEventReader.of(user)?.end() }
    sax.characters = { user, text, count in XMLEventReader.of(user)?.characters(text, Int(count)) }
    sax.cdataBlock = { user, text, count in XMLEventReader.of(user)?.characters(text, Int(count)) }
    sax.entityDecl = { user, _, _, _, _, _ in XMLEventReader.of(user)?.fail("it declares entities") }
    sax.serror = { user, error in
      guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
      let line = error.pointee.line
      let message = error.pointee.message.map { String(cString: $0) } ?? "no well-formed XML"
      XMLEventReader.of(user)?.fail("line \(line): \(message.last == "\n" ? String(message.dropLast()) : message)")
    }
    guard let context = xmlCreatePushParserCtxt(&sax, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil) else {
      throw StoreError(.damagedFile, path: path, message: "the XML parser cannot be started")
    }
    defer {
      // Declarations make libxml2 keep a document of its own, which a stopped parser does not free.
      if let document = context.pointee.myDoc { xmlFreeDoc(document) }
      xmlFreeParserCtxt(context)
      self.context = nil
    }
    self.context = context
    // HUGE lifts libxml2's limits for texts and attributes, which large values pass; depth and entities are ours.
    xmlCtxtUseOptions(context, Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue))
    var piece = [CChar](repeating: 0, count: Self.pieceSize)
    while failure == nil, !isStopped {
      let got = Glibc.read(file, &piece, piece.count)
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw FileSystem.failure(path, "cannot read") }
      xmlParseChunk(context, piece, Int32(got), got == 0 ? 1 : 0)
      if got == 0 { break }
    }
    if failure == nil, !isStopped, context.pointee.wellFormed == 0 { fail("it is no well-formed XML") }
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLEventReader? {
    user.map { Unmanaged<XMLEventReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func fail(_ message: String) {
    stop(StoreError(.damagedFile, path: path, message: "the file cannot be read as an XML store: \(message)"))
  }

  /// Keeps the first failure and stops the parser.
  private func stop(_ error: StoreError?) {
    guard failure == nil, !isStopped else { return }
    failure = error
    isStopped = true
    if let context { xmlStopParser(context) }
  }

  private func start(
    _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ count: Int,
    _ raw: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    guard !isStopped else { return }
    depth += 1
    guard depth <= Self.maximumDepth else { return fail("elements are nested more than \(Self.maximumDepth) deep") }
    var attributes: [(name: String, value: String)] = []
    for i in 0..<count {
      guard let raw, let local = raw[5 * i], let first = raw[5 * i + 3], let end = raw[5 * i + 4] else { continue }
      attributes.append(
        (
          String(cString: local),
          String(decoding: UnsafeBufferPointer(start: first, count: end - first), as: UTF8.self)
        ))
    }
    do {
      try handler.start(name.map { String(cString: $0) } ?? "", attributes)
    } catch {
      stop(error)
    }
  }

  private func end() {
    guard !isStopped else { return }
    depth -= 1
    do {
      if try !handler.end() { stop(nil) }
    } catch {
      stop(error)
    }
  }

  private func characters(_ text: UnsafePointer<xmlChar>?, _ count: Int) {
    guard !isStopped, let text else { return }
    do {
      try handler.text(UnsafeBufferPointer(start: text, count: count))
    } catch {
      stop(error)
    }
  }
}
