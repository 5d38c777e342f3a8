import MergewalkSystem
import MergewalkObjectModel
import MergewalkObjectStore

/// Which rows are about objects that are there already.
extension BatchInserter {
  /// Finds the objects of the rows: in the store, or among earlier rows of the chunk.
  ///
  /// - Returns: Whether the answer holds for all rows together; if not, they have to be taken one by one.
  func find(_ rows: Range<Int>) throws(BatchError) -> Bool {
    for row in rows {
      existing[row] = 0
      leaders[row] = Int32(row)
    }
    for constraint in constraints {
      let keys = KeyMemory(self, constraint, rows)
      try findStored(rows, constraint, keys)
      findRepeated(rows, keys)
    }
    guard constraints.count > 1, rows.count > 1 else { return true }
    return rows.allSatisfy { existing[$0] == 0 && Int(leaders[$0]) == $0 }
  }

  /// Looks the keys up in the store, in one statement.
  private func findStored(_ rows: Range<Int>, _ constraint: [Int], _ keys: KeyMemory) throws(BatchError) {
    positions.removeAll(keepingCapacity: true)
    for row in rows where existing[row] == 0 && !keys.hasNull(row) { positions.append(Int32(row)) }
    guard !positions.isEmpty else { return }
    let (model, schema) = (scratch.model, scratch.store.schema)
    var stranger: (row: Int, entity: Int, key: Int64)?
    try batchErrors { () throws(StoreError) in
      let access = try scratch.store.access(root: entity.root)
      try positions.withUnsafeBufferPointer { positions throws(StoreError) in
        try access.findRows(
          keySlots: constraint.map { columns[$0].slot }, keys: keys.views, positions: positions,
          arena: stage.arena.base
        ) { row, primaryKey, number in
          let found = schema.entityIndex(number: Int(number)) ?? -1
          existing[row] = primaryKey
          if !model.entities.indices.contains(found) || !model.entities[found].isKind(of: entity) {
            stranger = stranger ?? (row, found, primaryKey)
          }
        }
      }
    }
    guard let stranger else { return }
    let name = model.entities.indices.contains(stranger.entity) ? model.entities[stranger.entity].name : "an object"
    throw .save(
      SaveError(
        code: .constraint,
        message: "row \(number(stranger.row)): \(name) \(stranger.key) has the same "
          + "\(constraint.map { columns[$0].name }.joined(separator: ", ")) and is not of the entity \(entity.name)"))
  }

  /// Finds rows whose key an earlier row of the chunk has too.
  private func findRepeated(_ rows: Range<Int>, _ keys: KeyMemory) {
    guard rows.count > 1 else { return }
    hashes.removeAll(keepingCapacity: true)
    for row in rows where existing[row] == 0 && !keys.hasNull(row) {
      hashes.append(KeyHash(hash: keys.hash(row, seed: seed), row: Int32(row)))
    }
    hashes.sort { ($0.hash, $0.row) < ($1.hash, $1.row) }
    var start = 0
    for i in hashes.indices.dropFirst() {
      if hashes[i].hash != hashes[start].hash {
        start = i
        continue
      }
      // Nearly always the first row of the run; others only when two keys have one hash.
      let row = Int(hashes[i].row)
      if let leader = hashes[start..<i].first(where: { keys.areEqual(Int($0.row), row) }) {
        leaders[row] = leaders[Int(leader.row)]
      }
    }
  }
}

/// The key of a constraint for the rows of a chunk: cells that rows do not give are the model's defaults.
private struct KeyMemory {
  let views: [CellColumnView]
  private let arena: ByteArena
  /// Columns with defaults in them, kept alive with the views.
  private let filled: [FilledColumn]

  init(_ inserter: BatchInserter, _ constraint: [Int], _ rows: Range<Int>) {
    let stage = inserter.stage
    arena = stage.arena
    var views: [CellColumnView] = []
    var filled: [FilledColumn] = []
    for column in constraint {
      let tags = stage.tags(column)
      let payloads = stage.payloads(column)
      guard rows.contains(where: { tags[$0] == CellTag.absent }) else {
        views.append(CellColumnView(tags: tags, payloads: payloads))
        continue
      }
      let copy = FilledColumn(capacity: stage.capacity)
      let value = inserter.keyDefaults[column]
      var payload = value.payload
      if value.tag == CellTag.text || value.tag == CellTag.blob {
        payload = value.bytes.withUnsafeBytes { stage.arena.append($0).payload }
      }
      for row in rows {
        let isAbsent = tags[row] == CellTag.absent
        copy.tags[row] = isAbsent ? value.tag : tags[row]
        copy.payloads[row] = isAbsent ? payload : payloads[row]
      }
      filled.append(copy)
      views.append(CellColumnView(tags: copy.tags, payloads: copy.payloads))
    }
    self.views = views
    self.filled = filled
  }

  /// Whether a part of a row's key is null: such a key equals no other.
  func hasNull(_ row: Int) -> Bool { views.contains { $0.tags[row] == CellTag.null } }

  func hash(_ row: Int, seed: UInt64) -> UInt64 {
    var hash = seed
    for view in views {
      var payload = view.payloads[row]
      // 0 and -0 are one value to SQLite.
      if view.tags[row] == CellTag.real, Double(bitPattern: payload) == 0 { payload = 0 }
      hash = CellHash.cell(view.tags[row], payload, arena.base, seed: hash)
    }
    return hash
  }

  func areEqual(_ left: Int, _ right: Int) -> Bool {
    views.allSatisfy { view in
      guard view.tags[left] == view.tags[right] else { return false }
      let (one, other) = (view.payloads[left], view.payloads[right])
      switch view.tags[left] {
      case CellTag.text, CellTag.blob:
        let (a, b) = (ByteRange(payload: one), ByteRange(payload: other))
        return a.length == b.length && memcmp(arena.base + a.offset, arena.base + b.offset, a.length) == 0
      case CellTag.real: return Double(bitPattern: one) == Double(bitPattern: other)
      default: return one == other
      }
    }
  }
}

/// A column of cells that is thrown away after use.
private final class FilledColumn {
  let tags: UnsafeMutablePointer<UInt8>
  let payloads: UnsafeMutablePointer<UInt64>

  init(capacity: Int) {
    tags = .allocate(capacity: capacity)
    payloads = .allocate(capacity: capacity)
    tags.initialize(repeating: CellTag.null, count: capacity)
    payloads.initialize(repeating: 0, count: capacity)
  }

  deinit {
    tags.deallocate()
    payloads.deallocate()
  }
}
