package import MergewalkSystem

/// Which file a path leads to: the same for all its names and for all links to it.
package struct FileID: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file that a path leads to now; `nil` when there is none.
  package init?(_ path: String) {
    guard let status = stat(path: path) else { return nil }
    self.init(status)
  }

  /// The file that an open descriptor stands for; `nil` when it is closed.
  package init?(descriptor: Int32) {
    guard let status = stat(descriptor: descriptor) else { return nil }
    self.init(status)
  }

  /// The file that the system has described.
  package init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
