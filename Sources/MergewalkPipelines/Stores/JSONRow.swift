import MergewalkRecordFormats

/// The members of a JSON object that is read back from a file of ours.
struct JSONRow {
  private let object: JSONObjectText

  /// Reads an object; nil when the bytes are something else.
  init?(_ bytes: [UInt8]) {
    guard let object = JSONObjectText(bytes) else { return nil }
    self.object = object
  }

  /// A member that is a text; nil when it is something else.
  func text(_ name: String) -> String? { object.text(name) }

  /// A member that is a whole number.
  func count(_ name: String) -> Int? { (object[name]?.value).flatMap { Int(String(decoding: $0, as: UTF8.self)) } }

  func flag(_ name: String) -> Bool { object[name]?.value.elementsEqual("true".utf8) ?? false }

  /// A member's own JSON text.
  func json(_ name: String) -> [UInt8]? { object[name]?.value }

  /// A member that is a list of objects; nil when it is something else, or one of them is.
  func list<Element>(_ name: String, _ make: (JSONRow) -> Element?) -> [Element]? {
    guard let texts = json(name).flatMap({ JSONObjectText.elements($0) }) else { return nil }
    let elements = texts.compactMap { JSONRow($0).flatMap(make) }
    return elements.count == texts.count ? elements : nil
  }
}
