import MergewalkObjectStore
import MergewalkRecordFormats

/// Writes the prepared batches of one entity's objects: columns go straight into the table, lists into join tables.
final class IdentityImporter {
  let part: IdentityPlan
  /// Rejects of the current batch.
  private(set) var rejects: [RecordReject] = []
  /// The outcomes of the records of the current batch.
  private(set) var outcomes = ContiguousArray<RecordLedger.Outcome>()

  private let loader: IdentityLoader
  private let linkAccesses: [LinkAccess]
  /// The greatest identity of the hierarchy so far; shared by the importers of its entities.
  private let greatest: GreatestIdentity

  // Memory that is used again.
  private var positions: [CellColumn]
  private var rows = ContiguousArray<Int32>()
  private var identities = ContiguousArray<Int64>()
  private var orders = ContiguousArray<Int64>()
  private var inverseOrders = ContiguousArray<Int64>()
  private var linkRows: [LinkRow] = []
  /// How many usual positions were given out to each column, and to each many-to-many relationship's inverse.
  private var positionCounts: [Int]
  private var inverseCounts: [Int]

  /// The greatest identity that was inserted into a table.
  final class GreatestIdentity {
    var value: Int64 = 0
  }

  init(_ part: IdentityPlan, store: PersistentStore, number: Int, greatest: GreatestIdentity) throws(StoreError) {
    self.part = part
    self.greatest = greatest
    loader = try IdentityLoader(
      store: store, entity: part.entity, number: number, columns: part.columns.map(\.definition))
    var accesses: [LinkAccess] = []
    for link in part.links { accesses.append(try store.links(.join(link.joinTable))) }
    linkAccesses = accesses
    positions = Array(repeating: CellColumn(), count: part.columns.count)
    positionCounts = Array(repeating: 0, count: part.columns.count)
    inverseCounts = Array(repeating: 0, count: part.links.count)
  }

  /// Imports a batch within the transaction that is open.
  ///
  /// - Throws: ``ImportError`` when the database fails.
  func process(_ batch: inout ImportBatch) throws(ImportError) {
    examine(batch)
    fillPositions(batch)
    let columns = positions
    do {
      try lend(&batch, positions: columns) { (view, positions) throws(StoreError) in
        try rejectKnown(view)
        rows.removeAll(keepingCapacity: true)
        for record in 0..<view.count where outcomes[record] == .pending {
          rows.append(Int32(record))
          outcomes[record] = .inserted
        }
        let cells = part.columns.indices.map { index in
          part.columns[index].reference == nil ? view.fields[part.columns[index].field ?? 0] : positions[index]
        }
        try rows.withUnsafeBufferPointer { rows throws(StoreError) in
          try loader.insert(rows: rows, cells: cells, arena: view.arena)
        }
        for (index, link) in part.links.enumerated() { try insertLinks(link, index, view) }
      }
    } catch {
      throw ImportError(error)
    }
  }

  /// Settles the records that cannot be imported whatever the store holds: those that failed before and those with lists
  /// that are none; the others are pending.
  func examine(_ batch: ImportBatch) {
    let count = batch.records.recordCount
    outcomes.fill(.pending, count: count)
    rejects.removeAll(keepingCapacity: true)
    for record in 0..<count where batch.hasFailed[record] { outcomes[record] = .rejected }
    guard !part.links.isEmpty else { return }
    batch.records.bytes.withUnsafeBytes { bytes in
      guard let arena = bytes.baseAddress else { return }
      for record in 0..<count where outcomes[record] == .pending {
        for link in part.links {
          guard let problem = read(link, record, batch.columns, arena) else { continue }
          outcomes[record] = .rejected
          rejects.append(
            RecordReject(
              record: Int32(record), field: Int32(problem.field), code: .valueIdentities, detail: problem.detail))
          break
        }
      }
    }
  }

  // MARK: Lists

  /// Reads the lists of a record's relationship into ``identities``, ``orders`` and ``inverseOrders``; the latter are
  /// empty when the usual positions hold.
  ///
  /// - Returns: What is wrong with them, or `nil`.
  private func read(
    _ link: IdentityPlan.Links, _ record: Int, _ columns: [CellColumn], _ arena: UnsafeRawPointer
  ) -> (field: Int, detail: String)? {
    identities.removeAll(keepingCapacity: true)
    orders.removeAll(keepingCapacity: true)
    inverseOrders.removeAll(keepingCapacity: true)
    func bytes(_ field: Int?) -> UnsafeRawBufferPointer? {
      guard let field, columns[field].tags[record] == CellTag.text else { return nil }
      let range = ByteRange(payload: columns[field].payloads[record])
      return UnsafeRawBufferPointer(start: arena + range.offset, count: range.length)
    }
    if let list = bytes(link.field) {
      guard IdentityList.parse(list, into: &identities) else {
        return (link.field, "it takes whole numbers, as [1, 2, 3] or 1 2 3")
      }
      guard IdentityList.areIdentities(identities) else {
        return (link.field, "identities are numbers from 1, each once")
      }
    }
    if let list = bytes(link.orders), !IdentityList.parse(list, into: &orders) || !isMatching(orders) {
      return (link.orders ?? 0, "it takes as many whole numbers as there are identities: \(identities.count)")
    }
    if let list = bytes(link.inverseOrders),
      !IdentityList.parse(list, into: &inverseOrders) || !isMatching(inverseOrders)
    {
      return (link.inverseOrders ?? 0, "it takes as many whole numbers as there are identities: \(identities.count)")
    }
    return nil
  }

  private func isMatching(_ positions: ContiguousArray<Int64>) -> Bool {
    positions.isEmpty || positions.count == identities.count
  }

  /// Writes the pairs of the inserted records.
  private func insertLinks(_ link: IdentityPlan.Links, _ index: Int, _ view: ObjectView) throws(StoreError) {
    linkRows.removeAll(keepingCapacity: true)
    for row in rows {
      let record = Int(row)
      // They were read before and are sound.
      _ = read(link, record, view.columns, view.arena)
      let owner = Int64(bitPattern: view.fields[0].payloads[record])
      for (place, target) in identities.enumerated() {
        var pair = LinkRow(owner: owner, target: target)
        pair.order = orders.isEmpty ? OrderKey.usual(place) : orders[place]
        if inverseOrders.isEmpty {
          pair.inverseOrder = OrderKey.usual(inverseCounts[index])
          inverseCounts[index] += 1
        } else {
          pair.inverseOrder = inverseOrders[place]
        }
        linkRows.append(pair)
      }
    }
    try linkAccesses[index].insert(linkRows)
  }

  // MARK: Positions

  /// Fills the positions in ordered relationships, the usual ones where the records give none.
  private func fillPositions(_ batch: ImportBatch) {
    let count = batch.records.recordCount
    for (index, column) in part.columns.enumerated() {
      guard let reference = column.reference else { continue }
      positions[index].reset(count: count)
      for record in 0..<count where batch.columns[reference].tags[record] == CellTag.integer {
        positions[index].tags[record] = CellTag.integer
        if let field = column.field, batch.columns[field].tags[record] == CellTag.integer {
          positions[index].payloads[record] = batch.columns[field].payloads[record]
        } else {
          positions[index].payloads[record] = UInt64(bitPattern: OrderKey.usual(positionCounts[index]))
          positionCounts[index] += 1
        }
      }
    }
  }

  // MARK: Identities

  /// Rejects records whose identity an earlier record has.
  private func rejectKnown(_ view: ObjectView) throws(StoreError) {
    let own = view.fields[0].payloads
    var last = greatest.value
    var isAscending = true
    rows.removeAll(keepingCapacity: true)
    for record in 0..<view.count where outcomes[record] == .pending {
      let identity = Int64(bitPattern: own[record])
      if identity <= last { isAscending = false } else { last = identity }
      rows.append(Int32(record))
    }
    greatest.value = last
    if isAscending { return }
    var seen = try rows.withUnsafeBufferPointer { rows throws(StoreError) in
      try loader.present(rows: rows, identities: view.fields[0], arena: view.arena)
    }
    for row in rows where !seen.insert(Int64(bitPattern: own[Int(row)])).inserted {
      outcomes[Int(row)] = .rejected
      rejects.append(RecordReject(record: row, field: 0, code: .duplicateKey))
    }
  }

  // MARK: Memory

  /// A batch's memory, lent for the time of its import.
  private struct ObjectView {
    var count: Int
    var fields: [CellColumnView]
    var columns: [CellColumn]
    var arena: UnsafeRawPointer
  }

  private func lend(
    _ batch: inout ImportBatch, positions: [CellColumn],
    _ body: (ObjectView, [CellColumnView]) throws(StoreError) -> Void
  ) throws(StoreError) {
    let count = batch.records.recordCount
    guard count > 0 else { return }
    let columns = batch.columns
    try batch.records.bytes.withUnsafeBufferPointer { bytes throws(StoreError) in
      try BatchView.lendFields(columns + positions, []) { views throws(StoreError) in
        guard let arena = bytes.baseAddress.map({ UnsafeRawPointer($0) }) else { return }
        try body(
          ObjectView(count: count, fields: Array(views.prefix(columns.count)), columns: columns, arena: arena),
          Array(views.dropFirst(columns.count)))
      }
    }
  }
}
