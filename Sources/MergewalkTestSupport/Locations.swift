import Foundation

/// Where the tests find the repository's own files and, when it is there, the `shared` folder beside it.
public enum Locations {
  /// The repository's top folder.
  public static let repository: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// The repository's `fixtures` folder.
  public static var fixtures: String { repository + "/fixtures" }

  /// The `shared` folder beside the repository, or `nil` when this machine has none.
  ///
  /// `MERGEWALK_SHARED` overrides the place. Tests over it are enabled only when it is there
  /// (`.enabled(if: Locations.shared != nil)`), so that a run without it reports them as skipped.
  public static let shared: String? = {
    let environment = ProcessInfo.processInfo.environment["MERGEWALK_SHARED"]
    let candidates = [environment, repository + "/../shared"].compactMap { $0 }
    return candidates.first { FileManager.default.fileExists(atPath: $0 + "/coredata-format.md") }
  }()

  /// The `shared` folder's path; call only from tests that are enabled when it is there.
  public static func shared(_ relativePath: String) -> String {
    precondition(shared != nil, "the test needs ../shared and must be disabled without it")
    return (shared ?? "") + "/" + relativePath
  }
}
