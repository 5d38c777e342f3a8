import MergewalkThreads

/// The buffers between a thread on which a C library parses text and the one that reads the text and makes records.
///
/// The second one, which owns the link, reads ahead of the library and posts texts; the library's thread gives logs of
/// what it found in them. There are so many texts and logs and no more, so the faster side waits for the slower one.
///
/// `@unchecked Sendable`: a text belongs to the owner until it is posted and to the thread until it is given back, and
/// a log likewise; `worker` and `body` are the owner's, and do not change while the thread runs.
package final class ParserChannel: @unchecked Sendable {
  /// A text that was posted.
  package struct Text {
    package var index: Int
    package var count = 0
    /// Where its pieces end, of which the last one may be empty.
    package var ends: [Int] = []
    /// Whether no other follows.
    package var isLast = false
    /// Whether the input could not be read on behind it.
    package var isCut = false

    package init(index: Int) { self.index = index }
  }

  private struct State {
    var freeTexts: [Int]
    var postedTexts: [Text] = []
    var emptyLogs: [EventLog]
    var fullLogs: [EventLog] = []
    var isCancelled = false
    var isFinished = false
  }

  /// The memory of the texts, by number.
  package let texts: [UnsafeMutableRawBufferPointer]
  private let shared: Monitor<State>
  private var worker: Worker?
  private var body: ((ParserChannel) -> Void)?

  /// How much of an input is read before a thread is worth it.
  package static let usualStart = 1 << 18
  /// The bytes of a text.
  package static let textSize = 1 << 17
  /// The words of a log: what 128 KiB of text with short values become.
  package static let logSize = 1 << 14
  private static let textCount = 4
  private static let logCount = 4

  package init() {
    texts = (0..<Self.textCount).map { _ in .allocate(byteCount: Self.textSize, alignment: 64) }
    let logs = (0..<Self.logCount).map { _ in EventLog(usual: Self.logSize) }
    shared = Monitor(State(freeTexts: Array(texts.indices), emptyLogs: logs))
  }

  deinit { for text in texts { text.deallocate() } }

  // MARK: The owner

  /// Starts the thread; false when the system has none to give.
  ///
  /// - Parameter body: what it does: texts are taken until there is none or the last one has been parsed.
  package func start(_ body: @escaping (ParserChannel) -> Void) -> Bool {
    self.body = body
    worker = Worker {
      self.body?(self)
      self.shared.change { $0.isFinished = true }
    }
    if worker == nil { self.body = nil }
    return worker != nil
  }

  /// Ends the thread, which does not wait for anything but this side.
  package func stop() {
    guard let worker else { return }
    shared.change { $0.isCancelled = true }
    worker.join()
    self.worker = nil
    body = nil
  }

  /// A text that can be filled and posted, if there is one.
  package func freeText() -> Int? { shared.withLock { $0.freeTexts.popLast() } }

  /// Waits until there is one, which comes when the library has parsed it.
  package func waitForText() { shared.wait { !$0.freeTexts.isEmpty || $0.isFinished } }

  /// Hands a text to the library.
  package func post(_ text: Text) { shared.change { $0.postedTexts.append(text) } }

  /// Waits for a log.
  ///
  /// - Parameter orText: whether a free text is worth to stop waiting for.
  /// - Returns: nil when there is a free text instead, or when the thread has ended and all was taken.
  package func take(orText: Bool) -> EventLog? {
    shared.wait(until: { !$0.fullLogs.isEmpty || $0.isFinished || orText && !$0.freeTexts.isEmpty }) {
      $0.fullLogs.isEmpty ? nil : $0.fullLogs.removeFirst()
    }
  }

  /// Gives a log back, which was read.
  package func giveBack(_ log: EventLog) {
    log.clear()
    shared.change { $0.emptyLogs.append(log) }
  }

  // MARK: The thread

  /// Waits for a text; nil when the result is no longer wanted.
  package func takeText() -> Text? {
    shared.wait(until: { !$0.postedTexts.isEmpty || $0.isCancelled }) {
      $0.isCancelled ? nil : $0.postedTexts.removeFirst()
    }
  }

  /// Gives a text back, which was parsed.
  package func giveBack(text index: Int) { shared.change { $0.freeTexts.append(index) } }

  /// Waits for an empty log; nil when the result is no longer wanted.
  func takeEmptyLog() -> EventLog? {
    shared.wait(until: { !$0.emptyLogs.isEmpty || $0.isCancelled }) { $0.isCancelled ? nil : $0.emptyLogs.removeLast() }
  }

  /// Hands a log over.
  func post(_ log: EventLog) { shared.change { $0.fullLogs.append(log) } }
}
