/// Fetch requests from the templates of a model.
extension FetchRequest {
  /// Creates a request from a template; options that the model file leaves out keep their defaults.
  ///
  /// Variables such as `$NAME` stay in the predicate, to be bound by ``ObjectPredicate/substituting(_:)-(_)``.
  ///
  /// - Throws: ``PredicateError`` if the template's predicate cannot be read.
  /// - Complexity: O(length of the predicate).
  public init(template: FetchRequestTemplate) throws(PredicateError) {
    self.init(template.entityName)
    if let format = template.predicateText, !format.isEmpty { predicate = try ObjectPredicate(format: format) }
    resultType = template.resultType
    sortDescriptors = template.sortDescriptors
    fetchLimit = template.fetchLimit
    fetchBatchSize = template.fetchBatchSize
    includesSubentities = template.options["includeSubentities"] ?? includesSubentities
    includesPropertyValues = template.options["includePropertyValues"] ?? includesPropertyValues
    includesPendingChanges = template.options["includesPendingChanges"] ?? includesPendingChanges
    returnsObjectsAsFaults = template.options["returnObjectsAsFaults"] ?? returnsObjectsAsFaults
    returnsDistinctResults = template.options["returnDistinctResults"] ?? returnsDistinctResults
    // The store alone answers for dictionaries.
    if resultType == .dictionaries { includesPendingChanges = false }
  }
}

extension ManagedObjectModel {
  /// Creates a request from a named template of the model, with values for its variables.
  ///
  /// ```swift
  /// let request = try model.fetchRequest(fromTemplate: "byName", substituting: ["NAME": "Ann"])
  /// ```
  ///
  /// - Returns: `nil` if the model has no template of this name.
  /// - Throws: ``PredicateError``: as reading the predicate does, and `missingVariable` for a variable without a value.
  public func fetchRequest(
    fromTemplate name: String, substituting values: [String: ConstantValue] = [:]
  ) throws(PredicateError) -> FetchRequest? {
    guard let template = fetchRequestTemplate(named: name) else { return nil }
    var request = try FetchRequest(template: template)
    request.predicate = try request.predicate?.substituting(values)
    return request
  }
}
