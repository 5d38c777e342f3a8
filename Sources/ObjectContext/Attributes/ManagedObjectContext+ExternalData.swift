import ObjectModel
import ObjectStore

/// A cell whose value went into a file.
struct ExternalizedCell {
  var buffer: RowBuffer
  var row: Int32
  var slot: Int
  /// The cell's payload before.
  var payload: UInt64
}

extension ManagedObjectContext {
  /// Writes large values of attributes that allow it into files beside the store, and makes their cells name them.
  ///
  /// - Complexity: O(changed rows) of tables with such attributes; nothing for others.
  func writeExternalData(_ plan: SavePlan, _ journal: SaveJournal, store number: Int) throws(StoreError) {
    guard let store = storeList.store(number), store.type == .sqlite else { return }
    let files = store.file.externalFiles
    for changes in plan.roots where storeNumber(changes.buffer.table) == number {
      let slots = store.externalSlots(root: changes.buffer.rootEntity)
      if slots.isEmpty { continue }
      if !journal.externalMarks.contains(where: { $0.files === files }) {
        journal.externalMarks.append((files, files.mark))
      }
      let name = store.schema.table(forRoot: changes.buffer.rootEntity).name
      for slot in slots {
        try write(changes.inserted, slot, changes.buffer, name, store, journal)
        for (mask, rows) in changes.updated where mask[slot >> 6] >> (UInt64(slot) & 63) & 1 == 1 {
          try write(rows, slot, changes.buffer, name, store, journal)
        }
      }
    }
    try files.sync()
  }

  private func write(
    _ rows: ContiguousArray<Int32>, _ slot: Int, _ buffer: RowBuffer, _ table: String, _ store: PersistentStore,
    _ journal: SaveJournal
  ) throws(StoreError) {
    let threshold = store.options.externalDataThreshold
    for row in rows where buffer.tags[slot][Int(row)] == CellTag.blob {
      let payload = buffer.payloads[slot][Int(row)]
      let range = ByteRange(payload: payload)
      guard range.length > threshold + 1 else { continue }
      let cell = buffer.arena.bytes(range)
      guard cell.first == ExternalData.inlineTag else { continue }
      let name = try store.file.externalFiles.write(
        UnsafeRawBufferPointer(rebasing: cell.dropFirst()), table: table, primaryKey: buffer.primaryKeys[Int(row)],
        slot: slot)
      journal.externalized.append(ExternalizedCell(buffer: buffer, row: row, slot: slot, payload: payload))
      buffer.payloads[slot][Int(row)] = name.withUnsafeBytes { buffer.arena.append($0).payload }
    }
  }
}

extension ManagedObject {
  /// Whether a cell is the value that the row has in a file.
  final func isExternalValue(_ cell: StoredCell, slot: Int) -> Bool {
    let context = validContext
    let buffer = context.buffer(table: table)
    guard cell.tag == CellTag.blob, cell.bytes.first == ExternalData.inlineTag, buffer.tags[slot][row] == CellTag.blob
    else { return false }
    let known = buffer.arena.bytes(ByteRange(payload: buffer.payloads[slot][row]))
    guard known.count == ExternalData.fileCellLength, known.first == ExternalData.fileTag,
      entity.attributes.contains(where: { $0.slot == slot && $0.allowsExternalBinaryDataStorage }),
      case .binary(let bytes)? = try? context.externalValue(buffer, row: row, slot: slot)
    else { return false }
    return bytes.count == cell.bytes.count - 1 && bytes.elementsEqual(cell.bytes.dropFirst())
  }
}

extension SaveJournal {
  /// Puts values back into their rows and removes the files that were made for them.
  func undoExternalData() {
    for cell in externalized { cell.buffer.payloads[cell.slot][Int(cell.row)] = cell.payload }
    for (files, mark) in externalMarks { files.removeMade(since: mark) }
  }

  /// The values in files are safe: what they were kept in before is not needed any more.
  func finishExternalData() {
    for cell in externalized { cell.buffer.garbageBytes += ByteRange(payload: cell.payload).length }
  }
}
