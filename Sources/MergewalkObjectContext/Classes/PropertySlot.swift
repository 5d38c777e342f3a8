public import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization

/// The position of an attribute or a relationship in the objects of a class, looked up by name only once.
///
/// Generated accessors have one for each property, shared by all objects, contexts and threads:
///
/// ```swift
/// private enum IssueSlots { static let title = PropertySlot("title") }
/// extension Issue { var title: String? { get { get(IssueSlots.title) } set { set(IssueSlots.title, newValue) } } }
/// ```
public final class PropertySlot: Sendable {
  /// The property's name.
  public let key: String
  /// The result of the last search.
  private let known = SlotMemory()

  /// Names a property.
  public init(_ key: String) { self.key = key }

  /// The access data for accessors, for objects of an entity; `nil` when there is no such attribute.
  @inline(__always)
  func access(_ link: ContextLink, entity: Int) -> EntityDescription.AttributeAccess? {
    if let bits = known.bits(link.modelSerial, entity) { return EntityDescription.AttributeAccess(bits: bits) }
    return look(link.model, entity)
  }

  @inline(never)
  private func look(_ model: ManagedObjectModel, _ entity: Int) -> EntityDescription.AttributeAccess? {
    guard let found = model.entities[entity].attributeAccess(named: key) else { return nil }
    if let bits = found.bits { known.set(bits, model.serial, entity) }
    return found
  }

  /// The relationship that objects of an entity have; `nil` when there is none of this name.
  @inline(__always)
  func relationship(_ link: ContextLink, entity index: Int) -> RelationshipDescription? {
    let entity = link.model.entities[index]
    if let bits = known.bits(link.modelSerial, index) { return entity.relationships[Int(bits)] }
    guard let position = entity.relationshipPosition(named: key) else { return nil }
    if position < 1 << 16 { known.set(UInt64(position), link.modelSerial, index) }
    return entity.relationships[position]
  }
}

/// The last result of a slot: the model, the entity, and bits for the result, in one number, so that threads see all of
/// it or none.
struct SlotMemory: ~Copyable, Sendable {
  /// The number; 0 for nothing: no model has the number 0.
  private let word = Atomic<UInt64>(0)

  /// How many bits there are.
  static let width = 23

  /// The bits noted for an entity of the model with a serial number; `nil` when they are not the last result.
  @inline(__always)
  func bits(_ model: UInt64, _ entity: Int) -> UInt64? {
    let word = word.load(ordering: .relaxed)
    return word &>> Self.width == Self.owner(model, entity) ? word & (1 &<< Self.width &- 1) : nil
  }

  /// Notes what was found; a program with two million models looks up each time.
  func set(_ bits: UInt64, _ model: UInt64, _ entity: Int) {
    guard model < 1 << 25 else { return }
    word.store(Self.owner(model, entity) &<< Self.width | bits, ordering: .relaxed)
  }

  @inline(__always)
  private static func owner(_ model: UInt64, _ entity: Int) -> UInt64 {
    model &<< 16 | UInt64(truncatingIfNeeded: entity)
  }
}

extension EntityDescription.AttributeAccess {
  @inline(__always)
  fileprivate init(bits: UInt64) {
    // The number of the case: a search for the raw value takes longer than reading the cell.
    self.init(
      slot: Int(bits & 0xFFFF),
      type: unsafeBitCast(UInt8(truncatingIfNeeded: bits &>> 16 & 0x1F), to: AttributeType.self),
      isExternal: bits &>> 21 & 1 == 1, isDerived: bits &>> 22 & 1 == 1)
  }

  /// All of it in ``SlotMemory/width`` bits; `nil` for a slot beyond 16 bits.
  fileprivate var bits: UInt64? {
    guard slot < 1 << 16 else { return nil }
    let type = UInt64(unsafeBitCast(type, to: UInt8.self))
    return UInt64(slot) | type << 16 | (isExternal ? 1 << 21 : 0) | (isDerived ? 1 << 22 : 0)
  }
}

extension ManagedObject {
  /// The value of an attribute: like ``get(_:)-(String)``, without a name look-up.
  @inlinable
  public final func get<Value: ManagedValue>(_ slot: PropertySlot) -> Value {
    let value = slotValue(slot)
    if case .null = value { return Value.emptyValue }
    if let typed = Value(attributeValue: value) { return typed }
    return unreadableValue(value, slot.key)
  }

  /// Sets an attribute: like ``set(_:_:)-(String,_)``.
  @inlinable
  public final func set<Value: ManagedValue>(_ slot: PropertySlot, _ value: Value) {
    setSlotValue(slot, value.attributeValue)
  }

  /// Unavailable: objects are the values of relationships.
  @available(*, unavailable, message: "this property refers to an object: mark it with @Relationship")
  public final func get<Other: ManagedObject>(_ slot: PropertySlot) -> Other? { nil }
  /// Unavailable: objects are the values of relationships.
  @available(*, unavailable, message: "this property refers to an object: mark it with @Relationship")
  public final func set<Other: ManagedObject>(_ slot: PropertySlot, _ value: Other?) {}

  /// The value of an attribute; `.null` when it cannot be read.
  @usableFromInline
  final func slotValue(_ slot: PropertySlot) -> AttributeValue {
    link.checkThread()
    if flags.isDisjoint(with: [.hasAccessHooks, .needsAwakening, .isInaccessible]), row >= 0, isOfGeneration,
      let access = slot.access(link, entity: entityIndex),
      let value = link.valueInBuffer(table, { $0.knownValue(row: row, access) })
    {
      return value
    }
    return readOrEmpty(slot.key) { () throws(ObjectError) in try value(forKey: slot.key) }
  }

  @usableFromInline
  final func setSlotValue(_ slot: PropertySlot, _ value: AttributeValue) {
    let access = slot.access(link, entity: entityIndex)
    let stored: AttributeValue =
      switch (value, access?.type) {
      case (.string(let text), .uri): .uri(text)
      case (.double(let number), .date): .date(number)
      default: value
      }
    if let access, setDirectly(stored, access) { return }
    change(slot.key) { () throws(ObjectError) in try setValue(stored, forKey: slot.key) }
  }

  /// A value that the type has no room for; the next save says so.
  @usableFromInline
  final func unreadableValue<Value: ManagedValue>(_ value: AttributeValue, _ key: String) -> Value { typed(value, key) }
}
