public import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization

/// Where the objects of a class have an attribute: looked up by name once, then known.
///
/// Generated accessors have one for each attribute, shared by all objects, contexts and threads:
///
/// ```swift
/// private enum IssueSlots { static let title = AttributeSlot("title") }
/// extension Issue { var title: String? { get { get(IssueSlots.title) } set { set(IssueSlots.title, newValue) } } }
/// ```
public final class AttributeSlot: Sendable {
  /// The attribute's name.
  public let key: String
  /// What was found last: the model, the entity, the slot, the type and whether bytes may be in a file, in one number, so
  /// that threads see all of it or none; 0 for nothing.
  private let known = Atomic<UInt64>(0)

  /// Names an attribute.
  public init(_ key: String) { self.key = key }

  /// What reading has to know, for objects of an entity; `nil` when there is no such attribute.
  @inline(__always)
  func access(_ model: ManagedObjectModel, entity: Int) -> Access? {
    let word = known.load(ordering: .relaxed)
    let owner = (model.serial &<< 16 | UInt64(entity)) &<< 22
    if word & Self.ownerMask == owner { return Access(word: word) }
    return look(model, entity, owner)
  }

  @inline(never)
  private func look(_ model: ManagedObjectModel, _ entity: Int, _ owner: UInt64) -> Access? {
    guard let found = model.entities[entity].attributeAccess(named: key) else { return nil }
    let word = owner | UInt64(found.slot) | UInt64(found.type.rawValue / 100) << 16 | (found.isExternal ? 1 << 21 : 0)
    // A program with four million models, or a slot beyond 16 bits, looks up each time.
    if model.serial < 1 << 26, found.slot < 1 << 16 {
      known.store(word, ordering: .relaxed)
      return Access(word: word)
    }
    return Access(slot: found.slot, type: found.type, isExternal: found.isExternal)
  }

  private static var ownerMask: UInt64 { ~0 &<< 22 }

  /// What reading has to know.
  struct Access {
    var slot: Int
    var type: AttributeType
    var isExternal: Bool

    init(slot: Int, type: AttributeType, isExternal: Bool) {
      self.slot = slot
      self.type = type
      self.isExternal = isExternal
    }

    @inline(__always)
    init(word: UInt64) {
      slot = Int(word & 0xFFFF)
      type = AttributeType(rawValue: Int32(truncatingIfNeeded: word >> 16 & 0x1F) &* 100) ?? .undefined
      isExternal = word >> 21 & 1 == 1
    }
  }
}

extension ManagedObject {
  /// The value of an attribute: as ``get(_:)-(String)``, without looking for its name.
  @inlinable
  public final func get<Value: ManagedValue>(_ slot: AttributeSlot) -> Value {
    let value = slotValue(slot)
    if case .null = value { return Value.emptyValue }
    if let typed = Value(attributeValue: value) { return typed }
    return unreadableValue(value, slot.key)
  }

  /// Sets an attribute: as ``set(_:_:)-(String,_)``.
  @inlinable
  public final func set<Value: ManagedValue>(_ slot: AttributeSlot, _ value: Value) {
    setSlotValue(slot, value.attributeValue)
  }

  /// Not there: objects are the values of relationships.
  @available(*, unavailable, message: "this property refers to an object: mark it with @Relationship")
  public final func get<Other: ManagedObject>(_ slot: AttributeSlot) -> Other? { nil }
  /// Not there: objects are the values of relationships.
  @available(*, unavailable, message: "this property refers to an object: mark it with @Relationship")
  public final func set<Other: ManagedObject>(_ slot: AttributeSlot, _ value: Other?) {}

  /// The value of an attribute; `.null` when it cannot be read.
  @usableFromInline
  final func slotValue(_ slot: AttributeSlot) -> AttributeValue {
    if flags.isDisjoint(with: [.hasAccessHooks, .needsAwakening, .isInaccessible]),
      let context = link.context, row >= 0, isOfGeneration(context),
      let access = slot.access(link.model, entity: entityIndex)
    {
      context.checkThread()
      let buffer = context.buffer(table: table)
      if buffer.realize(row: row) || buffer.isKnown(row: row, slot: access.slot) {
        let tag = buffer.tags[access.slot][row]
        if !(access.isExternal && tag == CellTag.blob) {
          return access.type.value(tag: tag, payload: buffer.payloads[access.slot][row], buffer.arena)
        }
      }
    }
    return readOrEmpty(slot.key) { () throws(ObjectError) in try value(forKey: slot.key) }
  }

  @usableFromInline
  final func setSlotValue(_ slot: AttributeSlot, _ value: AttributeValue) {
    let stored: AttributeValue =
      switch (value, slot.access(link.model, entity: entityIndex)?.type) {
      case (.string(let text), .uri): .uri(text)
      case (.double(let number), .date): .date(number)
      default: value
      }
    change(slot.key) { () throws(ObjectError) in try setValue(stored, forKey: slot.key) }
  }

  /// A value that the type has no room for; the next save says so.
  @usableFromInline
  final func unreadableValue<Value: ManagedValue>(_ value: AttributeValue, _ key: String) -> Value { typed(value, key) }
}
