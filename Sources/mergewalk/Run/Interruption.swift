import Glibc
import Synchronization

/// Listens to SIGINT and SIGTERM: the first asks the run to stop behind its batch, the second ends the process.
enum Interruption {
  private static let requests = Atomic<Int>(0)

  /// Whether somebody wants the run to stop.
  static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

  /// Begins to listen.
  static func listen() {
    for number in [SIGINT, SIGTERM] {
      var action = sigaction()
      // Nothing but what is safe in a handler: a counter, and the signal once more with its own effect.
      action.__sigaction_handler.sa_handler = { number in
        guard Interruption.requests.add(1, ordering: .relaxed).newValue > 1 else { return }
        signal(number, SIG_DFL)
        raise(number)
      }
      sigemptyset(&action.sa_mask)
      action.sa_flags = SA_RESTART
      sigaction(number, &action, nil)
    }
    // A parent that starts processes from a thread with blocked signals hands its mask on.
    var heard = sigset_t()
    sigemptyset(&heard)
    sigaddset(&heard, SIGINT)
    sigaddset(&heard, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
  }
}
