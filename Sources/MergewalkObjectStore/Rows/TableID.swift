public import MergewalkObjectModel

/// A table of rows as a context knows it: that of a root entity in one of the stores.
@usableFromInline package struct TableID: Hashable, Comparable, Sendable {
  @usableFromInline let place: Int32
  @usableFromInline let rootEntity: UInt16
  @usableFromInline let storeNumber: UInt16

  @inlinable init(place: Int, root: RootIndex, store: Int) {
    self.place = Int32(truncatingIfNeeded: place)
    rootEntity = UInt16(root.index)
    storeNumber = UInt16(store)
  }

  /// The table of a root entity in the first store, which is the only one of many contexts.
  @inlinable package init(root: RootIndex) { self.init(place: root.index, root: root, store: 0) }

  /// The table of a root entity in a store by its number.
  package init(root: RootIndex, store: Int, of model: ManagedObjectModel) {
    self.init(place: store * model.entities.count + root.index, root: root, store: store)
  }

  /// The place among all tables: those of the first store, then those of the next one.
  @inlinable package var index: Int { Int(place) }
  @inlinable package var root: RootIndex { RootIndex(Int(rootEntity)) }
  @inlinable package var store: Int { Int(storeNumber) }

  /// The table of another entity in the same store: relationships do not leave it.
  package func sibling(_ entity: EntityDescription) -> TableID {
    TableID(place: index - root.index + entity.rootIndex, root: entity.root, store: store)
  }

  /// Tables in the order of their stores, then of their root entities.
  @inlinable package static func < (left: TableID, right: TableID) -> Bool { left.place < right.place }
}
