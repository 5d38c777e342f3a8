import ObjectModel
extension FetchRequest {
  init(template: FetchRequestTemplate) throws(PredicateError) {
    self.init(template.entityName)
    if let text = template.predicateText { predicate = try Predicate(format: text) }
    sortDescriptors = template.sortDescriptors
  }
}
