import CMergewalkLibYAML
import MergewalkDiagnostics

/// Builds the tree of one document from libyaml's events, within limits and without recursion.
final class YAMLComposer {
  /// A sequence or a mapping whose end has not come yet.
  private struct Frame {
    var isMapping: Bool
    var position: SourcePosition
    var tag: String?
    var anchor: String?
    /// How many nodes the document had before this one.
    var nodesBefore: Int
    var items: [YAMLNode] = []
    var entries: [YAMLNode.Entry] = []
    /// The lines of the scalar keys seen.
    var keys: [String: Int] = [:]
    var pendingKey: YAMLNode?
    var isPendingKeyDuplicate = false
  }

  /// The findings about duplicate keys.
  private(set) var findings: [Diagnostic] = []

  private let bytes: [UInt8]
  private let path: String
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  /// The number of bytes of the byte order mark, which libyaml never sees.
  private let start: Int
  private var tracker: PositionTracker
  private var frames: [Frame] = []
  private var anchors: [String: (node: YAMLNode, nodes: Int)] = [:]
  private var nodes = 0
  private var root: YAMLNode?

  init(_ bytes: [UInt8], path: String) throws(Diagnostic) {
    self.bytes = bytes
    self.path = path
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    tracker = PositionTracker(bytes, start: start)
    // libyaml keeps the address of both, so they live outside Swift's values.
    parser = .allocate(capacity: 1)
    input = .allocate(capacity: max(bytes.count, 1))
    _ = input.initialize(from: bytes)
    guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
    guard bytes.count <= YAMLLimits.maximumBytes else {
      throw failure(
        "yamlLimit", .file, "the file has \(bytes.count) bytes; at most \(YAMLLimits.maximumBytes) are read")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      let valid = Self.validPrefix(bytes)
      throw failure("notUTF8", tracker.position(ofByte: valid), "the file is not UTF-8", hint: "save it as UTF-8")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress.map { $0 + start }, bytes.count - start)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// Reads events to the end of the stream and returns the document's node.
  func document() throws(Diagnostic) -> YAMLNode {
    var isDone = false
    while !isDone {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
      defer { yaml_event_delete(&event) }
      isDone = try take(event)
    }
    return root ?? YAMLNode(.scalar("", isPlain: true), position: SourcePosition(line: 1, column: 1))
  }

  /// Takes one event in; returns whether it was the last.
  private func take(_ event: yaml_event_t) throws(Diagnostic) -> Bool {
    switch event.type {
    case YAML_STREAM_END_EVENT:
      return true
    case YAML_DOCUMENT_START_EVENT:
      guard root == nil else {
        throw failure(
          "multipleDocuments", position(event), "the file has more than one document",
          hint: "remove the line “---”, or keep only one document")
      }
    case YAML_SCALAR_EVENT:
      try count(event)
      let data = event.data.scalar
      let tag = Self.text(data.tag)
      let text = String(decoding: UnsafeBufferPointer(start: data.value, count: data.length), as: UTF8.self)
      // A tag settles the type, so that `!!str 1` is text; `!!int 1` and the like keep their plain meaning.
      let isPlain = data.style == YAML_PLAIN_SCALAR_STYLE && (data.plain_implicit != 0 || Self.isCoreTag(tag))
      let node = YAMLNode(.scalar(text, isPlain: isPlain), position: position(event), tag: tag)
      let anchor = Self.text(data.anchor)
      if let anchor { anchors[anchor] = (node, 1) }
      add(node)
      if text.isEmpty, data.style == YAML_PLAIN_SCALAR_STYLE, let mark = anchor.map({ "&" + $0 }) ?? tag {
        markedKey(node, mark)
      }
    case YAML_SEQUENCE_START_EVENT:
      try count(event)
      let data = event.data.sequence_start
      try open(event, isMapping: false, tag: Self.text(data.tag), anchor: Self.text(data.anchor))
    case YAML_MAPPING_START_EVENT:
      try count(event)
      let data = event.data.mapping_start
      try open(event, isMapping: true, tag: Self.text(data.tag), anchor: Self.text(data.anchor))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      close()
    case YAML_ALIAS_EVENT:
      let name = Self.text(event.data.alias.anchor) ?? ""
      guard let anchored = anchors[name] else {
        throw failure(
          "unknownAlias", position(event), "there is no anchor “\(name)” before this alias",
          hint: "a value that begins with “*” is put in quotes: \"*\(name)\"")
      }
      try count(event, anchored.nodes)
      add(anchored.node)
    default:
      break
    }
    return false
  }

  /// Reports a key that is nothing but an anchor or a tag.
  private func markedKey(_ node: YAMLNode, _ mark: String) {
    guard let top = frames.indices.last, frames[top].isMapping, frames[top].pendingKey != nil else { return }
    // Its value is no field without a name as well.
    frames[top].isPendingKeyDuplicate = true
    findings.append(
      failure(
        "yamlSyntax", node.position, "a key is missing: “\(mark)” before the colon only marks what stands behind it",
        hint: "a key that begins with “\(mark.prefix(1))” is put in quotes: \"\(mark)\""))
  }

  private func count(_ event: yaml_event_t, _ added: Int = 1) throws(Diagnostic) {
    nodes += added
    guard nodes <= YAMLLimits.maximumNodes else {
      throw failure("yamlLimit", position(event), "the document has more than \(YAMLLimits.maximumNodes) nodes")
    }
  }

  private func open(_ event: yaml_event_t, isMapping: Bool, tag: String?, anchor: String?) throws(Diagnostic) {
    guard frames.count < YAMLLimits.maximumDepth else {
      throw failure("yamlLimit", position(event), "the document nests deeper than \(YAMLLimits.maximumDepth) levels")
    }
    // An anchor is known only when its node is complete, so a node cannot contain itself.
    if let anchor { anchors[anchor] = nil }
    frames.append(
      Frame(isMapping: isMapping, position: position(event), tag: tag, anchor: anchor, nodesBefore: nodes - 1))
  }

  private func close() {
    guard let frame = frames.popLast() else { return }
    let node = YAMLNode(
      frame.isMapping ? .mapping(frame.entries) : .sequence(frame.items), position: frame.position, tag: frame.tag)
    if let anchor = frame.anchor { anchors[anchor] = (node, nodes - frame.nodesBefore) }
    add(node)
  }

  private func add(_ node: YAMLNode) {
    let top = frames.count - 1
    guard top >= 0 else {
      root = node
      return
    }
    guard frames[top].isMapping else {
      frames[top].items.append(node)
      return
    }
    if let key = frames[top].pendingKey {
      frames[top].pendingKey = nil
      if !frames[top].isPendingKeyDuplicate { frames[top].entries.append(.init(key: key, value: node)) }
      frames[top].isPendingKeyDuplicate = false
      return
    }
    frames[top].pendingKey = node
    guard let text = node.text else { return }
    guard let firstLine = frames[top].keys[text] else {
      frames[top].keys[text] = node.position.line
      return
    }
    frames[top].isPendingKeyDuplicate = true
    findings.append(
      failure(
        "duplicateKey", node.position, "the key “\(text)” occurs twice in this mapping",
        hint: "the first is in line \(firstLine); keep one of them"))
  }

  private func position(_ event: yaml_event_t) -> SourcePosition {
    tracker.position(ofCodePoint: event.start_mark.index)
  }

  private func failure(
    _ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil
  ) -> Diagnostic {
    Diagnostic(.error, code: code, path: path, position: position, message: message, hint: hint)
  }

  private func syntaxError() -> Diagnostic {
    let state = parser.pointee
    if state.error == YAML_MEMORY_ERROR { preconditionFailure("no memory while parsing YAML") }
    let problem = state.problem.map { String(cString: $0) } ?? "not YAML"
    let context = state.context.map { String(cString: $0) }
    var begin: SourcePosition?
    if context != nil { begin = tracker.position(ofCodePoint: state.context_mark.index) }
    let place =
      state.error == YAML_READER_ERROR
      ? tracker.position(ofByte: start + state.problem_offset) : tracker.position(ofCodePoint: state.problem_mark.index)
    let mistake = YAMLMistake(problem, context: context, at: place, begin: begin, in: bytes)
    return failure("yamlSyntax", mistake.position, mistake.message, hint: mistake.hint)
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  private static func isCoreTag(_ tag: String?) -> Bool {
    switch tag {
    case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null": true
    default: false
    }
  }

  /// The number of bytes before the first that is not UTF-8.
  private static func validPrefix(_ bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var length = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { length += UTF8.width(scalar) }
    return length
  }
}
