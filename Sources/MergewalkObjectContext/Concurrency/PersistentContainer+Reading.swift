public import MergewalkObjectModel

extension PersistentContainer {
  /// Runs work with a read-only context, in parallel with other reads and with the writer.
  ///
  /// Each read has a thread and connections of its own, of which there are ``readerCount``; further reads wait for
  /// their turn. The body sees a snapshot: the state committed at its first read. After each `await`, it continues on
  /// the same thread. It can return values and object IDs, but not objects; changes in the context cannot be saved.
  ///
  /// Stores that only one connection can read (in memory, XML, binary, incremental ones, and SQLite stores that are not
  /// in write-ahead mode) are read on the writer's thread, without a snapshot if the body awaits something.
  ///
  /// When the task is cancelled, a running SELECT stops soon and throws ``ObjectError`` with `cancelled`.
  ///
  /// ```swift
  /// let open = try await container.read { context in try context.count("Issue", where: ["isOpen": .boolean(true)]) }
  /// ```
  ///
  /// - Throws: The error of `body`, with its type.
  public func read<Value: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let isExtra = Self.isReading
    if let reader = await readers.lease(isExtra: isExtra) {
      defer { readers.giveBack(reader, isExtra: isExtra) }
      let (plan, model) = (readers.plan, model)
      let result: Result<Value, Failure>? = await withTaskExecutorPreference(reader.queue) {
        guard let context = reader.begin(plan, model: model) else { return nil }
        defer { reader.end() }
        return await Self.$isReading.withValue(true) { await Self.result(context, body) }
      }
      if let result { return try result.get() }
    }
    return try await withContext { context in await Self.result(context, body) }.get()
  }

  /// The objects of a request, one value for each, read portion by portion, in parallel with other reads and with the
  /// writer.
  ///
  /// All of them belong to one snapshot: the state committed when the first was requested. The stream has a reader of
  /// its own, in addition to those of reads, until its iterator ends or is released.
  ///
  /// ```swift
  /// for try await title in container.stream(FetchRequest("Issue"), { try $0.read("title") as String }) { print(title)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - portion: The number of objects to read at a time; `nil` for the request's batch size, or 500 if it has none.
  ///   - transform: Creates the value of an object, on the reader's thread.
  public func stream<Value: Sendable>(
    _ request: FetchRequest, portion: Int? = nil,
    _ transform: @escaping @Sendable (ManagedObject) throws(ObjectError) -> Value
  ) -> ObjectStream<Value> {
    ObjectStream { [self] in
      await portions(request, size: FetchPortions.size(portion, request), transform)
    }
  }

  /// The objects of a typed request, one value for each; as for any request.
  public func stream<Object: ManagedObject, Value: Sendable>(
    _ request: TypedFetchRequest<Object>, portion: Int? = nil,
    _ transform: @escaping @Sendable (Object) throws(ObjectError) -> Value
  ) -> ObjectStream<Value> {
    stream(request.request, portion: portion) { object throws(ObjectError) in
      try transform(try object.asClass(Object.self))
    }
  }

  /// The IDs of the objects of a request; as for any request.
  public func stream(_ request: FetchRequest, portion: Int? = nil) -> ObjectStream<ManagedObjectID> {
    stream(request, portion: portion) { object throws(ObjectError) in object.objectID }
  }

  /// A fetch in portions by a reader of its own, or by the writer's thread where there is none.
  private func portions<Value: Sendable>(
    _ request: FetchRequest, size: Int, _ transform: @escaping @Sendable (ManagedObject) throws(ObjectError) -> Value
  ) async -> QueueFetch<Value> {
    let (plan, model, readers) = (readers.plan, model, readers)
    if let reader = await readers.lease(isExtra: true) {
      if await reader.queue.run({ reader.begin(plan, model: model) != nil }) {
        return QueueFetch(
          context: QueueContext(queue: reader.queue) { reader.begunContext }, request: request, size: size,
          transform: transform,
          end: {
            reader.end()
            readers.giveBack(reader, isExtra: true)
          })
      }
      readers.giveBack(reader, isExtra: true)
    }
    return QueueFetch(context: newBackgroundContext(), request: request, size: size, transform: transform)
  }
}

extension ManagedObject {
  /// The object as one of a class; `nil` when it is of another one.
  @inline(__always)
  final func cast<Object: ManagedObject>(to type: Object.Type) -> Object? {
    // Nearly always the class itself, which is known without walking up from the object's class.
    Swift.type(of: self) == type ? unsafeDowncast(self, to: Object.self) : self as? Object
  }

  func asClass<Object: ManagedObject>(_ type: Object.Type) throws(ObjectError) -> Object {
    if let object = cast(to: type) { return object }
    throw ObjectError(
      .wrongClass,
      "\(objectID) is of class \(Swift.type(of: self)), not \(type): set the class of \(entity.name) before objects are "
        + "made")
  }
}

extension [ManagedObject] {
  /// Those that are of a class.
  ///
  /// - Parameter refuse: Hears of the others.
  func typed<Object: ManagedObject, Failure>(
    _ type: Object.Type, refuse: (ManagedObject) throws(Failure) -> Void
  ) throws(Failure) -> [Object] {
    // References to objects of a class and to the same objects as ones of its base class are the same memory.
    if areAll(type) { return unsafeBitCast(self, to: [Object].self) }
    var objects: [Object] = []
    for object in self {
      if let object = object.cast(to: type) { objects.append(object) } else { try refuse(object) }
    }
    return objects
  }

  /// Whether all objects are of a class: asked once for neighbours that have the same one, and without counting references.
  private func areAll<Object: ManagedObject>(_ type: Object.Type) -> Bool {
    withUnsafeBufferPointer { objects in
      objects.withMemoryRebound(to: Unmanaged<ManagedObject>.self) { objects in
        var known: ManagedObject.Type?
        return objects.allSatisfy { object in
          object._withUnsafeGuaranteedRef { object in
            if Swift.type(of: object) == known { return true }
            known = Swift.type(of: object)
            return object.cast(to: type) != nil
          }
        }
      }
    }
  }
}
