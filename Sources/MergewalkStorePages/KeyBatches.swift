/// All keys of an index in their order, in batches, of which some are filled ahead on another thread.
///
/// The keys are divided by their prefixes into slices, each of which is merged by itself: the thread that needs a batch
/// that the other one is filling fills a later one meanwhile. Who fills a batch makes no difference to its keys.
struct KeyBatches {
  private let work: BackgroundWork
  private let capacity: Int
  private var slices: ArraySlice<ClosedRange<UInt64>>
  private let merge: (ClosedRange<UInt64>) -> KeyMerge
  /// The next batches, and the jobs that fill them.
  private var ahead: [(batch: KeyBatch, job: Int)] = []

  /// One that is used next, one that each thread fills: more would only take memory.
  private static let mostAhead = 3

  /// - Parameters:
  ///   - capacity: The bytes of a batch, enough for any key.
  ///   - merge: Merges the keys of a slice.
  init(
    _ slices: [ClosedRange<UInt64>], capacity: Int, _ work: BackgroundWork,
    merge: @escaping (ClosedRange<UInt64>) -> KeyMerge
  ) {
    self.work = work
    self.capacity = capacity
    self.slices = slices[...]
    self.merge = merge
  }

  /// The next batch, filled; nothing after the last one.
  mutating func next() throws(PageError) -> KeyBatch? {
    while ahead.count < Self.mostAhead, let slice = slices.popFirst() { ahead.append(try begin(merge(slice))) }
    guard let next = ahead.first else { return nil }
    try fill(next.batch, next.job)
    ahead.removeFirst()
    // What does not fit a batch is merged while that one is used.
    if !next.batch.merge.isAtEnd { ahead.insert(try begin(next.batch.merge), at: 0) }
    return next.batch
  }

  private func begin(_ merge: KeyMerge) throws(PageError) -> (batch: KeyBatch, job: Int) {
    let batch = KeyBatch(merge, capacity: capacity)
    return (batch, try work.give(batch))
  }

  /// Fills a batch, or others until the other thread has filled it.
  private func fill(_ batch: KeyBatch, _ job: Int) throws(PageError) {
    while !batch.isFilled {
      guard let next = ahead.first(where: { $0.batch.take() }) else { return try work.wait(for: job) }
      try next.batch.fill()
    }
  }
}
