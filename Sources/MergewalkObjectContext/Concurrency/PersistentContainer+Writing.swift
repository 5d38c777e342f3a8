/// An error that can say that a save failed: what a body of
/// `PersistentContainer.write` with a typed error throws.
public protocol WriteFailure: Error {
  init(_ error: SaveError)
}

extension SaveError: WriteFailure {
  /// The error itself.
  public init(_ error: SaveError) { self = error }
}

extension PersistentContainer {
  /// Runs work with a context of its own and saves what it changed; writes come one after the other, in the order of
  /// the calls.
  ///
  /// When the body throws, nothing is saved, but what it saved itself. Whatever it awaits, no other write runs
  /// meanwhile, and reads go on. A write within a write has a context of its own too, and is saved before the outer
  /// one. A task that the body starts and does not wait for writes within it while it runs, and in its own turn after
  /// that. A write of another container waits for its turn there: two containers whose writes nest both ways would
  /// wait for each other.
  ///
  /// The IDs of new objects are temporary until the save: a body that gives one back calls `save()` first. A write
  /// whose task is cancelled is saved all the same, unless the body throws.
  ///
  /// ```swift
  /// try await container.write { context in
  ///   let issue = try context.insert(Issue.self)
  ///   issue.title = "Fix login"
  /// }
  /// ```
  ///
  /// - Parameter mergePolicy: What the save does about objects that another context or process changed meanwhile.
  /// - Throws: What `body` throws, or ``SaveError``.
  public func write<Value: Sendable>(
    mergePolicy: MergePolicy.Kind = .error, _ body: @Sendable (ManagedObjectContext) async throws -> Value
  ) async throws -> Value {
    try await write(mergePolicy, body) { $0 }
  }

  /// The same for a body whose errors are of one type; that has to be able to say that a save failed.
  ///
  /// - Throws: What `body` throws, as what it is, or the ``SaveError`` as the same type.
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

  /// What becomes of some work.
  static func result<Value, Failure: Error>(
    _ context: ManagedObjectContext, _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Value
  ) async -> Result<Value, Failure> {
    do { return .success(try await body(context)) } catch { return .failure(error) }
  }
}
