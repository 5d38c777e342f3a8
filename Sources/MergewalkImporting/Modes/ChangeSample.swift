import MergewalkBytes
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Collects the first changes of a run from the rows that are about to be written.
///
/// An object that is changed by several batches is there several times.
final class ChangeSample {
  let model: ManagedObjectModel
  /// The store, beside which large values are in files.
  private let path: String
  private let limit: Int
  private(set) var changes: [ObjectChange] = []

  init(model: ManagedObjectModel, path: String, limit: Int) {
    self.model = model
    self.path = path
    self.limit = limit
  }

  /// Where the changes begin that belong to the attempt which is running.
  private var attempt = 0

  /// How many changes there are; to be given to ``removeAll(since:)``.
  var mark: Int { changes.count }

  /// Begins an attempt, which may be rolled back; what it does to one object in several steps is one change.
  func begin() -> Int {
    attempt = changes.count
    return attempt
  }

  /// How many more changes are wanted.
  var room: Int { limit - changes.count }

  /// Forgets what was collected since a mark was taken: it was not written.
  func removeAll(since mark: Int) {
    changes.removeLast(changes.count - mark)
    attempt = mark
  }

  /// Forgets changes of objects whose rows are what they were before the run.
  ///
  /// - Complexity: A few statements for each object in the sample.
  func forgetChangedBack(_ file: StoreFile) throws(ImportError) {
    func rootOfUpdate(_ change: ObjectChange) -> RootIndex? {
      change.kind == .updated ? model.entity(named: change.entity)?.root : nil
    }
    for root in Set(changes.compactMap(rootOfUpdate)).sorted() {
      let keys = Set(changes.filter { rootOfUpdate($0) == root }.map(\.primaryKey)).sorted()
      do throws(StoreError) {
        // What is shown of a run does not change it: members of lists may differ, so these rows keep their times.
        let same = try Set(file.takeBackChanges(root: root, primaryKeys: keys, lists: [], onlyFinds: true))
        changes.removeAll { rootOfUpdate($0) == root && same.contains($0.primaryKey) }
      } catch { throw ImportError(error) }
    }
    attempt = min(attempt, changes.count)
  }

  /// Forgets objects that the run has made and taken out again, also as what others refer to.
  ///
  /// - Parameter gone: Their primary keys, by root entity.
  func forget(_ gone: [RootIndex: Set<Int64>]) {
    func isGone(_ entity: String, _ primaryKey: Int64) -> Bool {
      model.entity(named: entity).flatMap { gone[$0.root] }?.contains(primaryKey) ?? false
    }
    changes.removeAll { isGone($0.entity, $0.primaryKey) }
    update { change in
      for index in change.properties.indices {
        for end in [\ObjectChange.Property.before, \.after] {
          guard let target = change.properties[index][keyPath: end]?.target else { continue }
          if isGone(target.entity, target.primaryKey) { change.properties[index][keyPath: end] = nil }
        }
      }
      change.properties.removeAll { $0.before == nil && $0.after == nil }
    }
    changes.removeAll { $0.kind == .updated && $0.properties.isEmpty }
    attempt = min(attempt, changes.count)
  }

  /// Takes the changes that the next save of a context writes.
  func collect(_ context: ManagedObjectContext) {
    for buffer in context.allBuffers {
      guard room > 0 else { return }
      var before: [Int32: [CellSnapshot]] = [:]
      for snapshot in buffer.snapshots { before[snapshot.row, default: []].append(snapshot) }
      var seen = Set<Int32>()
      for touched in buffer.touchedRows where room > 0 && seen.insert(touched).inserted {
        let row = Int(touched)
        switch buffer.states[row] {
        case RowState.inserted: append(.inserted, buffer, row)
        case RowState.deleted: append(.deleted, buffer, row)
        case RowState.updated: appendUpdate(buffer, row, before[touched] ?? [])
        default: break
        }
      }
    }
  }

  func update(_ body: (inout ObjectChange) -> Void) { for index in changes.indices { body(&changes[index]) } }

  func value(of attribute: AttributeDescription, row: Int, _ buffer: RowBuffer) -> ObjectChange.Value? {
    let property = Property(name: attribute.name, slot: attribute.slot, attribute: attribute)
    return value(buffer.snapshot(row: row, slot: property.slot), property, buffer)
  }

  /// Takes rows that are about to be deleted.
  func collect(deleted buffer: RowBuffer) {
    for row in 0..<buffer.count where room > 0 { append(.deleted, buffer, row) }
  }

  private func append(_ kind: ObjectChange.Kind, _ buffer: RowBuffer, _ row: Int) {
    let entity = model.entities[Int(buffer.entities[row])]
    var properties: [ObjectChange.Property] = []
    for property in Self.properties(entity) where property.slot < buffer.columnCount {
      let value = value(buffer.snapshot(row: row, slot: property.slot), property, buffer)
      guard let value else { continue }
      properties.append(
        ObjectChange.Property(
          name: property.name, before: kind == .deleted ? value : nil, after: kind == .deleted ? nil : value))
    }
    changes.append(
      ObjectChange(
        kind: kind, entity: entity.name, primaryKey: buffer.primaryKeys[row], properties: properties))
  }

  private func appendUpdate(_ buffer: RowBuffer, _ row: Int, _ snapshots: [CellSnapshot]) {
    let entity = model.entities[Int(buffer.entities[row])]
    var properties: [ObjectChange.Property] = []
    for property in Self.properties(entity) {
      guard let old = snapshots.first(where: { Int($0.slot) == property.slot }) else { continue }
      let new = buffer.snapshot(row: row, slot: property.slot)
      let (before, after) = (value(old, property, buffer), value(new, property, buffer))
      // Values that look alike may differ behind what is shown of them.
      if before == after, before?.wholeLength == nil || bytes(old, property, buffer) == bytes(new, property, buffer) {
        continue
      }
      properties.append(ObjectChange.Property(name: property.name, before: before, after: after))
    }
    // Set and set back, or moved in an order only.
    guard !properties.isEmpty else { return }
    let key = buffer.primaryKeys[row]
    let known = changes[attempt...].firstIndex { $0.primaryKey == key && $0.entity == entity.name }
    if let known { return join(properties, to: known) }
    changes.append(
      ObjectChange(
        kind: .updated, entity: entity.name, primaryKey: buffer.primaryKeys[row], properties: properties))
  }

  /// Adds what a later step of an attempt does to an object.
  private func join(_ properties: [ObjectChange.Property], to index: Int) {
    for property in properties {
      if let place = changes[index].properties.firstIndex(where: { $0.name == property.name }) {
        changes[index].properties[place].after = property.after
      } else {
        let isNew = changes[index].kind == .inserted
        changes[index].properties.append(
          ObjectChange.Property(
            name: property.name, before: isNew ? nil : property.before, after: property.after))
      }
    }
  }

  // MARK: Values

  private struct Property {
    var name: String
    var slot: Int
    /// `nil` for relationships.
    var attribute: AttributeDescription?
    var destination = 0
  }

  private static func properties(_ entity: EntityDescription) -> [Property] {
    entity.attributes.filter { !$0.isTransient && $0.type != .composite }
      .map { Property(name: $0.name, slot: $0.slot, attribute: $0) }
      + entity.relationships.filter { !$0.isToMany && !$0.isTransient }
      .map { Property(name: $0.name, slot: $0.slot, destination: $0.destinationEntity) }
  }

  private func value(_ cell: CellSnapshot, _ property: Property, _ buffer: RowBuffer) -> ObjectChange.Value? {
    switch cell.tag {
    case CellTag.integer:
      let number = Int64(bitPattern: cell.payload)
      guard let attribute = property.attribute else {
        let entity = cell.destinationEntity >= 0 ? Int(cell.destinationEntity) : property.destination
        let name = model.entities[entity].name
        return ObjectChange.Value(
          text: "\(name)/p\(number)", isText: true, target: .init(entity: name, primaryKey: number))
      }
      let isBoolean = attribute.type == .boolean
      return ObjectChange.Value(text: isBoolean ? (number != 0 ? "true" : "false") : "\(number)", isText: false)
    case CellTag.real:
      let number = Double(bitPattern: cell.payload)
      if property.attribute?.type == .date {
        return ObjectChange.Value(text: InstantText.text(number), isText: true)
      }
      return ObjectChange.Value(text: "\(number)", isText: !number.isFinite)
    case CellTag.text:
      return Self.text(buffer.arena.bytes(ByteRange(payload: cell.payload)))
    case CellTag.blob:
      let range = ByteRange(payload: cell.payload)
      if property.attribute?.type == .uuid, range.length == 16 {
        let (high, low) = UUIDText.halves(bytes: buffer.arena.bytes(range))
        return ObjectChange.Value(text: UniqueID(high: high, low: low).description, isText: true)
      }
      return Self.hexadecimal(bytes(cell, property, buffer))
    default: return nil
    }
  }

  /// The bytes of a text or a blob, which may be in a file beside the store.
  private func bytes(_ cell: CellSnapshot, _ property: Property, _ buffer: RowBuffer) -> [UInt8] {
    let bytes = Array(buffer.arena.bytes(ByteRange(payload: cell.payload)))
    let isExternal = property.attribute?.allowsExternalBinaryDataStorage == true
    return isExternal ? ExternalData.value(bytes, store: path) : bytes
  }

  /// A text, cut between characters when it is long.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> ObjectChange.Value {
    var end = min(bytes.count, ObjectChange.Value.greatestLength)
    while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return ObjectChange.Value(
      text: String(decoding: bytes[..<end], as: UTF8.self), isText: true,
      wholeLength: end < bytes.count ? bytes.count : nil)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> ObjectChange.Value {
    let shown = bytes.prefix(ObjectChange.Value.greatestLength / 2)
    return ObjectChange.Value(
      text: Hexadecimal.text(shown), isText: true,
      wholeLength: shown.count < bytes.count ? bytes.count : nil)
  }
}
