/// Converts the values of transformable attributes to bytes and back.
///
/// Transformers are registered under the names used in models (`valueTransformerName`):
/// ``ManagedObjectContext/registerTransformer(_:forName:)``. Equal values should have equal bytes, so that setting an
/// equal value is not a change.
public protocol ValueTransformer {
  /// Whether bytes can be converted back to values; attributes require it.
  var allowsReverse: Bool { get }
  /// The bytes that the store keeps for a value.
  ///
  /// - Throws: Any error if the transformer does not support the value's type; its description is reported.
  func transformedValue(_ value: Any) throws -> [UInt8]
  /// The value represented by some bytes.
  ///
  /// - Throws: Any error if the transformer cannot have written the bytes; its description is reported.
  func reverseTransformedValue(_ bytes: [UInt8]) throws -> Any
}

extension ValueTransformer {
  /// `true`.
  public var allowsReverse: Bool { true }
}

/// A transformer whose forward direction leads from bytes to values: the default one, and replacements for it.
///
/// Core Data uses its default transformer, an unarchiver, in reverse: reverse on writing, forward on reading. A type
/// other than ``ValueTransformer`` keeps the two directions apart.
public protocol UnarchivingTransformer {
  /// The value represented by some bytes: called on reading.
  ///
  /// - Throws: Any error; its description is reported.
  func transformedValue(_ bytes: [UInt8]) throws -> Any
  /// The bytes that the store keeps for a value: called on writing.
  ///
  /// - Throws: Any error; its description is reported.
  func reverseTransformedValue(_ value: Any) throws -> [UInt8]
}

/// A transformer's error about a value or bytes that it cannot handle.
public struct ValueTransformerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message: expected, then found.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
