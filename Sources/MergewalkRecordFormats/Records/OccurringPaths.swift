import MergewalkXML

/// The paths that occur in records, for messages that look for the nearest name; arrays count as their elements.
///
/// The search is bounded: a few records, and the first thousand paths.
package struct OccurringPaths: Sendable {
  /// The paths, as columns have them, in the order of their first appearance.
  package private(set) var paths: [String] = []
  private var known: Set<String> = []
  /// Whether a limit was met, so that there may be more.
  package private(set) var isCut = false

  private static let most = 1_000
  /// Records are looked at up to here, in bytes each.
  private static let longest = 1 << 16

  /// The paths that readers take for columns of their own accord: members of records, and the attributes of elements.
  package var columns: [String] {
    paths.filter { path in
      guard let names = JSONPaths.split(path) else { return false }
      return names.count == 1 || names.count == 2 && names[1].first == UInt8(ascii: "@")
    }
  }

  package init() {}

  /// A path as columns have it for one that is a JSONPath (`$.a[0].b`) or has slashes; nil where it is neither.
  package static func dotted(_ path: String) -> String? {
    let plain = path.hasPrefix("$.") ? String(path.dropFirst(2)) : path
    let result = plain.split { $0 == "/" || $0 == "[" || $0 == "]" || $0 == "." }.joined(separator: ".")
    return result.isEmpty || result == path ? nil : result
  }

  /// The cure for a path that is right with dots.
  package static func advice(_ dotted: String) -> String { "names on a way have dots between them: “\(dotted)”" }

  /// Whether a path occurs; numbers in it name elements of arrays.
  package func has(_ path: String) -> Bool {
    paths.contains(path.split(separator: ".").filter { Int($0) == nil }.joined(separator: "."))
  }

  mutating func add(_ names: [[UInt8]]) { add(JSONPaths.path(names)) }

  private mutating func add(_ path: String) {
    if paths.count < Self.most {
      if known.insert(path).inserted { paths.append(path) }
    } else if !known.contains(path) {
      isCut = true
    }
  }

  /// Adds what a record has.
  ///
  /// - Parameters:
  ///   - raw: the record's text, as a batch has it.
  ///   - format: the format that it was read in.
  ///   - indent: the spaces before its first line; nil when it is not known.
  package mutating func add(_ raw: [UInt8], of format: RecordFormat, indent: Int? = nil) {
    if raw.count > Self.longest { isCut = true }
    let raw = Array(raw.prefix(Self.longest))
    switch format {
    case .csv, .fixedWidth, .custom: break
    case .ndjson, .json, .jsonSequence: add(json: raw)
    case .xml(let options): add(xml: XMLWrapper(options).wrap(raw), below: XMLWrapper(options).depth)
    case .yaml(var options):
      options.records = nil
      let spaces = [UInt8](repeating: 32, count: min(indent ?? Self.indent(of: raw), 1_000))
      add(try? YAMLReader.paths(of: spaces + raw, options))
    case .propertyList(var options):
      options.records = nil
      // The binary form has records as JSON.
      if raw.first == UInt8(ascii: "{"), raw.contains(UInt8(ascii: ":")) { add(json: raw) }
      let isXML = raw.first == UInt8(ascii: "<")
      let list = isXML ? Array("<plist>".utf8) + raw + Array("</plist>".utf8) : raw
      add(try? PropertyListReader.paths(of: list, options))
    }
  }

  /// The least indentation of the lines behind the first one, which is probably that of the members.
  private static func indent(of raw: [UInt8]) -> Int {
    let lines = raw.split(separator: 10).dropFirst().filter { $0.contains { $0 > 32 } }
    return lines.map { $0.prefix { $0 == 32 }.count }.min() ?? 0
  }

  private mutating func add(_ other: OccurringPaths?) { for path in other?.paths ?? [] { add(path) } }

  // MARK: JSON

  /// Adds the members of JSON text, as far as it is that, behind those of a path.
  package mutating func add(json text: [UInt8], below path: String = "") {
    let way = path.isEmpty ? [] : JSONPaths.split(path) ?? []
    text.prefix(Self.longest).withUnsafeBufferPointer { text in
      guard let base = text.baseAddress else { return }
      var scanner = JSONScanner(base, from: 0, end: text.count)
      add(&scanner, way)
    }
  }

  /// Adds the members of the value that is next; false when it does not end.
  @discardableResult
  private mutating func add(_ scanner: inout JSONScanner, _ way: [[UInt8]]) -> Bool {
    scanner.skipSpace()
    guard scanner.i < scanner.end, way.count < 16 else { return scanner.value(depth: 0) }
    let opening = scanner.base[scanner.i]
    guard opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[") else { return scanner.value(depth: 0) }
    let closing = opening + 2
    scanner.i += 1
    while true {
      scanner.skipSpace()
      guard scanner.i < scanner.end else { return false }
      if scanner.base[scanner.i] == closing {
        scanner.i += 1
        return true
      }
      var inner = way
      if opening == UInt8(ascii: "{") {
        let start = scanner.i + 1
        guard scanner.string() else { return false }
        let end = scanner.i - 1
        inner.append(
          [UInt8](unsafeUninitializedCapacity: end - start) { room, count in
            count = room.baseAddress.map { JSONEscape.unescape(scanner.base, start, end, to: $0) } ?? 0
          })
        add(inner)
        guard scanner.expect(UInt8(ascii: ":")) else { return false }
      }
      guard add(&scanner, inner) else { return false }
      scanner.skipSpace()
      if scanner.i < scanner.end, scanner.base[scanner.i] == UInt8(ascii: ",") { scanner.i += 1 }
    }
  }

  // MARK: XML

  /// Adds the elements and attributes of a document, of what is deeper than the given number of elements.
  private mutating func add(xml text: [UInt8], below: Int) {
    guard let reader = XMLEventReader(deepest: 100) else { return }
    text.withUnsafeBytes { reader.push($0, isLast: true) }
    var way: [[UInt8]] = []
    while let event = try? reader.next() {
      switch event {
      case .start(let tag):
        way.append(Array(tag.name.utf8))
        let names = Array(way.dropFirst(below))
        if way.count > below, !names.isEmpty { add(names) }
        if way.count >= below {
          for attribute in tag.namedValues { add(names + [Array("@\(attribute.name)".utf8)]) }
        }
      case .end: way.removeLast()
      case .text, .documentType: break
      }
    }
  }
}
