import MergewalkBytes
import MergewalkPropertyLists

/// The objects of an archive that `NSKeyedArchiver` wrote.
///
/// An object refers to others by their positions in one list, so cycles are harmless as long as they are not walked;
/// the callers here follow a fixed number of references.
struct KeyedArchive {
  private let objects: [PropertyList]
  /// The object under `root`.
  let root: Object

  struct Object {
    /// The position in the list.
    let index: Int
    fileprivate let entries: [PropertyList.Entry]

    /// The keys in the order of the archive.
    var keys: [String] { entries.map(\.key) }

    fileprivate subscript(key: String) -> PropertyList? { entries.first { $0.key == key }?.value }
  }

  /// Takes an archive apart; `nil` when the property list is none.
  init?(_ list: PropertyList) {
    guard list["$archiver"]?.string == "NSKeyedArchiver", let objects = list["$objects"]?.elements,
      let index = list["$top"]?["root"]?.uid, let position = Int(exactly: index), objects.indices.contains(position),
      let entries = objects[position].entries
    else { return nil }
    self.objects = objects
    root = Object(index: position, entries: entries)
  }

  /// The target of a value: the value itself unless it is a reference; `nil` for `$null` and for bad references.
  private func target(_ value: PropertyList?) -> (index: Int?, value: PropertyList)? {
    guard let value else { return nil }
    guard let uid = value.uid else { return (nil, value) }
    guard let index = Int(exactly: uid), index > 0, objects.indices.contains(index) else { return nil }
    return (index, objects[index])
  }

  /// The object that a key of another one refers to.
  func object(_ object: Object, _ key: String) -> Object? { self.object(object[key]) }

  private func object(_ value: PropertyList?) -> Object? {
    guard let found = target(value), let index = found.index, let entries = found.value.entries else { return nil }
    return Object(index: index, entries: entries)
  }

  func className(_ object: Object) -> String? { target(object["$class"])?.value["$classname"]?.string }

  /// The text under a key; mutable strings are objects that hold it.
  func string(_ object: Object, _ key: String) -> String? { string(object[key]) }

  private func string(_ value: PropertyList?) -> String? {
    guard let found = target(value)?.value else { return nil }
    return found.string ?? target(found["NS.string"])?.value.string
  }

  /// The number under a key.
  func integer(_ object: Object, _ key: String) -> Int64? { target(object[key])?.value.integer }

  /// The value under a key, of any type; `nil` for `$null`.
  func value(_ object: Object, _ key: String) -> PropertyList? { target(object[key])?.value }

  /// The floating-point number under a key.
  func real(_ object: Object, _ key: String) -> Double? {
    switch target(object[key])?.value {
    case .real(let number)?: number
    case .integer(let number)?: Double(number)
    default: nil
    }
  }

  /// The pairs of texts in a dictionary under a key; a list of texts is a text with commas.
  func stringPairs(_ object: Object, _ key: String) -> [String: String] {
    guard let dictionary = self.object(object, key) else { return [:] }
    let keys = elements(dictionary["NS.keys"])
    let values = elements(dictionary["NS.objects"])
    var result: [String: String] = [:]
    for (key, value) in zip(keys, values) {
      guard let key = string(key) else { continue }
      let list = elements(value).compactMap { string($0) }
      if let value = string(value) ?? (list.isEmpty ? nil : list.joined(separator: ", ")) { result[key] = value }
    }
    return result
  }

  /// Whether the flag under a key is set; a missing one is not.
  func flag(_ object: Object, _ key: String) -> Bool { target(object[key])?.value.boolean ?? false }

  /// The objects of an array or a set under a key.
  func objects(_ object: Object, _ key: String) -> [Object] { elements(object[key]).compactMap { self.object($0) } }

  /// The objects of an array or a set under a key; `nil` when an element is none.
  func list(_ object: Object, _ key: String) -> [Object]? {
    let elements = elements(object[key])
    let objects = elements.compactMap { self.object($0) }
    return objects.count == elements.count ? objects : nil
  }

  /// The texts of an array or a set under a key.
  func strings(_ object: Object, _ key: String) -> [String] { elements(object[key]).compactMap { string($0) } }

  /// The arrays of texts in an array under a key.
  func stringLists(_ object: Object, _ key: String) -> [[String]] {
    elements(object[key]).map { elements($0).compactMap { string($0) } }
  }

  private func elements(_ value: PropertyList?) -> [PropertyList] {
    guard let list = target(value)?.value else { return [] }
    return list.elements ?? list["NS.objects"]?.elements ?? []
  }

  /// The objects that a dictionary under a key has as its values.
  ///
  /// There are two forms: two parallel arrays, and the known-keys form, whose keys are in an object of their own.
  func values(_ object: Object, _ key: String) -> [Object] {
    guard let dictionary = self.object(object, key) else { return [] }
    if dictionary["NS.keys"] != nil { return objects(dictionary, "NS.objects") }
    return objects(dictionary, "values")
  }

  /// The keys of a dictionary with the object that each has as its value, in the order of the archive.
  func pairs(_ object: Object, _ key: String) -> [(key: String, object: Object)] {
    guard let dictionary = self.object(object, key) else { return [] }
    return zip(elements(dictionary["NS.keys"]), elements(dictionary["NS.objects"])).compactMap { key, value in
      guard let key = string(key), let object = self.object(value) else { return nil }
      return (key, object)
    }
  }

  /// The keys of a dictionary with the objects of the list that each has as its value, in the order of the archive.
  func lists(_ object: Object, _ key: String) -> [(key: String, objects: [Object])] {
    guard let dictionary = self.object(object, key) else { return [] }
    let values = elements(dictionary["NS.objects"])
    return zip(elements(dictionary["NS.keys"]), values).compactMap { key, value in
      string(key).map { ($0, elements(value).compactMap { self.object($0) }) }
    }
  }

  // MARK: - Values

  /// The greatest depth of lists inside lists.
  private static let maximumDepth = 8

  /// The value under a key, null when there is none: a text, number, date or the like, or a list of these; `nil` for others.
  func constant(_ object: Object, _ key: String) -> ConstantValue? {
    var rest = FormatParser.maximumNodes
    return constant(object[key], 0, &rest)
  }

  private func constant(_ value: PropertyList?, _ depth: Int, _ rest: inout Int) -> ConstantValue? {
    rest -= 1
    guard depth < Self.maximumDepth, rest >= 0 else { return nil }
    switch target(value)?.value {
    case nil: return .null
    case .integer(let number)?: return .attribute(.integer(number))
    case .real(let number)?: return .attribute(.double(number))
    case .boolean(let flag)?: return .attribute(.boolean(flag))
    case .string(let text)?: return .attribute(.string(text))
    case .data(let bytes)?: return .attribute(.binary(bytes))
    case .date(let seconds)?: return .attribute(.date(seconds))
    case .unsigned?, .uid?, .array?: return nil
    case .dictionary?: break
    }
    guard let holder = object(value) else { return nil }
    switch className(holder) {
    case "NSDate"?: return real(holder, "NS.time").map { .attribute(.date($0)) }
    case "NSUUID"?: return uuid(holder).map { .attribute($0) }
    case "NSURL"?: return string(holder, "NS.relative").map { .attribute(.uri($0)) }
    case "NSDecimalNumber"?, "NSDecimalNumberPlaceholder"?: return decimal(holder).map { .attribute(.decimal($0)) }
    case "NSMutableString"?, "NSString"?: return string(value).map { .attribute(.string($0)) }
    case "NSNull"?: return .null
    case "NSArray"?, "NSMutableArray"?, "NSSet"?, "NSMutableSet"?, "NSOrderedSet"?:
      var elements: [ConstantValue] = []
      for element in self.elements(value) {
        guard let element = constant(element, depth + 1, &rest) else { return nil }
        elements.append(element)
      }
      return .collection(elements)
    default: return nil
    }
  }

  /// The identifier in 16 bytes.
  func uuid(_ object: Object) -> AttributeValue? {
    guard let bytes = value(object, "NS.uuidbytes")?.data, bytes.count == 16 else { return nil }
    let (high, low) = bytes.withUnsafeBytes { UUIDText.halves(bytes: $0) }
    return .uuid(high, low)
  }

  /// A decimal number: up to eight groups of 16 bits, the least first, in the byte order that the archive names.
  func decimal(_ object: Object) -> DecimalNumber? {
    guard let bytes = value(object, "NS.mantissa")?.data, bytes.count == 16,
      let exponent = integer(object, "NS.exponent"), (-165...165).contains(exponent)
    else { return nil }
    let isLittle = integer(object, "NS.mantissa.bo") != 2
    var magnitude: UInt128 = 0
    for group in (0..<8).reversed() {
      let (first, second) = (UInt128(bytes[2 * group]), UInt128(bytes[2 * group + 1]))
      magnitude = magnitude << 16 | (isLittle ? second << 8 | first : first << 8 | second)
    }
    guard let significand = Int128(exactly: magnitude) else { return nil }
    let isNegative = flag(object, "NS.negative")
    return DecimalNumber(significand: isNegative ? -significand : significand, exponent: Int(exponent))
  }
}
