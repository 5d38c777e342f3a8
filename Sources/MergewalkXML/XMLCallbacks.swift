import CMergewalkLibXML2

extension XMLEventSource {
  /// The callbacks for libxml2; their user pointer is that of the ``XMLEventSource``.
  static func handler() -> xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = { user, name, prefix, uri, _, _, count, defaulted, attributes in
      guard let state = XMLEventSource.state(user) else { return }
      state.pointee.start(name, prefix, uri, count: Int(count), defaulted: Int(defaulted), attributes)
    }
    handler.endElementNs = { user, _, _, _ in XMLEventSource.state(user)?.pointee.end() }
    let characters: charactersSAXFunc = { user, text, count in
      guard let state = XMLEventSource.state(user), let text else { return }
      state.pointee.characters(text, Int(count))
    }
    // The same function twice, so that libxml2 does not ask which white space could be left out.
    handler.characters = characters
    handler.ignorableWhitespace = characters
    handler.cdataBlock = { user, text, count in
      guard let state = XMLEventSource.state(user), let text else { return }
      state.pointee.cdata(text, Int(count))
    }
    handler.comment = { user, text in XMLEventSource.state(user)?.pointee.comment(text) }
    handler.serror = { user, error in
      guard let error, let state = XMLEventSource.state(user) else { return }
      state.pointee.report(error.pointee)
    }
    handler.internalSubset = { user, name, _, _ in XMLEventSource.state(user)?.pointee.noteType(name) }
    handler.elementDecl = { user, _, _, _ in _ = XMLEventSource.state(user)?.pointee.allowsDeclaration() }
    handler.unparsedEntityDecl = { user, _, _, _, _ in _ = XMLEventSource.state(user)?.pointee.allowsDeclaration() }
    handler.notationDecl = { user, name, publicID, systemID in
      guard let state = XMLEventSource.state(user), state.pointee.allowsDeclaration() else { return }
      // libxml2 takes a notation without any identifier.
      guard publicID == nil, systemID == nil else { return }
      let name = name.map { String(cString: $0) } ?? ""
      state.pointee.fail(
        .invalidDocument, "the document is not well-formed XML: the notation “\(name)” has no identifier")
    }
    handler.entityDecl = { user, name, type, _, _, content in
      XMLEventSource.declareEntity(user, name, type, content)
    }
    handler.getEntity = { user, name in
      XMLEventSource.entity(user, name, isParameter: false)
    }
    handler.getParameterEntity = { user, name in
      XMLEventSource.entity(user, name, isParameter: true)
    }
    handler.attributeDecl = { user, _, _, _, _, _, values in
      xmlFreeEnumeration(values)
      XMLEventSource.state(user)?.pointee.declareAttribute()
    }
    return handler
  }

  @inline(__always)
  private static func state(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLEventSource>? {
    user?.assumingMemoryBound(to: XMLEventSource.self)
  }

  /// Registers an entity of the document.
  ///
  /// Of external ones libxml2 is never told: to it they are empty ones of the
  /// document. A reference to a general one refuses what it stands in; what marks it is that it has a system identifier.
  private static func declareEntity(
    _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, _ type: CInt,
    _ content: UnsafeMutablePointer<xmlChar>?
  ) {
    guard let state = state(user), state.pointee.allowsDeclaration() else { return }
    let context = state.pointee.context
    // Without a document libxml2 makes one of its own, and declares everything there.
    if context.pointee.myDoc == nil { context.pointee.myDoc = xmlNewDoc("1.0") }
    guard let document = context.pointee.myDoc else { return }
    if document.pointee.intSubset == nil { _ = xmlCreateIntSubset(document, "document", nil, nil) }
    // `&lt;` and so on keep their meaning; libxml2 would complain about another one on standard error.
    if xmlGetPredefinedEntity(name) != nil { return }
    var empty: [xmlChar] = [0]
    switch xmlEntityType(rawValue: UInt32(bitPattern: type)) {
    case XML_INTERNAL_GENERAL_ENTITY, XML_INTERNAL_PARAMETER_ENTITY:
      xmlSAX2EntityDecl(context, name, type, nil, nil, content)
    case XML_EXTERNAL_PARAMETER_ENTITY:
      xmlSAX2EntityDecl(context, name, CInt(XML_INTERNAL_PARAMETER_ENTITY.rawValue), nil, nil, &empty)
    case XML_EXTERNAL_GENERAL_PARSED_ENTITY:
      xmlSAX2EntityDecl(context, name, CInt(XML_INTERNAL_GENERAL_ENTITY.rawValue), nil, "external", &empty)
    default: break
    }
  }

  /// Finds an entity, and counts what it costs.
  private static func entity(
    _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, isParameter: Bool
  ) -> xmlEntityPtr? {
    guard let state = state(user), !state.pointee.isFailed else { return nil }
    let context = state.pointee.context
    let entity = isParameter ? xmlSAX2GetParameterEntity(context, name) : xmlSAX2GetEntity(context, name)
    guard let entity else {
      if !isParameter { state.pointee.refuseEntity(name) }
      return nil
    }
    switch entity.pointee.etype {
    case XML_INTERNAL_GENERAL_ENTITY, XML_INTERNAL_PARAMETER_ENTITY:
      if entity.pointee.SystemID != nil { state.pointee.refuseEntity(name) }
      state.pointee.useEntity(Int(entity.pointee.length))
      return state.pointee.isFailed ? nil : entity
    case XML_INTERNAL_PREDEFINED_ENTITY: return entity
    default:
      if !isParameter { state.pointee.refuseEntity(name) }
      return nil
    }
  }
  // MARK: Errors

  /// Takes an error that libxml2 reports.
  ///
  /// Those that it can go on from end the reading, too: what breaks the rules of namespaces is called an error and no
  /// fatal one. Two are none here: an entity that may be declared in a file that is never read refuses what refers to it
  /// (``refuseEntity(_:)``), and a namespace is a name, whatever URIs may look like.
  mutating func report(_ error: xmlError) {
    let code = UInt32(bitPattern: error.code)
    switch error.level {
    case XML_ERR_FATAL: break
    case XML_ERR_ERROR:
      let others = [XML_WAR_UNDECLARED_ENTITY, XML_WAR_NS_URI, XML_WAR_NS_URI_RELATIVE]
      if others.contains(where: { $0.rawValue == code }) { return }
    default: return
    }
    var message = error.message.map { String(cString: $0) } ?? ""
    while message.last?.isNewline == true { message.removeLast() }
    if message.isEmpty { message = "error \(code)" }
    if message.hasSuffix("Huge input lookup") {
      message = "one tag, comment or processing instruction is longer than 10 MB, the most that libxml2 reads"
      return fail(.invalidDocument, message)
    }
    if code == XML_ERR_DOCUMENT_END.rawValue, context.pointee.nameNr > 0, let name = context.pointee.name {
      message = "it ends before the element “\(String(cString: name))” does"
    } else if code == XML_ERR_DOCUMENT_END.rawValue, context.pointee.instate != XML_PARSER_EPILOG {
      message = "it has no element; a document has one root element"
    } else if code == XML_ERR_DOCUMENT_EMPTY.rawValue {
      message = "it begins with something else than “<”"
    } else if let cure = Self.cures[code] {
      message += "; " + cure
    }
    let isNamespace = error.domain == CInt(XML_FROM_NAMESPACE.rawValue)
    let kind = isNamespace ? "the document breaks the rules of namespaces" : "the document is not well-formed XML"
    fail(
      .invalidDocument, "\(kind): \(message)", line: Int(error.line),
      isInTag: isNamespace && context.pointee.instate != XML_PARSER_DTD)
  }

  /// What to do about the faults that people make, by libxml2's code.
  private static let cures: [UInt32: String] = [
    XML_ERR_NAME_REQUIRED.rawValue:
      "write “&amp;” for a “&” that begins no reference, and “&lt;” for a “<” that begins no tag",
    XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue: "write “&amp;” for a “&” that begins no reference",
    XML_ERR_UNDECLARED_ENTITY.rawValue: "write the character itself, or its number, such as “&#160;”",
    XML_ERR_TAG_NAME_MISMATCH.rawValue: "close each element before the one around it",
    XML_ERR_DOCUMENT_END.rawValue: "a document has one root element and nothing behind it",
    XML_ERR_RESERVED_XML_NAME.rawValue: "take out what is before it, blank lines too",
    XML_ERR_LT_IN_ATTRIBUTE.rawValue: "write “&lt;”",
    XML_ERR_ATTRIBUTE_NOT_STARTED.rawValue: "write values of attributes in quotes",
    XML_ERR_ATTRIBUTE_WITHOUT_VALUE.rawValue: "write a value in quotes: NAME=\"VALUE\"",
    XML_ERR_INVALID_CHAR.rawValue: "XML cannot have this control character: take it out",
  ]
}
