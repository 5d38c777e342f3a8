public import Foundation
public import MergewalkObjectContext
import MergewalkObjectModel

/// Apple's `NSFetchedResultsChangeType`: the kind of a change of an object or a section.
public enum NSFetchedResultsChangeType: UInt, Sendable, Hashable {
  /// It was inserted.
  case insert = 1
  /// It was deleted.
  case delete = 2
  /// Its position changed.
  case move = 3
  /// Its values changed.
  case update = 4
}

/// A section; Apple's `NSFetchedResultsSectionInfo`.
public protocol NSFetchedResultsSectionInfo {
  /// The value of the section's key path as text; empty without sections.
  var name: String { get }
  /// The first letter of the name, in upper case.
  var indexTitle: String? { get }
  /// The number of its objects.
  var numberOfObjects: Int { get }
  /// Its objects.
  var objects: [Any]? { get }
}

/// Apple's `NSFetchedResultsControllerDelegate`: receives changes, in the order of these methods.
///
/// All of them are optional.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before changes are reported.
  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// Called for each inserted or deleted section: deletions have their old numbers, insertions their new ones.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)
  /// Called for each inserted, deleted, moved or changed object: `indexPath` is its old position, `newIndexPath` its
  /// new one.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
  /// Called after all changes were reported.
  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {}
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}
  /// Does nothing.
  public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}

/// Apple's `NSFetchedResultsController`, over ``FetchedResults``: follows saves, merges, refreshes, rollbacks and
/// `processPendingChanges()` of its context.
public final class NSFetchedResultsController<ResultType> {
  /// The request.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context.
  public let managedObjectContext: NSManagedObjectContext
  /// The key path whose values define sections.
  public let sectionNameKeyPath: String?
  /// The cache's name; nothing is cached.
  public let cacheName: String?
  /// The delegate, which receives changes.
  public weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { content.delegate }
    set { content.delegate = newValue }
  }
  private let content: ResultsContent

  /// Creates a controller; ``performFetch()`` fetches.
  public convenience init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    self.init(fetchRequest, context, sectionNameKeyPath, name, ResultsContent())
  }

  private init(
    _ request: NSFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ keyPath: String?, _ cacheName: String?,
    _ content: ResultsContent
  ) {
    fetchRequest = request
    managedObjectContext = context
    sectionNameKeyPath = keyPath
    self.cacheName = cacheName
    self.content = content
  }

  /// Fetches, and follows changes from then on.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch, with `invalidRequest` if a section would occur
  ///   twice.
  public func performFetch() throws(ObjectError) {
    let results = try FetchedResults(fetchRequest.request, in: managedObjectContext, sectionKeyPath: sectionNameKeyPath)
    content.begin(results)
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: fetchRequest.entityName)
    request.request = fetchRequest.request
    let (context, keyPath, name) = (managedObjectContext, sectionNameKeyPath, cacheName)
    results.onChange = { [weak content] change in
      guard let content else { return }
      // What cannot be fetched now is as it was; the next fetch says why.
      guard case .success(let changes) = change else { return }
      content.tell(
        changes, NSFetchedResultsController<any NSFetchRequestResult>(request, context, keyPath, name, content))
    }
  }

  /// The objects; `nil` before ``performFetch()``; without those that are not of the request's type.
  public var fetchedObjects: [ResultType]? {
    content.results == nil ? nil : content.objects.compactMap { $0 as? ResultType }
  }

  /// The sections; `nil` before ``performFetch()``.
  public var sections: [any NSFetchedResultsSectionInfo]? { content.results == nil ? nil : content.sections }

  /// The letters of the sections' names, each once.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return content.sections.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }

  /// The object at a position.
  ///
  /// - Precondition: the position is in the result, and the object is of the request's type.
  public func object(at indexPath: IndexPath) -> ResultType {
    guard indexPath.count == 2, content.sections.indices.contains(indexPath[0]),
      content.sections[indexPath[0]].members.indices.contains(indexPath[1]),
      let object = content.sections[indexPath[0]].members[indexPath[1]] as? ResultType
    else { preconditionFailure("there is no \(ResultType.self) at \(indexPath)") }
    return object
  }

  /// The position of an object; `nil` if it is not in the result.
  public func indexPath(forObject object: ResultType) -> IndexPath? {
    for (section, info) in content.sections.enumerated() {
      if let item = info.members.firstIndex(where: { $0 === object as? ManagedObject }) {
        return IndexPath(indexes: [section, item])
      }
    }
    return nil
  }

  /// Does nothing, because nothing is cached.
  public static func deleteCache(withName name: String?) {}

  /// Whether both are the same controller; a delegate receives it with the generic result type.
  public static func == <Other>(left: NSFetchedResultsController, right: NSFetchedResultsController<Other>) -> Bool {
    left.content === right.sharedContent
  }

  fileprivate var sharedContent: ResultsContent { content }
}

@available(*, unavailable, message: "a controller is confined to its context's task")
extension NSFetchedResultsController: Sendable {}

/// The results of a controller, as found and as last reported to its delegate.
private final class ResultsContent {
  weak var delegate: (any NSFetchedResultsControllerDelegate)?
  private(set) var results: FetchedResults?
  private(set) var sections: [ResultsSection] = []
  /// What changed and was not told yet, with the sections after each change.
  private var waiting: [(changes: FetchedResults.Changes, sections: [ResultsSection])] = []
  private var isTelling = false

  /// The objects of all sections.
  var objects: [ManagedObject] { sections.flatMap(\.members) }

  /// Starts with what was fetched.
  func begin(_ found: FetchedResults) {
    results = found
    sections = sectionInfos
    waiting = []
  }

  /// The sections as they are now.
  private var sectionInfos: [ResultsSection] {
    guard let results else { return [] }
    let objects = Array(results.objects)
    return results.sections.map { section in
      ResultsSection(
        name: AttributeValue.null == section.value ? "" : String(describing: section.value.anyValue ?? ""),
        members: Array(objects[section.range]))
    }
  }

  /// Takes in what changed, and tells it.
  ///
  /// A delegate may save while it is told; what that changes is told afterwards, as it is counted from what comes first.
  func tell(
    _ changes: FetchedResults.Changes, _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    waiting.append((changes, sectionInfos))
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      tell(next.changes, next.sections, controller)
    }
  }

  private func tell(
    _ changes: FetchedResults.Changes, _ new: [ResultsSection],
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    let (old, source) = (sections, results)
    delegate?.controllerWillChangeContent(controller)
    if results === source { sections = new }
    for section in changes.deletedSections {
      delegate?.controller(controller, didChange: old[section], atSectionIndex: section, for: .delete)
    }
    for section in changes.insertedSections {
      delegate?.controller(controller, didChange: new[section], atSectionIndex: section, for: .insert)
    }
    func tell(_ type: NSFetchedResultsChangeType, _ change: FetchedResults.Changes.Change) {
      guard
        let object = change.to.map({ new[$0.section].members[$0.item] })
          ?? change.from.map({ old[$0.section].members[$0.item] })
      else { return }
      delegate?.controller(
        controller, didChange: object, at: type == .insert ? nil : change.from.map(IndexPath.init(place:)), for: type,
        newIndexPath: type == .delete ? nil : change.to.map(IndexPath.init(place:)))
    }
    for change in changes.deleted { tell(.delete, change) }
    for change in changes.inserted { tell(.insert, change) }
    for change in changes.moved { tell(.move, change) }
    let moved = Set(changes.moved.map(\.objectID))
    for change in changes.updated where !moved.contains(change.objectID) { tell(.update, change) }
    delegate?.controllerDidChangeContent(controller)
  }
}

/// A section of a controller.
private struct ResultsSection: NSFetchedResultsSectionInfo {
  let name: String
  let members: [ManagedObject]
  var indexTitle: String? { name.first.map { $0.uppercased() } }
  var numberOfObjects: Int { members.count }
  var objects: [Any]? { members }
}

extension IndexPath {
  fileprivate init(place: FetchedResults.Place) { self.init(indexes: [place.section, place.item]) }

  /// Creates a position in a result, as in UIKit.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// Creates a position in a result, as in UIKit.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  /// The number of the section, as in UIKit.
  public var section: Int { self[0] }
  /// The number in the section, as in UIKit.
  public var row: Int { self[1] }
  /// The number in the section, as in UIKit.
  public var item: Int { self[1] }
}
