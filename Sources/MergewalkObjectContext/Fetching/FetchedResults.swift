public import MergewalkObjectModel
import MergewalkObjectStore

/// The result of a request, kept up to date, with sections and with the objects inserted, deleted, moved and changed
/// since the last update.
///
/// ```swift
/// let request = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("customer.name"), ObjectSortDescriptor("date")])
/// let results = try FetchedResults(request, in: context, sectionKeyPath: "customer.name")
/// results.onChange = { change in ... }
/// ```
///
/// After every save, merge, refresh and rollback of its context, and at
/// ``ManagedObjectContext/processPendingChanges()``, the request runs again, and ``onChange`` receives the difference,
/// if any. An object also counts as changed when a merge changed the members of its to-many relationships. This also
/// picks up saves of other contexts, as does ``update()``. The rows of all objects stay in the context while this
/// object lives; the request's batch size is not used. It is confined to the context's task.
public final class FetchedResults {
  /// The request that finds the objects.
  public let request: FetchRequest
  /// The key path whose values define sections, or `nil` for one section.
  public let sectionKeyPath: String?
  /// The objects in order.
  public private(set) var objects: FetchedObjects
  /// The sections in order; none when there are no objects.
  public private(set) var sections: [Section]
  /// Called with each difference caused by a save, refresh or rollback of the context, or with an error; without it, the
  /// default, the result is as it was at the last ``update()``.
  public var onChange: ((Result<Changes, ObjectError>) -> Void)?

  /// Consecutive objects with the same value.
  public struct Section: Hashable, Sendable {
    /// The value; null for objects without one, or without a key path.
    public let value: AttributeValue
    /// The positions of its objects in ``FetchedResults/objects``.
    public let range: Range<Int>
  }

  /// A position in the result.
  public struct Place: Hashable, Sendable {
    /// The number of the section.
    public let section: Int
    /// The number of the object in the section.
    public let item: Int

    /// Creates a position.
    public init(section: Int, item: Int) {
      self.section = section
      self.item = item
    }
  }

  /// The difference between two results.
  ///
  /// Sections and deletions are numbered as in the old result, everything else as in the new one.
  public struct Changes: Hashable, Sendable {
    /// A change of one object.
    public struct Change: Hashable, Sendable {
      /// The object.
      public let objectID: ManagedObjectID
      /// The old position; `nil` for an inserted object.
      public let from: Place?
      /// The new position; `nil` for a deleted object.
      public let to: Place?

      /// Creates a change.
      public init(objectID: ManagedObjectID, from: Place?, to: Place?) {
        self.objectID = objectID
        self.from = from
        self.to = to
      }
    }

    /// Deleted sections, by their old numbers.
    public internal(set) var deletedSections: [Int] = []
    /// Inserted sections, by their new numbers.
    public internal(set) var insertedSections: [Int] = []
    /// Deleted objects, by their old positions.
    public internal(set) var deleted: [Change] = []
    /// Inserted objects, by their new positions.
    public internal(set) var inserted: [Change] = []
    /// Objects whose position among the remaining ones changed: as few as possible.
    public internal(set) var moved: [Change] = []
    /// Remaining objects with changed values; moved ones may be among them.
    public internal(set) var updated: [Change] = []

    /// Whether nothing changed.
    public var isEmpty: Bool {
      deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty && moved.isEmpty
        && updated.isEmpty
    }
  }

  private let context: ManagedObjectContext
  private let seed = CellHash.randomSeed()
  /// One hash of the values for each object.
  private var fingerprints: [UInt64]
  /// Objects that have changed whatever their values are: in their to-many relationships.
  private var changed = Set<ManagedObjectID>()

  /// Takes note of objects whose to-many relationships may have changed.
  func note(_ ids: [ManagedObjectID]) { changed.formUnion(ids) }

  /// Fetches for the first time.
  ///
  /// - Parameter sectionKeyPath: The key path of the sections; the sort descriptors must group objects with equal
  ///   values.
  /// - Throws: ``ObjectError`` as ``ManagedObjectContext/fetch(_:)-(FetchRequest)`` does, with `invalidRequest` when a
  ///   section would occur twice.
  public init(
    _ request: FetchRequest, in context: ManagedObjectContext, sectionKeyPath: String? = nil
  ) throws(ObjectError) {
    var request = request
    request.fetchBatchSize = 0
    request.propertiesToFetch = []
    request.includesPropertyValues = true
    request.shouldRefreshRefetchedObjects = true
    self.request = request
    self.sectionKeyPath = sectionKeyPath
    self.context = context
    let found = try context.fetch(request)
    objects = found
    sections = try Self.sections(found, sectionKeyPath)
    fingerprints = context.fingerprints(found, seed: seed)
    context.resultObservers.append(WeakResults(results: self))
  }

  /// The object at a position.
  public subscript(place: Place) -> ManagedObject { objects[sections[place.section].range.lowerBound + place.item] }

  /// Runs the request again; ``onChange`` is not called.
  ///
  /// - Returns: The difference.
  /// - Throws: ``ObjectError`` as the initialiser does; the result is then unchanged.
  /// - Complexity: One SELECT, and O(n log n) for the remaining objects.
  public func update() throws(ObjectError) -> Changes {
    let fresh = try context.fetch(request)
    let freshSections = try Self.sections(fresh, sectionKeyPath)
    let freshPrints = context.fingerprints(fresh, seed: seed)
    // The objects know the IDs that they got since.
    let oldIDs = objects.map(\.objectID)
    if !changed.isEmpty {
      for (index, id) in oldIDs.enumerated() where changed.contains(id) { fingerprints[index] = ~fingerprints[index] }
      changed = []
    }
    let changes = ResultDifference(
      old: ResultDifference.Side(
        ids: FetchedObjectIDs(list: oldIDs), sections: sections, fingerprints: fingerprints),
      new: ResultDifference.Side(ids: fresh.objectIDs, sections: freshSections, fingerprints: freshPrints)
    ).changes
    objects = fresh
    sections = freshSections
    fingerprints = freshPrints
    return changes
  }

  /// The context has saved, refreshed or rolled back.
  func contextChanged() {
    guard let onChange else {
      // There is no observer; the next look is compared with this result.
      return
    }
    do {
      let changes = try update()
      if !changes.isEmpty { onChange(.success(changes)) }
    } catch {
      onChange(.failure(error))
    }
  }

  private static func sections(_ objects: FetchedObjects, _ keyPath: String?) throws(ObjectError) -> [Section] {
    guard !objects.isEmpty else { return [] }
    guard let keyPath else { return [Section(value: .null, range: 0..<objects.count)] }
    guard let path = PropertyPath(keyPath) else {
      throw ObjectError(PredicateError(.unknownKey, "\"\(keyPath)\" is not a key path"))
    }
    var sections: [Section] = []
    var seen = Set<AttributeValue>()
    var start = 0
    var current: AttributeValue?
    var evaluator = PredicateEvaluator()
    func close(_ end: Int) throws(ObjectError) {
      guard let value = current else { return }
      guard seen.insert(value).inserted else {
        throw ObjectError(
          PredicateError(
            .invalidRequest, "objects with the value \(value) of \"\(keyPath)\" do not follow each other",
            hint: "order by the key path of the sections first"))
      }
      sections.append(Section(value: value, range: start..<end))
    }
    for (index, object) in objects.enumerated() {
      let found = try predicateErrors { () throws(PredicateError) in
        try evaluator.evaluate(.keyPath(path), with: .object(object))
      }
      guard case .attribute(let attribute) = found else {
        throw ObjectError(
          PredicateError(.invalidRequest, "\"\(keyPath)\" is not an attribute: sections have values for names"))
      }
      // Not a number is no value.
      let value = attribute.isNull ? .null : attribute
      if value != current {
        try close(index)
        (start, current) = (index, value)
      }
    }
    try close(objects.count)
    return sections
  }
}

/// A result that may have gone away.
struct WeakResults {
  weak var results: FetchedResults?
}

extension ManagedObjectContext {
  /// Tells results of objects whose to-many relationships may have changed.
  func noteInResults(_ ids: [ManagedObjectID]) {
    for observer in resultObservers { observer.results?.note(ids) }
  }

  /// Tells results that they may have changed.
  func updateResults() {
    guard !resultObservers.isEmpty else { return }
    resultObservers.removeAll { $0.results == nil }
    for observer in resultObservers { observer.results?.contextChanged() }
  }

  /// A hash of the values of each object, as they are here.
  func fingerprints(_ objects: FetchedObjects, seed: UInt64) -> [UInt64] {
    objects.map { object in
      let buffer = buffer(table: object.table)
      var hash = seed
      for slot in 0..<buffer.columnCount {
        hash = CellHash.cell(
          buffer.tags[slot][object.row], buffer.payloads[slot][object.row], buffer.arena.base, seed: hash)
      }
      return hash
    }
  }
}

@available(*, unavailable, message: "results are confined to their context's task")
extension FetchedResults: Sendable {}
