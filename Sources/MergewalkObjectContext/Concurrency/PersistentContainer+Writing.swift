/// An error type that can represent a failed save: for bodies of `PersistentContainer.write` with a typed error.
public protocol WriteFailure: Error {
  init(_ error: SaveError)
}

extension SaveError: WriteFailure {
  /// The error itself.
  public init(_ error: SaveError) { self = error }
}

extension PersistentContainer {
  /// Runs work with a context of its own and saves its changes; writes run one after the other, in the order of the
  /// calls.
  ///
  /// When the body throws, nothing is saved except what it saved itself. While the body awaits something, no other
  /// write runs, but reads do. A nested write has a context of its own, too, and is saved before the outer one. A task
  /// that the body starts without waiting for it writes within the body while that runs, and in its own turn
  /// afterwards. A write of another container waits for its turn there: two containers whose writes nest in both
  /// directions would wait for each other.
  ///
  /// The IDs of new objects are temporary until the save: a body that returns one should call `save()` first. A write
  /// whose task is cancelled is still saved, unless the body throws.
  ///
  /// ```swift
  /// try await container.write { context in
  ///   let issue = try context.insert(Issue.self)
  ///   issue.title = "Fix login"
  /// }
  /// ```
  ///
  /// - Parameter mergePolicy: The treatment of objects that another context or process has changed in the meantime.
  /// - Throws: The error of `body`, or ``SaveError``.
  public func write<Value: Sendable>(
    mergePolicy: MergePolicy.Kind = .error, _ body: @Sendable (ManagedObjectContext) async throws -> Value
  ) async throws -> Value {
    try await write(mergePolicy, body) { $0 }
  }

  /// The same for a body with a typed error, which must be able to represent a failed save.
  ///
  /// - Throws: The error of `body`, with its type, or the ``SaveError`` as the same type.
  public func write<Value: Sendable, Failure: WriteFailure>(
    mergePolicy: MergePolicy.Kind = .error, _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await write(mergePolicy, body) { Failure($0) }
  }

  private func write<Value: Sendable, Failure: Error>(
    _ mergePolicy: MergePolicy.Kind, _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Value,
    _ failure: @Sendable (SaveError) -> Failure
  ) async throws(Failure) -> Value {
    let turn = await nextTurn()
    defer { if turn.leave() { turnstile.leave() } }
    let turns = Self.turns.merging([ObjectIdentifier(self): turn]) { $1 }
    let result: Result<Value, Failure> = await withContext { context in
      context.mergePolicy = MergePolicy(mergePolicy)
      let result = await Self.$turns.withValue(turns) { await Self.result(context, body) }
      guard case .success = result, context.hasChanges || context.hasAccessFailures else { return result }
      do throws(SaveError) {
        try context.save()
      } catch {
        return .failure(failure(error))
      }
      return result
    }
    return try result.get()
  }

  /// The turn that the task has here already, or the next one.
  private func nextTurn() async -> WriteTurn {
    if let outer = Self.turns[ObjectIdentifier(self)], outer.join() { return outer }
    await turnstile.enter()
    return WriteTurn()
  }

  /// Runs work with a new context on the writer's thread.
  func withContext<Value: Sendable>(
    _ body: @Sendable (ManagedObjectContext) async -> Value
  ) async -> Value {
    let (queue, box) = (queue, box)
    return await withTaskExecutorPreference(queue) {
      let context = ManagedObjectContext(coordinator: box.coordinator)
      context.queue = queue
      let value = await body(context)
      context.reset()
      return value
    }
  }

  /// The result of some work.
  static func result<Value, Failure: Error>(
    _ context: ManagedObjectContext, _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Value
  ) async -> Result<Value, Failure> {
    do { return .success(try await body(context)) } catch { return .failure(error) }
  }
}
