import MergewalkBytes
import MergewalkObjectModel
import MergewalkObjectStore

/// The default transformer: plain values as `NSKeyedArchiver` writes them, and objects of no other class.
///
/// | Swift | archive |
/// | --- | --- |
/// | `String`, `Bool`, integers, `Double`, `Float` | `NSString`, `NSNumber` |
/// | `[UInt8]` | `NSData` |
/// | `Timestamp` | `NSDate` |
/// | `UniqueID` | `NSUUID` |
/// | `AttributeValue.uri` | `NSURL` |
/// | `[Any]`, `Set<AnyHashable>` | `NSArray`, `NSSet` |
/// | `[String: Any]` | `NSDictionary` |
/// | `AttributeValue.null` | `NSNull` |
///
/// Numbers are read as `Int`, `UInt64` above its range, `Double` or `Bool`. Archives that apps wrote with the default
/// transformer are read when they hold nothing else; an object of another class is an error, so that the bytes of a store
/// never decide which code runs.
public struct PlainArchiver: UnarchivingTransformer {
  /// Creates the transformer.
  public init() {}

  /// Reads an archive.
  public func transformedValue(_ bytes: [UInt8]) throws -> Any { try Self.value(ArchivedValue.read(bytes)) }

  /// Writes an archive, with dictionaries and sets in the order of their bytes, so that equal values have equal bytes.
  public func reverseTransformedValue(_ value: Any) throws -> [UInt8] {
    try Self.archived(value, depth: 0).write()
  }

  private static func value(_ archived: ArchivedValue) throws -> Any {
    switch archived {
    case .null: return AttributeValue.null
    case .boolean(let flag): return flag
    case .integer(let number): return Int(number)
    case .unsigned(let number): return number
    case .real(let number): return number
    case .string(let text): return text
    case .data(let bytes): return bytes
    case .date(let seconds): return Timestamp(secondsSinceReferenceDate: seconds)
    case .uuid(let bytes):
      let (high, low) = bytes.withUnsafeBytes { UUIDText.halves(bytes: $0) }
      return UniqueID(high: high, low: low)
    case .url(let text): return AttributeValue.uri(text)
    case .array(let values): return try values.map(value)
    case .set(let values):
      return Set(
        try values.map { element in
          guard let hashable = try value(element) as? AnyHashable else {
            throw ValueTransformerError("the archive has a set of collections, which is not read")
          }
          return hashable
        })
    case .dictionary(let pairs):
      var result: [String: Any] = [:]
      for pair in pairs {
        guard case .string(let key) = pair.key else {
          throw ValueTransformerError("the archive has a dictionary whose keys are not all strings")
        }
        result[key] = try value(pair.value)
      }
      return result
    }
  }

  private static func archived(_ value: Any, depth: Int) throws -> ArchivedValue {
    guard depth <= ArchivedValue.depthLimit else { throw ValueTransformerError("the value is nested too deep") }
    switch value {
    case let value as AttributeValue: return try archived(value)
    case let text as String: return .string(text)
    case let flag as Bool: return .boolean(flag)
    case let number as any BinaryInteger:
      if let number = Int64(exactly: number) { return .integer(number) }
      guard let number = UInt64(exactly: number) else { break }
      return .unsigned(number)
    case let number as Double: return .real(number)
    case let number as Float: return .real(Double(number))
    // An empty list of anything can be cast to one of bytes.
    case let bytes as [UInt8] where type(of: value) == [UInt8].self: return .data(bytes)
    case let date as Timestamp: return .date(date.secondsSinceReferenceDate)
    case let id as UniqueID: return try archived(id.attributeValue)
    case let pairs as [String: Any]:
      return .dictionary(
        try pairs.sorted { $0.key < $1.key }.map {
          ArchivedValue.Pair(.string($0.key), try archived($0.value, depth: depth + 1))
        })
    case let elements as Set<AnyHashable>:
      let sorted = try elements.map { element in
        let value = try archived(element.base, depth: depth + 1)
        return (value, try value.write())
      }
      return .set(sorted.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0))
    case let elements as [Any]: return .array(try elements.map { try archived($0, depth: depth + 1) })
    default: break
    }
    throw ValueTransformerError(
      "a value of the type \(type(of: value)) is not plain; register a transformer of your own for it")
  }

  private static func archived(_ value: AttributeValue) throws -> ArchivedValue {
    switch value {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .double(let number): return .real(number)
    case .string(let text): return .string(text)
    case .binary(let bytes): return .data(bytes)
    case .date(let seconds): return .date(seconds)
    case .uri(let text): return .url(text)
    case .uuid: return .uuid(StoredCell(value)?.bytes ?? [])
    case .decimal: throw ValueTransformerError("decimal numbers have no plain form in an archive; use text")
    }
  }
}
