/// A change that is reported to an observer.
public struct ObjectChange {
  /// The object.
  public let object: ManagedObject
  /// The property that was set.
  public let key: String
}

@available(*, unavailable, message: "an object is confined to its context's task")
extension ObjectChange: Sendable {}

/// An observer of a property; it receives changes as long as it is held, or until ``invalidate()``.
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
  /// Calls `body` each time a property of this object is set by keyed or typed access, or objects are added to or
  /// removed from a relationship, even if that changes nothing.
  ///
  /// Primitive access, undo and refreshing call no observer, and neither does the other end of a relationship: a
  /// `FetchedResults` reports all changes.
  ///
  /// - Returns: The observer; hold it as long as you want to receive changes.
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
