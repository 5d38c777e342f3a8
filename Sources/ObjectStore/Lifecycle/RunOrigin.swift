import Glibc
package import PropertyLists

/// What an existing store was before a run: all that is needed to take the run back, also by a later process.
///
/// While a run lasts the store's file is not written; everything is in its log. So the run can be taken back as long as
/// the file is the same one, untouched, and the log holds the run's commits and no others.
package struct RunOrigin: Sendable, Hashable {
  /// The first bytes of the file, with the version numbers that tell its journal mode.
  package var header: [UInt8]
  /// The bytes of the log up to its last commit; 0 for none.
  package var logLength: Int
  /// What tells that the file was not written since the run has begun: its number, size and times of change.
  package var identity: [Int64]

  /// Whether the file was in write-ahead mode.
  var isWriteAhead: Bool { header.count > 19 && (header[18] == 2 || header[19] == 2) }

  init(header: DatabaseHeader, logLength: Int) {
    self.header = header.bytes
    self.logLength = logLength
    identity = []
  }

  /// What ``identity`` is for the file as it is now; empty when it cannot be asked.
  static func identity(of path: String) -> [Int64] {
    var info = stat()
    guard stat(path, &info) == 0 else { return [] }
    // The time of change cannot be set back by any program.
    return [
      Int64(info.st_ino), Int64(info.st_size), Int64(info.st_mtim.tv_sec), Int64(info.st_mtim.tv_nsec),
      Int64(info.st_ctim.tv_sec), Int64(info.st_ctim.tv_nsec),
    ]
  }

  /// The origin as a property list.
  package var list: PropertyList {
    .dictionary([
      PropertyList.Entry("header", .data(header)), PropertyList.Entry("log", .integer(Int64(logLength))),
      PropertyList.Entry("file", .array(identity.map { .integer($0) })),
    ])
  }

  /// Reads what ``list`` wrote; `nil` when it is something else.
  package init?(_ list: PropertyList) {
    guard let header = list["header"]?.data, header.count == 100, let length = list["log"]?.integer,
      let logLength = Int(exactly: length), logLength >= 0, let identity = list["file"]?.elements
    else { return nil }
    self.header = header
    self.logLength = logLength
    self.identity = identity.compactMap(\.integer)
  }
}
