import Synchronization

/// The plan by which readers of a container open it: the stores and classes of its coordinator.
struct ReaderPlan: Sendable {
  /// Moves with every change.
  var version = 0
  /// The stores; `nil` where one cannot be read by several connections at a time.
  var stores: [ReaderStore]?
  /// The class that each entity was given.
  var classes: [ManagedObject.Type?] = []
}

/// The readers of a container: as many as work at a time, each with a thread, and connections of its own.
///
/// Who reads within a read, and who reads as a stream, gets a reader beyond the number, as waiting could be forever.
final class ReaderPool: Sendable {
  fileprivate struct State {
    var plan = ReaderPlan()
    var idle: [Reader] = []
    /// How many reads run that count.
    var running = 0
    var waiting: [CheckedContinuation<Reader?, Never>] = []
    var isClosed = false
    var leased: [ObjectIdentifier: Reader] = [:]
  }
  /// How many reads run at a time.
  let size: Int
  private let state = Mutex(State())

  init(size: Int) { self.size = max(1, size) }

  /// The plan of readers from their next read on.
  var plan: ReaderPlan { state.withLock { $0.plan } }

  /// Takes note of the coordinator's stores and classes.
  func follow(_ stores: [ReaderStore]?, _ classes: [ManagedObject.Type?]) {
    let waiting = state.withLock { state -> [CheckedContinuation<Reader?, Never>] in
      guard state.plan.stores != stores || !state.plan.classes.elementsEqual(classes, by: ==) else { return [] }
      state.plan = ReaderPlan(version: state.plan.version + 1, stores: stores, classes: classes)
      return stores == nil ? state.takeWaiting() : []
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// A reader for the caller alone, when one is free; `nil` where there are none.
  ///
  /// - Parameter isExtra: Whether the caller must not wait.
  func lease(isExtra: Bool) async -> Reader? {
    if let answer = state.withLock({ $0.take(size: size, isExtra: isExtra) }) { return answer.reader }
    return await withCheckedContinuation { continuation in
      let answer = state.withLock { state in
        let answer = state.take(size: size, isExtra: isExtra)
        if answer == nil { state.waiting.append(continuation) }
        return answer
      }
      if let answer { continuation.resume(returning: answer.reader) }
    }
  }

  /// Takes a reader back, and lets the one go on who waits longest.
  func giveBack(_ reader: Reader, isExtra: Bool) {
    let next = state.withLock { state -> CheckedContinuation<Reader?, Never>? in
      if !isExtra, !state.waiting.isEmpty { return state.waiting.removeFirst() }
      if !isExtra { state.running -= 1 }
      state.leased[ObjectIdentifier(reader)] = nil
      if !state.isClosed, state.idle.count < size { state.idle.append(reader) }
      return nil
    }
    next?.resume(returning: reader)
  }

  /// Closes the readers' connections after what they are doing; reads that go on after that find the stores closed.
  func close() async {
    let (readers, waiting) = state.withLock { state in
      state.isClosed = true
      let readers = state.idle + state.leased.values
      state.idle = []
      return (readers, state.takeWaiting())
    }
    for continuation in waiting { continuation.resume(returning: nil) }
    for reader in readers { await reader.close() }
  }
}

extension ReaderPool.State {
  /// The answer to a request for a reader now: one, or none at all; `nil` for "wait".
  fileprivate mutating func take(size: Int, isExtra: Bool) -> (reader: Reader?, Void)? {
    guard !isClosed, plan.stores != nil else { return (nil, ()) }
    guard isExtra || running < size else { return nil }
    if !isExtra { running += 1 }
    let reader = idle.popLast() ?? Reader()
    leased[ObjectIdentifier(reader)] = reader
    return (reader, ())
  }

  fileprivate mutating func takeWaiting() -> [CheckedContinuation<Reader?, Never>] {
    defer { waiting = [] }
    return waiting
  }
}
