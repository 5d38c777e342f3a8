import MergewalkThreads

/// What a process that resumes a run takes over of a part.
extension PartImport {
  /// Takes over what an earlier process has put off, with what that means for later records.
  func takeOverWaiting() throws(ImportError) {
    let filter = importer.nodes[plan.root].finder as? KeyFilter
    let made = importer.firstKeys[rootEntity] ?? .max
    try importer.deferred?.forEachKept { kept in
      importer.keptBefore.deferred.append(kept.place)
      if kept.isParked {
        importer.keptBefore.parked.append(kept.place)
        return importer.vacancies.park(kept.keyHash)
      }
      _ = filter?.testAndInsert(kept.keyHash)
      guard hasSecondPass, kept.primaryKey > 0 else { return }
      importer.waitingObjects.mark(kept.primaryKey)
      if kept.primaryKey >= made { importer.vacancies.claim(kept.primaryKey) }
    }
    try importer.references?.forEachKept { kept in
      importer.keptBefore.references.append(kept.place)
      importer.waitingObjects.mark(kept.primaryKey)
      importer.referenceOwners.mark(kept.primaryKey)
    }
  }

  /// Reads the records of a part whose first pass an earlier process has done, for what they mean for the second one.
  func rebuild() throws(ImportError) {
    try beginBehindFirstPass()
    guard place.position.records > 0 else { return }
    defer { transforms?.end(isJoined: true) }
    var reading = InputReading(
      sources: part.sources, format: part.format, limit: importer.chunkLimit(definition.batchLimit),
      preparer: BatchPreparer(plan: plan, seed: importer.seed, since: importer.since?.filter, transforms: transforms))
    reading.spool = part.spool
    reading.tracking = InputTracking(
      seed: place.seed, start: place.position, isRebuilding: true, isCompared: false)
    let (channel, thread) = reading.begin(plan)
    defer {
      channel.cancel()
      thread?.join()
      channel.drain()
    }
    while var batch = try reading.receive(from: channel), batch.wasImported {
      rejects.note(batch)
      try importer.skipImported(&batch)
      channel.recycle(batch)
    }
  }

  /// Puts a part whose first pass an earlier process has done where that has left it.
  private func beginBehindFirstPass() throws(ImportError) {
    let root = importer.nodes[plan.root]
    if root.finder is KeyFilter {
      root.finder = SeekFinder()
      try importer.buildIndexes(file, for: root)
    }
    if root.named == nil, !root.plan.keyFields.isEmpty { root.named = NamedObjects() }
    firstPassTally.count(importer)
  }
}
