/// Composite attributes and their elements.
extension ModelChecker {
  mutating func checkComposite(_ attribute: AttributeDescription) {
    let position = attribute.position
    if attribute.type != .composite {
      findings.error(
        "unfitElement", position, "“\(attribute.name)” has elements, but its type is \(attribute.type.xmlName)",
        hint: "make it composite")
      return
    }
    checkElements(attribute.elements, of: "“\(attribute.name)”")
    if let name = attribute.compositeName, attribute.elements.isEmpty, composites.definition(named: name) == nil {
      findings.error(
        "unknownComposite", position, "“\(attribute.name)” is a “\(name)”, which is not a composite of the model",
        hint: FindingList.didYouMean(name, draft.composites.map(\.name)))
      return
    }
    switch composites.flattening(attribute) {
    case .elements:
      findings.warning(
        "uncertainComposite", position,
        "the attribute “\(attribute.name)” is composite; how Core Data stores and hashes it is unknown",
        hint: "stores of one's own have a column for each element; do not hand them to Core Data")
    case .unknown:
      findings.warning(
        "unsupportedComposite", position,
        "nothing defines the elements of the composite attribute “\(attribute.name)”; it is not stored")
    case .tooLarge:
      findings.error(
        "compositeTooLarge", position,
        "the composite attribute “\(attribute.name)” has more than \(CompositeElements.maximumCount) elements or "
          + "\(CompositeElements.maximumDepth) levels, or contains itself")
    }
  }

  mutating func checkElements(_ elements: [AttributeDescription], of owner: String) {
    checkElementIdentifiers(elements, of: owner)
    var names: Set<String> = []
    for element in elements {
      checkName(element.name, "an element", element.position)
      if !names.insert(element.name).inserted {
        findings.error("duplicateProperty", element.position, "\(owner) has two elements “\(element.name)”")
      }
      checkTransformer(element)
      checkBounds(element)
      checkDefault(element)
      if element.isDerived || element.isTransient || element.type == .undefined {
        findings.error(
          "unfitElement", element.position,
          "“\(element.name)” of \(owner) is derived, transient or without a type, which elements cannot be")
      }
    }
  }
}
