import MergewalkDiagnostics
import MergewalkSystem

/// How Core Data marks the values of attributes that allow external storage.
///
/// Source: `docs/coredata-layout.md` and the tags found in real stores: the first byte of the cell says where the bytes
/// are.
package enum ExternalData {
  /// The bytes follow.
  package static let inlineTag: UInt8 = 1
  /// A UUID of 36 characters and a zero follow: the name of a file.
  package static let fileTag: UInt8 = 2
  /// The length of a cell that names a file.
  package static let fileCellLength = 38

  /// The condition in SQL that a column's cell names a file.
  static func isFileCell(_ column: String) -> String {
    "length(\(column)) = \(fileCellLength) AND substr(\(column), 1, 1) = x'02'"
  }

  /// The folder with a store's external data: `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store, without its extension.
  static func folder(ofStore path: String) -> String {
    let path = StorePath.resolved(path)
    return "\(FileSystem.folder(of: path))/.\(stem(FileSystem.name(of: path)))_SUPPORT/\(folderName)"
  }

  /// A file's name without its extension; stores for which it is the same have one folder.
  static func stem(_ name: String) -> String {
    String(name[..<ResolvedPath.ending(of: name).startIndex])
  }

  private static let folderName = "_EXTERNAL_DATA"

  /// Removes the folder with a store's external data, and the one around it, as far as they are empty.
  static func removeEmptyFolder(ofStore path: String) {
    let folder = folder(ofStore: path)
    FileSystem.removeFolder(folder)
    FileSystem.removeFolder(FileSystem.folder(of: folder))
  }

  /// Whether a path may be that of a store's external data, which are alone in a folder of their own.
  static func isFolder(_ path: String) -> Bool { FileSystem.name(of: path) == folderName }

  /// Whether a path may be that of such a folder, or of a file in it.
  static func holds(_ path: String) -> Bool { isFolder(path) || isFolder(FileSystem.folder(of: path)) }

  /// The bytes in a file beside the store; `nil` when it cannot be read.
  package static func read(_ name: String, store path: String) -> [UInt8]? {
    // A name from a damaged store must not lead out of the folder.
    guard StoreUUID.isValid(name) else { return nil }
    let file = folder(ofStore: path) + "/" + name
    guard let size = FileSystem.size(file) else { return nil }
    return FileSystem.head(file, count: size)
  }

  /// Whether a cell names a file that has the value of another cell, which holds its bytes itself.
  ///
  /// - Complexity: O(bytes) when the file is as long as the value.
  package static func isFile(
    of cell: UnsafeRawBufferPointer, store path: String, with other: UnsafeRawBufferPointer
  ) -> Bool {
    guard other.first == inlineTag, let name = fileName(cell) else { return false }
    let file = folder(ofStore: path) + "/" + name
    guard StoreUUID.isValid(name), FileSystem.size(file) == other.count - 1,
      let bytes = FileSystem.head(file, count: other.count), bytes.count == other.count - 1
    else { return false }
    return bytes.withUnsafeBytes { own in
      guard let left = own.baseAddress, let right = other.baseAddress else { return true }
      return memcmp(left, right + 1, own.count) == 0
    }
  }

  /// The name of the file that a cell names; `nil` when it holds its bytes itself.
  package static func fileName(_ cell: UnsafeRawBufferPointer) -> String? {
    guard cell.first == fileTag, cell.count == fileCellLength else { return nil }
    return String(decoding: cell[1..<37], as: UTF8.self)
  }

  /// The same for bytes that are kept.
  static func fileName(_ cell: [UInt8]) -> String? { cell.withUnsafeBytes { fileName($0) } }

  /// The bytes of a cell that names no file: those behind the tag, or the cell's own where there is none.
  package static func inlineBytes(_ cell: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    cell.first == inlineTag ? UnsafeRawBufferPointer(rebasing: cell.dropFirst()) : cell
  }

  /// The bytes that a cell stands for; `nil` when the file that it names cannot be read.
  static func bytes(_ cell: [UInt8], store path: String) -> [UInt8]? {
    if let name = fileName(cell) { return read(name, store: path) }
    return cell.first == inlineTag ? Array(cell.dropFirst()) : cell
  }

  /// The bytes that a cell stands for; those of the cell itself when the file that it names cannot be read.
  package static func value(_ cell: [UInt8], store path: String) -> [UInt8] { bytes(cell, store: path) ?? cell }
}
