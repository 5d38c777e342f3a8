public import Foundation
import MergewalkFoundation
public import MergewalkObjectModel

// Values as Apple's interfaces have them: `Any`, numbers in `NSNumber`, which casts to every number of Swift.

extension NSNumber: PredicateArgument {
  /// The number as a constant; Booleans stay Booleans.
  public var constantValue: ConstantValue {
    if let decimal = self as? NSDecimalNumber { return decimal.decimalValue.constantValue }
    return switch UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "c") where self == (boolValue as NSNumber): .attribute(.boolean(boolValue))
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .attribute(.double(doubleValue))
    default: .attribute(.integer(int64Value))
    }
  }
}

extension NSString: PredicateArgument {
  /// The text as a constant.
  public var constantValue: ConstantValue { String(describing: self).constantValue }
}

extension NSDate: PredicateArgument {
  /// The date as a constant.
  public var constantValue: ConstantValue { .attribute(.date(timeIntervalSinceReferenceDate)) }
}

extension NSUUID: PredicateArgument {
  /// The UUID as a constant.
  public var constantValue: ConstantValue { (UUID(uuidString: uuidString) ?? UUID.emptyValue).constantValue }
}

extension NSNull: PredicateArgument {
  /// Null.
  public var constantValue: ConstantValue { .null }
}

extension ConstantValue {
  /// A value that came as `Any`; `nil` for one that a predicate cannot hold.
  init?(anyValue: Any?) {
    switch anyValue {
    case nil: self = .null
    case let argument as any PredicateArgument: self = argument.constantValue
    case let values as [Any]:
      let constants = values.compactMap { ConstantValue(anyValue: $0) }
      guard constants.count == values.count else { return nil }
      self = .collection(constants)
    case let values as [AnyHashable: Any]:
      var constants: [String: ConstantValue] = [:]
      for (key, value) in values {
        guard let key = key.base as? String, let constant = ConstantValue(anyValue: value) else { return nil }
        constants[key] = constant
      }
      self = .dictionary(constants)
    case let values as Set<AnyHashable>:
      guard let list = ConstantValue(anyValue: values.map(\.base)) else { return nil }
      self = list
    default: return nil
    }
  }

  /// The value as Foundation has it; `nil` for no value.
  var anyValue: Any? {
    switch self {
    case .attribute(let value): value.anyValue
    case .objectID(let id): id
    case .collection(let values): values.map { $0.anyValue ?? NSNull() }
    case .dictionary(let values): values.mapValues { $0.anyValue ?? NSNull() }
    }
  }
}

extension AttributeValue {
  /// The value as Foundation has it: numbers in `NSNumber`; `nil` for no value.
  var anyValue: Any? {
    switch self {
    case .null: nil
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number):
      Decimal(attributeValue: self).map { NSDecimalNumber(decimal: $0) } ?? number.description
    case .string(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .binary(let bytes): Data(bytes)
    case .uuid: UUID(attributeValue: self)
    case .uri(let text): URL(string: text) ?? text
    }
  }
}
