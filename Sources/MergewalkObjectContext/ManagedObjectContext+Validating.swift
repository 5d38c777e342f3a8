public import MergewalkObjectModel
package import MergewalkObjectStore

/// A violation of the model's requirements by one object.
public struct ObjectValidationFailure: Sendable, Hashable, CustomStringConvertible {
  /// The entity's name.
  public var entity: String
  /// The primary key of the object.
  public var primaryKey: Int64
  /// The property's name.
  public var property: String
  /// The kind of failure.
  public var code: ObjectFailureCode
  /// The row's table, which names the row buffer.
  package var table: TableID
  package var row: Int32
  /// The object's ID, temporary for one that was never saved.
  public var objectID: ManagedObjectID?
  /// The invalid value, if it is an attribute's.
  public var value: AttributeValue?
  /// The reason in the program's words, for people; `nil` for requirements of the model.
  public var message: String?
  /// The object's title: its `name`, `title` or `label`, or else its first required text; `nil` without one.
  public var title: String?

  /// The failure as a sentence for people: `Issue “Fix login”: state is required`, or, for an object without a name,
  /// with its number: `Issue 17: …`, `new Issue 1: …`.
  public var sentence: String {
    let subject: String
    if let title {
      subject = "\(entity) \(Self.quoted(title))"
    } else if primaryKey < 0 {
      subject = "new \(entity) \(ManagedObjectID.number(ofTemporaryKey: primaryKey))"
    } else {
      subject = "\(entity) \(primaryKey)"
    }
    return "\(subject): \(problem)"
  }

  private var problem: String {
    let name = property.isEmpty ? "" : "\(property): "
    switch code {
    case .custom: return name + (message ?? "is refused")
    case .notSet: return "\(property) was not set: \(message ?? "")"
    case .unreadable: return "\(property) cannot be read: \(message ?? "")"
    case .value(.missing): return "\(property) is required"
    case .value(let code): return "\(property)\(shownValue) \(code.message)"
    case .tooFewObjects: return "\(property) has too few objects"
    case .tooManyObjects: return "\(property) has too many objects"
    case .deletionDenied: return "\(property) still has objects, so it cannot be deleted"
    }
  }

  private var shownValue: String {
    switch value {
    case .string(let text)?, .uri(let text)?: " \(Self.quoted(text))"
    case .integer(let number)?: " \(number)"
    case .decimal(let number)?: " \(number)"
    case .double(let number)?: " \(number)"
    case .date(let seconds)?: " \(DateText.text(seconds.rounded(.down)) ?? "\(seconds) s")"
    default: ""
    }
  }

  /// The beginning of a text, in quotes.
  private static func quoted(_ text: String) -> String {
    text.count > 40 ? "“\(text.prefix(39))…”" : "“\(text)”"
  }

  /// The sentence and the code, such as `Issue “Fix login”: state is required [validate.missing]`.
  public var description: String { "\(sentence) [\(code.name)]" }
}

extension ManagedObjectContext {
  /// Gives findings the names of their objects, as far as these are here.
  func addTitles(_ failures: inout [ObjectValidationFailure]) {
    for index in failures.indices {
      let (buffer, row) = (buffer(table: failures[index].table), Int(failures[index].row))
      guard row >= 0, row < buffer.count, buffer.primaryKeys[row] == failures[index].primaryKey,
        let slot = model.entities[Int(buffer.entities[row])].titleSlot, buffer.tags[slot][row] == CellTag.text
      else { continue }
      let bytes = buffer.arena.bytes(ByteRange(payload: buffer.payloads[slot][row]))
      if !bytes.isEmpty { failures[index].title = String(decoding: bytes, as: UTF8.self) }
    }
  }
}

extension EntityDescription {
  /// The slot of the text that people know objects by.
  fileprivate var titleSlot: Int? {
    let texts = attributes.filter { $0.type == .string && !$0.isTransient }
    for name in ["name", "title", "label"] {
      if let found = texts.first(where: { $0.name == name }) { return found.slot }
    }
    return texts.first { !$0.isOptional }?.slot
  }
}

/// The rules of one entity, ready to be applied to rows.
struct EntityValidator {
  /// The rules of attributes that have any, by slot.
  let attributes: [(slot: Int, name: String, rule: AttributeValidator)]
  /// The to-one relationships that must refer to something.
  let mandatory: [(slot: Int, name: String)]
  /// The to-many relationships that must have, or must not exceed, some number of objects.
  let counted: [RelationshipDescription]

  init(_ entity: EntityDescription) {
    attributes = entity.attributes.compactMap { attribute in
      if attribute.isDerived { return nil }
      let rule = AttributeValidator(attribute)
      return rule.canFail ? (attribute.slot, attribute.name, rule) : nil
    }
    mandatory = entity.relationships.compactMap { relationship in
      relationship.isToMany || relationship.isOptional ? nil : (relationship.slot, relationship.name)
    }
    counted = entity.relationships.filter { relationship in
      relationship.isToMany && !relationship.isTransient
        && (!relationship.isOptional || relationship.minCount > 0 || relationship.maxCount > 0)
    }
  }
}

extension ManagedObjectContext {
  /// Everything that is wrong with the rows that the next save would insert or update.
  ///
  /// Of an updated row only the cells that were set are looked at: the others came from the store.
  func validate(_ buffer: RowBuffer) -> [ObjectValidationFailure] {
    var failures: [ObjectValidationFailure] = []
    // Rows of one entity and state follow each other nearly always, so each run of them is checked column by column.
    var run = ContiguousArray<Int32>()
    var runEntity: Int32 = -1
    var runState = RowState.free
    run.reserveCapacity(buffer.touchedRows.count)
    for touched in buffer.touchedRows {
      let row = Int(touched)
      let state = buffer.states[row]
      guard state == RowState.inserted || state == RowState.updated else { continue }
      if buffer.entities[row] != runEntity || state != runState {
        validate(run, buffer, Int(runEntity), isNew: runState == RowState.inserted, &failures)
        run.removeAll(keepingCapacity: true)
        runEntity = buffer.entities[row]
        runState = state
      }
      run.append(touched)
    }
    validate(run, buffer, Int(runEntity), isNew: runState == RowState.inserted, &failures)
    return failures
  }

  private func validate(
    _ rows: ContiguousArray<Int32>, _ buffer: RowBuffer, _ entity: Int, isNew: Bool,
    _ failures: inout [ObjectValidationFailure]
  ) {
    guard !rows.isEmpty else { return }
    let rules = validator(model.entities[entity])
    func report(_ row: Int32, _ property: String, _ code: ValidationFailureCode) {
      let (place, attribute) = (Int(row), model.entities[entity].attributeAccess(named: property))
      failures.append(
        ObjectValidationFailure(
          entity: model.entities[entity].name, primaryKey: buffer.primaryKeys[Int(row)], property: property,
          code: .value(code), table: buffer.table, row: row,
          objectID: objectID(table: buffer.table, entity: entity, primaryKey: buffer.primaryKeys[place]),
          value: attribute.map {
            $0.type.value(tag: buffer.tags[$0.slot][place], payload: buffer.payloads[$0.slot][place], buffer.arena)
          }))
    }
    for (slot, name, rule) in rules.attributes {
      let checked = isNew ? rows : rows.filter { buffer.isDirty(row: Int($0), slot: slot) }
      checked.withUnsafeBufferPointer { checked in
        rule.check(rows: checked, tags: buffer.tags[slot], payloads: buffer.payloads[slot], arena: buffer.arena.base) {
          report($0, name, $1)
        }
      }
    }
    let postponed = postponedSlots[buffer.table]
    for (slot, name) in rules.mandatory {
      // What is set later may be missing for now, but what was there must not go: another object may have taken it.
      let mayBeMissing = isNew && postponed?.contains(slot) ?? false
      let tags = buffer.tags[slot]
      for row in rows where tags[Int(row)] == CellTag.null && (isNew || buffer.isDirty(row: Int(row), slot: slot)) {
        if !mayBeMissing { report(row, name, .missing) }
      }
    }
  }
}
