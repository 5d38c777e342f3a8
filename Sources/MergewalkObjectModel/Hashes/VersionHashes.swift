import MergewalkBytes

/// The version hashes of a model, which Core Data compares when it opens a store.
///
/// Rules and evidence: `../shared/coredata-format.md`, parts 3.2 and 3.3. Bytes are those of UTF-8, numbers are
/// little-endian with 32 bits.
extension ManagedObjectModel {
  /// The 32 bytes of an entity's version hash.
  ///
  /// - Complexity: O(properties of the entity and its ancestors); use ``versionHashes`` for all of them.
  public func versionHash(of entity: EntityDescription) -> [UInt8] {
    var parentHash: [UInt8]?
    if let parent = entity.superentityIndex { parentHash = versionHash(of: entities[parent]) }
    return versionHash(of: entity, parentHash: parentHash)
  }

  /// The names and 32-byte hashes of all entities, sorted by name (code points).
  public var versionHashes: [(name: String, hash: [UInt8])] {
    var hashes: [[UInt8]] = []
    for entity in entities {
      // Parents come before what inherits from them.
      hashes.append(versionHash(of: entity, parentHash: entity.superentityIndex.map { hashes[$0] }))
    }
    return zip(entities, hashes).map { ($0.name, $1) }.sorted { CodePointOrder.precedes($0.name, $1.name) }
  }

  /// `NSStoreModelVersionHashesDigest`: base64 of SHA-512 over the names and hashes.
  public var versionHashesDigest: String { Self.versionHashesDigest(of: versionHashes) }

  /// `NSStoreModelVersionChecksumKey`: base64 of SHA-256 over the hashes.
  public var versionChecksum: String { Self.versionChecksum(of: versionHashes) }

  /// The digest of given hashes, such as those of a store's metadata, sorted by name (code points).
  public static func versionHashesDigest(of hashes: [(name: String, hash: [UInt8])]) -> String {
    var bytes: [UInt8] = []
    for (name, hash) in hashes {
      bytes += name.utf8
      bytes += hash
    }
    return Base64.text(Digests.sha512(bytes))
  }

  /// The checksum of given hashes, such as those of a store's metadata, sorted by name (code points).
  public static func versionChecksum(of hashes: [(name: String, hash: [UInt8])]) -> String {
    Base64.text(Digests.sha256(hashes.flatMap(\.hash)))
  }

  private func versionHash(of entity: EntityDescription, parentHash: [UInt8]?) -> [UInt8] {
    var properties: [(name: String, hash: [UInt8])] = []
    // Which bytes composite attributes give is not known; here they are those of an attribute and of its elements.
    for attribute in entity.compositeAttributes where !attribute.isTransient {
      let elements = entity.attributes.filter { $0.compositeKey == attribute.name }
      properties.append(
        (attribute.name, Digests.sha256(Self.hash(of: attribute) + elements.flatMap { Self.hash(of: $0) })))
    }
    for attribute in entity.attributes where !attribute.isTransient && attribute.compositeKey == nil {
      properties.append((attribute.name, Self.hash(of: attribute)))
    }
    for relationship in entity.relationships where !relationship.isTransient {
      properties.append((relationship.name, hash(of: relationship)))
    }
    properties.sort { CodePointOrder.precedes($0.name, $1.name) }

    var bytes = Array(entity.name.utf8)
    bytes.append(entity.isAbstract ? 1 : 0)
    bytes += parentHash ?? []
    for property in properties { bytes += property.hash }
    bytes += (entity.declaration.versionHashModifier ?? "").utf8
    let constraints = entity.declaration.uniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: CodePointOrder.precedes) { bytes += constraint.utf8 }
    return Digests.sha256(bytes)
  }

  private static func base(_ name: String, isOptional: Bool, modifier: String?) -> [UInt8] {
    Digests.sha256(Array(name.utf8) + [isOptional ? 1 : 0, 0] + Array((modifier ?? "").utf8))
  }

  private static func hash(of attribute: AttributeDescription) -> [UInt8] {
    if let expression = attribute.derivationExpression {
      return Digests.sha256(Array(DerivationText.normalised(expression).utf8))
    }
    var bytes = base(attribute.name, isOptional: attribute.isOptional, modifier: attribute.versionHashModifier)
    bytes += littleEndian(attribute.type.rawValue)
    if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
    if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
    return Digests.sha256(bytes)
  }

  private func hash(of relationship: RelationshipDescription) -> [UInt8] {
    var bytes = Self.base(
      relationship.name, isOptional: relationship.isOptional, modifier: relationship.versionHashModifier)
    bytes += relationship.destinationEntityName.utf8
    // A relationship that is its own inverse leaves the name out, in the inherited copies too.
    let owner = entities[relationship.declaringEntity].name
    let isOwnInverse = relationship.inverseName == relationship.name && relationship.destinationEntityName == owner
    if let inverse = relationship.inverseName, !isOwnInverse { bytes += inverse.utf8 }
    bytes += Self.littleEndian(Int32(clamping: relationship.maxCount))
    bytes += Self.littleEndian(Int32(clamping: relationship.minCount))
    if relationship.isOrdered { bytes += [1, 0] }
    return Digests.sha256(bytes)
  }

  private static func littleEndian(_ value: Int32) -> [UInt8] {
    let bits = UInt32(bitPattern: value)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }
}
