import MergewalkDiagnostics
import Synchronization

/// The warnings for the summary about sources.
///
/// The thread that reads adds it; who ends a run asks for it while that thread may still be at work.
package final class SourceNotes: Sendable {
  /// The notes so far; `left` are those that are only counted, by code.
  private struct State {
    var kept: [RunWarning] = []
    var known: Set<RunWarning> = []
    var left: [RunWarning.Code: Int] = [:]
  }

  private let state = Mutex(State())

  /// More of them are only counted.
  private static let most = 100

  package init() {}

  /// Those so far, each once, and how many more there were.
  package var all: [RunWarning] {
    state.withLock { state in
      state.kept
        + state.left.sorted { $0.key.rawValue < $1.key.rawValue }.map { code, count in
          RunWarning(code, "\(count) more of this kind are not listed")
        }
    }
  }

  func add(_ code: RunWarning.Code, _ text: String, file: String? = nil, position: SourcePosition? = nil) {
    add(RunWarning(code, text, file: file, position: position))
  }

  package func add(_ warning: RunWarning) {
    state.withLock { state in
      if state.known.contains(warning) { return }
      if state.kept.count < Self.most {
        state.kept.append(warning)
        state.known.insert(warning)
      } else {
        state.left[warning.code, default: 0] += 1
      }
    }
  }
}
