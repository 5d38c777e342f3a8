import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// Issues of projects, with typed keys written by hand as code generation writes them.
enum Tracker {
  static func model() throws -> ManagedObjectModel {
    let model = try Models.model(
      Models.entity(
        "Project", attributes: [Models.attribute("key", .string), Models.attribute("name", .string)],
        relationships: [Models.toMany("issues", "Ticket", inverse: "project")]),
      Models.entity(
        "Ticket",
        attributes: [
          Models.attribute("title", .string), Models.attribute("state", .string),
          Models.attribute("points", .integer32),
          Models.attribute("createdAt", .date), Models.attribute("cost", .decimal), Models.attribute("token", .uuid),
          Models.attribute("blob", .binary),
        ],
        relationships: [
          Models.toOne("project", "Project", inverse: "issues"), Models.toMany("labels", "Label", inverse: "issues"),
        ]),
      Models.entity(
        "Label", attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("issues", "Ticket", inverse: "labels")]))
    try model.register([Project.self, Ticket.self, Label.self])
    return model
  }

  /// Two projects with three issues each, of which the last ones are done; every second one has the label "bug".
  static func place() throws -> Workplace {
    let place = try Workplace(try model())
    let bug = try place.context.insert(Label.self)
    bug.name = "bug"
    for key in ["A", "B"] {
      let project = try place.context.insert(Project.self)
      (project.key, project.name) = (key, "Project \(key)")
      for number in 1...3 {
        let issue = try place.context.insert(Ticket.self)
        issue.title = "\(key)\(number)"
        issue.state = number == 3 ? .done : .open
        issue.points = Int32(number)
        issue.createdAt = Timestamp(secondsSinceReferenceDate: Double(number) + (key == "B" ? 10 : 0))
        issue.project = project
        if number.isMultiple(of: 2) { issue.labels.insert(bug) }
      }
    }
    try place.context.save()
    return place
  }
}

enum IssueState: String, TextValue {
  case open, done
  static var emptyValue: IssueState { .open }
}

final class Project: ManagedObject {
  @Managed("key") var key: String
  @Managed("name") var name: String?
}

final class Ticket: ManagedObject {
  private static let titleSlot = PropertySlot("title")
  private static let pointsSlot = PropertySlot("points")
  var title: String {
    get { get(Self.titleSlot) }
    set { set(Self.titleSlot, newValue) }
  }
  var points: Int32? {
    get { get(Self.pointsSlot) }
    set { set(Self.pointsSlot, newValue) }
  }
  @Managed("state") var state: IssueState
  @Managed("createdAt") var createdAt: Timestamp
  @ManagedRelation("project") var project: Project?
  @ManagedRelation("labels") var labels: RelatedObjects<Label>
}

final class Label: ManagedObject {
  @Managed("name") var name: String
}

extension ObjectKeys where Object: Project {
  var key: AttributeKey<String> { AttributeKey("key") }
  var name: AttributeKey<String?> { AttributeKey("name") }
  var issues: ToManyKey<Ticket> { ToManyKey("issues") }
}

extension ObjectKeys where Object: Ticket {
  var title: AttributeKey<String> { AttributeKey("title") }
  var state: AttributeKey<IssueState> { AttributeKey("state") }
  var points: AttributeKey<Int32?> { AttributeKey("points") }
  var createdAt: AttributeKey<Timestamp> { AttributeKey("createdAt") }
  var token: AttributeKey<UniqueID?> { AttributeKey("token") }
  var blob: AttributeKey<[UInt8]?> { AttributeKey("blob") }
  var project: ToOneKey<Project> { ToOneKey("project") }
  var labels: ToManyKey<Label> { ToManyKey("labels") }
}

extension ObjectKeys where Object: Label {
  var name: AttributeKey<String> { AttributeKey("name") }
  var issues: ToManyKey<Ticket> { ToManyKey("issues") }
}
