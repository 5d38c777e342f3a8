import MergewalkObjectModel
import MergewalkObjectStore

/// The steps of an insert; initializers of objects (`Person(context:)`) go them one by one, as they make the object
/// themselves.
extension ManagedObjectContext {
  /// A row with the model's defaults for a record that the next save inserts.
  @inline(__always)
  func takeRowForInsert(_ entity: EntityDescription) throws(ObjectError) -> (buffer: RowBuffer, row: Int) {
    guard !entity.isAbstract else {
      throw ObjectError(.abstractEntity, "\(entity.name) is abstract and has no objects of its own")
    }
    let buffer = buffer(table: try tableForInsert(entity))
    buffer.compactIfWorthwhile()
    let key = storeList.takeTemporaryKey()
    let row = buffer.takeRow(entity: Int32(entity.index), state: RowState.inserted, primaryKey: key)
    buffer.touchedRows.append(Int32(row))
    template(entity).fill(buffer, rows: row..<row + 1)
    return (buffer, row)
  }

  /// Tells the undo manager and the object of an insert.
  func tellOfInsert(_ object: ManagedObject) {
    guard object.isOfGeneration else { return }
    recorder?.isThere(object)
    if object.flags.contains(.hasHooks) { object.awakeFromInsert() }
  }

  /// The handle with which an initializer makes the object of a new record; ``takeIn(_:)`` has to follow.
  ///
  /// - Parameter type: The class that exactly one entity was given.
  /// - Throws: ``ObjectError`` as `insert` of a class does.
  package func handleForInsert(_ type: ManagedObject.Type) throws(ObjectError) -> ObjectHandle {
    let (buffer, row) = try takeRowForInsert(try entity(of: type))
    registry.use()
    return ObjectHandle(
      link: registry.link, generation: registry.generation, table: buffer.table, row: row,
      primaryKey: buffer.primaryKeys[row], entityIndex: Int(buffer.entities[row]))
  }

  /// Makes an object that an initializer made the one object of its row.
  package func takeIn(_ object: ManagedObject) {
    guard object.isOfGeneration else { return }
    registry.register(object, table: object.table, row: object.row)
    objectCameUp(object, buffer(table: object.table))
    tellOfInsert(object)
  }
}
