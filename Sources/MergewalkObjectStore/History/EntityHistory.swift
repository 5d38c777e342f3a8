package import MergewalkObjectModel

/// How history numbers the properties of one entity.
///
/// Two orders, both by name (code points) over everything the entity has, inherited properties included; entities of
/// one table so have different orders.
///
/// * `ZCOLUMNS`: attributes and relationships that are stored, in one list. Property `n` is bit `n`, counted from the
///   most significant bit of the first byte. There are as many bytes as the bits need together with one for each entity
///   column and each order column of the entity's to-one relationships, which are never set.
/// * `ZTOMBSTONEn`: attributes that persistent history keeps after deletion. Values are stored as in the entity's table;
///   the place of an attribute that may be stored in files stays empty.
///
/// Source: `docs/coredata-layout.md`, "History".
package struct EntityHistory {
  /// The names of the properties, by their bits.
  let names: [String]
  /// The slots of the properties, by their bits.
  private let slots: [Int]
  /// The attributes that are kept, by their columns.
  let tombstones: [AttributeDescription]

  /// How long a bit set is.
  package let byteCount: Int

  /// The rules for an entity of a model.
  package init(_ entity: EntityDescription, in model: ManagedObjectModel) {
    let attributes = entity.attributes.lazy.filter { !$0.isTransient }.map { (name: $0.name, slot: $0.slot) }
    let relationships = entity.relationships.lazy.filter { !$0.isTransient }.map { (name: $0.name, slot: $0.slot) }
    let properties = (Array(attributes) + Array(relationships)).sorted { CodePointOrder.precedes($0.name, $1.name) }
    names = properties.map(\.name)
    slots = properties.map(\.slot)
    var columns = properties.count
    for relationship in entity.relationships where !relationship.isTransient && !relationship.isToMany {
      if model.entities[relationship.destinationEntity].hasSubentities { columns += 1 }
      if let inverse = model.inverse(of: relationship), inverse.isToMany, inverse.isOrdered { columns += 1 }
    }
    byteCount = (columns + 7) / 8
    tombstones = Self.tombstones(of: entity)
  }

  /// How many values a deleted record leaves at most: as many columns do its changes need.
  static func tombstoneCount(in model: ManagedObjectModel) -> Int {
    model.entities.map { tombstones(of: $0).count }.max() ?? 0
  }

  private static func tombstones(of entity: EntityDescription) -> [AttributeDescription] {
    entity.attributes.filter { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }
  }

  /// Appends the bit set of the properties at some slots; slots of other entities do not count.
  func appendBits(ofSlots set: [UInt64], to bytes: inout ContiguousArray<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    for (bit, slot) in slots.enumerated() {
      let word = slot >> 6
      guard word < set.count, set[word] >> (UInt64(slot) & 63) & 1 == 1 else { continue }
      bytes[start + bit >> 3] |= 0x80 >> UInt8(bit & 7)
    }
  }

  /// The names that a bit set stands for; `nil` when it has bits that stand for nothing, because another version of the
  /// model wrote it or because it is damaged: a part of the answer would be a wrong one.
  func names(bits: UnsafeRawBufferPointer) -> [String]? {
    // A bit set has some bytes; what is far longer is none, and must not be walked through for every change.
    guard bits.count <= byteCount + 4096 else { return nil }
    var result: [String] = []
    for (index, byte) in bits.enumerated() where byte != 0 {
      for offset in 0..<8 where byte & (0x80 >> UInt8(offset)) != 0 {
        let bit = index * 8 + offset
        guard bit < names.count else { return nil }
        result.append(names[bit])
      }
    }
    return result
  }
}
