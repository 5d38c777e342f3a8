import Foundation
import MergewalkFoundation
import MergewalkObjects

/// What a generated class is, written by hand: accessors over slots, and keys for typed queries.
final class Project: ManagedObject {
  @Managed("key") var key: String
  @Managed("name") var name: String
  @ManagedRelation("issues") var issues: RelatedObjects<Issue>
}

enum State: String, TextValue {
  case open, done
  static var emptyValue: State { .open }
}

final class Issue: ManagedObject {
  private enum Slots {
    static let number = PropertySlot("number")
    static let title = PropertySlot("title")
    static let state = PropertySlot("state")
    static let createdAt = PropertySlot("createdAt")
  }
  var number: Int32 {
    get { get(Slots.number) }
    set { set(Slots.number, newValue) }
  }
  var title: String {
    get { get(Slots.title) }
    set { set(Slots.title, newValue) }
  }
  var state: State {
    get { get(Slots.state) }
    set { set(Slots.state, newValue) }
  }
  var createdAt: Date {
    get { get(Slots.createdAt) }
    set { set(Slots.createdAt, newValue) }
  }
  @ManagedRelation("project") var project: Project?

  override func validateForInsert() throws {
    try super.validateForInsert()
    if title.isEmpty { throw ValidationError("an issue has a title", of: self, forKey: "title") }
  }
}

extension ObjectKeys where Object: Project {
  var key: AttributeKey<String> { AttributeKey("key") }
  var name: AttributeKey<String> { AttributeKey("name") }
}

extension ObjectKeys where Object: Issue {
  var number: AttributeKey<Int32> { AttributeKey("number") }
  var title: AttributeKey<String> { AttributeKey("title") }
  var state: AttributeKey<State> { AttributeKey("state") }
  var createdAt: AttributeKey<Date> { AttributeKey("createdAt") }
  var project: ToOneKey<Project> { ToOneKey("project") }
}

/// The model, with the classes of its objects.
func trackerModel() throws -> ManagedObjectModel {
  let model = try ManagedObjectModel(
    ModelDraft(
      name: "Tracker",
      hierarchies: [
        .entity(
          "Project", .attribute("key", .string), .attribute("name", .string),
          .toMany("issues", "Issue", inverse: "project", deleteRule: .cascade)),
        .entity(
          "Issue", .attribute("number", .integer32), .attribute("title", .string), .attribute("state", .string),
          .attribute("createdAt", .date), .toOne("project", "Project", inverse: "issues")),
      ]))
  try model.register([Project.self, Issue.self])
  return model
}
