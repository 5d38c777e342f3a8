import MergewalkMacros

// What the DocC catalogues show, compiled; CatalogueTests hold the pages against this file.

private enum Shown {
  @Managed final class Project: ManagedObject {
    var key: String
    var name: String
    @Relationship(inverse: "project") var issues: RelatedObjects<Issue>
  }

  enum State: String, TextValue {
    case open, done
    static var emptyValue: State { .open }
  }

  @Managed final class Issue: ManagedObject {
    var title: String
    var points: Int16 = 1
    @Relationship(inverse: "issues") var project: Project?
    var state: State = .open
    var createdAt: Timestamp
  }

  final class Note: ManagedObject {
    @Managed("text") var text: String
  }

  static func gettingStarted() async throws {
    let model = try ManagedObjectModel(
      ModelDraft(name: "Notes", hierarchies: [.entity("Note", .attribute("text", .string))]))
    try model.register([Note.self])
    let container = try await PersistentContainer.open(model, at: "notes.sqlite")

    try await container.write { context in
      try context.insert(Note.self).text = "Buy milk"
    }
    let count = try await container.read { context in
      try context.count(Note.self, where: .contains(\.text, "milk"))
    }
    print(count)
  }

  static func tracker() async throws {
    let model = try ManagedObjectModel(name: "Tracker", classes: [Issue.self, Project.self])
    try model.register([Issue.self, Project.self])
    let container = try await PersistentContainer.open(model, at: "shop.sqlite")
    let open = try await container.read { context in
      try context.fetch(Issue.self, where: \.state != .done, sort: [.descending(\.createdAt)], limit: 20).map(\.title)
    }
    print(open)
  }

  static func concurrency(_ container: PersistentContainer) async throws {
    let titles = try await container.read { context in try context.fetch(Issue.self).map(\.title) }
    try await container.write { context in try context.insert(Issue.self).title = "Fix login" }
    for try await id in container.stream(FetchRequest("Issue")) { print(id, titles) }
  }

  static func elsewhere(_ container: PersistentContainer) async throws {
    let titles = try await container.read { context in
      try context.fetch(Issue.self, where: \.state != .done).map(\.title)
    }
    print(titles)
  }

  static func queries(_ context: ManagedObjectContext, _ key: String) throws {
    let mine = try context.fetch(
      Issue.self,
      where: \.state != .done && \.project.key == key
        && .contains(\.title, "login", [.caseInsensitive, .diacriticInsensitive]),
      sort: [.descending(\.createdAt)], limit: 20)
    for (title, project) in try context.select(\.title, \.project.name, from: Issue.self) { _ = (title, project) }
    for (state, count, points) in try context.select(\.state, \.objectCount, \.points.sum, from: Issue.self) {
      _ = (state, count, points, mine)
    }
    let issues = try context.fetch(
      Issue.self, where: \.state != .done && \.project.key == key, sort: [.descending(\.createdAt)], limit: 20)
    print(issues)
  }

  static func shortQuery(_ context: ManagedObjectContext, _ key: String) throws {
    let issues = try context.fetch(Issue.self, where: \.state != .done && \.project.key == key)
    print(issues)
  }

  static func migration(_ model: ManagedObjectModel) async throws {
    var options = PersistentStoreOptions()
    (options.migratesAutomatically, options.infersMapping) = (true, true)
    let container = try await PersistentContainer.open(model, at: "shop.sqlite", options: options)
    let removed = await container.withCoordinator { $0.store?.migration?.removed ?? [] }
    for removal in removed { print(removal) }
    try await container.close()
  }
}

extension ObjectKeys where Object: Shown.Note {
  fileprivate var text: AttributeKey<String> { AttributeKey("text") }
}
