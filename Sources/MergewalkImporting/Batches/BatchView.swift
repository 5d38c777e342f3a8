import MergewalkObjectStore
import MergewalkRecordFormats

/// The memory of a batch, lent as plain pointers for the time of its import.
///
/// The import touches every record several times; arrays inside arrays inside a class would cost a retain, a bounds
/// check and an exclusivity check each time. Nothing grows or moves while a view exists.
struct BatchView {
  /// The number of records; every pointer below has one entry a record.
  let count: Int
  /// The records that are imported now: all, or a part of them after something was refused.
  var records: Range<Int>
  let fields: [CellColumnView]
  /// The state of each node.
  let nodes: [NodeView]
  /// The memory that the cells' ranges refer to.
  let arena: UnsafeRawPointer
  /// The number of bytes in the arena.
  let byteCount: Int
  let outcomes: UnsafeMutablePointer<RecordLedger.Outcome>

  /// The columns of one node (see ``NodeColumns``).
  struct NodeView {
    let keyStates: UnsafeMutablePointer<UInt8>
    let keyHashes: UnsafeMutablePointer<UInt64>
    let contents: UnsafeMutablePointer<UInt64>
    let targets: UnsafeMutablePointer<Int64>
    /// `nil` unless the entity has subentities.
    let targetEntities: UnsafeMutablePointer<Int32>?
  }

  /// Whether a record names an object of a node and was neither rejected nor skipped.
  @inline(__always)
  func isWanted(_ record: Int, _ node: NodeView) -> Bool {
    outcomes[record] != .rejected && outcomes[record] != .skipped
      && node.keyStates[record] == ImportBatch.KeyState.usable
  }

  /// The records that name an object of a node and were neither rejected nor skipped.
  func wanted(_ node: Int) -> ContiguousArray<Int32> {
    let columns = nodes[node]
    var wanted = ContiguousArray<Int32>()
    for record in records where isWanted(record, columns) { wanted.append(Int32(truncatingIfNeeded: record)) }
    return wanted
  }

  static func lend<Failure: Error>(
    _ batch: inout ImportBatch, _ outcomes: inout ContiguousArray<RecordLedger.Outcome>,
    _ body: (BatchView) throws(Failure) -> Void
  ) throws(Failure) {
    let count = batch.records.recordCount
    guard count > 0 else { return }
    let columns = batch.columns
    let byteCount = batch.records.byteCount
    // Moved out for the time of the call, so that each array can be lent without touching the batch.
    var nodes = batch.nodes
    batch.nodes = []
    defer { batch.nodes = nodes }
    try outcomes.withUnsafeMutableBufferPointer { outcomes throws(Failure) in
      try batch.records.bytes.withUnsafeBufferPointer { bytes throws(Failure) in
        try lendFields(columns, []) { fields throws(Failure) in
          try lendNodes(&nodes, 0, []) { nodes throws(Failure) in
            guard let outcomes = outcomes.baseAddress, let arena = bytes.baseAddress.map({ UnsafeRawPointer($0) })
            else { return }
            try body(
              BatchView(
                count: count, records: 0..<count, fields: fields, nodes: nodes, arena: arena, byteCount: byteCount,
                outcomes: outcomes))
          }
        }
      }
    }
  }

  /// Lends the columns' memory, after that of the existing views.
  static func lendFields<Failure: Error>(
    _ columns: [CellColumn], _ views: [CellColumnView], _ body: ([CellColumnView]) throws(Failure) -> Void
  ) throws(Failure) {
    guard views.count < columns.count else { return try body(views) }
    let column = columns[views.count]
    try column.tags.withUnsafeBufferPointer { tags throws(Failure) in
      try column.payloads.withUnsafeBufferPointer { payloads throws(Failure) in
        // Fields that deferred records do not keep, and lists without positions, are empty columns: nothing reads them.
        let view = CellColumnView(
          tags: tags.baseAddress ?? nowhere.assumingMemoryBound(to: UInt8.self),
          payloads: payloads.baseAddress ?? nowhere.assumingMemoryBound(to: UInt64.self))
        try lendFields(columns, views + [view], body)
      }
    }
  }

  private static func lendNodes<Failure: Error>(
    _ nodes: inout [NodeColumns], _ index: Int, _ views: [NodeView], _ body: ([NodeView]) throws(Failure) -> Void
  ) throws(Failure) {
    guard index < nodes.count else { return try body(views) }
    var node = nodes[index]
    nodes[index] = NodeColumns()
    defer { nodes[index] = node }
    var entities = node.targetEntities
    node.targetEntities = []
    defer { node.targetEntities = entities }
    try node.keyStates.withUnsafeMutableBufferPointer { states throws(Failure) in
      try node.keyHashes.withUnsafeMutableBufferPointer { hashes throws(Failure) in
        try node.contentHashes.withUnsafeMutableBufferPointer { contents throws(Failure) in
          try node.targets.withUnsafeMutableBufferPointer { targets throws(Failure) in
            try entities.withUnsafeMutableBufferPointer { entities throws(Failure) in
              let view = NodeView(
                keyStates: states.baseAddress ?? .init(mutating: nowhere.assumingMemoryBound(to: UInt8.self)),
                keyHashes: hashes.baseAddress ?? .init(mutating: nowhere.assumingMemoryBound(to: UInt64.self)),
                contents: contents.baseAddress ?? .init(mutating: nowhere.assumingMemoryBound(to: UInt64.self)),
                targets: targets.baseAddress ?? .init(mutating: nowhere.assumingMemoryBound(to: Int64.self)),
                targetEntities: entities.isEmpty ? nil : entities.baseAddress)
              try lendNodes(&nodes, index + 1, views + [view], body)
            }
          }
        }
      }
    }
  }
}

/// An address for columns without memory; nothing is read from it or written to it.
private var nowhere: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }
