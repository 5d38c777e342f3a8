public import MergewalkObjectModel

/// Composite attributes: several values under one name.
///
/// Each element is an attribute with a dotted name, `address.city`, which ``value(forKey:)``, ``setValue(_:forKey:)``,
/// predicates and sort descriptors take. Here all elements are got and set at once, as Core Data's dictionaries are.
/// Source: Apple, [NSCompositeAttributeDescription](https://developer.apple.com/documentation/coredata/nscompositeattributedescription).
extension ManagedObject {
  /// The elements of a composite attribute that have a value, by name; those of a composite inside it have dotted names.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey` when there is no such composite, or as ``value(forKey:)``.
  public func composite(forKey key: String) throws(ObjectError) -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for (name, attribute) in try elements(key) {
      let value = try value(forKey: attribute.name)
      if value != .null { values[name] = value }
    }
    return values
  }

  /// Sets all elements of a composite attribute; elements without a value in the dictionary lose theirs.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey` when there is no such composite or element, before anything is set, or
  ///   as ``setValue(_:forKey:)``.
  public func setComposite(_ values: [String: AttributeValue], forKey key: String) throws(ObjectError) {
    let elements = try elements(key)
    let names = Set(elements.map(\.name))
    if let unknown = values.keys.filter({ !names.contains($0) }).min() {
      throw ObjectError(.unknownKey, "\(entity.name).\(key) has no element \"\(unknown)\"")
    }
    for (name, attribute) in elements { try setValue(values[name] ?? .null, forKey: attribute.name) }
  }

  private func elements(_ key: String) throws(ObjectError) -> [(name: String, attribute: AttributeDescription)] {
    var elements = entity.elements(ofComposite: key)
    if elements.isEmpty, isFault {
      // A fault made from an ancestor's ID learns its own entity only from the store.
      try validContext.fire(self)
      elements = entity.elements(ofComposite: key)
    }
    guard !elements.isEmpty else {
      throw ObjectError(.unknownKey, "\(entity.name) has no composite attribute \"\(key)\"")
    }
    return elements
  }
}
