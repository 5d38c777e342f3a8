import MergewalkPropertyLists

/// A plain value as `NSKeyedArchiver` writes it: what transformable attributes hold unless an app has transformers of its
/// own.
///
/// The kinds are those that Core Data's secure default transformer allows: strings, numbers, dates, data, arrays,
/// dictionaries, sets, URLs, UUIDs and null. Source: Apple,
/// [NSSecureUnarchiveFromDataTransformer](https://developer.apple.com/documentation/foundation/nssecureunarchivefromdatatransformer).
package indirect enum ArchivedValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case uuid([UInt8])
  case url(String)
  case array([ArchivedValue])
  case set([ArchivedValue])
  /// Keys and values, in the order of the archive.
  case dictionary([Pair])

  /// A key of a dictionary with its value.
  package struct Pair: Sendable, Hashable {
    package var key: ArchivedValue
    package var value: ArchivedValue

    package init(_ key: ArchivedValue, _ value: ArchivedValue) {
      self.key = key
      self.value = value
    }
  }

  /// The depth of nesting beyond which values are neither read nor written.
  package static let depthLimit = 100
  /// The number of values in the unfolded tree beyond which an archive is not read.
  package static let countLimit = 1_000_000
}

/// Why an archive cannot be read, or a value not be written.
package struct ArchivedValueError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

// MARK: - Reading

extension ArchivedValue {
  /// Reads an archive.
  ///
  /// - Throws: ``ArchivedValueError`` when the bytes are no archive, or hold an object of a class that is not allowed.
  /// - Complexity: O(bytes + values of the unfolded tree); bounded by ``depthLimit`` and ``countLimit``.
  package static func read(_ bytes: [UInt8]) throws(ArchivedValueError) -> ArchivedValue {
    let list: PropertyList
    do {
      list = try BinaryPropertyListReader.read(bytes)
    } catch {
      throw ArchivedValueError("the bytes are not a binary property list: \(error)")
    }
    guard list["$archiver"]?.string == "NSKeyedArchiver", let objects = list["$objects"]?.elements,
      let root = list["$top"]?["root"]
    else { throw ArchivedValueError("the bytes are a property list, but no keyed archive") }
    var reader = ArchiveReader(objects: objects)
    return try reader.value(root, depth: 0)
  }
}

/// Follows the references of an archive.
private struct ArchiveReader {
  let objects: [PropertyList]
  private var count = 0

  init(objects: [PropertyList]) { self.objects = objects }

  mutating func value(_ list: PropertyList, depth: Int) throws(ArchivedValueError) -> ArchivedValue {
    // An object may refer to one that holds it: the depth ends that, and the count ends what unfolds without end.
    guard depth <= ArchivedValue.depthLimit else { throw ArchivedValueError("the archive is nested too deep") }
    count += 1
    guard count <= ArchivedValue.countLimit else { throw ArchivedValueError("the archive holds too many values") }
    switch list {
    case .uid(let number):
      guard let index = Int(exactly: number), objects.indices.contains(index) else {
        throw ArchivedValueError("the archive refers to object \(number), which it does not have")
      }
      if index == 0 { return .null }
      if case .uid = objects[index] { throw ArchivedValueError("object \(number) of the archive is a reference") }
      return try value(objects[index], depth: depth + 1)
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .unsigned(let number): return .unsigned(number)
    case .real(let number): return .real(number)
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(bytes)
    case .date(let seconds): return .date(seconds)
    case .array: throw ArchivedValueError("the archive has a list where an object belongs")
    case .dictionary: return try object(list, depth: depth)
    }
  }

  private mutating func object(_ list: PropertyList, depth: Int) throws(ArchivedValueError) -> ArchivedValue {
    let name = target(list["$class"])?["$classname"]?.string ?? "?"
    switch name {
    case "NSString", "NSMutableString":
      guard let text = target(list["NS.string"])?.string else { throw damaged(name) }
      return .string(text)
    case "NSData", "NSMutableData":
      guard let bytes = target(list["NS.data"])?.data ?? list["NS.bytes"]?.data else { throw damaged(name) }
      return .data(bytes)
    case "NSDate":
      switch list["NS.time"] {
      case .real(let seconds)?: return .date(seconds)
      case .integer(let seconds)?: return .date(Double(seconds))
      default: throw damaged(name)
      }
    case "NSUUID":
      guard let bytes = list["NS.uuidbytes"]?.data, bytes.count == 16 else { throw damaged(name) }
      return .uuid(bytes)
    case "NSURL":
      guard let text = target(list["NS.relative"])?.string else { throw damaged(name) }
      if let base = list["NS.base"], case .url? = try? value(base, depth: depth + 1) {
        throw ArchivedValueError("the archive has a URL that is relative to another one, which is not read")
      }
      return .url(text)
    case "NSNull": return .null
    case "NSArray", "NSMutableArray": return .array(try values(list["NS.objects"], depth: depth, name))
    case "NSSet", "NSMutableSet": return .set(try values(list["NS.objects"], depth: depth, name))
    case "NSDictionary", "NSMutableDictionary":
      let keys = try values(list["NS.keys"], depth: depth, name)
      let values = try values(list["NS.objects"], depth: depth, name)
      guard keys.count == values.count else { throw damaged(name) }
      return .dictionary(zip(keys, values).map { ArchivedValue.Pair($0, $1) })
    default:
      throw ArchivedValueError("the archive holds an object of the class \(name), which is not allowed")
    }
  }

  private mutating func values(
    _ list: PropertyList?, depth: Int, _ name: String
  ) throws(ArchivedValueError) -> [ArchivedValue] {
    guard let elements = list?.elements else { throw damaged(name) }
    var values: [ArchivedValue] = []
    for element in elements { values.append(try value(element, depth: depth + 1)) }
    return values
  }

  private func target(_ list: PropertyList?) -> PropertyList? {
    guard let number = list?.uid else { return list }
    guard let index = Int(exactly: number), index > 0, objects.indices.contains(index) else { return nil }
    return objects[index]
  }

  private func damaged(_ name: String) -> ArchivedValueError {
    ArchivedValueError("the archive has a damaged object of the class \(name)")
  }
}

// MARK: - Writing

extension ArchivedValue {
  /// The bytes of an archive with the value as its root; equal values have equal bytes.
  ///
  /// - Throws: ``ArchivedValueError`` when the value is nested deeper than ``depthLimit``.
  package func write() throws(ArchivedValueError) -> [UInt8] {
    var writer = ArchiveWriter()
    let root = try writer.add(self, depth: 0)
    return BinaryPropertyListWriter.write(
      .dictionary([
        .init("$version", .integer(100_000)), .init("$archiver", .string("NSKeyedArchiver")),
        .init("$top", .dictionary([.init("root", root)])), .init("$objects", .array(writer.objects)),
      ]))
  }
}

/// Lists the objects of an archive.
private struct ArchiveWriter {
  var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: PropertyList] = [:]
  private var leaves: [ArchivedValue: PropertyList] = [:]

  /// Adds a value and what it holds; returns the reference to it.
  mutating func add(_ value: ArchivedValue, depth: Int) throws(ArchivedValueError) -> PropertyList {
    guard depth <= ArchivedValue.depthLimit / 2 else { throw ArchivedValueError("the value is nested too deep") }
    switch value {
    case .boolean(let flag): return leaf(value, .boolean(flag))
    case .integer(let number): return leaf(value, .integer(number))
    case .unsigned(let number): return leaf(value, .unsigned(number))
    case .real(let number): return leaf(value, .real(number))
    case .string(let text): return leaf(value, .string(text))
    case .data(let bytes): return leaf(value, .data(bytes))
    case .null: return append([], "NSNull", ["NSObject"])
    case .date(let seconds): return append([.init("NS.time", .real(seconds))], "NSDate", ["NSObject"])
    case .uuid(let bytes): return append([.init("NS.uuidbytes", .data(bytes))], "NSUUID", ["NSObject"])
    case .url(let text):
      let text = leaf(.string(text), .string(text))
      return append([.init("NS.base", .uid(0)), .init("NS.relative", text)], "NSURL", ["NSObject"])
    case .array(let values): return try append(list: values, "NSArray", depth)
    case .set(let values): return try append(list: values, "NSSet", depth)
    case .dictionary(let pairs):
      // The object itself comes before what it holds, as in archives that Foundation writes.
      let place = reserve()
      var (keys, values): ([PropertyList], [PropertyList]) = ([], [])
      for pair in pairs { keys.append(try add(pair.key, depth: depth + 1)) }
      for pair in pairs { values.append(try add(pair.value, depth: depth + 1)) }
      return fill(
        place, [.init("NS.keys", .array(keys)), .init("NS.objects", .array(values))], "NSDictionary", ["NSObject"])
    }
  }

  private mutating func append(
    list: [ArchivedValue], _ name: String, _ depth: Int
  ) throws(ArchivedValueError) -> PropertyList {
    let place = reserve()
    var references: [PropertyList] = []
    for value in list { references.append(try add(value, depth: depth + 1)) }
    return fill(place, [.init("NS.objects", .array(references))], name, ["NSObject"])
  }

  private mutating func leaf(_ value: ArchivedValue, _ list: PropertyList) -> PropertyList {
    if let known = leaves[value] { return known }
    objects.append(list)
    let reference = PropertyList.uid(UInt64(objects.count - 1))
    leaves[value] = reference
    return reference
  }

  private mutating func reserve() -> Int {
    objects.append(.string("$null"))
    return objects.count - 1
  }

  private mutating func append(
    _ entries: [PropertyList.Entry], _ name: String, _ ancestors: [String]
  ) -> PropertyList {
    fill(reserve(), entries, name, ancestors)
  }

  private mutating func fill(
    _ place: Int, _ entries: [PropertyList.Entry], _ name: String, _ ancestors: [String]
  ) -> PropertyList {
    if classes[name] == nil {
      objects.append(
        .dictionary([
          .init("$classname", .string(name)),
          .init("$classes", .array(([name] + ancestors).map { .string($0) })),
        ]))
      classes[name] = .uid(UInt64(objects.count - 1))
    }
    objects[place] = .dictionary(entries + [.init("$class", classes[name] ?? .uid(0))])
    return .uid(UInt64(place))
  }
}
