import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

// The model of ``RandomUse``: every type of attribute and kind of relationship, and classes whose hooks do more than hooks
// should.

/// What the hooks of the objects call, if anything.
enum Meddling {
  nonisolated(unsafe) static var body: (() -> Void)?
}

class UsedUnit: ManagedObject {
  enum Color: Int16, ManagedValue {
    case red = 1
    case blue = 2
    static var emptyValue: Color { .red }
    static var fallbackValue: Color? { .red }
  }

  @Managed("name") var name: String
  @Managed("i16") var small: Int16
  @Managed("i64") var large: Int64
  @Managed("dec") var sum: DecimalNumber?
  @Managed("color") var color: Color
  @ManagedRelation("boss") var boss: UsedUnit?
  @ManagedRelation("staff") var staff: RelatedObjects<UsedUnit>
  @ManagedRelation("tags") var tags: RelatedObjects<UsedTag>
  @ManagedRelation("plan") var plan: RelatedObjects<UsedTag>

  override func awakeFromInsert() { Meddling.body?() }
  override func awakeFromFetch() { Meddling.body?() }
  override func awake(fromSnapshotEvents events: SnapshotEvents) { Meddling.body?() }
  override func willSave() { Meddling.body?() }
  override func didSave() { Meddling.body?() }
  override func prepareForDeletion() { Meddling.body?() }
  override func willTurnIntoFault() { Meddling.body?() }
  override func didTurnIntoFault() { Meddling.body?() }
  override func willAccessValue(forKey key: String?) {
    super.willAccessValue(forKey: key)
    Meddling.body?()
  }
  override func didChangeValue(forKey key: String) {
    super.didChangeValue(forKey: key)
    Meddling.body?()
  }
  override func validateForDelete() throws {
    Meddling.body?()
    try super.validateForDelete()
  }
  override func validateValue(_ value: inout AttributeValue, forKey key: String) throws {
    Meddling.body?()
    try super.validateValue(&value, forKey: key)
  }
}

final class UsedSquad: UsedUnit {}

final class UsedTag: ManagedObject {
  @Managed("title") var title: String
  @ManagedRelation("units") var units: RelatedObjects<UsedUnit>
}

/// A policy that lets others work before and after it resolves conflicts.
final class MeddlingPolicy: MergePolicy {
  override func resolve(
    optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
  ) throws(SaveError) {
    Meddling.body?()
    try super.resolve(optimisticLockingConflicts: conflicts, in: context)
    Meddling.body?()
  }
}

extension RandomUse {
  static func model() throws -> ManagedObjectModel {
    let model = try ManagedObjectModel(ModelDraft(name: "Use", hierarchies: [unit, tag, place]))
    try model.register([UsedUnit.self, UsedSquad.self, UsedTag.self])
    return model
  }

  private static var unit: EntityTree {
    .entity(
      "UsedUnit",
      .attribute("name", .string), .attribute("i16", Int16?.self), .attribute("i32", .integer32, default: .integer(7)),
      .attribute("i64", Int64?.self), .attribute("dec", DecimalNumber?.self), .attribute("dbl", Double?.self),
      .attribute("flt", Float?.self), .attribute("flag", Bool?.self), .attribute("day", Timestamp?.self),
      .attribute("bin", [UInt8]?.self, external: true), .attribute("uid", UniqueID?.self),
      .attribute("uri", .uri, isOptional: true), .attribute("color", Int16?.self),
      .attribute("score", Int32?.self, minimum: 0, maximum: 100),
      .attribute("code", String?.self, minimum: 1, maximum: 5, pattern: "[a-z]*"),
      .transformable("obj", isOptional: true), .attribute("temp", .string, isOptional: true, isTransient: true),
      .attribute("any", .undefined, isOptional: true, isTransient: true),
      .derived("staffCount", .integer64, from: "staff.@count"), .derived("upper", .string, from: "uppercase:(name)"),
      .derived("stamp", .date, from: "now()"),
      .toOne("boss", "UsedUnit", inverse: "staff", isOptional: true),
      .toMany("staff", "UsedUnit", inverse: "boss", deleteRule: .cascade),
      .toMany("tags", "UsedTag", inverse: "units"),
      .toMany("plan", "UsedTag", inverse: "planned", isOrdered: true),
      .toOne("buddy", "UsedUnit", inverse: "buddy", isOptional: true),
      .toMany("friends", "UsedUnit", inverse: "friends"), .toOne("idol", "UsedUnit", inverse: nil, isOptional: true),
      .toMany("heard", "UsedTag", inverse: nil), .toOne("home", "Place", inverse: "owners", isOptional: true),
      .toMany("leads", "UsedSquad", inverse: "lead", deleteRule: .deny),
      .fetched("same", "UsedUnit", where: "name == $FETCH_SOURCE.name"), unique: [["name"]],
      subentities: [
        .entity("UsedSquad", .attribute("size", Int32?.self), .toOne("lead", "UsedUnit", inverse: "leads"))
      ])
  }

  private static var tag: EntityTree {
    .entity(
      "UsedTag", .attribute("title", String?.self),
      .toMany("units", "UsedUnit", inverse: "tags", isOrdered: true, deleteRule: .deny),
      .toOne("planned", "UsedUnit", inverse: "plan", isOptional: true))
  }

  private static var place: EntityTree {
    .entity(
      "Place", className: "", isAbstract: true, .attribute("lat", Double?.self),
      .toMany("owners", "UsedUnit", inverse: "home", minimum: 1, maximum: 2, deleteRule: .deny),
      subentities: [.entity("City", className: "", .attribute("zip", String?.self), unique: [["zip"]])])
  }
}
