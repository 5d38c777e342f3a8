public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObject {
  /// The value of an attribute; values of a fault are fetched first.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, `notFound` when the store has no such record, `invalid` when the
  ///   object is no longer valid, `externalData`, `closed` or `database`.
  public final func value(forKey key: String) throws(ObjectError) -> AttributeValue {
    guard flags.contains(.hasAccessHooks) else { return try storedValue(forKey: key) }
    // The default hook fires faults too, but cannot say why that failed.
    _ = try storedValue(forKey: key)
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    return try storedValue(forKey: key)
  }

  /// The value of an attribute, without hooks.
  final func storedValue(forKey key: String) throws(ObjectError) -> AttributeValue {
    // A fault made from an ancestor's ID learns its own entity, and with it more keys, only from the store.
    if entity.attributeAccess(named: key) == nil { _ = try attribute(key) }
    guard let attribute = entity.attributeAccess(named: key) else {
      throw ObjectError(.unknownKey, "\(entity.name) has no attribute \"\(key)\"")
    }
    let context = try validContext
    let buffer = context.buffer(table: table)
    let slot = attribute.slot
    try context.fire(self, for: slot)
    let (tag, payload) = (buffer.tags[slot][row], buffer.payloads[slot][row])
    guard attribute.isExternal, tag == CellTag.blob else {
      return attribute.type.value(tag: tag, payload: payload, buffer.arena)
    }
    return try context.externalValue(buffer.arena.bytes(ByteRange(payload: payload)), table: table)
  }

  /// The value of an attribute, like ``value(forKey:)``.
  public final subscript(key: String) -> AttributeValue {
    get throws(ObjectError) { try value(forKey: key) }
  }

  /// Sets an attribute; setting the value that it already has is not a change.
  ///
  /// The next save checks whether the model allows the value, including `null` and ranges, and reports all findings at
  /// once.
  ///
  /// Objects marked for deletion can be changed, too; a rollback restores their former state.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, `typeMismatch`, `notStorable`, `readOnly`, or as ``value(forKey:)``
  ///   does.
  public final func setValue(_ value: AttributeValue, forKey key: String) throws(ObjectError) {
    if let access = entity.attributeAccess(named: key), setDirectly(value, access) { return }
    let attribute = try attribute(key)
    let cell = try settableCell(value, attribute)
    guard notifiesChanges else {
      if try put(cell, slot: attribute.slot), flags.contains(.hasHooks) { flags.insert(.wasSet) }
      return
    }
    willChangeValue(forKey: key)
    // The hook may have done anything to the object.
    try validContext.fire(self)
    if try put(cell, slot: attribute.slot) { flags.insert(.wasSet) }
    didChangeValue(forKey: key)
  }

  /// Whether hooks or observers want to hear of changes.
  @inline(__always)
  final var notifiesChanges: Bool {
    if flags.contains(.hasChangeHooks) || extras?.followsChanges ?? false { return true }
    // The undo manager has to know transient values of classes.
    return link.context?.recorder != nil && type(of: self) != ManagedObject.self
  }

  /// The cell for a value that an attribute can be set to now; values of a fault are fetched first.
  final func settableCell(
    _ value: AttributeValue, _ attribute: AttributeDescription
  ) throws(ObjectError) -> StoredCell {
    guard !attribute.isDerived else {
      throw ObjectError(.readOnly, "\(entity.name).\(attribute.name) is derived: the store computes it")
    }
    let cell = try attribute.cell(value, entity: entity)
    let context = try validContext
    try context.fire(self)
    if context.hasAccessFailures { context.forgetFailures(of: self, attribute.name) }
    return cell
  }

  /// Puts a value into the row; returns whether that changed anything.
  @discardableResult
  final func put(_ cell: StoredCell, slot: Int) throws(ObjectError) -> Bool {
    let context = try validContext
    let buffer = context.buffer(table: table)
    if cell.tag == CellTag.text || cell.tag == CellTag.blob {
      if isExternalValue(cell, slot: slot, context) { return false }
      try buffer.requireRoom(cell.bytes.count)
      try context.recorder?.requireRoom(for: buffer, row: row, slot: slot)
      return cell.bytes.withUnsafeBytes { bytes in
        let range = ByteRange(offset: 0, length: bytes.count)
        return buffer.set(
          row: row, slot: slot, tag: cell.tag, payload: range.payload,
          arena: bytes.baseAddress ?? UnsafeRawPointer(buffer.arena.base))
      }
    }
    return buffer.set(
      row: row, slot: slot, tag: cell.tag, payload: cell.payload, arena: UnsafeRawPointer(buffer.arena.base))
  }

  final func attribute(_ key: String) throws(ObjectError) -> AttributeDescription {
    // A fault made from an ancestor's ID learns its own entity, and with it more keys, only from the store.
    if entity.attribute(named: key) == nil, isFault { try validContext.fire(self) }
    guard let attribute = entity.attribute(named: key) else {
      let kind = entity.relationship(named: key) == nil ? "" : "; it is a relationship"
      throw ObjectError(.unknownKey, "\(entity.name) has no attribute \"\(key)\"\(kind)")
    }
    return attribute
  }
}

extension ManagedObjectContext {
  /// Ensures that an object's relationships can be set.
  func checkChangeable(_ object: ManagedObject) throws(ObjectError) {
    if object.isDeleted { throw ObjectError(.deleted, "\(object.objectID) is deleted and cannot be changed") }
  }

  /// The bytes that a cell stands for, which may be in a file beside the store.
  func externalValue(_ cell: UnsafeRawBufferPointer, table: TableID) throws(ObjectError) -> AttributeValue {
    guard let name = ExternalData.fileName(cell) else { return .binary(Array(ExternalData.inlineBytes(cell))) }
    let path = store(table: table).file.path
    guard let bytes = ExternalData.read(name, store: path) else {
      throw ObjectError(.externalData, "the file \(name) with a value beside \(path) cannot be read")
    }
    return .binary(bytes)
  }
}

extension AttributeDescription {
  func cell(_ value: AttributeValue, entity: EntityDescription) throws(ObjectError) -> StoredCell {
    var stored = value
    let isRight: Bool
    switch (value, type) {
    case (.null, _), (.boolean, .boolean), (.integer, .integer16), (.integer, .integer32), (.integer, .integer64),
      (.double, .double), (.decimal, .decimal), (.string, .string), (.date, .date), (.uuid, .uuid), (.uri, .uri):
      isRight = true
    case (.double(let number), .float):
      // A Float attribute holds binary32 numbers; comparing with what is there must compare like with like.
      stored = .double(Double(Float(number)))
      isRight = true
    case (.binary(let bytes), .binary), (.binary(let bytes), .transformable):
      if allowsExternalBinaryDataStorage { stored = .binary([ExternalData.inlineTag] + bytes) }
      isRight = true
    default: isRight = false
    }
    guard isRight else {
      throw ObjectError(.typeMismatch, "\(entity.name).\(name) is of type \(type.xmlName) and cannot be \(value)")
    }
    guard let cell = StoredCell(stored) else {
      throw ObjectError(
        .notStorable, "\(entity.name).\(name): the store cannot hold \(value) exactly; it keeps 15 digits")
    }
    return cell
  }
}
