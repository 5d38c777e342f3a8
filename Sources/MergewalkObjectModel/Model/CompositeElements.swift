/// The elements of the composite attributes of a draft.
///
/// A composite attribute is handled as its elements, which are attributes with dotted names such as `address.city`; those
/// of composites inside composites have longer names.
/// Source: Apple, [NSCompositeAttributeDescription](https://developer.apple.com/documentation/coredata/nscompositeattributedescription).
struct CompositeElements {
  /// The greatest number of elements of an attribute, those of composites inside it included.
  static let maximumCount = 1_000
  /// The greatest depth of composites inside composites.
  static let maximumDepth = 20

  /// The result of flattening a composite attribute.
  enum Flattening {
    /// Its elements under dotted names.
    case elements([AttributeDescription])
    /// Nothing says what its elements are.
    case unknown
    /// It has too many elements or levels, or contains itself.
    case tooLarge
  }

  private let definitions: [String: CompositeDefinition]

  init(_ draft: ModelDraft) {
    definitions = Dictionary(draft.composites.map { ($0.name, $0) }) { first, _ in first }
  }

  func definition(named name: String) -> CompositeDefinition? { definitions[name] }

  /// The elements of a composite attribute under dotted names; `nil` for other attributes and when they are not known.
  func flattened(_ attribute: AttributeDescription) -> [AttributeDescription]? {
    guard attribute.type == .composite, case .elements(let elements) = flattening(attribute) else { return nil }
    return elements
  }

  func flattening(_ attribute: AttributeDescription) -> Flattening {
    var result: [AttributeDescription] = []
    var pending = [(attribute: attribute, depth: 0)]
    while let next = pending.popLast() {
      guard next.attribute.type == .composite else {
        result.append(next.attribute)
        continue
      }
      guard let elements = elements(of: next.attribute), !elements.isEmpty else { return .unknown }
      guard next.depth < Self.maximumDepth, result.count + pending.count + elements.count <= Self.maximumCount else {
        return .tooLarge
      }
      for element in elements.reversed() {
        var copy = element
        copy.name = next.attribute.name + "." + element.name
        copy.compositeKey = attribute.name
        // An object may have no composite at all, and then none of its elements.
        copy.isOptional = element.isOptional || next.attribute.isOptional
        copy.isTransient = attribute.isTransient
        pending.append((copy, next.depth + 1))
      }
    }
    return .elements(result)
  }

  /// The names of the elements of a composite attribute that ``flattening(_:)`` has found sound, level by level.
  func paths(of attribute: AttributeDescription) -> [[RenamedName]] {
    func name(_ attribute: AttributeDescription) -> RenamedName {
      RenamedName(name: attribute.name, identifier: attribute.renamingIdentifier)
    }
    var result: [[RenamedName]] = []
    var pending = [(attribute: attribute, path: [name(attribute)])]
    while let next = pending.popLast() {
      guard next.attribute.type == .composite else {
        result.append(next.path)
        continue
      }
      for element in elements(of: next.attribute) ?? [] { pending.append((element, next.path + [name(element)])) }
    }
    return result
  }

  /// The elements under their own names; `nil` when nothing says what they are.
  func elements(of attribute: AttributeDescription) -> [AttributeDescription]? {
    if !attribute.elements.isEmpty { return attribute.elements }
    if let name = attribute.compositeName { return definitions[name]?.attributes }
    // Which attribute of the XML names the composite is not known; whichever it is, its value is the composite's name.
    let named = attribute.unknownXMLAttributes.values.compactMap { definitions[$0] }
    return named.count == 1 ? named[0].attributes : nil
  }
}
