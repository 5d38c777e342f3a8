import ArgumentParser
import MergewalkSystem

/// Which of how many tasks: `3/8`.
struct TaskNumber {
  let number: Int
  let count: Int

  init(_ argument: String) throws {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
      let task = TaskNumber(number, of: count)
    else { throw ValidationError("it takes a task and the number of tasks, such as 3/8, the first one 1/8") }
    self = task
  }

  private init?(_ number: Int, of count: Int) {
    guard 1...1_000_000 ~= count, 1...count ~= number else { return nil }
    self.number = number
    self.count = count
  }

  /// The task that the engine that has started this process says; all of them without one.
  ///
  /// - Throws: a mistake in the variables of the environment.
  static func ofEnvironment() throws -> TaskNumber {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    func number(_ name: String, _ standard: Int?) throws -> Int {
      guard let text = variable(name) else {
        if let standard { return standard }
        throw ValidationError(
          "\(name) is not set, and there is no --part; set --part to the task and the number of tasks, such as 3/8")
      }
      if let number = Int(text) { return number }
      throw ValidationError(
        "\(name) is “\(text)”, which is not a number; set --part to the task and the number of tasks, such as 3/8")
    }
    if variable("SLURM_ARRAY_TASK_ID") != nil {
      let id = try number("SLURM_ARRAY_TASK_ID", nil)
      let least = try number("SLURM_ARRAY_TASK_MIN", nil)
      let step = max(1, try number("SLURM_ARRAY_TASK_STEP", 1))
      let count = try number("SLURM_ARRAY_TASK_COUNT", nil)
      if let task = TaskNumber((id - least) / step + 1, of: count) { return task }
      throw ValidationError("task \(id) of Slurm’s array is not one of \(count) from \(least) on: use --part i/n")
    }
    if variable("JOB_COMPLETION_INDEX") != nil {
      let index = try number("JOB_COMPLETION_INDEX", nil)
      let count = try number("JOB_COMPLETIONS", nil)
      if let task = TaskNumber(index + 1, of: count) { return task }
      throw ValidationError("JOB_COMPLETION_INDEX \(index) is not below JOB_COMPLETIONS \(count): use --part i/n")
    }
    guard let all = TaskNumber(1, of: 1) else { preconditionFailure("one of one is a task") }
    return all
  }
}
