public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel

/// A snapshot of an object's values, with those of requested related objects, which other tasks can use and
/// `JSONEncoder` can encode.
///
/// In JSON it is one object with the model's keys. Dates and bytes follow the encoder's strategies, decimals are
/// numbers, UUIDs and URLs are texts, and missing values are `null`. A decoded snapshot has JSON's types: texts,
/// numbers, Booleans, objects and lists.
public struct ObjectSnapshot: Sendable, Hashable, Codable {
  /// The values by key.
  public var values: [String: SnapshotValue]

  /// Creates a snapshot.
  public init(_ values: [String: SnapshotValue] = [:]) { self.values = values }

  /// The value of a key; `nil` if it is not in the snapshot.
  public subscript(key: String) -> SnapshotValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Reads an object with any keys.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    values = [:]
    for key in container.allKeys { values[key.stringValue] = try container.decode(SnapshotValue.self, forKey: key) }
  }

  /// Writes an object with sorted keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try container.encode(value, forKey: AnyKey(stringValue: key))
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// A value of an ``ObjectSnapshot``.
public enum SnapshotValue: Sendable, Hashable, Codable {
  /// Null.
  case null
  /// A Boolean.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A binary number.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// A text.
  case string(String)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
  /// A URL.
  case url(URL)
  /// The object of a to-one relationship.
  case object(ObjectSnapshot)
  /// The objects of a to-many relationship.
  case objects([ObjectSnapshot])
  /// A list of values, from JSON; no snapshot of an object has one.
  case list([SnapshotValue])

  /// An attribute's value.
  public init(_ value: AttributeValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .decimal(let number): self = Decimal(attributeValue: value).map(Self.decimal) ?? .string("\(number)")
    case .string(let text): self = .string(text)
    case .uri(let text): self = URL(string: text).map(Self.url) ?? .string(text)
    case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .binary(let bytes): self = .data(Data(bytes))
    case .uuid: self = UUID(attributeValue: value).map(Self.uuid) ?? .null
    }
  }

  /// Reads a JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .boolean(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .double(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let object = try? container.decode(ObjectSnapshot.self) {
      self = .object(object)
    } else if let objects = try? container.decode([ObjectSnapshot].self) {
      self = .objects(objects)
    } else {
      self = .list(try container.decode([SnapshotValue].self))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .double(let number): try container.encode(number)
    case .decimal(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .date(let date): try container.encode(date)
    case .data(let data): try container.encode(data)
    case .uuid(let uuid): try container.encode(uuid)
    case .url(let url): try container.encode(url)
    case .object(let object): try container.encode(object)
    case .objects(let objects): try container.encode(objects)
    case .list(let values): try container.encode(values)
    }
  }
}

extension ManagedObject {
  /// The object's values, and those of related objects up to a depth.
  ///
  /// The inverse of a followed relationship is left out, so that the issues of a project do not contain the project
  /// again.
  ///
  /// - Parameter depth: The number of relationships to follow in succession; 0 for attributes only.
  /// - Throws: ``ObjectError`` as ``ManagedObject/value(forKey:)`` does.
  public final func snapshot(depth: Int = 0) throws(ObjectError) -> ObjectSnapshot {
    try snapshot(depth: depth, leavingOut: nil)
  }

  /// The values of selected keys; dotted keys follow relationships: `["title", "project.name", "labels.name"]`.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, or as ``ManagedObject/value(forKey:)`` does.
  public final func snapshot(keys: [String]) throws(ObjectError) -> ObjectSnapshot {
    var snapshot = ObjectSnapshot()
    var groups: [(key: String, rest: [String])] = []
    for key in keys {
      // Elements of composite attributes have dotted names too.
      if entity.attribute(named: key) != nil {
        snapshot[key] = SnapshotValue(try value(forKey: key))
        continue
      }
      let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let rest = parts.count > 1 ? [parts[1]] : []
      if let place = groups.firstIndex(where: { $0.key == parts[0] }) {
        groups[place].rest += rest
      } else {
        groups.append((parts[0], rest))
      }
    }
    for (key, rest) in groups {
      snapshot[key] = try related(key) { other throws(ObjectError) in
        try rest.isEmpty ? other.snapshot() : other.snapshot(keys: rest)
      }
    }
    return snapshot
  }

  private func snapshot(depth: Int, leavingOut inverse: String?) throws(ObjectError) -> ObjectSnapshot {
    var snapshot = ObjectSnapshot()
    for attribute in entity.attributes where ![.undefined, .objectID, .composite].contains(attribute.type) {
      snapshot[attribute.name] = SnapshotValue(try value(forKey: attribute.name))
    }
    guard depth > 0 else { return snapshot }
    for relationship in entity.relationships where !relationship.isTransient && relationship.name != inverse {
      snapshot[relationship.name] = try related(relationship.name) { other throws(ObjectError) in
        try other.snapshot(depth: depth - 1, leavingOut: relationship.inverseName)
      }
    }
    return snapshot
  }

  private func related(
    _ key: String, _ make: (ManagedObject) throws(ObjectError) -> ObjectSnapshot
  ) throws(ObjectError) -> SnapshotValue {
    if entity.relationship(named: key)?.isToMany == true {
      var snapshots: [ObjectSnapshot] = []
      for other in try objects(forKey: key) { snapshots.append(try make(other)) }
      return .objects(snapshots)
    }
    guard let other = try object(forKey: key) else { return .null }
    return .object(try make(other))
  }
}
