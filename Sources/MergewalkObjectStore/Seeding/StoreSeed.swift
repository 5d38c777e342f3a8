import MergewalkPropertyLists

/// The mark in a store's metadata that it has default data: "import once".
///
/// The mark is written in the transaction that writes the last of the data, so a store that was created but not filled
/// has none. Reading it needs no fetch and no model:
///
/// ```swift
/// let seeds = try StoreMetadata.read(path: "shop.sqlite").seeds
/// ```
///
/// Source: Core Data Programming Guide, "Frequently Asked Questions", on initializing a store with default data.
public struct StoreSeed: Sendable, Hashable {
  /// The key in the metadata; its value is an array with one dictionary for each seed.
  public static let key = "MergewalkSeed"

  /// The identity of the data, chosen by its author, such as `airports-2026`.
  public var identity: String
  /// The 128-bit XXH3 of the prepared store's contents in hexadecimal digits; `nil` for objects created by code.
  public var digest: String?

  /// Creates a mark.
  public init(identity: String, digest: String? = nil) {
    self.identity = identity
    self.digest = digest
  }

  var propertyList: PropertyList {
    ["identity": .string(identity), "digest": digest.map { .string($0) }, "complete": .boolean(true)]
  }

  /// Reads a mark; `nil` for anything else, and for data that are not said to be complete.
  init?(_ value: PropertyList) {
    guard case .string(let identity)? = value["identity"], case .boolean(true)? = value["complete"] else { return nil }
    self.init(identity: identity, digest: value["digest"]?.string)
  }
}

extension StoreMetadata {
  /// The default data of the store, in the order in which it was installed.
  public var seeds: [StoreSeed] {
    get { self[StoreSeed.key]?.elements?.compactMap(StoreSeed.init) ?? [] }
    set { self[StoreSeed.key] = newValue.isEmpty ? nil : .array(newValue.map(\.propertyList)) }
  }

  /// Whether the store has the default data of this name.
  public func hasSeed(_ identity: String) -> Bool { seeds.contains { $0.identity == identity } }

  /// Notes that the store has got default data; a mark of the same name is replaced.
  mutating func addSeed(_ seed: StoreSeed) {
    seeds = seeds.filter { $0.identity != seed.identity } + [seed]
  }
}

extension StoreFile {
  /// Notes in the metadata that the store has got default data, as part of the transaction that is open.
  package func markSeed(_ seed: StoreSeed) throws(StoreError) {
    try begin()
    var changed = metadata
    changed.addSeed(seed)
    try writeMetadata(changed)
  }
}
