import Foundation
import MergewalkFoundation
import MergewalkObjects

/// A request as a web framework would hand it over.
enum Request: Sendable {
  case createProject(key: String, name: String)
  case createIssue(project: String, title: String)
  case close(project: String, number: Int32)
  case list(project: String, state: State, limit: Int)
  case show(project: String, number: Int32)
  case summary
}

/// What goes wrong in a way that a client may know.
enum Failure: WriteFailure, Equatable {
  case notFound(String)
  case invalid(String)
  case database(String)

  init(_ error: SaveError) {
    self =
      error.code == .validation ? .invalid("\(error.failures.first?.message ?? error.message)") : .database("\(error)")
  }
  init(_ error: ObjectError) { self = .database("\(error)") }
}

/// The handlers: each request is one read or one write.
struct Server: Sendable {
  let container: PersistentContainer

  /// The answer as JSON.
  func answer(_ request: Request) async throws(Failure) -> String {
    switch request {
    case .createProject(let key, let name):
      return try await write { context throws(ObjectError) in
        let project = try context.insert(Project.self)
        (project.key, project.name) = (key, name)
        return ObjectSnapshot(["key": .string(key)])
      }
    case .createIssue(let key, let title):
      return try await write { context throws(Failure) in
        let project = try Self.project(key, context)
        let issue = try Self.run { () throws(ObjectError) in try context.insert(Issue.self) }
        issue.number = Int32(project.issues.count + 1)
        (issue.title, issue.state, issue.project) = (title, .open, project)
        issue.createdAt = Date(timeIntervalSinceReferenceDate: 0)
        return ObjectSnapshot(["number": .integer(Int64(issue.number))])
      }
    case .close(let key, let number):
      return try await write { context throws(Failure) in
        let issue = try Self.issue(key, number, context)
        issue.state = .done
        return try Self.run { () throws(ObjectError) in try issue.snapshot(keys: ["number", "state"]) }
      }
    case .list(let key, let state, let limit):
      return try await read { context throws(ObjectError) in
        let rows = try context.select(
          \.number, \.title, from: Issue.self, where: \.state == state && \.project.key == key,
          sort: [.ascending(\.number)], limit: limit)
        return rows.map { ObjectSnapshot(["number": .integer(Int64($0.0)), "title": .string($0.1)]) }
      }
    case .show(let key, let number):
      return try await read { context throws(Failure) in
        let issue = try Self.issue(key, number, context)
        return try Self.run { () throws(ObjectError) in
          [try issue.snapshot(keys: ["number", "title", "state", "project.name"])]
        }
      }
    case .summary:
      return try await read { context throws(ObjectError) in
        try context.select(\.project.key, \.state, \.objectCount, from: Issue.self)
          .sorted { ($0.0 ?? "", $0.1.rawValue) < ($1.0 ?? "", $1.1.rawValue) }
          .map {
            ObjectSnapshot([
              "project": .string($0.0 ?? ""), "state": .string($0.1.rawValue), "count": .integer(Int64($0.2)),
            ])
          }
      }
    }
  }

  // MARK: Reads and writes

  private func read<Thrown: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Thrown) -> [ObjectSnapshot]
  ) async throws(Failure) -> String {
    try await container.read { context throws(Failure) in
      try Self.json(try Self.run { () throws(Thrown) in try body(context) })
    }
  }

  private func write<Thrown: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Thrown) -> ObjectSnapshot
  ) async throws(Failure) -> String {
    try await container.write { context throws(Failure) in
      try Self.json([try Self.run { () throws(Thrown) in try body(context) }])
    }
  }

  private static func run<Value, Thrown: Error>(_ body: () throws(Thrown) -> Value) throws(Failure) -> Value {
    do {
      return try body()
    } catch let error as Failure {
      throw error
    } catch {
      throw .database("\(error)")
    }
  }

  private static func json(_ snapshots: [ObjectSnapshot]) throws(Failure) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try run { String(decoding: try encoder.encode(snapshots), as: UTF8.self) }
  }

  // MARK: Finding

  private static func project(_ key: String, _ context: ManagedObjectContext) throws(Failure) -> Project {
    let found = try run { () throws(ObjectError) in try context.first(Project.self, where: \.key == key) }
    guard let found else { throw .notFound("project \(key)") }
    return found
  }

  private static func issue(
    _ key: String, _ number: Int32, _ context: ManagedObjectContext
  ) throws(Failure) -> Issue {
    let found = try run { () throws(ObjectError) in
      try context.first(Issue.self, where: \.project.key == key && \.number == number)
    }
    guard let found else { throw .notFound("issue \(key)-\(number)") }
    return found
  }
}
