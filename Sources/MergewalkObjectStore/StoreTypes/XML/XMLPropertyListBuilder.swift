import MergewalkBytes
import MergewalkObjectModel
import MergewalkPropertyLists

/// Makes a property list of the elements below a `plist` element.
struct XMLPropertyListBuilder {
  /// A container that is open.
  private struct Level {
    var isDictionary: Bool
    var entries: [PropertyList.Entry] = []
    var elements: [PropertyList] = []
    var key: String?
  }

  private(set) var result: PropertyList?
  private var levels: [Level] = []
  private var seconds: Double?
  private var isBase64 = false
  private var count = 0

  /// The greatest number of values.
  private static let maximumCount = 1_000_000

  mutating func start(_ name: String, seconds: String?, isBase64: Bool, path: String) throws(StoreError) {
    count += 1
    guard count <= Self.maximumCount else { throw damaged("the metadata have too many values", path) }
    self.isBase64 = isBase64
    self.seconds = seconds.flatMap { Double($0) }
    if name == "dict" || name == "array" { levels.append(Level(isDictionary: name == "dict")) }
  }

  mutating func end(_ name: String, _ content: [UInt8], path: String) throws(StoreError) {
    var text: String { String(decoding: content, as: UTF8.self) }
    func string() throws(StoreError) -> String {
      guard isBase64 else { return text }
      guard let bytes = Base64.decode(content, .spaced) else { throw damaged("a text is not base64", path) }
      return String(decoding: bytes, as: UTF8.self)
    }
    switch name {
    case "key":
      guard levels.last?.isDictionary == true else { throw damaged("a key is outside of a dictionary", path) }
      levels[levels.count - 1].key = try string()
    case "dict", "array":
      guard let level = levels.popLast() else { return }
      try add(level.isDictionary ? Self.dictionary(level.entries) : .array(level.elements), path)
    case "string": try add(.string(try string()), path)
    case "integer":
      if let number = Int64(text) {
        try add(.integer(number), path)
      } else if let number = UInt64(text) {
        try add(.unsigned(number), path)
      } else {
        throw damaged("“\(text)” is not a whole number", path)
      }
    case "real":
      guard let number = Double(text) else { throw damaged("“\(text)” is not a number", path) }
      try add(.real(number), path)
    case "true", "false": try add(.boolean(name == "true"), path)
    case "data":
      guard let bytes = Base64.decode(content, .spaced) else { throw damaged("data is not base64", path) }
      try add(.data(bytes), path)
    case "date":
      guard let seconds = seconds ?? DateText.seconds(text) else { throw damaged("“\(text)” is not a date", path) }
      try add(.date(seconds), path)
    default: throw damaged("property lists have no element “\(name)”", path)
    }
  }

  /// A dictionary with the one key `CF$UID` stands for a reference of a keyed archive.
  private static func dictionary(_ entries: [PropertyList.Entry]) -> PropertyList {
    if entries.count == 1, entries[0].key == "CF$UID", let number = entries[0].value.integer, number >= 0 {
      return .uid(UInt64(number))
    }
    return .dictionary(entries)
  }

  private mutating func add(_ value: PropertyList, _ path: String) throws(StoreError) {
    guard let last = levels.indices.last else {
      result = value
      return
    }
    if levels[last].isDictionary {
      guard let key = levels[last].key else { throw damaged("a value in a dictionary has no key", path) }
      levels[last].entries.append(PropertyList.Entry(key, value))
      levels[last].key = nil
    } else {
      levels[last].elements.append(value)
    }
  }

  private func damaged(_ message: String, _ path: String) -> StoreError {
    StoreError(.damagedMetadata, path: path, message: message)
  }
}
