import CMergewalkLibXML2
package import MergewalkEventLogs

/// Parses the text of one document, piece by piece, and writes its events (``XMLEvent``) to a log.
///
/// The only bridge to libxml2: nothing else in the program calls it. Its safety rules are the same for all documents
/// (``XMLPolicy``).
///
/// Sources: XML 1.0 (fifth edition), https://www.w3.org/TR/xml/; Namespaces in XML 1.0,
/// https://www.w3.org/TR/xml-names/; libxml2's SAX2 interface, https://gnome.pages.gitlab.gnome.org/libxml2/.
package final class XMLParser {
  let context: xmlParserCtxtPtr
  /// The document's own text as libxml2 has it, which stays the lowest of its inputs.
  let input: xmlParserInputPtr
  let source: UnsafeMutablePointer<XMLEventSource>
  /// The most bytes that are pushed at once.
  let pieceSize: Int
  var isStarted = false
  /// Where libxml2 waits for the end of a long tag, how much of it was looked at, and how many attributes may be in it.
  var tag = (at: -1, looked: 0, signs: 0)

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  /// Makes a parser; nil when there is no memory for one.
  ///
  /// - Parameters:
  ///   - log: what it writes to first.
  ///   - pieceSize: the most bytes that libxml2 gets at once.
  package init?(_ policy: XMLPolicy, log: EventLog, pieceSize: Int = .max) {
    Self.initialise
    let source = UnsafeMutablePointer<XMLEventSource>.allocate(capacity: 1)
    var handler = XMLEventSource.handler()
    guard let context = xmlCreatePushParserCtxt(&handler, UnsafeMutableRawPointer(source), nil, 0, nil),
      let input = context.pointee.input
    else {
      source.deallocate()
      return nil
    }
    // The text is UTF-8 already, whatever its declaration says; entities that are declared are replaced.
    var options = XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
    if policy.allowsLongTokens { options |= XML_PARSE_HUGE.rawValue }
    xmlCtxtUseOptions(context, Int32(options))
    source.initialize(to: XMLEventSource(context, input, policy, log: log))
    self.pieceSize = max(1, pieceSize)
    self.context = context
    self.input = input
    self.source = source
  }

  deinit {
    // Declarations make libxml2 keep a document of its own, which a stopped parser does not free.
    if let document = context.pointee.myDoc { xmlFreeDoc(document) }
    context.pointee.myDoc = nil
    xmlFreeParserCtxt(context)
    source.deinitialize(count: 1)
    source.deallocate()
  }

  /// A name in the parser's dictionary, where it is the same as an equal one of the document.
  package func intern(_ name: [UInt8]) -> UnsafePointer<UInt8>? {
    name.withUnsafeBufferPointer { xmlDictLookup(context.pointee.dict, $0.baseAddress, Int32($0.count)) }
  }

  /// Parses several pieces, which end where `ends` say.
  package func push(_ text: UnsafeRawBufferPointer, ends: [Int]) {
    var start = 0
    for end in ends {
      push(UnsafeRawBufferPointer(rebasing: text[start..<end]))
      start = end
    }
  }

  // MARK: The log

  /// Begins the log anew, when a reader on the same thread has read everything.
  package func restart() { source.pointee.writer.restart() }

  /// Says how much was written, for a reader on the same thread.
  package func close() { source.pointee.writer.close() }

  /// Hands logs over to another thread from now on.
  package func attach(_ link: ParserChannel?) { source.pointee.writer.attach(link) }

  /// Hands over what was written, if that is anything.
  package func flush() { source.pointee.writer.flush() }

  /// Whether the result is no longer wanted.
  package var isStopped: Bool { source.pointee.writer.isStopped }
}
