/// Turns the values of transformable attributes into bytes and back.
///
/// Transformers are registered under the names that models give (`valueTransformerName`):
/// ``ManagedObjectContext/registerTransformer(_:forName:)``. Equal values should have equal bytes, so that setting the
/// value that is there already is no change.
public protocol ValueTransformer {
  /// Whether bytes can be turned back into values; attributes need that.
  var allowsReverse: Bool { get }
  /// The bytes that the store keeps for a value.
  ///
  /// - Throws: Any error, when the value is not of a type that the transformer is for; its description is reported.
  func transformedValue(_ value: Any) throws -> [UInt8]
  /// The value that some bytes stand for.
  ///
  /// - Throws: Any error, when the bytes are not what the transformer writes; its description is reported.
  func reverseTransformedValue(_ bytes: [UInt8]) throws -> Any
}

extension ValueTransformer {
  /// `true`.
  public var allowsReverse: Bool { true }
}

/// A transformer whose forward direction leads from bytes to values: the default one, and what replaces it.
///
/// Core Data uses its default transformer, an unarchiver, in reverse: reverse on writing, forward on reading. That it is
/// another type than ``ValueTransformer`` keeps the two directions apart.
public protocol UnarchivingTransformer {
  /// The value that some bytes stand for: called on reading.
  ///
  /// - Throws: Any error; its description is reported.
  func transformedValue(_ bytes: [UInt8]) throws -> Any
  /// The bytes that the store keeps for a value: called on writing.
  ///
  /// - Throws: Any error; its description is reported.
  func reverseTransformedValue(_ value: Any) throws -> [UInt8]
}

/// The error of a transformer about a value or bytes that it does not handle.
public struct ValueTransformerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message: expected, then found.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
