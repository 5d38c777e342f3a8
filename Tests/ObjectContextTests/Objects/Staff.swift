import MergewalkObjectContext
import MergewalkObjectModel

// Classes for the model `Models.staff()`, written the two ways there are: property wrappers and plain accessors.

/// A counter of calls that objects which come and go leave behind.
final class CallLog {
  var calls: [String] = []
  func count(_ call: String) -> Int { calls.filter { $0 == call }.count }
}

enum Level: Int16, ManagedValue {
  case junior = 0
  case senior = 7
  static var emptyValue: Level { .junior }
}

class Unit: ManagedObject {
  @Managed("name") var name: String?
}

class Worker: Unit {
  @Managed("age") var age: Int16
  @Managed("level") var level: Level
  @Managed("badge") var badge: UniqueID?
  @Managed("hiredAt") var hiredAt: Timestamp?
  @Managed("wage") var wage: DecimalNumber?
  @Managed("active") var isActive: Bool
  @Managed("site") var site: String?
  @ManagedRelation("team") var team: Team?
  @ManagedRelation("tasks") var tasks: RelatedObjects<ManagedObject>
  @ManagedRelation("friends") var friends: RelatedObjects<Worker>

  nonisolated(unsafe) static var log: CallLog?
  var cache: String?
  /// What `willSave` does beside being counted.
  nonisolated(unsafe) static var onWillSave: ((Worker) -> Void)?
  nonisolated(unsafe) static var onFetch: ((Worker) -> Void)?

  private func note(_ call: String) { Self.log?.calls.append(call) }

  override func awakeFromInsert() {
    note("awakeFromInsert")
    super.awakeFromInsert()
  }
  override func awakeFromFetch() {
    note("awakeFromFetch")
    Self.onFetch?(self)
  }
  override func awake(fromSnapshotEvents events: SnapshotEvents) { note("snapshot \(events.rawValue)") }
  override func willSave() {
    note("willSave")
    Self.onWillSave?(self)
  }
  override func didSave() { note("didSave \(isDeleted) \(context == nil)") }
  override func prepareForDeletion() { note("prepareForDeletion \(team == nil)") }
  override func willTurnIntoFault() { note("willTurnIntoFault \(isFault)") }
  override func didTurnIntoFault() {
    note("didTurnIntoFault")
    cache = nil
  }
  override func willAccessValue(forKey key: String?) {
    note("willAccess \(key ?? "")")
    super.willAccessValue(forKey: key)
  }
  override func didAccessValue(forKey key: String?) { note("didAccess \(key ?? "")") }
  override func willChangeValue(forKey key: String) {
    note("willChange \(key)")
    super.willChangeValue(forKey: key)
  }
  override func didChangeValue(forKey key: String) {
    note("didChange \(key)")
    super.didChangeValue(forKey: key)
  }
  override func validateValue(_ value: inout AttributeValue, forKey key: String) throws {
    if key == "name", case .string(let text) = value {
      var trimmed = text[...]
      while trimmed.first == " " { trimmed.removeFirst() }
      value = .string(String(trimmed))
      if trimmed == "nobody" { throw ValidationError("is nobody", of: self, forKey: key, value: value) }
    }
    try super.validateValue(&value, forKey: key)
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if name == "boss", age < 40 { throw ValidationError("a boss is at least 40", of: self) }
  }
  override func validateForDelete() throws {
    if name == "founder" { throw Refusal.founder }
  }
}

enum Refusal: Error { case founder }

final class Chief: Worker {
  var bonus: Double {
    get { get("bonus") }
    set { set("bonus", newValue) }
  }
}

final class Team: Unit {
  var members: RelatedObjects<Worker> { relatedObjects("members") }
  var crew: RelatedObjects<Worker> {
    get { relatedObjects("crew") }
    set { crew.replace(with: Array(newValue)) }
  }
}

extension Models {
  /// Unit > (Worker > Chief, Team), Task: with classes for all but Task.
  static func staff() throws -> ManagedObjectModel {
    var name = attribute("name", .string)
    name.validation.maximumLength = 20
    var age = attribute("age", .integer16)
    age.defaultValue = .integer(18)
    age.validation.minimumValue = .integer(14)
    var mood = attribute("mood", .string)
    mood.isTransient = true
    var thing = attribute("thing", .undefined)
    thing.isTransient = true
    return try model(
      entity("Unit", abstract: true, attributes: [name]),
      entity(
        "Worker", parent: "Unit",
        attributes: [
          age, attribute("level", .integer16), attribute("badge", .uuid), attribute("hiredAt", .date),
          attribute("wage", .decimal), attribute("active", .boolean), attribute("site", .uri),
          attribute("photo", .binary), attribute("rate", .float), mood, thing,
        ],
        relationships: [
          toOne("team", "Team", inverse: "members"), toOne("crewOf", "Team", inverse: "crew"),
          toMany("tasks", "Task", inverse: "workers"), toMany("friends", "Worker", inverse: "friends"),
        ]),
      entity("Chief", parent: "Worker", attributes: [attribute("bonus", .double)]),
      entity(
        "Team", parent: "Unit",
        relationships: [
          toMany("members", "Worker", inverse: "team"), toMany("crew", "Worker", inverse: "crewOf", ordered: true),
        ]),
      entity(
        "Task", attributes: [attribute("title", .string)],
        relationships: [toMany("workers", "Worker", inverse: "tasks", ordered: true)]))
  }
}

extension Workplace {
  /// A place with the classes of ``Models/staff()``.
  static func staffed() throws -> Workplace {
    let place = try Workplace(try Models.staff())
    try place.setStaffClasses()
    return place
  }

  func setStaffClasses() throws {
    try coordinator.setClasses(["Unit": Unit.self, "Worker": Worker.self, "Chief": Chief.self, "Team": Team.self])
  }
}
