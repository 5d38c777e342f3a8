import MergewalkObjectContext
import MergewalkObjectStore

/// A piece of a second pass that is rolled back as a whole when a record turns out to be rejected in it.
///
/// Its rejections remain: these records are written and counted as rejected.
struct SecondPassAttempt {
  private let parts: [PartImport]
  private let file: StoreFile
  private let store: PersistentStore
  private let sequences: PersistentStore.Sequences
  private let tallies: [Tally]

  /// The counts of one part when the attempt begins.
  private struct Tally {
    var nodes: [ImportSummary.EntityCounts]
    var lists: [ListTally]
    var values: [ValueCounts]
    var sampled: Int
    var spoken: SpokenOrder?
  }

  /// Begins an attempt in the transaction that is open.
  init(_ parts: [PartImport], _ file: StoreFile, _ store: PersistentStore) throws(ImportError) {
    (self.parts, self.file, self.store) = (parts, file, store)
    do { try store.beginAttempt() } catch { throw ImportError(error) }
    sequences = store.sequences
    tallies = parts.map { part in
      let importer = part.importer
      for state in importer.allNodes { state.named?.beginAttempt() }
      return Tally(
        nodes: importer.allNodes.map(\.counts), lists: importer.allLists.map(\.tally), values: importer.allValues,
        sampled: importer.sample?.begin() ?? 0, spoken: importer.spoken)
    }
  }

  /// Keeps what was done.
  func keep() throws(ImportError) {
    for part in parts { for state in part.importer.allNodes { state.named?.endAttempt(isKept: true) } }
    do { try store.keepAttempt() } catch { throw ImportError(error) }
  }

  /// Rolls back what was done, in the store and in what finding and counting remember.
  func rollBack() throws(ImportError) {
    do { try store.takeBackAttempt() } catch { throw ImportError(error) }
    store.sequences = sequences
    for (part, tally) in zip(parts, tallies) {
      let importer = part.importer
      importer.context.reset()
      let gone = importer.spoken?.gone ?? []
      importer.spoken = tally.spoken
      importer.spoken?.gone = gone
      importer.sample?.removeAll(since: tally.sampled)
      // Those of the records' own objects and values say what was rejected.
      let values = importer.values
      importer.takeValues(tally.values)
      importer.values = values
      for (list, counts) in zip(importer.allLists, tally.lists) {
        list.tally = counts
        list.forgetIndexes()
      }
      for (state, counts) in zip(importer.allNodes, tally.nodes) {
        state.named?.endAttempt(isKept: false)
        if state !== importer.nodes[importer.plan.root] { state.counts = counts }
        if state.isPostponed, state.seenKeys != nil { state.seenKeys = SeenKeys() }
      }
      for list in importer.allLists {
        for state in list.importer.nodes where state.finder.keepsKeys {
          state.finder = SeekFinder()
          try importer.buildIndexes(file, for: state)
        }
      }
    }
  }
}
