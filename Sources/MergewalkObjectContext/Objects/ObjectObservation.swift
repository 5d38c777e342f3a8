/// A change that an observer is told of.
public struct ObjectChange {
  /// The object.
  public let object: ManagedObject
  /// The property that was set.
  public let key: String
}

@available(*, unavailable, message: "an object is confined to its context's task")
extension ObjectChange: Sendable {}

/// An observer of a property; it hears of changes for as long as this is held, or until ``invalidate()``.
public final class ObjectObservation {
  private var handler: ((ObjectChange) -> Void)?

  init(_ handler: @escaping (ObjectChange) -> Void) { self.handler = handler }

  /// Ends the observation.
  public func invalidate() { handler = nil }

  func tell(_ change: ObjectChange) { handler?(change) }
}

@available(*, unavailable, message: "an object is confined to its context's task")
extension ObjectObservation: Sendable {}

/// An observer that is not kept alive.
struct WeakObservation {
  weak var observation: ObjectObservation?
}

extension ManagedObject {
  /// Calls `body` after each time that a property of this object was set by keyed or typed access, or that objects were
  /// put into or taken out of a relationship; also when that changed nothing.
  ///
  /// Primitive access, undo and refreshing call no observer, and the other end of a relationship does not either: a
  /// `FetchedResults` hears of all changes.
  ///
  /// - Returns: The observer; hold it for as long as it is to hear of changes.
  public final func observe(_ key: String, _ body: @escaping (ObjectChange) -> Void) -> ObjectObservation {
    let observation = ObjectObservation(body)
    let extras = makeExtras()
    extras.observers[key, default: []].removeAll { $0.observation == nil }
    extras.observers[key, default: []].append(WeakObservation(observation: observation))
    return observation
  }

  final func postChange(_ key: String) {
    guard let observers = extras?.observers[key] else { return }
    for observer in observers { observer.observation?.tell(ObjectChange(object: self, key: key)) }
  }
}
