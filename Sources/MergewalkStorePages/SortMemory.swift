/// The resources that the sorters of a file share: the memory to sort in, and the file for keys that do not fit.
///
/// It belongs to the background thread while that has rows to add, and then to the writer's; of all this, the thread that
/// merges only reads the spill file.
final class SortMemory {
  let spill: SpillFile
  /// Merges keys, beside the thread that writes pages.
  let merging = BackgroundWork()
  /// The bytes of keys that a sorter keeps before it spills them.
  let chunkBytes: Int
  private(set) var list = KeyList()

  init(folder: String, chunkBytes: Int) {
    spill = SpillFile(folder: folder)
    self.chunkBytes = chunkBytes
  }

  func sort(_ chunk: KeyChunk, _ order: KeyOrder) { list.sort(chunk, order) }

  /// Sorts the keys of a full chunk and writes them.
  func spill(_ chunk: KeyChunk, _ order: KeyOrder) throws(PageError) -> SpilledKeys {
    sort(chunk, order)
    let bytes = Bytes.allocate(capacity: chunk.used)
    defer { bytes.deallocate() }
    list.write(chunk, to: bytes)
    let start = spill.size
    try spill.append(bytes, chunk.used)
    return SpilledKeys(
      range: start..<spill.size, longest: list.longest, isExact: list.isExact,
      marks: SpilledKeys.marks(bytes, chunk.used, at: start, stride: chunkBytes / SpilledKeys.marksPerChunk))
  }
}
