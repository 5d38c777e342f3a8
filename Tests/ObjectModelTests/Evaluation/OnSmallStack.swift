import Foundation
import MergewalkObjectModel

/// Runs code on a thread with a stack of a megabyte.
final class OnSmallStack: @unchecked Sendable {
  // The thread is joined before the outcome is read.
  private var outcome: Result<EvaluatedValue, any Error>?
  private let body: () throws -> EvaluatedValue

  private init(_ body: @escaping () throws -> EvaluatedValue) { self.body = body }

  static func run(_ body: @escaping () throws -> EvaluatedValue) throws -> EvaluatedValue {
    let work = OnSmallStack(body)
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      work.outcome = Result { try work.body() }
      isDone.signal()
    }
    thread.stackSize = 1 << 20
    thread.start()
    isDone.wait()
    guard let outcome = work.outcome else { throw NotSingle() }
    return try outcome.get()
  }
}
