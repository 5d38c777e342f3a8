/// Which characters become references in text of XML and HTML, besides `&` and `<`.
///
/// Source: XML 1.0, sections 2.4, 2.11 and 3.3.3.
package struct XMLEscaping: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `>`.
  package static let greater = XMLEscaping(rawValue: 1)
  /// `"`.
  package static let quote = XMLEscaping(rawValue: 2)
  /// `'`.
  package static let apostrophe = XMLEscaping(rawValue: 4)
  /// Carriage returns, of which readers make line feeds otherwise.
  package static let carriageReturn = XMLEscaping(rawValue: 8)
  /// Tabs and line feeds, of which readers make blanks in attributes otherwise.
  package static let tabsAndLineFeeds = XMLEscaping(rawValue: 16)

  package static let element: XMLEscaping = [.greater, .carriageReturn]
  /// Between the double quotes of an attribute, so that its value is kept.
  package static let attribute: XMLEscaping = [.quote, .carriageReturn, .tabsAndLineFeeds]
  /// In pages of HTML, in elements and in attributes in quotes of either kind.
  package static let html: XMLEscaping = [.greater, .quote, .apostrophe]

  @inline(__always)
  fileprivate func reference(_ byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): contains(.greater) ? "&gt;" : nil
    case UInt8(ascii: "\""): contains(.quote) ? "&quot;" : nil
    case UInt8(ascii: "'"): contains(.apostrophe) ? "&#39;" : nil
    case UInt8(ascii: "\r"): contains(.carriageReturn) ? "&#13;" : nil
    case UInt8(ascii: "\t"): contains(.tabsAndLineFeeds) ? "&#9;" : nil
    case UInt8(ascii: "\n"): contains(.tabsAndLineFeeds) ? "&#10;" : nil
    default: nil
    }
  }
}

extension [UInt8] {
  /// Appends text of XML or HTML; whether it has only characters of theirs is the caller's business.
  package mutating func append(xml text: UnsafeRawBufferPointer, _ escaping: XMLEscaping) {
    var start = 0
    for index in 0..<text.count {
      guard let reference = escaping.reference(text[index]) else { continue }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
      append(contentsOf: UnsafeBufferPointer(start: reference.utf8Start, count: reference.utf8CodeUnitCount))
      start = index + 1
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// Appends text of XML or HTML; whether it has only characters of theirs is the caller's business.
  package mutating func append(xml text: String, _ escaping: XMLEscaping) {
    var text = text
    text.withUTF8 { append(xml: UnsafeRawBufferPointer($0), escaping) }
  }
}

extension String {
  /// The text with references for characters that mean something to XML and HTML.
  package func xml(_ escaping: XMLEscaping) -> String {
    var bytes: [UInt8] = []
    bytes.append(xml: self, escaping)
    return String(decoding: bytes, as: UTF8.self)
  }
}
