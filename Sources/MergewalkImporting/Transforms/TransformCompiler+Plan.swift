extension TransformCompiler {
  /// The plan, once all columns are known.
  func finished() -> TransformPlan {
    var result = plan
    for index in result.instructions.indices {
      if let load = result.instructions[index].operation as? LoadColumn, load.column < 0 {
        result.instructions[index].operation = LoadColumn(column: columnNames.count - 1 - load.column)
      }
    }
    var needed = [Bool](repeating: false, count: result.instructions.count)
    for register in result.outputs.map(\.register) + result.shared.map(\.register) + (result.filter.map { [$0] } ?? [])
    where register >= 0 {
      needed[register] = true
    }
    for index in result.instructions.indices.reversed() where needed[index] {
      for input in result.instructions[index].operation.inputs { needed[input] = true }
    }
    for index in result.instructions.indices { result.instructions[index].isNeeded = needed[index] }
    for output in result.outputs.indices {
      var next: Int? = result.outputs[output].register
      while let register = next {
        result.outputs[output].chain.append(register)
        next = result.instructions[register].operation.carried
      }
    }
    Self.release(&result)
    return result
  }

  /// Says behind which instructions registers can be used again: behind the last that reads one, unless its values leave
  /// the plan or messages show them.
  private static func release(_ plan: inout TransformPlan) {
    var isTaken = [Bool](repeating: false, count: plan.instructions.count)
    let leaving = plan.outputs.flatMap(\.chain) + plan.shared.map(\.register) + (plan.filter.map { [$0] } ?? [])
    for register in leaving where register >= 0 { isTaken[register] = true }
    for instruction in plan.instructions where instruction.isNeeded {
      for register in instruction.operation.shown { isTaken[register] = true }
    }
    for index in plan.instructions.indices.reversed() where plan.instructions[index].isNeeded {
      for register in plan.instructions[index].operation.inputs where !isTaken[register] {
        isTaken[register] = true
        plan.instructions[index].released.append(register)
      }
    }
  }
}
