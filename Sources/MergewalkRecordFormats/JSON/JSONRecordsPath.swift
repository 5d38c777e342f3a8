import MergewalkDiagnostics

/// The place of the array of records in a JSON document: the members on the way to it.
///
/// Written as a JSONPath (`$`, `$.Album`, `$.data.items[*]`, `$['first name'].list`) or, like a column, as names with
/// dots between them (`data.items`); `[*]` at the end is optional.
///
/// Source: RFC 9535, https://www.rfc-editor.org/rfc/rfc9535, of which this is the part that names one array.
struct JSONRecordsPath {
  /// The names of the members, from the document's root; none when the document itself is the array.
  private(set) var names: [[UInt8]] = []

  /// The document itself.
  init() {}

  /// Reads the option of a reader; the document itself when it is not set.
  ///
  /// - Parameter array: the format's word for what the path leads to.
  /// - Throws: `invalidOption`.
  static func option(
    _ text: String?, path: String, array: String = "an array"
  ) throws(ReadError) -> JSONRecordsPath {
    guard let text else { return JSONRecordsPath() }
    if let records = JSONRecordsPath(text) { return records }
    var message = "“\(text)” is not a path to \(array), such as $.data.items or data.items"
    if let (outer, inner) = severalArrays(text) {
      message =
        "“\(text)” leads to several arrays; set “records: \(outer)” and “each: \(inner)”, and each element of"
        + " “\(inner)” is a record with the columns of what is around it"
    }
    throw ReadError(.invalidOption, path: path, message: message)
  }

  /// Splits a path that goes through the elements of an array into the array and the way on from an element.
  private static func severalArrays(_ text: String) -> (outer: String, inner: String)? {
    var text = text[...]
    if text.hasSuffix("[*]") { text = text.dropLast(3) }
    guard let star = text.indices.first(where: { text[$0...].hasPrefix("[*]") }) else { return nil }
    let outer = String(text[..<star])
    let inner = text[text.index(star, offsetBy: 3)...]
    guard JSONRecordsPath(outer) != nil, inner.first == ".", EachPath(String(inner.dropFirst())) != nil,
      !inner.contains("[")
    else { return nil }
    return (outer, String(inner.dropFirst()))
  }

  /// Reads a path, or returns nil if it is malformed or selects more than one array.
  init?(_ text: String) {
    var bytes = Array(text.utf8)
    if bytes.suffix(3) == Array("[*]".utf8) { bytes.removeLast(3) }
    guard bytes.first == UInt8(ascii: "$") else {
      guard !bytes.isEmpty, let names = JSONPaths.split(String(decoding: bytes, as: UTF8.self)) else { return nil }
      self.names = names
      return
    }
    var i = 1
    while i < bytes.count {
      var name: [UInt8] = []
      if bytes[i] == UInt8(ascii: ".") {
        i += 1
        while i < bytes.count, bytes[i] != UInt8(ascii: "."), bytes[i] != UInt8(ascii: "[") {
          name.append(bytes[i])
          i += 1
        }
        if name.isEmpty || name == [UInt8(ascii: "*")] { return nil }
      } else {
        guard let end = Self.quotedName(bytes, i, &name) else { return nil }
        i = end
      }
      names.append(name)
    }
    if names.count >= JSONScanner.deepest { return nil }
  }

  /// Reads `['name']` or `["name"]` at `start` and returns where it ends; a backslash takes the next character as is.
  private static func quotedName(_ bytes: [UInt8], _ start: Int, _ name: inout [UInt8]) -> Int? {
    guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
    let quote = bytes[start + 1]
    guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
    var i = start + 2
    while i < bytes.count, bytes[i] != quote {
      if bytes[i] == UInt8(ascii: "\\") { i += 1 }
      guard i < bytes.count else { return nil }
      name.append(bytes[i])
      i += 1
    }
    guard i + 1 < bytes.count, bytes[i + 1] == UInt8(ascii: "]") else { return nil }
    return i + 2
  }

  /// Describes the missing member: the one behind the first `count` ones.
  ///
  /// - Parameter names: members that stand in its place.
  func missing(_ count: Int, among names: [String]) -> String {
    let wanted = String(decoding: self.names[count], as: UTF8.self)
    var message = "\(text(count)) has no member “\(wanted)”"
    if let way = Self.way(wanted), names.contains(way.first) {
      message += "; names on a way have dots between them: “\(way.all)”"
    } else if let near = NearestName.find(wanted, in: names) {
      message += "; did you mean “\(near)”?"
    } else if !names.isEmpty {
      message += "; it has " + names.map { "“\($0)”" }.joined(separator: ", ")
    }
    return message
  }

  /// The names of a way that is written with slashes.
  private static func way(_ text: String) -> (first: String, all: String)? {
    let names = text.split(separator: "/").map(String.init)
    return names.count > 1 ? (names[0], names.joined(separator: ".")) : nil
  }

  /// The first `count` members as a person would write them.
  func text(_ count: Int) -> String {
    if count == 0 { return "the document" }
    return "“" + names[..<count].map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") + "”"
  }
}
