import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// The objects of an object's to-many relationship: a live set, or a list if the relationship is ordered, that can also
/// be changed.
///
/// Each object occurs once. Elements come in the order of an ordered relationship, else by primary key, with new ones
/// last. Copies are the same collection; for a snapshot, use `Array(objects)`. Keep the collection in a variable when
/// you iterate by index: it then queries only once, until something changes.
///
/// Failures are those of typed access (``ManagedObject/get(_:)``): a record that no longer exists, or cannot be read,
/// has no related objects; the next save reports other failures.
public struct RelatedObjects<Element: ManagedObject>: RandomAccessCollection {
  /// The object that has the relationship.
  public let owner: ManagedObject
  /// The relationship's name.
  public let key: String
  /// The relationship where it is known already; otherwise it is looked up at each use.
  private let relationship: RelationshipDescription?
  private let cache = Cache()

  /// The elements as they were when they were last asked for.
  private final class Cache {
    var stamp: RelationStamp?
    var elements: [Element] = []
    /// Those before them.
    var earlier: [Element] = []
  }

  init(owner: ManagedObject, key: String, relationship: RelationshipDescription? = nil) {
    self.owner = owner
    self.key = key
    self.relationship = relationship
  }

  private var elements: [Element] {
    let stamp = stamp
    if let stamp, stamp == cache.stamp { return cache.elements }
    var found: [Element] = []
    do throws(ObjectError) {
      if let relationship {
        found = owner.typed(try owner.objects(by: relationship), key)
      } else {
        found = owner.typed(try owner.objects(forKey: key), key)
      }
    } catch {
      owner.noteFailure(key, error)
    }
    cache.earlier = cache.elements
    cache.elements = found
    cache.stamp = self.stamp
    return found
  }

  /// A stamp that shows whether the members may have changed; `nil` when there can be none.
  private var stamp: RelationStamp? {
    guard let relationship = relationship ?? owner.entity.relationship(named: key) else { return nil }
    return owner.relationStamp(relationship)
  }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { elements.count }
  /// The object at a position.
  ///
  /// If the collection has become shorter since the last access, an old position still returns its object.
  public subscript(position: Int) -> Element {
    let elements = elements
    if position >= elements.count, position < cache.earlier.count { return cache.earlier[position] }
    return elements[position]
  }
  /// The objects at some positions, as an independent list: changes of the collection do not affect it.
  public subscript(places: Range<Int>) -> ArraySlice<Element> {
    let elements = elements
    return places.upperBound > elements.count && places.upperBound <= cache.earlier.count
      ? cache.earlier[places] : elements[places]
  }
  // Without a look at the end, which may have come nearer during a walk.
  /// The position after a position.
  public func index(after place: Int) -> Int { place + 1 }
  /// The position before a position.
  public func index(before place: Int) -> Int { place - 1 }
  /// Iterates over the present objects, whatever happens to the collection in the meantime.
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
  /// A list of the results of `transform` for the present objects, whatever it does to the collection.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    try elements.map(transform)
  }
  /// The present objects in reverse order.
  public func reversed() -> [Element] { elements.reversed() }

  /// Whether an object is in the collection.
  public func contains(_ element: Element) -> Bool { elements.contains { $0 === element } }

  // MARK: Changing

  /// Adds an object at the end; returns whether it was not there before.
  @discardableResult
  public func insert(_ element: Element) -> Bool {
    change { () throws(ObjectError) in try owner.add(element, to: key) }
  }

  /// Adds several objects.
  public func insert(contentsOf others: some Sequence<Element>) { for other in others { insert(other) } }

  /// Inserts an object at a position of an ordered relationship; an object that is already there moves.
  public func insert(_ element: Element, at index: Int) {
    change { () throws(ObjectError) in
      try owner.insert(element, into: key, at: index)
      return true
    }
  }

  /// Removes an object; returns whether it was there.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    change { () throws(ObjectError) in try owner.remove(element, from: key) }
  }

  /// Removes the object at a position and returns it.
  @discardableResult
  public func remove(at index: Int) -> Element {
    let element = self[index]
    remove(element)
    return element
  }

  /// Removes all objects.
  public func removeAll() { replace(with: []) }

  /// Moves the object at one position of an ordered relationship to another position, counted without it.
  public func move(from source: Int, to target: Int) { insert(self[source], at: target) }

  /// Replaces the object at a position.
  public func replace(at index: Int, with element: Element) {
    var list = elements
    list[index] = element
    replace(with: list)
  }

  /// Makes the relationship refer to exactly these objects, in this order if it is ordered.
  public func replace(with others: some Sequence<Element>) {
    change { () throws(ObjectError) in
      try owner.setObjects(Array(others), forKey: key)
      return true
    }
  }

  @discardableResult
  private func change(_ body: () throws(ObjectError) -> Bool) -> Bool {
    var isChange = false
    owner.change(key) { () throws(ObjectError) in isChange = try body() }
    return isChange
  }
}

extension RelatedObjects: CustomStringConvertible {
  /// The number of objects.
  public var description: String { PrintableText.count(count, "object") }
}

@available(*, unavailable, message: "objects are confined to their context's task; pass objectIDs")
extension RelatedObjects: Sendable {}

/// Moves whenever the members of a relationship may have changed.
struct RelationStamp: Equatable {
  var rows: UInt64
  var links: UInt64
  var stored: UInt32
  var touched: Int
}

extension ManagedObject {
  /// A stamp that shows whether the members of a relationship may have changed; `nil` when there can be none.
  final func relationStamp(_ relationship: RelationshipDescription) -> RelationStamp? {
    guard let context = try? validContext else { return nil }
    let buffer = context.buffer(table: context.destinationTable(relationship, from: table))
    return RelationStamp(
      rows: buffer.referenceStamp, links: context.pendingLinks.stamp, stored: context.storedVersion,
      touched: buffer.touchedRows.count)
  }
}
