import Foundation

/// A folder in memory that takes the files of one input; it is emptied for each.
public struct FuzzFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes the folder in `/dev/shm`, where nothing waits for a disk.
  public init() {
    path = "/dev/shm/mergewalk-fuzz-\(getpid())"
    empty()
  }

  /// Removes all that is in the folder.
  public func empty() {
    try? FileManager.default.removeItem(atPath: path)
    require((try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil, path)
  }

  /// Writes a file, and the folders above it; returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) -> String {
    let file = path + "/" + name
    let folder = (file as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    require(FileManager.default.createFile(atPath: file, contents: Data(bytes)), file)
    return file
  }

  /// The bytes of a file.
  public func bytes(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: path + "/" + name).map(Array.init) ?? []
  }
}

/// Traps when a rule is broken, which libFuzzer reports with the input.
public func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
  if !holds { preconditionFailure(rule()) }
}
