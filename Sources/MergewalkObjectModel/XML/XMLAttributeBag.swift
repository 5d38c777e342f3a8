import MergewalkBytes
import MergewalkXML

/// The attributes of an element, taken out one by one, so that unexpected ones are left over.
struct XMLAttributeBag {
  private(set) var rest: [String: String]
  init(_ element: XMLElement) {
    rest = Dictionary(element.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
  mutating func take(_ name: String) -> String? { rest.removeValue(forKey: name) }

  /// Takes a Boolean; text that is none stays in the bag.
  mutating func takeFlag(_ name: String) -> Bool? {
    guard let text = rest[name], let value = XMLText.boolean(text) else { return nil }
    rest[name] = nil
    return value
  }

  /// Takes a whole number; text that is none stays in the bag.
  mutating func takeCount(_ name: String) -> Int? {
    guard let text = rest[name], let value = Int(text) else { return nil }
    rest[name] = nil
    return value
  }
}

/// The spelling of simple values and text in model files.
enum XMLText {
  static func boolean(_ text: String) -> Bool? {
    switch text {
    case "YES", "yes", "true", "TRUE", "1": true
    case "NO", "no", "false", "FALSE", "0": false
    default: nil
    }
  }

  /// Escapes an attribute's value, so that line feeds and tabs survive attribute normalisation.
  static func escaped(_ text: String) -> String {
    text.xml([.attribute, .greater])
  }
}
