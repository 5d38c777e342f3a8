/// A notification of a run's end: receiver, occasion and text.
///
/// A notification never affects a run: one that cannot be sent is the warning ``RunWarning/Code/notNotified``.
public struct RunNotification: Sendable, Hashable {
  /// The outcome of a run for which the notification is sent.
  public enum Occasion: String, Sendable, Hashable, CaseIterable {
    /// It did not finish: it failed, was stopped, was refused, or had too many rejects.
    case failure
    /// Records were rejected.
    case rejects
    /// It differs from earlier runs, see ``RunAnomaly``.
    case anomaly
    /// It ended.
    case always
  }

  /// The receiver of the message.
  public enum Target: Sendable, Hashable {
    /// An HTTP POST to this URL.
    case webhook(url: String, headers: [Header])
    /// A program, which reads the body from its standard input; its arguments may have placeholders.
    case command([NotificationTemplate], folder: String?)
  }

  /// A header of a request.
  public struct Header: Sendable, Hashable {
    /// Its name, without the colon.
    public var name: String
    /// Its value, one line.
    public var value: String

    /// Creates a header.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The outcomes for which it is sent.
  public var occasions: Set<Occasion> = Self.usualOccasions
  /// The receiver.
  public var target: Target
  /// The template of the text.
  public var body = NotificationTemplate.standard
  /// The time limit in seconds.
  public var timeout = 10.0

  /// Runs that need attention.
  public static let usualOccasions: Set<Occasion> = [.failure, .rejects, .anomaly]

  /// Creates a notification of runs that need attention.
  public init(_ target: Target) { self.target = target }

  /// Its name in messages: the host of a URL, whose path may be a secret, or the program.
  public var name: String {
    switch target {
    case .webhook(let url, _): Self.host(of: url) ?? "a URL"
    case .command(let words, _): words.first?.source ?? "nothing"
    }
  }

  /// The host of an HTTP URL with its port and without user and password; `nil` if it is not one.
  public static func host(of url: String) -> String? {
    let lower = url.lowercased()
    guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return host.isEmpty || host.hasPrefix(":") || !isPlain ? nil : String(host)
  }
}
