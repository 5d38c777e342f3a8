/// A value of a property list.
///
/// Dictionaries keep the order of their keys. Equality compares that order too.
public indirect enum PropertyList: Sendable, Hashable {
  /// One key of a dictionary with its value.
  public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The value.
    public var value: PropertyList

    /// Creates an entry.
    public init(_ key: String, _ value: PropertyList) {
      self.key = key
      self.value = value
    }
  }

  /// Keys with values, in order.
  case dictionary([Entry])
  /// Values in order.
  case array([PropertyList])
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number.
  case real(Double)
  /// True or false.
  case boolean(Bool)
  /// Bytes.
  case data([UInt8])
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// A reference inside a keyed archive: a position in its `$objects`.
  case uid(UInt64)

  /// The value of the first entry with this key; `nil` if there is none or this is not a dictionary.
  ///
  /// - Complexity: O(entries).
  public subscript(key: String) -> PropertyList? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// The entries of a dictionary, or `nil`.
  public var entries: [Entry]? {
    if case .dictionary(let entries) = self { return entries }
    return nil
  }

  /// The elements of an array, or `nil`.
  public var elements: [PropertyList]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// The text of a string, or `nil`.
  public var string: String? {
    if case .string(let string) = self { return string }
    return nil
  }

  /// The number of an integer, or 1 and 0 for a boolean, or `nil`.
  public var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    case .boolean(let boolean): boolean ? 1 : 0
    default: nil
    }
  }

  /// The value of a boolean, or whether an integer is not 0, or `nil`.
  public var boolean: Bool? { integer.map { $0 != 0 } }

  /// The bytes of a data value, or `nil`.
  public var data: [UInt8]? {
    if case .data(let data) = self { return data }
    return nil
  }

  /// The position in `$objects` that a reference names, or `nil`.
  public var uid: UInt64? {
    if case .uid(let uid) = self { return uid }
    return nil
  }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary; keys whose value is `nil` are left out.
  public init(dictionaryLiteral elements: (String, PropertyList?)...) {
    self = .dictionary(elements.compactMap { key, value in value.map { Entry(key, $0) } })
  }
}

/// Why bytes are no binary property list.
package struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; tests match it.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes do not start with `bplist0` or are too short to have a trailer.
    case notABinaryPropertyList
    /// The trailer or the table of offsets points outside of the bytes.
    case invalidTrailer
    /// An object reaches beyond the bytes, or an offset or a reference points nowhere.
    case outOfBounds
    /// An object contains itself.
    case cycle
    /// Objects are nested deeper than the limit.
    case tooDeep
    /// There are more objects, or more references to objects, than the limit.
    case tooManyObjects
    /// A kind of object that property lists do not have, such as a set.
    case unknownObject
    /// Text is not in its encoding.
    case invalidString
    /// A key of a dictionary is not a string.
    case invalidKey
    /// A number has a size that is not supported.
    case invalidNumber
  }

  /// The kind of failure.
  package let code: Code
  /// Where, in bytes from 0.
  package let byteOffset: Int

  package init(_ code: Code, at byteOffset: Int) {
    self.code = code
    self.byteOffset = byteOffset
  }

  package var description: String { "not a usable binary property list: \(code.rawValue) at byte \(byteOffset)" }
}
