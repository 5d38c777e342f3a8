import MergewalkThreads

/// Something that a page writer leaves to another thread.
protocol BackgroundJob: AnyObject, Sendable {
  func run() throws(PageError)
}

/// Does jobs one after the other on a thread of its own, in the order in which they are given.
///
/// The thread that makes pages and keys would otherwise wait for each `write`, and a second processor would have nothing
/// to do. Because one thread does all jobs in order, what is written is the same every time, and a later write to a place
/// wins. A job that gives another one has it done at once. After an error no job is run any more, and everybody who gives
/// one or waits gets that error. The first jobs are run at once, so that a small file needs no thread, and all of them
/// when the system has none to give.
final class BackgroundWork {
  private struct State {
    var jobs: [any BackgroundJob] = []
    var done = 0
    var error: PageError?
    var isEnding = false
    /// The thread that is doing a job (``Worker/current``); 0 while none is.
    var runner: UInt = 0
  }

  private let state = Monitor(State())
  private var worker: Worker?
  private var given = 0
  /// So many jobs are done before a thread is started: a small table has a few for its rows and three for each index.
  private static let atOnce = 16

  deinit { end() }

  /// Waits for the job that is being run and drops the others: what they refer to may go away now.
  func end() {
    state.change { state in
      state.isEnding = true
      state.jobs.removeAll()
    }
    worker?.join()
  }

  /// Takes a job, whose memory belongs to the thread until ``wait(for:)`` has returned.
  ///
  /// - Returns: The number to wait for; 0 when it is done, for a job that a job gives.
  func give(_ job: any BackgroundJob) throws(PageError) -> Int {
    let current = Worker.current
    if state.withLock({ $0.runner == current }) {
      try job.run()
      return 0
    }
    given += 1
    if worker == nil, given > Self.atOnce { worker = Worker { [state] in Self.work(state) } }
    let error = state.change { state in
      if state.error == nil, worker != nil { state.jobs.append(job) }
      return state.error
    }
    if let error { throw error }
    if worker == nil {
      let failure = Self.attempt(job, state)
      state.withLock { state in (state.done, state.error) = (state.done + 1, failure) }
      if let failure { throw failure }
    }
    return given
  }

  /// Waits until a job has been run; 0 is none.
  func wait(for number: Int) throws(PageError) {
    let error = state.wait(until: { $0.done >= number || $0.error != nil }) { $0.error }
    if let error { throw error }
  }

  /// Waits until all jobs have been run.
  func waitForAll() throws(PageError) { try wait(for: given) }

  private static func attempt(_ job: any BackgroundJob, _ state: Monitor<State>) -> PageError? {
    state.withLock { $0.runner = Worker.current }
    defer { state.withLock { $0.runner = 0 } }
    do { try job.run() } catch { return error }
    return nil
  }

  private static func work(_ state: Monitor<State>) {
    while true {
      let job: (any BackgroundJob)? = state.wait(until: { !$0.jobs.isEmpty || $0.isEnding }) { state in
        state.jobs.isEmpty ? nil : state.jobs.removeFirst()
      }
      guard let job else { return }
      let failure = attempt(job, state)
      state.change { state in
        state.done += 1
        if let failure {
          state.error = failure
          state.jobs.removeAll()
        }
      }
    }
  }
}

@available(*, unavailable, message: "jobs are given by one task")
extension BackgroundWork: Sendable {}
