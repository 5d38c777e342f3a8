/// The numbers that a store gives the entities of a model, by the entities' indexes: memory that stays in place, for row
/// sources.
final class EntityNumberTable {
  /// `Z_ENT` of each entity; 0 for entities that the store has not.
  let numbers: UnsafePointer<Int32>
  private let memory: UnsafeMutablePointer<Int32>

  init(_ schema: StoreSchema) {
    memory = .allocate(capacity: max(schema.entityNumbers.count, 1))
    for (index, number) in schema.entityNumbers.enumerated() {
      (memory + index).initialize(to: Int32(truncatingIfNeeded: number))
    }
    numbers = UnsafePointer(memory)
  }

  deinit { memory.deallocate() }
}
