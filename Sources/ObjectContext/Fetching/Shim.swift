import ObjectModel
extension Predicate {
  func evaluate(with value: EvaluatedValue, variables: [String: EvaluatedValue]) throws(PredicateError) -> Bool { true }
}
extension Expression {
  func evaluate(with value: EvaluatedValue, variables: [String: EvaluatedValue]) throws(PredicateError) -> EvaluatedValue { .null }
}
extension SortDescriptor {
  func value(of object: EvaluatedValue) throws(PredicateError) -> EvaluatedValue { .null }
  func compare(_ left: EvaluatedValue, _ right: EvaluatedValue) throws(PredicateError) -> Int { 0 }
}
extension FetchRequest {
  init(template: FetchRequestTemplate) throws(PredicateError) { self.init(template.entityName) }
}
