import Foundation

/// Files as bytes.
enum Bytes {
  static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Gives a file a second name, so that its number is given to no other one.
  static func link(_ path: String, _ other: String) throws {
    try FileManager.default.linkItem(atPath: path, toPath: other)
  }

  /// The number of the file, 0 when there is none: one that replaces it has another.
  static func number(_ path: String) -> UInt64 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  static func setPermissions(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
}

/// Base64, as the files of XML stores have it.
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

extension String {
  func range(of part: String) -> Range<String.Index>? { firstRange(of: part) }

  func replacingCharacters(in range: Range<String.Index>, with other: String) -> String {
    var result = self
    result.replaceSubrange(range, with: other)
    return result
  }
}
