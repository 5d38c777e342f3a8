/// Where the writer's time went, in seconds.
struct PartTimes: Sendable {
  /// Opening, and reading what is stored.
  var prepare = 0.0
  /// Waiting for the reader.
  var wait = 0.0
  /// Finding and filling rows.
  var find = 0.0
  /// Saving.
  var write = 0.0
  /// Reading and cutting records, mostly on the reader's thread.
  var read = 0.0
  /// Converting them, mostly on the reader's thread.
  var convert = 0.0

  func adding(_ other: PartTimes) -> PartTimes {
    var sum = self
    sum.add(other)
    return sum
  }

  mutating func add(_ other: PartTimes) {
    prepare += other.prepare
    wait += other.wait
    find += other.find
    write += other.write
    read += other.read
    convert += other.convert
  }
}
