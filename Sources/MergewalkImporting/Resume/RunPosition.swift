import MergewalkObjectModel

/// The position of a run's importing, and the counts up to it.
struct RunPosition: Sendable, Equatable {
  /// The seed of the hashes of keys and of the input; the same throughout a run.
  var seed: UInt64 = 0
  /// The first primary key of each hierarchy that the run can have given out, by root entity; the same throughout a run.
  var firstKeys: [RootIndex: Int64] = [:]
  /// The part that is being imported, from 0; the number of parts when all are done.
  var part = 0
  /// How far its inputs have been read.
  var position = InputPosition()
  /// The outcomes of the records of all parts.
  var ledger = RecordLedger()
  /// The other counts.
  var tally = RunTally()
  /// Records of the part of which the records themselves do not say what became of them.
  var late = LateRecords()
  /// The bytes of the file of records that were put off; `nil` when the part puts none off.
  var later: Int?
  /// Whether the part finds its own objects by a filter of their keys, and puts off those that it may know.
  var isFiltering = false
  /// The next primary key of each hierarchy when the part began, by root entity; empty before.
  var partKeys: [RootIndex: Int64] = [:]
  /// How often the records that wait were gone through; 0 while the part is read.
  var generation = 0

  /// The next primary key of each hierarchy when the first of the parts began that have one second pass with this one.
  var groupKeys: [RootIndex: Int64] { tally.held.first?.partKeys ?? partKeys }

  /// The beginning of a part, when those before it are done.
  func beginning(part: Int, ledger: RecordLedger, tally: RunTally) -> RunPosition {
    var place = RunPosition()
    place.seed = seed
    place.firstKeys = firstKeys
    place.part = part
    place.ledger = ledger
    place.tally = tally
    return place
  }
}

/// What has to be known of a part whose second pass is still to come.
struct HeldPart: Sendable, Equatable {
  /// The counts of its first pass, by node, by plan and by list.
  var nodes: [ImportSummary.EntityCounts] = []
  var values: [ValueCounts] = []
  var links: [ListTally] = []
  var late = LateRecords()
  var partKeys: [RootIndex: Int64] = [:]
  var generation = 0
}

/// Records of a part of which another process cannot tell from reading them again what became of them: their numbers
/// among the good ones, ascending.
struct LateRecords: Sendable, Equatable {
  /// Rejected although their key was usable: what is known of the keys that were named does not have them.
  var rejected: [Int] = []
  /// Rejected because their object was there or an earlier record has their key; only where a column grows.
  var repeated: [Int] = []
  /// Skipped in mode `update` because their object was not there, where the run may have made it since.
  var unfound: [Int] = []
  /// Turned away, whose values would have been the last ones said of an object that a second pass fills.
  var unsaid: [Int] = []
}
