import MergewalkXML

/// Fetch requests, indexes, configurations and composites of a `contents` file.
extension ModelXMLReader {
  mutating func fetchRequest(_ element: XMLElement) -> FetchRequestTemplate {
    var bag = XMLAttributeBag(element)
    let name = name(&bag, element)
    var request = FetchRequestTemplate(name: name, entityName: bag.take("entity") ?? "")
    request.position = element.position
    request.predicateText = bag.take("predicateString")
    if let number = count(&bag, "resultType", element) {
      if let type = FetchRequestTemplate.ResultType(rawValue: number) {
        request.resultType = type
      } else {
        findings.warning(
          "invalidValue", element.position, "\(number) is not a result type; there are 0, 1, 2 and 4, and 0 is taken")
      }
    }
    request.fetchLimit = count(&bag, "fetchLimit", element) ?? 0
    request.fetchBatchSize = count(&bag, "fetchBatchSize", element) ?? 0
    for option in FetchRequestTemplate.optionNames {
      if let value = flag(&bag, option, element) { request.options[option] = value }
    }
    request.unknownXMLAttributes = bag.rest
    for child in children("userInfo", of: element) { request.userInfo = userInfo(child) }
    return request
  }

  mutating func fetchIndex(_ element: XMLElement) -> FetchIndexDescription {
    var bag = XMLAttributeBag(element)
    var index = FetchIndexDescription(name: name(&bag, element), elements: [])
    index.position = element.position
    index.partialIndexPredicateText = bag.take("partialIndexPredicate")
    index.unknownXMLAttributes = bag.rest
    for child in children("fetchIndexElement", of: element) {
      var bag = XMLAttributeBag(child)
      var item = FetchIndexDescription.Element(propertyName: bag.take("property"))
      item.expression = bag.take("expression")
      item.expressionType = bag.take("expressionType")
      if let text = bag.take("type") {
        if let kind = FetchIndexDescription.Element.Kind(rawValue: text) {
          item.kind = kind
        } else {
          findings.warning(
            "invalidValue", child.position, "“\(text)” is not a kind of index; Binary is taken", hint: "Binary or RTree"
          )
        }
      }
      if let order = bag.take("order") { item.isAscending = order != "descending" }
      item.unknownXMLAttributes = bag.rest
      index.elements.append(item)
    }
    return index
  }

  mutating func configuration(_ element: XMLElement) -> ModelConfiguration {
    var bag = XMLAttributeBag(element)
    var configuration = ModelConfiguration(name: name(&bag, element), entityNames: [])
    configuration.position = element.position
    configuration.unknownXMLAttributes = bag.rest
    for child in children("memberEntity", of: element) { configuration.entityNames.append(child["name"] ?? "") }
    return configuration
  }

  mutating func composite(_ element: XMLElement) -> CompositeDefinition {
    var bag = XMLAttributeBag(element)
    var composite = CompositeDefinition(name: name(&bag, element), attributes: [])
    composite.position = element.position
    composite.unknownXMLAttributes = bag.rest
    for child in children("attribute", of: element) { composite.attributes.append(attribute(child)) }
    return composite
  }
}
