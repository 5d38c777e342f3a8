import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkRecordFormats
import MergewalkSystem

/// The rejects files of a pipeline that were replayed into a store: by their size and the hash of all their bytes.
///
/// It is written with the end of the replay, in one transaction. The last ``limit`` files are known; an older one
/// counts as not replayed, and is kept.
struct ReplayedRejects {
  private var files: [UInt64] = []
  private let key: String

  static let limit = 64

  /// Reads what a store knows.
  init(_ metadata: StoreMetadata?, pipeline: String) {
    key = pipeline + "/replayed"
    guard let bytes = metadata?.mergewalk.finished[key]?.data, bytes.count.isMultiple(of: 16) else { return }
    files = stride(from: 0, to: bytes.count, by: 8).map { UInt64(bytes[$0..<$0 + 8]) }
  }

  /// Whether a file was replayed as it is.
  ///
  /// - Throws: ``RejectWriterError`` `cannotRead`.
  /// - Complexity: O(bytes of the file) when a file of this size was.
  func contains(_ path: String) throws(RejectWriterError) -> Bool {
    let source = ByteSource(path: path)
    guard let size = source.fileSize.map(UInt64.init) else { return false }
    let hashes = stride(from: 0, to: files.count, by: 2).filter { files[$0] == size }.map { files[$0 + 1] }
    guard !hashes.isEmpty else { return false }
    do throws(ReadError) {
      guard let hash = try SourcePrint.contents([source]) else { return false }
      return hashes.contains(hash)
    } catch {
      throw RejectWriterError(code: .cannotRead, path: path, number: EIO)
    }
  }

  /// The metadata with another file that was replayed.
  ///
  /// - Throws: `inputFailed`.
  func adding(_ source: ByteSource, to metadata: StoreMetadata) throws(ReadError) -> StoreMetadata {
    guard let size = source.fileSize, let hash = try SourcePrint.contents([source]) else { return metadata }
    var files = files + [UInt64(size), hash]
    if files.count > 2 * Self.limit { files.removeFirst(files.count - 2 * Self.limit) }
    var metadata = metadata
    metadata.mergewalk.finished[key] = .data(files.flatMap(\.bytes))
    return metadata
  }
}
