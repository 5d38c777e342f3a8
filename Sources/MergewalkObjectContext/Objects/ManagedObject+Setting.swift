import MergewalkObjectModel
import MergewalkObjectStore

/// The short way to set attributes.
///
/// Setting is done a hundred thousand times in a row, and nearly always nobody listens, the values are here, and the
/// value is one that the attribute's type has: then it goes straight into its column. Everything else, errors included,
/// is the business of ``ManagedObject/setValue(_:forKey:)``, which comes to the same result by itself.
extension ManagedObject {
  /// Sets an attribute if that takes no hook, no store, no file and no error; returns whether it did.
  @inline(__always)
  final func setDirectly(_ value: AttributeValue, _ access: EntityDescription.AttributeAccess) -> Bool {
    guard flags.isDisjoint(with: [.hasChangeHooks, .needsAwakening, .isInaccessible]),
      !(extras?.followsChanges ?? false), let context = link.context, row >= 0, isOfGeneration(context),
      context.recorder == nil, !context.hasAccessFailures, !access.isDerived
    else { return false }
    context.checkThread()
    let buffer = context.buffer(table: table)
    guard access.slot < buffer.columnCount, buffer.realize(row: row) else { return false }
    let isChange: Bool
    switch (value, access.type) {
    case (.null, _): isChange = set(access.slot, CellTag.null, 0, in: buffer)
    case (.boolean(let flag), .boolean): isChange = set(access.slot, CellTag.integer, flag ? 1 : 0, in: buffer)
    case (.integer(let number), .integer16), (.integer(let number), .integer32), (.integer(let number), .integer64):
      isChange = set(access.slot, CellTag.integer, UInt64(bitPattern: number), in: buffer)
    case (.double(let number), .double), (.date(let number), .date):
      isChange = set(access.slot, CellTag.real, number.bitPattern, in: buffer)
    case (.double(let number), .float):
      isChange = set(access.slot, CellTag.real, Double(Float(number)).bitPattern, in: buffer)
    case (.string(var text), .string), (.uri(var text), .uri):
      isChange = text.withUTF8 { bytes in
        buffer.set(
          row: row, slot: access.slot, tag: CellTag.text, payload: ByteRange(offset: 0, length: bytes.count).payload,
          arena: UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(buffer.arena.base))
      }
    default: return false
    }
    if isChange, flags.contains(.hasHooks) { flags.insert(.wasSet) }
    return true
  }

  @inline(__always)
  private func set(_ slot: Int, _ tag: UInt8, _ payload: UInt64, in buffer: RowBuffer) -> Bool {
    buffer.set(row: row, slot: slot, tag: tag, payload: payload, arena: UnsafeRawPointer(buffer.arena.base))
  }
}
