import Glibc

/// The buffers between a thread on which a C library parses text and the one that reads the text and makes records.
///
/// The second one, which owns the link, reads ahead of the library and posts texts; the library's thread gives logs of
/// what it found in them. There are so many texts and logs and no more, so the faster side waits for the slower one.
///
/// `@unchecked Sendable`: a text belongs to the owner until it is posted and to the thread until it is given back, and a
/// log likewise; everything else is read and written only while `mutex` is held.
public final class SplitLink: @unchecked Sendable {
  /// A text that was posted.
  public struct Text {
    /// Its number.
    public var index: Int
    /// Its bytes.
    public var count = 0
    /// Where its pieces end, of which the last one may be empty.
    public var ends: [Int] = []
    /// Whether no other follows.
    public var isLast = false
    /// Whether the input could not be read on behind it.
    public var isCut = false

    /// An empty one.
    public init(index: Int) { self.index = index }
  }

  /// The memory of the texts, by number.
  public let texts: [UnsafeMutableRawBufferPointer]
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var freeTexts: [Int]
  private var postedTexts: [Text] = []
  private var emptyLogs: [EventLog]
  private var fullLogs: [EventLog] = []
  private var isCancelled = false
  private var isFinished = false
  private var thread: pthread_t?
  private var body: ((SplitLink) -> Void)?

  /// How much of an input is read before a thread is worth it.
  public static let usualStart = 1 << 18
  /// The bytes of a text.
  public static let textSize = 1 << 17
  /// The words of a log: what 128 KiB of text with short values become.
  public static let logSize = 1 << 14
  private static let textCount = 4
  private static let logCount = 4

  /// Makes the buffers.
  public init() {
    texts = (0..<Self.textCount).map { _ in .allocate(byteCount: Self.textSize, alignment: 64) }
    freeTexts = Array(texts.indices)
    emptyLogs = (0..<Self.logCount).map { _ in EventLog(usual: Self.logSize) }
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    for text in texts { text.deallocate() }
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  // MARK: The owner

  /// Starts the thread; false when the system has none to give.
  ///
  /// - Parameter body: what it does: texts are taken until there is none or the last one has been parsed.
  public func start(_ body: @escaping (SplitLink) -> Void) -> Bool {
    self.body = body
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<SplitLink>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    if code == 0 {
      self.thread = thread
      return true
    }
    box.release()
    self.body = nil
    return false
  }

  /// Ends the thread, which does not wait for anything but this side.
  public func stop() {
    guard let thread else { return }
    locked { isCancelled = true }
    pthread_join(thread, nil)
    self.thread = nil
    body = nil
  }

  /// A text that can be filled and posted, if there is one.
  public func freeText() -> Int? { locked(signals: false) { freeTexts.popLast() } }

  /// Waits until there is one, which comes when the library has parsed it.
  public func waitForText() {
    locked(signals: false) {
      while freeTexts.isEmpty, !isFinished { pthread_cond_wait(changed, mutex) }
    }
  }

  /// Hands a text to the library.
  public func post(_ text: Text) { locked { postedTexts.append(text) } }

  /// Waits for a log.
  ///
  /// - Parameter orText: whether a free text is worth to stop waiting for.
  /// - Returns: nil when there is a free text instead, or when the thread has ended and all was taken.
  public func take(orText: Bool) -> EventLog? {
    locked(signals: false) {
      while fullLogs.isEmpty, !isFinished, !orText || freeTexts.isEmpty { pthread_cond_wait(changed, mutex) }
      return fullLogs.isEmpty ? nil : fullLogs.removeFirst()
    }
  }

  /// Gives a log back, which was read.
  public func giveBack(_ log: EventLog) {
    log.clear()
    locked { emptyLogs.append(log) }
  }

  // MARK: The thread

  /// Waits for a text; nil when nobody wants to know any more.
  public func takeText() -> Text? {
    locked(signals: false) {
      while postedTexts.isEmpty, !isCancelled { pthread_cond_wait(changed, mutex) }
      return isCancelled ? nil : postedTexts.removeFirst()
    }
  }

  /// Gives a text back, which was parsed.
  public func giveBack(text index: Int) { locked { freeTexts.append(index) } }

  /// Waits for an empty log; nil when nobody wants to know any more.
  func takeEmptyLog() -> EventLog? {
    locked(signals: false) {
      while emptyLogs.isEmpty, !isCancelled { pthread_cond_wait(changed, mutex) }
      return isCancelled ? nil : emptyLogs.removeLast()
    }
  }

  /// Hands a log over.
  func post(_ log: EventLog) { locked { fullLogs.append(log) } }

  private func run() {
    body?(self)
    locked { isFinished = true }
  }

  private func locked<Result>(signals: Bool = true, _ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      if signals { pthread_cond_broadcast(changed) }
      pthread_mutex_unlock(mutex)
    }
    return body()
  }
}
