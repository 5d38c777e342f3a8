/// The treatment of earlier runs of the same pipeline and of other processes that have the store open.
public struct RunPolicy: Sendable {
  /// The treatment of a run that an earlier process left unfinished.
  public enum Unfinished: String, Sendable, CaseIterable {
    /// Resume it; if there is none, begin at the start.
    case resume
    /// Discard it, and begin at the start.
    case restart
    /// Resume it; if there is none, do nothing and fail.
    case resumeOrFail
  }

  /// The treatment of a run whose inputs are those of the last finished run.
  public enum SameInputs: String, Sendable, CaseIterable {
    /// Import them again.
    case run
    /// Do nothing and succeed.
    case skip
    /// Do nothing and fail.
    case fail
  }

  /// The treatment of a store that another process wrote to since the run began.
  public enum StoreChanged: String, Sendable, CaseIterable {
    /// Plan the run again for the current state of the store, at most three times; inputs that can be read only once
    /// are refused.
    case again
    /// Do nothing and fail.
    case refuse
  }

  /// Whether the rows of a new store bypass SQLite; see ``LoadWay``.
  public enum Direct: String, Sendable, CaseIterable {
    /// If it is possible and the size of the inputs makes it worthwhile.
    case auto
    /// Always through SQLite, so that an interrupted run can resume.
    case never
    /// Wherever it is possible.
    case always
  }

  /// The check of a store that was written past SQLite, before it gets its name.
  public enum DirectCheck: String, Sendable, CaseIterable {
    /// Every page and row, and the number of entries of every index.
    case quick
    /// Every entry of every index against its row as well.
    case whole
  }

  /// The treatment of a run that an earlier process left unfinished.
  public var unfinished = Unfinished.resume
  /// The treatment of a run whose inputs are those of the last finished run; `nil`: ``Again/fail`` when records are
  /// inserted without looking up their objects, otherwise ``Again/run``.
  public var again: SameInputs?
  /// Whether inputs may have grown at their end since the run began, or since the last one finished; then only the new
  /// part is imported.
  public var append = false
  /// The treatment of a store that another process wrote to since the run began.
  public var storeChanged = StoreChanged.again
  /// How long to wait for another run into the store, and for programs that are writing to it, in seconds.
  public var lockWait = 2.0
  /// Whether the rows of a new store bypass SQLite.
  public var direct = Direct.auto
  /// The check of a store that was written past SQLite.
  public var directCheck = DirectCheck.quick

  /// Creates the policy that resumes unfinished runs.
  public init() {}
}
