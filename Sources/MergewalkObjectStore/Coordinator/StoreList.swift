package import MergewalkObjectModel

/// A companion of a list of stores that hears of stores that come and go.
package protocol StoreListObserver: AnyObject {
  /// A store was added or removed.
  func storeListChanged(_ store: PersistentStore, isPresent: Bool)
}

/// The stores of a coordinator by number: a store keeps its number for as long as the coordinator lives, also after it
/// was removed, because contexts know rows by it.
package final class StoreList {
  /// The stores, also those that were removed.
  @exclusivity(unchecked) package private(set) var all: [PersistentStore] = []
  /// Whether stores were removed.
  @exclusivity(unchecked) private var isRemoved: [Bool] = []
  /// The UUIDs, also of stores that were removed.
  package private(set) var identifiers: [String] = []
  /// Data that other layers keep with a coordinator, such as the classes of objects.
  package var companions: [ObjectIdentifier: AnyObject] = [:]
  /// A number that moves when one of the stores is written: here, or as far as it was noticed elsewhere.
  package var writeMark: Int { all.reduce(0) { $0 + $1.writes } }
  @exclusivity(unchecked) private var nextTemporaryKey = ManagedObjectID.firstTemporaryKey

  package init() {}

  /// Adds a store and returns its number.
  @discardableResult
  package func append(_ store: PersistentStore) -> Int {
    all.append(store)
    isRemoved.append(false)
    identifiers.append(store.identifier)
    tell(store, isPresent: true)
    return all.count - 1
  }

  /// Whether another store of a model can have a number: numbers and those of tables are kept in few bits.
  package func hasRoom(for model: ManagedObjectModel) -> Bool {
    all.count < 1 << 16 && (all.count + 1) * max(1, model.entities.count) <= 1 << 30
  }

  /// Puts a store with the same records into the place of another one, so that contexts continue with it.
  package func replace(_ store: PersistentStore, with other: PersistentStore) {
    for number in all.indices where all[number] === store {
      all[number] = other
      identifiers[number] = other.identifier
    }
  }

  /// Takes a store out; its number stays taken.
  package func remove(_ store: PersistentStore) {
    for number in all.indices where all[number] === store && !isRemoved[number] {
      isRemoved[number] = true
      tell(store, isPresent: false)
    }
  }

  private func tell(_ store: PersistentStore, isPresent: Bool) {
    for companion in companions.values {
      (companion as? any StoreListObserver)?.storeListChanged(store, isPresent: isPresent)
    }
  }

  /// The numbers of the stores that were not removed.
  package var numbers: [Int] { all.indices.filter { !isRemoved[$0] } }

  /// The stores that were not removed.
  package var stores: [PersistentStore] { numbers.map { all[$0] } }

  /// The store with a number; `nil` when it was removed.
  package func store(_ number: Int) -> PersistentStore? { isRemoved[number] ? nil : all[number] }

  /// The number of the store with a UUID; `nil` when there is none.
  package func number(of identifier: String) -> Int? {
    numbers.first { identifiers[$0] == identifier }
  }

  /// A key for a record that was never saved: unique among all contexts on the coordinator, negative, ascending.
  package func takeTemporaryKey() -> Int64 {
    defer { nextTemporaryKey += 1 }
    return nextTemporaryKey
  }
}
