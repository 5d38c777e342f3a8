/// Who listens to events of one kind of source.
class EventObservers<Kind: Hashable & Sendable, Event: Sendable> {
  private struct Observer {
    var number: Int
    var kinds: Set<Kind>
    /// Returns whether it wants to hear of more.
    var body: (Event) -> Bool
    var finish: () -> Void
  }

  private var observers: [Observer] = []
  private var lastNumber = 0

  deinit { for observer in observers { observer.finish() } }

  /// Whether an observer listens to a kind of event.
  func wants(_ kind: Kind) -> Bool { observers.contains { $0.kinds.contains(kind) } }

  /// Calls a closure at each event until the token goes away.
  func observe(_ kinds: Set<Kind>, _ body: @escaping (Event) -> Void) -> ObservationToken {
    let number = add(kinds, finish: {}) {
      body($0)
      return true
    }
    return ObservationToken { [weak self] in self?.remove(number) }
  }

  /// The events from now on, kept until they are taken.
  func stream(_ kinds: Set<Kind>) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    _ = add(kinds, finish: { continuation.finish() }) { event in
      if case .terminated = continuation.yield(event) { return false }
      return true
    }
    return stream
  }

  /// Tells those who listen to the kind.
  func post(_ kind: Kind, _ event: Event) {
    // Observers may come and go while they are told.
    for observer in observers where observer.kinds.contains(kind) {
      guard observers.contains(where: { $0.number == observer.number }) else { continue }
      if !observer.body(event) { remove(observer.number) }
    }
  }

  private func add(_ kinds: Set<Kind>, finish: @escaping () -> Void, _ body: @escaping (Event) -> Bool) -> Int {
    lastNumber += 1
    observers.append(Observer(number: lastNumber, kinds: kinds, body: body, finish: finish))
    return lastNumber
  }

  private func remove(_ number: Int) { observers.removeAll { $0.number == number } }
}

/// Keeps an observation alive: it ends when the token is released.
public final class ObservationToken {
  private var end: (() -> Void)?

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end?() }

  /// Ends the observation now.
  public func cancel() {
    end?()
    end = nil
  }
}

@available(*, unavailable, message: "an observation is confined to its context's task; take an event stream there")
extension ObservationToken: Sendable {}
