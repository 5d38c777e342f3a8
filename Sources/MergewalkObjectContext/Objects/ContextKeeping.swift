/// Who keeps whom: objects without changes keep their context, the context keeps objects with changes.
///
/// Both at once would keep both for ever, so an object that gets changes lets go of the context. But where no other
/// owner has the context any more, that would take the change away with it: then the two keep each other until the
/// change is saved or rolled back.
extension ManagedObject {
  /// Runs a change that may be the object's first one.
  @inline(__always)
  final func asChange<Value>(_ body: () throws(ObjectError) -> Value) throws(ObjectError) -> Value {
    guard keeper != nil, heldIndex < 0, link.isKeptByObjectsOnly else { return try body() }
    link.keepsTogether = true
    defer { link.keepsTogether = false }
    return try body()
  }
}

extension ContextLink {
  /// Whether only objects have the context: called before anything takes it.
  var isKeptByObjectsOnly: Bool {
    guard let place else { return false }
    return strongReferences(place) == keeperCount
  }
}

/// How many strong references to an object there are; the runtime's own count, asked without making another one.
///
/// Source: `swift_retainCount` of the [Swift
/// runtime](https://github.com/swiftlang/swift/blob/main/stdlib/public/runtime/HeapObject.cpp).
@_silgen_name("swift_retainCount")
private func strongReferences(_ object: UnsafeMutableRawPointer) -> UInt
