import MergewalkObjectStore

/// Makes many objects of one table's rows, each of the class that its entity had when the maker was made.
///
/// What the objects share is looked up once: doing so for each of them counts references to all that is passed on the way,
/// which took a twentieth to a tenth of the time of a typed fetch.
struct ObjectMaker {
  private let context: ManagedObjectContext
  private let buffer: RowBuffer
  private let registry: ObjectRegistry
  private let link: ContextLink
  private let types: [ManagedObject.Type]
  private let flags: [ObjectFlags]

  init(_ context: ManagedObjectContext, _ buffer: RowBuffer) {
    self.context = context
    self.buffer = buffer
    registry = context.registry
    link = registry.link
    types = link.classes.types
    flags = link.classes.flags
  }

  /// The object of a row that is in use.
  @inline(__always)
  func object(row: Int) -> ManagedObject {
    registry.object(table: buffer.table, row: row)?.takeUnretainedValue() ?? make(row: row)
  }

  /// Makes the object of a row that has none.
  @inline(__always)
  func make(row: Int) -> ManagedObject {
    let (key, entity) = buffer.identity(of: row)
    return context.makeObject(
      types[entity],
      ObjectHandle(
        link: link, generation: link.generation, table: buffer.table, row: row, primaryKey: key, entityIndex: entity,
        flags: flags[entity]), row: row, buffer, registry)
  }
}

extension ManagedObjectContext {
  /// Makes the object of a row that has none.
  func makeObject(_ buffer: RowBuffer, row: Int) -> ManagedObject {
    let (key, entity) = buffer.identity(of: row)
    let link = registry.link
    return makeObject(
      link.classes.types[entity],
      ObjectHandle(
        link: link, generation: link.generation, table: buffer.table, row: row, primaryKey: key, entityIndex: entity),
      row: row, buffer, registry)
  }

  @inline(__always)
  fileprivate func makeObject(
    _ type: ManagedObject.Type, _ handle: consuming ObjectHandle, row: Int, _ buffer: RowBuffer,
    _ registry: ObjectRegistry
  ) -> ManagedObject {
    registry.use()
    let object = type.init(handle)
    // An initializer of one's own may have reset the context: then the object is that of no row.
    guard object.isOfGeneration else { return object }
    registry.register(object, table: buffer.table, row: row, of: buffer.rowCount)
    objectCameUp(object, buffer)
    return object
  }
}
