import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Reads what a look-up needs of the store into a table.
enum StoreLookupReader {
  /// The table of a look-up: the texts of one attribute by those of another; objects without either are left out.
  ///
  /// - Throws: `lookupTooLarge` beyond `memory` bytes; `database`.
  static func table(_ lookup: StoreLookup, store: PersistentStore, memory: Int) throws(ImportError) -> LookupTable {
    guard let entity = store.model.entity(named: lookup.entity),
      let key = entity.attribute(named: lookup.findBy), let value = entity.attribute(named: lookup.take)
    else { preconditionFailure("the look-up was checked against the model") }
    var builder = LookupTable.Builder()
    var isTooLarge = false
    let context = ManagedObjectContext(store: store)
    let buffer = context.buffer(root: entity.root)
    var keySink = TextBuffer()
    var valueSink = TextBuffer()
    do {
      let slots = key.slot == value.slot ? [key.slot] : [key.slot, value.slot]
      try store.access(root: entity.root).scan(entity: entity, slots: slots, buffer: buffer, blockSize: 4096) {
        for row in 0..<buffer.count where !isTooLarge {
          keySink.start(base: 0)
          valueSink.start(base: 0)
          guard append(buffer, row, key, &keySink), append(buffer, row, value, &valueSink) else { continue }
          keySink.withBytes { key in valueSink.withBytes { builder.add(key, $0) } }
          isTooLarge = builder.byteCount > memory
        }
      }
    } catch {
      throw ImportError(error)
    }
    if isTooLarge {
      throw ImportError(
        code: .lookupTooLarge,
        message: "the objects of \(lookup.entity) take more than \(memory >> 20) MiB as a table to look up; raise"
          + " “memory: { keys: ... }”")
    }
    return LookupTable(builder)
  }

  /// Appends a value as the steps of transforms write it; false for null.
  private static func append(
    _ buffer: RowBuffer, _ row: Int, _ attribute: AttributeDescription, _ sink: inout TextBuffer
  ) -> Bool {
    let payload = buffer.payloads[attribute.slot][row]
    switch buffer.tags[attribute.slot][row] {
    case CellTag.integer where attribute.type == .boolean:
      return ValueText.append(payload, 0, .boolean, to: &sink)
    case CellTag.integer: return ValueText.append(payload, 0, .integer, to: &sink)
    case CellTag.real: return ValueText.append(payload, 0, attribute.type == .date ? .date : .double, to: &sink)
    case CellTag.text:
      let range = ByteRange(payload: payload)
      return sink.append(buffer.arena.bytes(range).bindMemory(to: UInt8.self))
    default: return false
    }
  }
}

extension StoreLookup {
  /// Whether it reads values of objects that the store has which a new store computes later.
  func readsComputed(_ store: PersistentStore) -> Bool {
    guard let entity = store.model.entity(named: entity), store.maximum(root: entity.root) > 0 else { return false }
    return [findBy, take].contains { name in
      entity.attribute(named: name).map { store.schema.computesLater($0, of: entity) } ?? false
    }
  }

  /// Whether the records of a plan may change what the table has.
  func isChanged(by plan: ImportPlan, _ model: ManagedObjectModel) -> Bool {
    guard let entity = model.entity(named: self.entity) else { return false }
    // A derived value may change with anything.
    if [findBy, take].contains(where: { entity.attribute(named: $0)?.isDerived ?? false }) { return true }
    let plans = [plan] + plan.lists.flatMap(\.allPlans)
    return plan.rootsThatMayGo(model).contains(entity.root)
      || plans.flatMap(\.nodes).contains { node in
        node.rootEntity == entity.root && !node.isGiven
          && (node.mode != .update && node.createsMissing || !node.attributeFields.isEmpty)
      }
  }
}
