import MergewalkImporting
import Synchronization

/// Where a run was at one moment.
struct RunSample: Sendable {
  /// Seconds since the run began.
  var seconds: Double
  /// Records read so far.
  var records: Int
  /// Bytes read so far.
  var bytes: Int
  /// The resident set in bytes.
  var resident: Int
}

/// Watches a run: shows how far it is, and keeps samples of its speed and memory for the report.
///
/// The run's thread leaves its progress here; a thread of its own looks at it twenty times a second, so that the display
/// lives on while indexes are built.
final class RunMonitor: Sendable {
  private struct State {
    var progress = ImportProgress()
    var samples = RunSamples()
    var recent: [(seconds: Double, records: Int)] = []

    init() { progress.stage = .prepare }
  }

  /// The greatest age of the records behind the rate that is shown as the present one, in seconds.
  private static let window = 3.0

  private let state = Mutex(State())
  /// Seconds since the run began.
  private let clock: @Sendable () -> Double
  /// Shows the progress; is called on the monitor's thread.
  private let show: (@Sendable (ImportProgress, _ rate: Double) -> Void)?

  /// - Parameter clock: seconds since the run began; nil for those since now.
  init(
    show: (@Sendable (ImportProgress, _ rate: Double) -> Void)?, clock: (@Sendable () -> Double)? = nil
  ) {
    let started = ContinuousClock.now
    self.show = show
    self.clock = clock ?? { (ContinuousClock.now - started) / .seconds(1) }
  }

  /// Takes the run's progress.
  func update(_ progress: ImportProgress) { state.withLock { $0.progress = progress } }

  /// Looks at the run: takes a sample, and shows where it is.
  func look() {
    let (progress, rate) = takeSample()
    show?(progress, rate)
  }

  /// Takes a sample without showing it; returns the progress and the present rate in records per second.
  @discardableResult
  func takeSample() -> (ImportProgress, rate: Double) {
    let seconds = clock()
    let resident = ProcessMemory.resident()
    return state.withLock { state in
      var progress = state.progress
      progress.seconds = seconds
      state.samples.add(
        RunSample(seconds: seconds, records: progress.records, bytes: progress.bytes, resident: resident))
      state.recent.append((seconds, progress.records))
      state.recent.removeAll { seconds - $0.seconds > Self.window }
      var rate = 0.0
      if let first = state.recent.first, seconds - first.seconds > 0.2 {
        rate = Double(progress.records - first.records) / (seconds - first.seconds)
      }
      return (progress, rate)
    }
  }

  var samples: [RunSample] { state.withLock { $0.samples.list } }
}

/// Samples of a run, at most 500 of them however long it takes: when there are too many, every other one goes and only
/// every other moment is taken from then on.
struct RunSamples {
  private(set) var list: [RunSample] = []
  private var stride = 1
  private var skipped = 0
  /// The greatest number of samples.
  static let most = 500

  /// Takes a sample if it is its turn.
  mutating func add(_ sample: RunSample) {
    skipped += 1
    guard skipped >= stride || list.isEmpty else { return }
    skipped = 0
    if list.count >= Self.most {
      list = list.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      stride *= 2
    }
    list.append(sample)
  }
}
