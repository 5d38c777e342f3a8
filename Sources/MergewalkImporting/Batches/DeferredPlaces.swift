import MergewalkRecordFormats

/// The places in the inputs of records that an earlier process has put off, in the order in which they are read again:
/// eight bytes each, whatever the inputs.
struct DeferredPlaces {
  private var places: ContiguousArray<UInt64> = []
  /// How many were read again.
  private var passed = 0

  /// Whether all were read again.
  var arePassed: Bool { passed == places.count }

  mutating func append(_ place: UInt64) { places.append(place) }

  /// Goes past a place when it is the next one; whether it was.
  mutating func pass(_ place: UInt64) -> Bool {
    guard passed < places.count, places[passed] == place else { return false }
    passed += 1
    return true
  }

  /// Calls `body` with each record of a batch and its place.
  static func forEach(in batch: RecordBatch, _ body: (_ record: Int, _ place: UInt64) -> Void) {
    var source = PlacesHash()
    source.begin(source: batch.source, member: batch.member)
    for record in 0..<batch.recordCount {
      var hash = source
      hash.add(RecordPlace(batch.records[record]))
      body(record, hash.bits)
    }
  }
}
