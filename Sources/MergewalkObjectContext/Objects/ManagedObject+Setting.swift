import MergewalkObjectModel
import MergewalkObjectStore

/// The short way to set attributes.
///
/// Setting is done a hundred thousand times in a row, and nearly always no hook or observer listens, the values are here, and the
/// value is one that the attribute's type has: then it goes straight into its column. Everything else, errors included,
/// is the business of ``ManagedObject/setValue(_:forKey:)``, which comes to the same result by itself.
extension ManagedObject {
  /// Sets an attribute if that takes no hook, no store, no file and no error; returns whether it did.
  @inline(__always)
  final func setDirectly(_ value: AttributeValue, _ access: EntityDescription.AttributeAccess) -> Bool {
    link.checkThread()
    guard flags.isDisjoint(with: [.hasChangeHooks, .needsAwakening, .isInaccessible]),
      !(extras?.followsChanges ?? false), row >= 0, isOfGeneration, !access.isDerived,
      link.withContext({ $0.recorder == nil && !$0.hasAccessFailures }) ?? false,
      let isChange = link.withBuffer(table, { setDirectly(value, access, in: $0) }), let isChange
    else { return false }
    if isChange, flags.contains(.hasHooks) { flags.insert(.wasSet) }
    return true
  }

  /// Returns whether that was a change; `nil` when there is more to it.
  @inline(__always)
  private func setDirectly(
    _ value: AttributeValue, _ access: EntityDescription.AttributeAccess, in buffer: RowBuffer
  ) -> Bool? {
    let slot = access.slot
    guard slot < buffer.columnCount, buffer.realize(row: row) else { return nil }
    switch (value, access.type) {
    case (.null, _): return set(slot, CellTag.null, 0, in: buffer)
    case (.boolean(let flag), .boolean): return set(slot, CellTag.integer, flag ? 1 : 0, in: buffer)
    case (.integer(let number), .integer16), (.integer(let number), .integer32), (.integer(let number), .integer64):
      return set(slot, CellTag.integer, UInt64(bitPattern: number), in: buffer)
    case (.double(let number), .double), (.date(let number), .date):
      return set(slot, CellTag.real, number.bitPattern, in: buffer)
    case (.double(let number), .float): return set(slot, CellTag.real, Double(Float(number)).bitPattern, in: buffer)
    case (.string(var text), .string), (.uri(var text), .uri):
      return text.withUTF8 { bytes in
        if buffer.arena.count + bytes.count > buffer.byteLimit { return nil }
        return buffer.set(
          row: row, slot: slot, tag: CellTag.text, payload: ByteRange(offset: 0, length: bytes.count).payload,
          arena: UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(buffer.arena.base))
      }
    default: return nil
    }
  }

  @inline(__always)
  private func set(_ slot: Int, _ tag: UInt8, _ payload: UInt64, in buffer: RowBuffer) -> Bool {
    buffer.set(row: row, slot: slot, tag: tag, payload: payload, arena: UnsafeRawPointer(buffer.arena.base))
  }
}
