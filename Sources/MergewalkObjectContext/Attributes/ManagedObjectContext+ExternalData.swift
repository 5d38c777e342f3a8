import MergewalkObjectModel
import MergewalkObjectStore

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
  func writeExternalData(_ run: SaveRun, store number: Int) throws(StoreError) {
    guard let store = storeList.store(number), store.type == .sqlite else { return }
    let files = store.file.externalFiles
    for changes in run.plan.roots where changes.buffer.table.store == number {
      let slots = store.externalSlots(root: changes.buffer.rootEntity)
      if slots.isEmpty { continue }
      if !run.externalMarks.contains(where: { $0.files === files }) {
        run.externalMarks.append((files, files.mark, number))
      }
      let name = store.schema.table(forRoot: changes.buffer.rootEntity).name
      for slot in slots {
        try write(changes.inserted, slot, changes.buffer, name, store, run)
        for (mask, rows) in changes.updated where mask[slot >> 6] >> (UInt64(slot) & 63) & 1 == 1 {
          try write(rows, slot, changes.buffer, name, store, run)
        }
      }
    }
    try files.sync()
  }

  private func write(
    _ rows: ContiguousArray<Int32>, _ slot: Int, _ buffer: RowBuffer, _ table: String, _ store: PersistentStore,
    _ run: SaveRun
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
      run.externalized.append(ExternalizedCell(buffer: buffer, row: row, slot: slot, payload: payload))
      buffer.payloads[slot][Int(row)] = name.withUnsafeBytes { buffer.arena.append($0).payload }
    }
  }
}

extension ManagedObjectContext {
  /// The cell with the value itself for one that names a file; `nil` for all other cells, and when the file is gone.
  ///
  /// Whoever keeps a cell longer than the row needs the value: the file goes away with the row's.
  func inlineCell(_ buffer: RowBuffer, row: Int, slot: Int) -> [UInt8]? {
    guard buffer.tags[slot][row] == CellTag.blob else { return nil }
    let range = ByteRange(payload: buffer.payloads[slot][row])
    guard range.length == ExternalData.fileCellLength, buffer.arena.bytes(range).first == ExternalData.fileTag,
      store(table: buffer.table).externalSlots(root: buffer.rootEntity).contains(slot),
      case .binary(let bytes)? = try? externalValue(buffer.arena.bytes(range), table: buffer.table)
    else { return nil }
    return [ExternalData.inlineTag] + bytes
  }
}

extension ManagedObject {
  /// Whether a cell is the value that the row has in a file.
  final func isExternalValue(_ cell: StoredCell, slot: Int, _ context: ManagedObjectContext) -> Bool {
    guard cell.tag == CellTag.blob, cell.bytes.first == ExternalData.inlineTag else { return false }
    return context.inlineCell(context.buffer(table: table), row: row, slot: slot) == cell.bytes
  }
}

extension SaveRun {
  /// Puts values back into their rows and removes the files that were made for them.
  func undoExternalData(_ isMeant: (_ store: Int) -> Bool) {
    for cell in externalized where isMeant(cell.buffer.table.store) {
      cell.buffer.payloads[cell.slot][Int(cell.row)] = cell.payload
    }
    for (files, mark, store) in externalMarks where isMeant(store) { files.removeMade(since: mark) }
  }

  /// The values in files are safe: what they were kept in before is not needed any more.
  func finishExternalData() {
    for cell in externalized { cell.buffer.garbageBytes += ByteRange(payload: cell.payload).length }
  }
}
