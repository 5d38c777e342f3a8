import Foundation
import MergewalkFoundation
import MergewalkObjects

/// A server without its network: requests come from many tasks, and the answers are printed.
///
/// swift run IssueServer [STORE]
@main
struct IssueServer {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("issues-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = CommandLine.arguments.dropFirst().first ?? folder.appendingPathComponent("issues.sqlite").path

    let container = try await PersistentContainer.open(try trackerModel(), at: path, readers: 4)
    let server = Server(container: container)

    for key in ["WEB", "API"] { print(try await server.answer(.createProject(key: key, name: "Project \(key)"))) }

    // Clients at the same time: each creates issues, closes one and lists, beside the others.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in ["WEB", "API"] {
        group.addTask {
          for number in 1...20 {
            _ = try await server.answer(.createIssue(project: key, title: "Issue \(number)"))
            if number.isMultiple(of: 4) { _ = try await server.answer(.close(project: key, number: Int32(number))) }
          }
        }
        group.addTask {
          for _ in 1...20 { _ = try await server.answer(.list(project: key, state: .open, limit: 5)) }
        }
      }
      try await group.waitForAll()
    }

    print(try await server.answer(.list(project: "WEB", state: .done, limit: 3)))
    print(try await server.answer(.show(project: "API", number: 4)))
    print(try await server.answer(.summary))
    for request in [Request.show(project: "WEB", number: 99), .createIssue(project: "API", title: "")] {
      do {
        _ = try await server.answer(request)
      } catch {
        print("refused: \(error)")
      }
    }

    var titles = 0
    for try await title in container.stream(
      FetchRequest("Issue"), portion: 7,
      { issue throws(ObjectError) in
        try issue.read("title") as String
      }) where title.hasPrefix("Issue")
    { titles += 1 }
    print("streamed: \(titles)")

    try await container.close()
    try FileManager.default.removeItem(at: folder)
  }
}
