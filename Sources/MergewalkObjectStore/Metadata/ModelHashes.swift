import MergewalkObjectModel

/// The version hashes of a model's entities, with the texts that sum them up.
package struct ModelHashes: Sendable, Hashable {
  package struct Entity: Sendable, Hashable {
    package var name: String
    /// 32 bytes.
    package var hash: [UInt8]
  }

  /// The entities, sorted by name (code points).
  package let entities: [Entity]

  /// Takes hashes from anywhere, such as a store's metadata.
  package init(_ entities: [Entity]) {
    self.entities = entities.sorted { CodePointOrder.precedes($0.name, $1.name) }
  }

  /// Computes the hashes of the entities that a schema stores.
  package init(_ schema: StoreSchema) {
    let stored = Set(schema.model.entities.filter { schema.entityNumbers[$0.index] > 0 }.map(\.name))
    self.init(
      schema.model.versionHashes.filter { stored.contains($0.name) }.map { Entity(name: $0.name, hash: $0.hash) })
  }

  /// The digest that belongs to these hashes, base64.
  package var digest: String {
    ManagedObjectModel.versionHashesDigest(of: entities.map { (name: $0.name, hash: $0.hash) })
  }

  /// The checksum that belongs to these hashes, base64.
  package var checksum: String {
    ManagedObjectModel.versionChecksum(of: entities.map { (name: $0.name, hash: $0.hash) })
  }

  /// How the hashes of a model differ from those of a store.
  package func differences(fromStore store: ModelHashes) -> ModelDifferences {
    let mine = Dictionary(entities.map { ($0.name, $0.hash) }) { first, _ in first }
    let theirs = Dictionary(store.entities.map { ($0.name, $0.hash) }) { first, _ in first }
    var result = ModelDifferences()
    result.differing = entities.filter { theirs[$0.name] != nil && theirs[$0.name] != $0.hash }.map(\.name)
    result.missingInStore = entities.filter { theirs[$0.name] == nil }.map(\.name)
    result.missingInModel = store.entities.filter { mine[$0.name] == nil }.map(\.name)
    return result
  }
}
