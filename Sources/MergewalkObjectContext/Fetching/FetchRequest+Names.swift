import MergewalkObjectModel

extension FetchRequest {
  /// Every property name that predicate and sort descriptors mention anywhere: more than they may need, never fewer.
  var propertyNames: Set<String> {
    var names = Set<String>()
    for descriptor in sortDescriptors {
      for name in descriptor.key.split(separator: ".") { names.insert(String(name)) }
    }
    // Without recursion, as deep as the predicate is.
    var open = predicate.map { [PredicatePart.predicate($0)] } ?? []
    while let part = open.popLast() {
      if case .expression(.path(_, let path)) = part {
        for case .property(let name) in path.components { names.insert(name) }
      }
      open += part.parts
    }
    return names
  }
}
