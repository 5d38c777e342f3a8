import MergewalkPropertyLists

/// Fetch requests of models as archives hold them: entity, predicate, kind of result, limits and options.
///
/// Source: four requests in one compiled model (`docs/coredata-layout.md`, "The model cache"); which flag is which option
/// follows from the order of `_fetchRequestFlags` in Apple's public header `NSFetchRequest.h`.
extension FetchRequestTemplate {
  /// The options by their names in XML, each with its bit of `NSFetchRequestFlags`.
  fileprivate static let flags: [(name: String, bit: Int64)] = [
    ("returnDistinctResults", 1), ("includeSubentities", 2), ("includePropertyValues", 4),
    ("returnObjectsAsFaults", 8), ("includesPendingChanges", 16),
  ]
}

extension FetchRequestTemplate.ResultType {
  /// The bit that a kind of result clears, whatever the options say.
  fileprivate var clearedFlag: Int64 {
    switch self {
    case .objects, .count: 0
    case .objectIDs: 4
    case .dictionaries: 16
    }
  }

  /// The flags of a request without options.
  fileprivate var usualFlags: Int64 { 30 & ~clearedFlag }
}

extension KeyedArchive {
  /// The request that an object stands for; `nil` when something in it is not understood.
  func fetchRequest(_ object: Object, named name: String) -> FetchRequestTemplate? {
    guard let entity = self.object(object, "NSEntity").flatMap({ string($0, "NSEntityName") }),
      let type = FetchRequestTemplate.ResultType(rawValue: Int(clamping: integer(object, "NSResultType") ?? 0)),
      value(object, "NSSortDescriptors") == nil
    else { return nil }
    var request = FetchRequestTemplate(name: name, entityName: entity)
    request.resultType = type
    request.fetchLimit = Int(clamping: integer(object, "NSFetchLimit") ?? 0)
    request.fetchBatchSize = Int(clamping: integer(object, "NSBatchSize") ?? 0)
    guard request.fetchLimit >= 0, request.fetchBatchSize >= 0 else { return nil }
    if let flags = integer(object, "NSFetchRequestFlags") {
      guard (0..<32).contains(flags) else { return nil }
      for (option, bit) in FetchRequestTemplate.flags where (flags ^ type.usualFlags) & bit != 0 {
        request.options[option] = flags & bit != 0
      }
    }
    if let condition = self.object(object, "NSPredicate") {
      guard let predicate = predicate(condition) else { return nil }
      request.predicateText = predicate.description
    }
    return request
  }
}

extension ModelArchiver {
  /// Writes a request of the kind that ``KeyedArchive/fetchRequest(_:named:)`` reads; `nil` for others.
  ///
  /// - Parameter entity: A reference to the entity that it fetches.
  mutating func fetchRequest(_ request: FetchRequestTemplate, of entity: PropertyList) -> PropertyList? {
    var flags = request.resultType.usualFlags
    for (option, bit) in FetchRequestTemplate.flags {
      guard let isSet = request.options[option], bit != request.resultType.clearedFlag else { continue }
      flags = isSet ? flags | bit : flags & ~bit
    }
    var condition = ArchiveWriter.null
    if let text = request.predicateText {
      guard let parsed = try? ObjectPredicate(format: text), let written = predicate(parsed) else { return nil }
      condition = written
    }
    var entries: [(String, PropertyList)] = [
      ("NSPredicate", condition), ("NSEntity", entity), ("NSHasFetchRequestFlags", .boolean(true)),
      ("NSFetchRequestFlags", .integer(flags)), ("NSResultType", .integer(Int64(request.resultType.rawValue))),
      ("NSFetchOffset", .integer(0)), ("NSFetchLimit", .integer(Int64(request.fetchLimit))),
      ("NSBatchSize", .integer(Int64(request.fetchBatchSize))), ("NSAllocationType", .integer(0)),
    ]
    for key in [
      "NSSortDescriptors", "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
      "NSRelationshipKeyPathsForPrefetching",
    ] { entries.append((key, ArchiveWriter.null)) }
    return writer.object("NSFetchRequest", entries)
  }

  /// Writes a fetched property; `nil` when its request cannot be written.
  mutating func fetchedProperty(_ property: FetchedPropertyDescription, of entity: EntityDescription) -> PropertyList? {
    let target = property.fetchRequest.entityName
    guard let destination = reference(toEntity: target),
      let request = fetchRequest(property.fetchRequest, of: destination)
    else { return nil }
    let entries = common(
      property.name, entity, isOptional: property.isOptional, isReadOnly: true, isTransient: true,
      userInfo: property.userInfo, modifier: nil, renaming: nil)
    return writer.object(
      "NSFetchedPropertyDescription",
      entries + [("NSFetchRequest", request), ("_NSFetchRequestEntityName", writer.text(target))])
  }
}
