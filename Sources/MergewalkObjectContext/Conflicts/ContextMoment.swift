import MergewalkObjectStore

/// The state of a context's changes before a merge policy acts: rows, their objects and pairs, to restore when the save
/// fails all the same.
struct ContextMoment {
  /// An object with changes, and where its row is.
  fileprivate struct Place {
    var object: ManagedObject
    var table: TableID
    var row: Int
    var primaryKey: Int64
  }

  fileprivate var generation: UInt32
  fileprivate var tables: [TableID: ChangedRowsMoment] = [:]
  fileprivate var places: [Place] = []
  fileprivate var links: PendingLinks.Moment
}

extension ManagedObjectContext {
  /// Takes down what has changes; the moment has to be let go.
  ///
  /// - Complexity: O(changed rows × columns).
  func holdChanges() -> ContextMoment {
    var moment = ContextMoment(generation: registry.generation, links: pendingLinks.moment)
    for buffer in allBuffers where !buffer.touchedRows.isEmpty {
      let rows = ChangedRowsMoment(buffer)
      if rows.rows.isEmpty { continue }
      pin(table: buffer.table, rows.rows)
      buffer.keepsBytes = true
      moment.tables[buffer.table] = rows
      for (row, key) in zip(rows.rows, rows.primaryKeys) {
        guard let object = registry.object(table: buffer.table, row: Int(row)) else { continue }
        moment.places.append(
          ContextMoment.Place(
            object: object.takeUnretainedValue(), table: buffer.table, row: Int(row), primaryKey: key))
      }
    }
    return moment
  }

  /// Ends what ``holdChanges()`` began.
  func letGo(_ moment: ContextMoment) {
    let isOfNow = moment.generation == registry.generation
    for (table, rows) in moment.tables {
      buffer(table: table).keepsBytes = false
      // A reset has let go of all rows.
      if isOfNow { unpin(table: table, rows.rows) }
    }
  }

  /// Makes everything that had changes at a moment what it was, and everything else what the store has.
  ///
  /// Records without changes here that the store does not have any more stay gone.
  func goBack(to moment: ContextMoment) {
    // A policy that resets the context leaves nothing to go back to.
    guard moment.generation == registry.generation else { return forgetUndo() }
    var leftRows: [(table: TableID, row: Int)] = []
    for buffer in allBuffers {
      let known = moment.tables[buffer.table]
      rollBackChanges(in: buffer, besides: Set(known?.rows ?? []), &leftRows)
      if let known {
        makeRoom(for: known, in: buffer)
        buffer.goBack(to: known)
      } else {
        buffer.snapshots.removeAll(keepingCapacity: true)
        buffer.touchedRows.removeAll(keepingCapacity: true)
      }
    }
    for place in moment.places { putBack(place, &leftRows) }
    pendingLinks.goBack(to: moment.links)
    recorder?.discard()
    pendingReferences = nil
    storedVersion &+= 1
    for (table, row) in leftRows {
      if let object = registry.object(table: table, row: row)?.takeUnretainedValue() {
        if !object.hasChanges { release(object) }
      } else {
        letGo(buffer(table: table), row: row)
      }
    }
  }

  /// Rolls back what has changes now and had none then.
  private func rollBackChanges(
    in buffer: RowBuffer, besides known: Set<Int32>, _ leftRows: inout [(table: TableID, row: Int)]
  ) {
    for touched in buffer.touchedRows where !known.contains(touched) {
      let row = Int(touched)
      switch buffer.states[row] {
      case RowState.inserted:
        detach(buffer, row: row)
        buffer.release(row: row)
      case RowState.updated, RowState.deleted:
        buffer.rollBack(row: row)
        leftRows.append((buffer.table, row))
      default: break
      }
    }
  }

  /// Frees rows that came up for records whose own rows come back.
  private func makeRoom(for rows: ChangedRowsMoment, in buffer: RowBuffer) {
    for (row, key) in zip(rows.rows, rows.primaryKeys) {
      guard let other = buffer.row(primaryKey: key), other != Int(row) else { continue }
      detach(buffer, row: other)
      buffer.release(row: other)
    }
  }

  /// Makes an object that of its row again.
  private func putBack(_ place: ContextMoment.Place, _ leftRows: inout [(table: TableID, row: Int)]) {
    let object = place.object
    if !object.isValid || object.table != place.table || object.row != place.row {
      if object.isValid {
        registry.unregister(table: object.table, row: object.row)
        leftRows.append((object.table, object.row))
      }
      detach(buffer(table: place.table), row: place.row)
      object.move(to: place.table, row: place.row)
      registry.register(object, table: place.table, row: place.row)
      if retainsRegisteredObjects { registry.retained.insert(object) }
    }
    object.learnKey(place.primaryKey)
    object.forgetRelated()
    hold(object)
  }
}
