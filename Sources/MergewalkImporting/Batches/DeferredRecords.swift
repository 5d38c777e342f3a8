import MergewalkObjectStore
import MergewalkRecordFormats

/// Records that wait until an index can tell whether their keys are known, or for a second pass, in memory of fixed size
/// and a ``DeferredFile``.
///
/// Only what the import will need is kept: cells, the relationships' targets, the raw record and its position.
final class DeferredRecords {
  private let plan: ImportPlan
  private let file: DeferredFile
  private let owner: DeferredFile.Owner
  private var pending: ImportBatch
  private let recordsPerBlock: Int
  private let bytesPerBlock: Int
  /// How many wait, those included that an earlier process has put off.
  var count: Int { file.recordCount(of: owner) + pending.records.recordCount }

  /// - Parameters:
  ///   - file: Takes what does not fit; the owner's blocks that it holds are those of an earlier process.
  ///   - fields: The fields whose cells are kept beside the column that only grows; `nil` for those of whole records.
  ///   - keepsLists: Whether their lists are kept.
  init(
    plan: ImportPlan, file: DeferredFile, owner: DeferredFile.Owner, limit: BatchLimit, fields: [Int]? = nil,
    keepsLists: Bool = true
  ) {
    self.plan = plan
    self.file = file
    self.owner = owner
    var kept = fields ?? Self.fields(of: plan)
    // How far the records have come is known when it is known what becomes of them.
    if let since = plan.sinceField, !kept.contains(since) { kept.append(since) }
    self.fields = kept
    self.keepsLists = keepsLists
    recordsPerBlock = limit.records
    bytesPerBlock = min(limit.bytes, 8 << 20)
    pending = ImportBatch(plan: plan)
    pending.records.clearToRawRecords(source: 0)
  }

  private let fields: [Int]
  private let keepsLists: Bool

  /// The fields of whole records.
  ///
  /// Where there is a second pass, these are those of all nodes: targets may go between the passes.
  private static func fields(of plan: ImportPlan) -> [Int] {
    let root = plan.nodes[plan.root]
    guard !plan.postponed.isEmpty else { return root.keyFields + root.attributeFields }
    var fields: [Int] = []
    for node in plan.nodes {
      for field in node.keyFields + node.attributeFields where !fields.contains(field) { fields.append(field) }
    }
    return fields
  }

  func append(_ record: Int, of batch: ImportBatch) throws(ImportError) {
    if pending.records.recordCount > 0,
      pending.records.source != batch.records.source || pending.records.member != batch.records.member
    {
      try flush()
    }
    pending.records.source = batch.records.source
    pending.records.member = batch.records.member
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
    appendReplacements(record, of: batch)
    if keepsLists { appendLists(record, of: batch) }
    for node in plan.nodes.indices {
      pending.nodes[node].targets.append(batch.nodes[node].targets[record])
      // A record that waits again has only this to say.
      let counted =
        batch.nodes[node].counted.isEmpty
        ? ReferenceCount(state: batch.nodes[node].keyStates[record], target: batch.nodes[node].targets[record]).rawValue
        : batch.nodes[node].counted[record]
      pending.nodes[node].counted.append(counted)
      if !batch.nodes[node].targetEntities.isEmpty {
        pending.nodes[node].targetEntities.append(batch.nodes[node].targetEntities[record])
      }
    }
    pending.nodes[plan.root].keyStates.append(batch.nodes[plan.root].keyStates[record])
    pending.nodes[plan.root].keyHashes.append(batch.nodes[plan.root].keyHashes[record])
    pending.nodes[plan.root].contentHashes.append(batch.nodes[plan.root].contentHashes[record])
    if pending.records.recordCount >= recordsPerBlock || pending.records.byteCount >= bytesPerBlock { try flush() }
  }

  // MARK: Going on later

  /// What a process that resumes the run has to know of a record that an earlier one has put off.
  struct Kept {
    let keyHash: UInt64
    /// Whether it waits for a unique value, so that its own object was not looked for.
    let isParked: Bool
    /// Its object, if that was found or made.
    let primaryKey: Int64
    /// Where it stands in the inputs, see ``DeferredPlaces``.
    let place: UInt64
  }

  /// Goes through the records that an earlier process has put off.
  func forEachKept(_ body: (Kept) -> Void) throws(ImportError) {
    for block in 0..<file.blockCount(of: owner) {
      try file.read(block, of: owner) { (file, most) throws(ImportError) in try readBlock(file, most) }
      let root = pending.nodes[plan.root]
      DeferredPlaces.forEach(in: pending.records) { record, place in
        body(
          Kept(
            keyHash: root.keyHashes[record], isParked: root.keyStates[record] == ImportBatch.KeyState.absent,
            primaryKey: root.targets[record], place: place))
      }
    }
    clear()
  }

  /// Hands the records out again in their order, a block at a time.
  func replay(_ body: (inout ImportBatch) throws(ImportError) -> Void) throws(ImportError) {
    if file.blockCount(of: owner) == 0 {
      finish(&pending)
      try body(&pending)
      return
    }
    try flush()
    for block in 0..<file.blockCount(of: owner) {
      try file.read(block, of: owner) { (file, most) throws(ImportError) in try readBlock(file, most) }
      finish(&pending)
      try body(&pending)
    }
    // So that they can be handed out once more.
    clear()
  }

  /// Keeps why the values of a record were replaced.
  private func appendReplacements(_ record: Int, of batch: ImportBatch) {
    if pending.replacements.isEmpty { pending.replacements = plan.fields.map { _ in ContiguousArray() } }
    let isKept = !batch.replacements.isEmpty
    for field in plan.fields.indices {
      let reason =
        isKept || batch.values[field] != .zero ? plan.replacement(record, field: field, of: batch) : nil
      pending.replacements[field].append(reason?.kept ?? 0)
    }
  }

  /// Keeps the texts of a record's lists.
  private func appendLists(_ record: Int, of batch: ImportBatch) {
    for (index, list) in plan.lists.enumerated() {
      if pending.listTexts.count <= index { pending.listTexts.append(CellColumn()) }
      let state: FieldState
      var range = ByteRange(offset: 0, length: 0)
      if batch.records.columnCount == 0 {
        state = FieldState(rawValue: batch.listTexts[index].tags[record]) ?? .absent
        range = ByteRange(payload: batch.listTexts[index].payloads[record])
        range = batch.records.bytes.withUnsafeBytes {
          copy(UnsafeRawBufferPointer(rebasing: $0[range.offset..<range.offset + range.length]))
        }
      } else {
        state = batch.records.state(record, list.column)
        range = batch.records.withField(record, list.column) { copy($0) }
      }
      pending.listTexts[index].tags.append(state.rawValue)
      pending.listTexts[index].payloads.append(range.payload)
    }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer) -> ByteRange {
    let range = pending.records.appendBytes(bytes)
    return ByteRange(offset: range.lowerBound, length: range.count)
  }

  /// Fills what follows from the rest.
  private func finish(_ batch: inout ImportBatch) {
    let count = batch.records.recordCount
    batch.hasFailed.fill(false, count: count)
    batch.nodes[plan.root].keyStates.fill(ImportBatch.KeyState.usable, count: count)
    // Of other nodes only the targets are kept; what is unknown has its place all the same, as everything that is lent
    // to the import has one entry a record.
    for node in plan.nodes.indices where node != plan.root {
      batch.nodes[node].keyStates.fill(ImportBatch.KeyState.absent, count: count)
      batch.nodes[node].keyHashes.fill(0, count: count)
      batch.nodes[node].contentHashes.fill(0, count: count)
    }
  }

  // MARK: The file

  /// Puts everything into the file.
  func flush() throws(ImportError) {
    let count = pending.records.recordCount
    guard count > 0 else { return }
    try file.append(owner, records: count) { (file) throws(ImportError) in try write(file, count: count) }
    clear()
  }

  private func write(_ file: TemporaryFile, count: Int) throws(ImportError) {
    let member = pending.records.member.map { ContiguousArray($0.utf8) }
    try file.write(
      ContiguousArray([count, pending.records.byteCount, pending.records.source, member?.count ?? -1]), count: 4)
    if let member { try file.write(member, count: member.count) }
    try file.write(pending.records.bytes, count: pending.records.byteCount)
    try file.write(pending.records.records, count: count)
    for field in fields {
      try file.write(pending.columns[field].tags, count: count)
      try file.write(pending.columns[field].payloads, count: count)
    }
    for reasons in pending.replacements { try file.write(reasons, count: count) }
    if keepsLists {
      for index in plan.lists.indices {
        try file.write(pending.listTexts[index].tags, count: count)
        try file.write(pending.listTexts[index].payloads, count: count)
      }
    }
    for node in pending.nodes {
      try file.write(node.targets, count: count)
      try file.write(node.counted, count: count)
      try file.write(ContiguousArray([node.targetEntities.count]), count: 1)
      try file.write(node.targetEntities, count: node.targetEntities.count)
    }
    try file.write(pending.nodes[plan.root].keyStates, count: count)
    try file.write(pending.nodes[plan.root].keyHashes, count: count)
    try file.write(pending.nodes[plan.root].contentHashes, count: count)
  }

  private func clear() {
    pending.records.clearToRawRecords(source: 0)
    for field in fields {
      pending.columns[field].tags.removeAll(keepingCapacity: true)
      pending.columns[field].payloads.removeAll(keepingCapacity: true)
    }
    for field in pending.replacements.indices { pending.replacements[field].removeAll(keepingCapacity: true) }
    for index in pending.listTexts.indices {
      pending.listTexts[index].tags.removeAll(keepingCapacity: true)
      pending.listTexts[index].payloads.removeAll(keepingCapacity: true)
    }
    for node in plan.nodes.indices {
      pending.nodes[node].targets.removeAll(keepingCapacity: true)
      pending.nodes[node].counted.removeAll(keepingCapacity: true)
      pending.nodes[node].targetEntities.removeAll(keepingCapacity: true)
    }
    pending.nodes[plan.root].keyStates.removeAll(keepingCapacity: true)
    pending.nodes[plan.root].keyHashes.removeAll(keepingCapacity: true)
    pending.nodes[plan.root].contentHashes.removeAll(keepingCapacity: true)
  }

  /// Reads a block, which has at most so many bytes; whether its numbers can be.
  private func readBlock(_ file: TemporaryFile, _ most: Int) throws(ImportError) -> Bool {
    clear()
    var header = ContiguousArray<Int>()
    try file.read(into: &header, count: 4)
    let (count, bytes) = (header[0], header[1])
    guard (0...most).contains(count), (0...most).contains(bytes), header[2] >= 0, (-1...most).contains(header[3]) else {
      return false
    }
    pending.records.source = header[2]
    var member = ContiguousArray<UInt8>()
    try file.read(into: &member, count: max(header[3], 0))
    pending.records.member = header[3] < 0 ? nil : String(decoding: member, as: UTF8.self)
    var failed: ImportError?
    pending.records.appendBytes(atMost: bytes) { base, _ in
      do throws(ImportError) {
        try file.read(UnsafeMutableRawBufferPointer(start: base, count: bytes))
        return bytes
      } catch {
        failed = error
        return 0
      }
    }
    if let failed { throw failed }
    var positions = ContiguousArray<RecordPosition>()
    try file.read(into: &positions, count: count)
    for position in positions { pending.records.appendPosition(position) }
    for field in fields {
      try file.read(into: &pending.columns[field].tags, count: count)
      try file.read(into: &pending.columns[field].payloads, count: count)
    }
    if pending.replacements.isEmpty { pending.replacements = plan.fields.map { _ in ContiguousArray() } }
    for field in plan.fields.indices { try file.read(into: &pending.replacements[field], count: count) }
    if keepsLists {
      for index in plan.lists.indices {
        if pending.listTexts.count <= index { pending.listTexts.append(CellColumn()) }
        try file.read(into: &pending.listTexts[index].tags, count: count)
        try file.read(into: &pending.listTexts[index].payloads, count: count)
      }
    }
    for node in plan.nodes.indices {
      try file.read(into: &pending.nodes[node].targets, count: count)
      try file.read(into: &pending.nodes[node].counted, count: count)
      var entities = ContiguousArray<Int>()
      try file.read(into: &entities, count: 1)
      guard entities[0] == 0 || entities[0] == count else { return false }
      try file.read(into: &pending.nodes[node].targetEntities, count: entities[0])
    }
    try file.read(into: &pending.nodes[plan.root].keyStates, count: count)
    try file.read(into: &pending.nodes[plan.root].keyHashes, count: count)
    try file.read(into: &pending.nodes[plan.root].contentHashes, count: count)
    return true
  }
}
