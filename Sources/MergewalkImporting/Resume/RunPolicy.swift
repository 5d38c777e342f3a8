/// The treatment of earlier runs of the same pipeline and of other processes that have the store open.
public struct RunPolicy: Sendable {
  /// The treatment of a run that an earlier process left unfinished.
  public enum Unfinished: String, Sendable, CaseIterable {
    /// Resume it; without one, begin at the start.
    case resume
    /// Take it back, as far as that is possible, and begin at the start.
    case restart
    /// Resume it; without one, do nothing and fail.
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
    /// Plan the run again for what the store is now, three times at most; inputs that can be read only once are refused.
    case again
    /// Do nothing and fail.
    case refuse
  }

  /// Whether the rows of a new store go past SQLite; see ``LoadWay``.
  public enum Direct: String, Sendable, CaseIterable {
    /// Where it is possible and the size of the inputs makes it worth while.
    case auto
    /// Through SQLite, so that an interrupted run can go on.
    case never
    /// Wherever it is possible.
    case always
  }

  /// How a store is checked that was written past SQLite, before it gets its name.
  public enum DirectCheck: String, Sendable, CaseIterable {
    /// Every page and row, and the number of entries of every index.
    case quick
    /// Every entry of every index against its row as well.
    case whole
  }

  /// The treatment of a run that an earlier process left unfinished.
  public var unfinished = Unfinished.resume
  /// The treatment of a run whose inputs are those of the last finished run; `nil`: ``Again/fail`` when records are
  /// inserted without looking for their objects, else ``Again/run``.
  public var again: SameInputs?
  /// Whether inputs may have grown at their end since the run began, or since the last one finished; then only what is
  /// new is imported.
  public var append = false
  /// The treatment of a store that another process wrote to since the run began.
  public var storeChanged = StoreChanged.again
  /// How long to wait for another run into the store, and for programs that are writing to it, in seconds.
  public var lockWait = 2.0
  /// Whether the rows of a new store go past SQLite.
  public var direct = Direct.auto
  /// How a store is checked that was written past SQLite.
  public var directCheck = DirectCheck.quick

  /// Creates the policy that resumes unfinished runs.
  public init() {}
}
