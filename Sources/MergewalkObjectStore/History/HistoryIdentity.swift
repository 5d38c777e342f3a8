/// Which program makes transactions, as history remembers it.
public struct HistoryIdentity: Sendable, Hashable {
  /// The program's bundle identifier; a program without a bundle has its name.
  public var bundleID: String
  /// The process's name.
  public var processID: String

  /// Creates an identity.
  public init(bundleID: String, processID: String) {
    self.bundleID = bundleID
    self.processID = processID
  }

  /// This process: the name of its executable.
  public static let current: HistoryIdentity = {
    let path = CommandLine.arguments.first ?? ""
    let name = FileSystem.name(of: path)
    return HistoryIdentity(bundleID: name, processID: name)
  }()
}
