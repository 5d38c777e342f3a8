import MergewalkObjectStore

/// Keys in memory, with the primary keys of their objects and the hashes of their contents.
///
/// An entry is a number that stays valid until something is added or removed.
protocol KnownKeys: AnyObject {
  /// Whether keys are distinguished by their bytes, not by their hashes alone.
  static var comparesBytes: Bool { get }

  /// Asks for the memory with which the search for a hash begins.
  func willFind(_ hash: UInt64)
  /// Asks for what the search reads next, some time after ``willFind(_:)``.
  func willRead(_ hash: UInt64)
  /// The entry of a key, or a negative number.
  func find(_ key: RecordKey) -> Int
  /// The entry whose hash and content hash are both the given ones, or a negative number; asked where bytes are compared.
  func findUnchanged(hash: UInt64, content: UInt64) -> Int
  func primaryKey(_ entry: Int) -> Int64
  /// The content hash of an entry, 0 when unknown.
  func content(_ entry: Int) -> UInt64
  /// Replaces the content hash of an entry.
  func setContent(_ entry: Int, _ content: UInt64)
  /// Adds a key that is not there, until it is removed.
  func add(_ key: RecordKey, primaryKey: Int64, content: UInt64)
}

/// The key of a record or of a stored row: its hash, and its bytes where they are compared.
struct RecordKey {
  let hash: UInt64
  let bytes: UnsafeRawBufferPointer
}

/// A row that the context holds, for its key.
struct StoredKey {
  let buffer: RowBuffer
  let row: Int
  let slots: [Int]

  /// The row's key as records have it; valid until the importer makes another one.
  func key(_ importer: BatchImporter) -> RecordKey {
    let columns = slots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
    let hash = slots.reduce(ContentHash.start(importer.seed)) { hash, slot in
      CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
    }
    return RecordKey(hash: hash, bytes: importer.keyBytes.key(columns, row: row, arena: buffer.arena.base))
  }
}

/// All keys are in memory, with their bytes.
extension KeyTable: Finder, KnownKeys {
  static var comparesBytes: Bool { true }
  var name: String { "table" }
  var keepsKeys: Bool { true }

  @inline(__always) func find(_ key: RecordKey) -> Int { find(hash: key.hash, key: key.bytes) }
  @inline(__always) func add(_ key: RecordKey, primaryKey: Int64, content: UInt64) {
    insert(hash: key.hash, key: key.bytes, primaryKey: primaryKey, content: content)
  }
  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    importer.find(among: self, state, view)
  }
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) { importer.lookUp(records, among: self, state, view, body) }
  func forgetContent(of row: StoredKey, _ importer: BatchImporter) { importer.forgetContent(of: row, among: self) }
}

/// The hashes of all rows are in memory. Looking up may give another object with the same hash, for one key in 10^19.
extension ScanTable: Finder, KnownKeys {
  static var comparesBytes: Bool { false }
  var name: String { "scan" }
  var keepsKeys: Bool { true }
  var findsByHash: Bool { true }

  @inline(__always) func willRead(_ hash: UInt64) {}
  @inline(__always) func find(_ key: RecordKey) -> Int { find(key.hash) }
  func findUnchanged(hash: UInt64, content: UInt64) -> Int { -1 }
  @inline(__always) func add(_ key: RecordKey, primaryKey: Int64, content: UInt64) {
    add(key.hash, content: content, primaryKey: primaryKey)
  }
  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) {
    importer.find(among: self, state, view)
  }
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter,
    _ body: (Int, Int64) -> Void
  ) { importer.lookUp(records, among: self, state, view, body) }
  func forgetContent(of row: StoredKey, _ importer: BatchImporter) { importer.forgetContent(of: row, among: self) }
}

extension BatchImporter {
  /// Finds the wanted records among keys in memory, and adds the keys of those that create their objects.
  ///
  /// Generic, and so compiled for each kind of keys: nothing is dispatched for a record.
  @inline(__always)
  fileprivate func find<Keys: KnownKeys>(among known: Keys, _ state: NodeImporter, _ view: BatchView) {
    let node = view.nodes[state.node]
    let keys = state.plan.keyFields.map { view.fields[$0] }
    startKeys(state)
    let settles = state.role.settles
    // Nothing but an equal content is asked of a record whose object is there.
    let takesUnchanged = Keys.comparesBytes && state.seenKeys == nil && state.plan.mode.updates
    var keyBytes = self.keyBytes
    var unchanged = 0
    let countsAll = state.countsAll
    let named = countsAll ? nil : state.named
    let last = view.records.upperBound - 1
    for record in view.records {
      // The memory of later records comes while this one is looked for; the hash of one that names nothing does no harm.
      known.willFind(node.keyHashes[min(record + 32, last)])
      known.willRead(node.keyHashes[min(record + 16, last)])
      guard view.isWanted(record, node) else { continue }
      let hash = node.keyHashes[record]
      let content = node.contents[record]
      if takesUnchanged, content != 0 {
        let entry = known.findUnchanged(hash: hash, content: content)
        if entry >= 0 {
          let primaryKey = known.primaryKey(entry)
          node.targets[record] = primaryKey
          if settles { view.outcomes[record] = .unchanged }
          if countsAll || named?.isFirst(primaryKey) ?? false { unchanged += 1 }
          continue
        }
      }
      let bytes =
        Keys.comparesBytes
        ? keyBytes.key(keys, row: record, arena: view.arena) : UnsafeRawBufferPointer(start: nil, count: 0)
      let key = RecordKey(hash: hash, bytes: bytes)
      let entry = known.find(key)
      if entry < 0 {
        guard mayInsert(record, state, view) else { continue }
        create(record, state, view)
        known.add(key, primaryKey: node.targets[record], content: content)
        state.seenKeys?.noteFirst(hash)
        continue
      }
      let primaryKey = known.primaryKey(entry)
      node.targets[record] = primaryKey
      if !state.isFirst(hash), !mayRepeat(record, state, view) { continue }
      guard mayUpdate(record, state, view) else { continue }
      if content != 0, content == known.content(entry) {
        if settles { view.outcomes[record] = .unchanged }
        if countsAll || named?.isFirst(primaryKey) ?? false { unchanged += 1 }
      } else {
        known.setContent(entry, content)
        state.apply(record, primaryKey)
      }
    }
    self.keyBytes = keyBytes
    state.counts.unchanged += unchanged
  }

  fileprivate func lookUp<Keys: KnownKeys>(
    _ records: ContiguousArray<Int32>, among known: Keys, _ state: NodeImporter, _ view: BatchView,
    _ body: (Int, Int64) -> Void
  ) {
    let keys = state.plan.keyFields.map { view.fields[$0] }
    let hashes = view.nodes[state.node].keyHashes
    for record in records.map(Int.init) {
      let bytes = keyBytes.key(keys, row: record, arena: view.arena)
      let entry = known.find(RecordKey(hash: hashes[record], bytes: bytes))
      if entry >= 0 { body(record, known.primaryKey(entry)) }
    }
  }

  fileprivate func forgetContent<Keys: KnownKeys>(of row: StoredKey, among known: Keys) {
    let entry = known.find(row.key(self))
    if entry >= 0 { known.setContent(entry, 0) }
  }
}
