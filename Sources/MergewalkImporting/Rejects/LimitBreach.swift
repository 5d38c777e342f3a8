/// A limit that a run has exceeded, so that the whole run is rolled back.
public struct LimitBreach: Sendable, Hashable {
  /// The limit's name: `rejects.limit`, `rejects.ratio`, `rejects.codes` or another field of the pipeline.
  public var limit: String
  /// The code or pattern of codes that was counted, if any.
  public var subject: String?
  /// The number of rejects.
  public var count: Int
  /// The limit and the count in words.
  public var message: String

  /// Creates a breach.
  public init(limit: String, subject: String? = nil, count: Int, message: String) {
    self.limit = limit
    self.subject = subject
    self.count = count
    self.message = message
  }
}

extension RejectPolicy {
  /// Which limit is exceeded, `nil` for none.
  ///
  /// - Parameters:
  ///   - read: records read so far.
  ///   - rejected: how many of them were rejected.
  ///   - counts: the same by code.
  ///   - isEnd: whether all records were read, so that the share counts whatever their number is.
  func breach(read: Int, rejected: Int, counts: [RejectCode: Int], isEnd: Bool) -> LimitBreach? {
    guard rejected > 0 else { return nil }
    if let limit, rejected > limit {
      return LimitBreach(
        limit: "rejects.limit", count: rejected, message: "\(Self.records(rejected)) rejected, and \(limit) are allowed"
      )
    }
    for code in codes {
      let count = counts.reduce(0) { $0 + (code.matches($1.key.rawValue) ? $1.value : 0) }
      guard count > code.limit else { continue }
      return LimitBreach(
        limit: "rejects.codes", subject: code.pattern, count: count,
        message: "\(Self.records(count)) rejected with \(code.pattern), and \(code.limit) are allowed")
    }
    if let ratio, isEnd || read >= minimum, Double(rejected) > ratio * Double(read) {
      return LimitBreach(
        limit: "rejects.ratio", count: rejected,
        message: "\(rejected) of \(read) records \(rejected == 1 ? "was" : "were") rejected, more than the share of"
          + " \(ratio) that is allowed")
    }
    return nil
  }

  private static func records(_ count: Int) -> String { count == 1 ? "1 record was" : "\(count) records were" }
}
