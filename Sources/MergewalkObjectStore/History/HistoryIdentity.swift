/// The program that makes transactions, as recorded in history.
public struct HistoryIdentity: Sendable, Hashable {
  /// The program's bundle identifier, or the name of a program without a bundle.
  public var bundleID: String
  /// The process's name.
  public var processID: String

  /// Creates an identity.
  public init(bundleID: String, processID: String) {
    self.bundleID = bundleID
    self.processID = processID
  }

  /// The author of what imports and copies write.
  package static let author = "mergewalk"

  /// This process: the name of its executable.
  public static let current: HistoryIdentity = {
    let path = CommandLine.arguments.first ?? ""
    let name = FileSystem.name(of: path)
    return HistoryIdentity(bundleID: name, processID: name)
  }()
}
