import MergewalkObjectModel
import MergewalkObjectStore

/// Objects whose changes are dropped, by a refresh or a merge policy, and what becomes of their one-to-one partners.
extension ManagedObjectContext {
  /// Sets cells of a row back to what they were, and has the other ends of its one-to-one relationships follow.
  func withPartnersFollowing(_ buffer: RowBuffer, row: Int, _ setBack: () -> Void) throws(StoreError) {
    let before = partners(buffer, row: row)
    setBack()
    for (relationship, before) in zip(oneToOnes(of: buffer, row), before)
    where buffer.reference(row: row, slot: relationship.slot) != before {
      try agree(FormerPartner(buffer: buffer, row: row, relationship: relationship, key: before))
    }
  }

  /// Drops the changes of an object with one-to-one partners that were set here, who follow: they lose it, or have it
  /// again.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database`; nothing has changed then.
  /// - Complexity: One SELECT for an object whose partners changed, and one for each of them.
  func dropChangesWithPartners(_ object: ManagedObject) throws(ObjectError) {
    let (buffer, row) = (buffer(table: object.table), object.row)
    let relationships = oneToOnes(of: buffer, row)
    guard
      relationships.contains(where: {
        committedReference(buffer, row, $0.slot) != buffer.reference(row: row, slot: $0.slot)
      })
    else { return }
    var current: (buffer: RowBuffer, row: Int, slots: [Int]?)?
    do { current = try origin.current(object) } catch {
      // A record that is gone has no partners.
      guard error.code == .notFound else { throw error }
    }
    if let current { try buffer.requireRoom(for: current.row, of: current.buffer, slots: current.slots) }
    try objectErrors { () throws(StoreError) in
      try withPartnersFollowing(buffer, row: row) {
        buffer.rollBack(row: row)
        if let current {
          buffer.takeStored(row: row, from: current.buffer, row: current.row, slots: current.slots)
        } else {
          for relationship in relationships {
            buffer.setReference(row: row, slot: relationship.slot, primaryKey: 0, destinationEntity: -1)
          }
        }
      }
    }
  }
}
