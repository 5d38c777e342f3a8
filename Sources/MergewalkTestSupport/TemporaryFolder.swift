import Foundation

/// A folder that exists while the value is alive and is removed with everything in it afterwards.
public final class TemporaryFolder: Sendable {
  /// The folder's absolute path, without a trailing slash.
  public let path: String

  /// Creates a new, empty folder under the system's temporary directory.
  public init() {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("mergewalk-tests-" + UUID().uuidString)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      preconditionFailure("cannot create \(url.path): \(error)")
    }
    path = url.path
  }

  /// Returns the path of `name` inside the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes `text` as UTF-8 to `name` inside the folder and returns the file's path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

  /// Writes `bytes` to `name` inside the folder and returns the file's path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let target = file(name)
    try FileManager.default.createDirectory(
      atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: target))
    return target
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
