import Glibc
import ObjectStore
import RecordFormats

/// Records that wait until an index can tell whether their keys are known, in memory of fixed size and a file.
///
/// Only what the root node needs is kept: its cells, its relationships' targets, the raw record and its position. The
/// file has no name in any folder, so nothing is left when the process dies.
final class DeferredRecords {
  private let plan: ImportPlan
  private let folder: String
  private var pending: ImportBatch
  private var descriptor: Int32 = -1
  private var blocks = 0
  private(set) var count = 0
  private let recordsPerBlock: Int
  private let bytesPerBlock: Int

  init(plan: ImportPlan, folder: String, limit: BatchLimit) {
    self.plan = plan
    self.folder = folder
    recordsPerBlock = limit.records
    bytesPerBlock = min(limit.bytes, 8 << 20)
    pending = ImportBatch(plan: plan)
    pending.records.clearToRawRecords(source: 0)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private var root: ImportNode { plan.nodes[plan.root] }
  private var fields: [Int] { root.keyFields + root.attributeFields }

  /// Keeps a record of a batch.
  func append(_ record: Int, of batch: ImportBatch) throws(ImportError) {
    if pending.records.recordCount > 0, pending.records.source != batch.records.source { try flush() }
    pending.records.source = batch.records.source
    pending.records.appendRawRecord(record, of: batch.records)
    for field in fields {
      let tag = batch.columns[field].tags[record]
      var payload = batch.columns[field].payloads[record]
      if tag == CellTag.text || tag == CellTag.blob {
        let range = ByteRange(payload: payload)
        var start = 0
        batch.records.bytes.withUnsafeBytes { bytes in
          pending.records.appendBytes(atMost: range.length) { base, used in
            start = used
            if range.length > 0 {
              UnsafeMutableRawBufferPointer(start: base + used, count: range.length)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range.offset..<range.offset + range.length]))
            }
            return range.length
          }
        }
        payload = ByteRange(offset: start, length: range.length).payload
      }
      pending.columns[field].tags.append(tag)
      pending.columns[field].payloads.append(payload)
    }
    for node in plan.nodes.indices {
      pending.nodes[node].targets.append(batch.nodes[node].targets[record])
      if !batch.nodes[node].targetEntities.isEmpty {
        pending.nodes[node].targetEntities.append(batch.nodes[node].targetEntities[record])
      }
    }
    pending.nodes[plan.root].keyHashes.append(batch.nodes[plan.root].keyHashes[record])
    pending.nodes[plan.root].contentHashes.append(batch.nodes[plan.root].contentHashes[record])
    count += 1
    if pending.records.recordCount >= recordsPerBlock || pending.records.byteCount >= bytesPerBlock { try flush() }
  }

  /// Hands the records out again in their order, a block at a time.
  func replay(_ body: (inout ImportBatch) throws(ImportError) -> Void) throws(ImportError) {
    if blocks == 0 {
      finish(&pending)
      try body(&pending)
      return
    }
    try flush()
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure("rewind") }
    for _ in 0..<blocks {
      try readBlock()
      finish(&pending)
      try body(&pending)
    }
  }

  /// Fills what follows from the rest.
  private func finish(_ batch: inout ImportBatch) {
    let count = batch.records.recordCount
    batch.hasFailed.fill(false, count: count)
    batch.nodes[plan.root].keyStates.fill(ImportBatch.KeyState.usable, count: count)
  }

  // MARK: The file

  private func flush() throws(ImportError) {
    guard pending.records.recordCount > 0 else { return }
    if descriptor < 0 { try open() }
    try write(Int64(pending.records.recordCount))
    try write(Int64(pending.records.byteCount))
    try write(Int64(pending.records.source))
    try write(pending.records.bytes, count: pending.records.byteCount)
    try write(pending.records.records, count: pending.records.recordCount)
    for field in fields {
      try write(pending.columns[field].tags, count: pending.records.recordCount)
      try write(pending.columns[field].payloads, count: pending.records.recordCount)
    }
    for node in plan.nodes.indices {
      try write(pending.nodes[node].targets, count: pending.records.recordCount)
      try write(Int64(pending.nodes[node].targetEntities.count))
      try write(pending.nodes[node].targetEntities, count: pending.nodes[node].targetEntities.count)
    }
    try write(pending.nodes[plan.root].keyHashes, count: pending.records.recordCount)
    try write(pending.nodes[plan.root].contentHashes, count: pending.records.recordCount)
    blocks += 1
    clear()
  }

  private func clear() {
    pending.records.clearToRawRecords(source: 0)
    for field in fields {
      pending.columns[field].tags.removeAll(keepingCapacity: true)
      pending.columns[field].payloads.removeAll(keepingCapacity: true)
    }
    for node in plan.nodes.indices {
      pending.nodes[node].targets.removeAll(keepingCapacity: true)
      pending.nodes[node].targetEntities.removeAll(keepingCapacity: true)
    }
    pending.nodes[plan.root].keyHashes.removeAll(keepingCapacity: true)
    pending.nodes[plan.root].contentHashes.removeAll(keepingCapacity: true)
  }

  private func readBlock() throws(ImportError) {
    clear()
    let records = Int(try readInteger())
    let bytes = Int(try readInteger())
    pending.records.source = Int(try readInteger())
    var failed: ImportError?
    pending.records.appendBytes(atMost: bytes) { base, _ in
      do throws(ImportError) {
        try read(UnsafeMutableRawBufferPointer(start: base, count: bytes))
        return bytes
      } catch {
        failed = error
        return 0
      }
    }
    if let failed { throw failed }
    var positions = ContiguousArray<RecordPosition>()
    try read(into: &positions, count: records)
    for position in positions { pending.records.appendPosition(position) }
    for field in fields {
      try read(into: &pending.columns[field].tags, count: records)
      try read(into: &pending.columns[field].payloads, count: records)
    }
    for node in plan.nodes.indices {
      try read(into: &pending.nodes[node].targets, count: records)
      try read(into: &pending.nodes[node].targetEntities, count: Int(try readInteger()))
    }
    try read(into: &pending.nodes[plan.root].keyHashes, count: records)
    try read(into: &pending.nodes[plan.root].contentHashes, count: records)
  }

  private func open() throws(ImportError) {
    var template = Array("\(folder)/.mergewalk-deferred-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure("create") }
    unlink(template)
  }

  private func failure(_ action: String) -> ImportError {
    ImportError(
      code: .temporaryFile, message: "cannot \(action) a temporary file in \(folder): \(String(cString: strerror(errno)))")
  }

  private func write(_ value: Int64) throws(ImportError) { try write(ContiguousArray([value]), count: 1) }

  private func write<Element>(_ array: ContiguousArray<Element>, count: Int) throws(ImportError) {
    let size = count * MemoryLayout<Element>.stride
    var done = 0
    while done < size {
      let written = array.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, size - done) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure("write") }
      done += written
    }
  }

  private func readInteger() throws(ImportError) -> Int64 {
    var value = ContiguousArray<Int64>()
    try read(into: &value, count: 1)
    return value[0]
  }

  /// Appends `count` elements of a type that is plain memory.
  private func read<Element>(into array: inout ContiguousArray<Element>, count: Int) throws(ImportError) {
    guard count > 0 else { return }
    var failed: ImportError?
    let fresh = ContiguousArray<Element>(unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(ImportError) {
        try read(UnsafeMutableRawBufferPointer(buffer))
        initialized = count
      } catch {
        failed = error
      }
    }
    if let failed { throw failed }
    array.append(contentsOf: fresh)
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) {
    var done = 0
    while done < buffer.count {
      let got = Glibc.read(descriptor, buffer.baseAddress! + done, buffer.count - done)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw failure("read") }
      done += got
    }
  }
}
