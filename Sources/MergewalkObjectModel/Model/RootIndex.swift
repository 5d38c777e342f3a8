/// The index of a root entity in the entities of its model: not that of any entity.
@usableFromInline package struct RootIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The index among all entities of the model.
  @usableFromInline package let index: Int

  /// Creates it where an index is known to be that of a root.
  @inlinable package init(_ index: Int) { self.index = index }

  /// The number alone, as statements and messages show it.
  @inlinable package var description: String { String(index) }

  /// Roots in the order of the model's entities.
  @inlinable package static func < (left: RootIndex, right: RootIndex) -> Bool { left.index < right.index }
}
