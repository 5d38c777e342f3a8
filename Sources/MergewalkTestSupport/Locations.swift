import Foundation

/// The locations of the repository's own files and of the `shared` folder beside it, if it exists.
public enum Locations {
  /// The repository's top folder.
  public static let repository: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// The repository's `fixtures` folder.
  public static var fixtures: String { repository + "/fixtures" }

  /// The `shared` folder beside the repository, or `nil` if this machine has none.
  ///
  /// `MERGEWALK_SHARED` overrides the location. Tests that use it are enabled only if it exists (`.enabled(if:
  /// Locations.shared != nil)`), so that a run without it reports them as skipped.
  public static let shared: String? = {
    let environment = ProcessInfo.processInfo.environment["MERGEWALK_SHARED"]
    let candidates = [environment, repository + "/../shared"].compactMap { $0 }
    return candidates.first { FileManager.default.fileExists(atPath: $0 + "/coredata-format.md") }
  }()

  /// The path of a file in the `shared` folder; call only from tests that are enabled if it exists.
  public static func shared(_ relativePath: String) -> String {
    precondition(shared != nil, "the test needs ../shared and must be disabled without it")
    return (shared ?? "") + "/" + relativePath
  }
}
