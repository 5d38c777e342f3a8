import MergewalkObjectStore

/// How the rows of a fetch come when they do not come with the fetch itself.
struct BatchLoader {
  /// How many rows one SELECT fetches.
  let size: Int
  let table: TableID
  /// The slots that are fetched; `nil` when rows are faults and nothing is fetched before it is needed.
  let slots: [Int]?
  let options: FetchedRowReader.Options
  let prefetched: PrefetchTree

  /// Gets a range of records into the context: in one SELECT, or in none when all of them are known.
  ///
  /// What cannot be fetched is a fault, so that whoever asks for its values hears why.
  func load(_ keys: FetchedKeys, _ range: Range<Int>, _ context: ManagedObjectContext) -> ContiguousArray<Int32> {
    let buffer = context.buffer(table: table)
    if let slots {
      let missing = keys.keys[range].filter { key in
        guard let row = buffer.row(primaryKey: key) else { return true }
        let state = buffer.states[row]
        return state == RowState.fault && !buffer.knowsEverything(row: row)
          || options.refreshes && state == RowState.clean
      }
      buffer.compactIfWorthwhile()
      if !missing.isEmpty, let access = try? context.access(table: table) {
        try? access.fetchRows(primaryKeys: missing.sorted(), slots: slots, options: options, into: buffer)
      }
    }
    var places: ContiguousArray<Int32> = []
    places.reserveCapacity(range.count)
    for index in range {
      let key = keys.keys[index]
      let row =
        buffer.row(primaryKey: key)
        ?? buffer.takeRow(entity: Int32(keys.entity(at: index)), state: RowState.fault, primaryKey: key)
      places.append(Int32(truncatingIfNeeded: row))
    }
    if options.refreshes { context.forgetRelated(table: table, places) }
    return places
  }

  /// Fetches what the key paths for prefetching lead to from some rows.
  ///
  /// What cannot be fetched is fetched when it is requested, and then says why it cannot.
  func companions(_ places: ContiguousArray<Int32>, _ context: ManagedObjectContext) -> PrefetchedRows? {
    guard !prefetched.steps.isEmpty else { return nil }
    let kept = PrefetchedRows(context)
    try? context.prefetch(prefetched, table: table, places, options: options, into: kept)
    return kept
  }
}
