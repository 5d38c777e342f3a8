/// The limits within which a run may differ from the earlier ones of its pipeline.
public struct AnomalyThresholds: Sendable, Hashable {
  /// The number of earlier runs to compare with; 0 for none.
  public var runs = 10
  /// The minimum number of earlier runs for a comparison.
  public var least = 3
  /// The number of records read may differ from the usual one by this share of it.
  public var records = 0.5
  /// The share of rejected records may exceed the usual one by this much.
  public var rejects = 0.05
  /// The time may be this many times the usual one, plus a second.
  public var duration = 3.0
  /// The share of records that inserted something may differ from the usual one by this much.
  public var inserted = 0.5

  /// Creates the defaults.
  public init() {}
}

/// A measure of a run that is far from its usual value.
public struct RunAnomaly: Sendable, Hashable {
  /// The measure that is unusual.
  public enum Measure: String, Sendable, Hashable, CaseIterable {
    /// The number of records read.
    case records
    /// The share of rejected records.
    case rejects
    /// The wall time in seconds.
    case duration
    /// The share of records that inserted something.
    case inserted
  }
  /// The measure that is unusual.
  public var measure: Measure
  /// The value in this run.
  public var value: Double
  /// The median of the earlier runs.
  public var usual: Double
  /// The number of earlier runs compared.
  public var runs: Int

  /// The differences between a run and earlier ones that exceed the thresholds; none if there are too few earlier runs.
  ///
  /// - Parameter earlier: Finished runs of the same pipeline, the latest first.
  public static func find(
    in run: RunRecord, earlier: [RunRecord], thresholds: AnomalyThresholds = AnomalyThresholds()
  ) -> [RunAnomaly] {
    let earlier = earlier.prefix(max(0, thresholds.runs))
    guard run.status.isFinished, earlier.count >= max(1, thresholds.least) else { return [] }
    var found: [RunAnomaly] = []
    func compare(
      _ measure: Measure, _ value: (RunRecord) -> Double, _ isUnusual: (_ now: Double, _ usual: Double) -> Bool
    ) {
      let usual = median(earlier.map(value))
      if isUnusual(value(run), usual) {
        found.append(RunAnomaly(measure: measure, value: value(run), usual: usual, runs: earlier.count))
      }
    }
    compare(.records, { Double($0.counts.read) }) { ($0 - $1).magnitude > thresholds.records * $1 }
    compare(.rejects, { share($0.counts.rejected, $0.counts.read) }) { $0 - $1 > thresholds.rejects }
    // What continued another run did not do all of its work, so its time says nothing.
    if run.resumedFrom == nil {
      compare(.duration, \.seconds) { $0 > thresholds.duration * $1 && $0 > $1 + 1 }
    }
    // A run of nothing inserts no share of anything.
    if run.counts.read > 0 {
      compare(.inserted, { share($0.counts.inserted, $0.counts.read) }) { ($0 - $1).magnitude > thresholds.inserted }
    }
    return found
  }

  private static func share(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The difference in words.
  public var message: String {
    let past = "in the last \(runs) runs (median)"
    switch measure {
    case .records:
      let number = Self.whole(value)
      return "\(number) \(number == "1" ? "record was" : "records were") read, \(Self.whole(usual)) \(past)"
    case .rejects: return "\(Self.percent(value)) of the records were rejected; it was \(Self.percent(usual)) \(past)"
    case .duration: return "it took \(Self.tenths(value)) s; it was \(Self.tenths(usual)) s \(past)"
    case .inserted:
      return "\(Self.percent(value)) of the records inserted something; it was \(Self.percent(usual)) \(past)"
    }
  }

  private static func whole(_ value: Double) -> String { String(Int(min(value, 1e15).rounded())) }
  private static func percent(_ share: Double) -> String { tenths(share * 100) + " %" }
  private static func tenths(_ value: Double) -> String {
    let scaled = Int((min(value, 1e14) * 10).rounded())
    return "\(scaled / 10).\(scaled % 10)"
  }
}
