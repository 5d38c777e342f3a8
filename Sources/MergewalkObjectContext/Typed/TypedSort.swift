public import MergewalkObjectModel

/// One sort criterion for objects of one class.
public struct TypedSort<Object: ManagedObject>: Sendable, Hashable {
  /// The criterion as an untyped sort descriptor.
  public let sortDescriptor: ObjectSortDescriptor

  private init(_ expression: Key, _ ascending: Bool, _ comparison: ObjectSortDescriptor.Comparison) {
    sortDescriptor = ObjectSortDescriptor(
      expression.expression.dottedPath ?? "", ascending: ascending, comparison: comparison)
  }

  /// Small values first; objects without a value come before all others.
  public static func ascending<Value>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ comparison: ObjectSortDescriptor.Comparison = .standard
  ) -> TypedSort { TypedSort(ObjectKeys<Object>()[keyPath: path].expression, true, comparison) }

  /// Great values first; objects without a value come after all others.
  public static func descending<Value>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ comparison: ObjectSortDescriptor.Comparison = .standard
  ) -> TypedSort { TypedSort(ObjectKeys<Object>()[keyPath: path].expression, false, comparison) }
}

extension ObjectExpression {
  /// The key path as text; `nil` for what is not one.
  var dottedPath: String? {
    guard case .path(.evaluatedObject, let path) = self else { return nil }
    return path.text
  }
}
