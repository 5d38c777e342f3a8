/// Notes where the arrays of a document are, for the message that says which path is missing.
struct JSONArrayListing {
  private static let mostPaths = 6
  private static let mostValues = 10_000
  private static let deepest = 6

  /// The paths of the first arrays that are in no other array.
  private(set) var paths: [String] = []
  /// The name of the member whose value is next.
  var name: [UInt8] = []
  /// The names on the way to the object that is open.
  private var way: [[UInt8]] = []
  /// How many arrays, and objects inside them, are open.
  private var hidden = 0
  private var values = 0

  /// Whether the name of the next member matters.
  var needsName: Bool { hidden == 0 && way.count < Self.deepest }

  /// Notes the value that begins with a byte; true: enough was seen.
  mutating func isFull(before byte: UInt8) -> Bool {
    values += 1
    if byte == UInt8(ascii: "["), needsName { paths.append(path) }
    return paths.count >= Self.mostPaths || (values >= Self.mostValues && !paths.isEmpty)
  }

  /// An array or an object opens.
  mutating func enter(isObject: Bool) {
    if isObject, needsName { way.append(name) } else { hidden += 1 }
  }

  /// Closes the value that was entered last.
  mutating func leave() {
    if hidden > 0 { hidden -= 1 } else if !way.isEmpty { way.removeLast() }
  }

  /// The path of the next value.
  private var path: String {
    var result = "$"
    for name in way + [name] {
      let text = String(decoding: name.prefix(80), as: UTF8.self)
      let isPlain =
        !name.isEmpty && name.allSatisfy { ($0 | 0x20) &- 97 < 26 || $0 &- 48 < 10 || $0 == 95 || $0 >= 0x80 }
      result += isPlain ? "." + text : "['\(text)']"
    }
    return result
  }
}
