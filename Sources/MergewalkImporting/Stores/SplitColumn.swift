package import MergewalkDiagnostics
import MergewalkObjectModel
package import MergewalkRecordFormats

/// The values of one column of an import, read or made, without the rest of the import.
package struct SplitColumn {
  /// The columns to request from a reader.
  package let columns: [String]
  /// The number of the column, when it is read.
  private let readColumn: Int?
  private let plan: TransformPlan
  private let register: Int
  private let machine: RegisterMachine?

  /// Prepares to make the values.
  ///
  /// - Parameters:
  ///   - columns: What is to be read in any case.
  ///   - path: The file that findings name.
  /// - Throws: what is wrong with the column.
  package init(
    _ name: String, at position: SourcePosition, of part: ImportPart, columns: [String] = [], path: String
  ) throws(DiagnosticList) {
    var compiler = TransformCompiler(
      path: path, model: nil, columnNames: columns, definitions: part.columns, now: ExpressionFunction.currentTime())
    guard part.columns.contains(where: { $0.name == name }) else {
      readColumn = compiler.readColumn(name, at: position)
      self.columns = compiler.columnNames
      plan = TransformPlan()
      register = -1
      machine = nil
      return
    }
    let value = compiler.column(name, at: position)
    let text = value.flatMap { compiler.convert($0, to: .text, step: name, at: position) }
    guard let text, compiler.findings.isEmpty else { throw DiagnosticList(compiler.findings) }
    compiler.plan.outputs.append(TransformPlan.Output(register: text.register, derived: 0))
    readColumn = nil
    self.columns = compiler.columnNames
    plan = compiler.finished()
    register = text.register
    machine = RegisterMachine(plan, tables: [], now: compiler.now)
  }

  /// Makes the values of a batch that was read with ``columns``, and returns the number of their column.
  package func prepare(_ batch: inout RecordBatch) -> Int {
    if let readColumn { return readColumn }
    batch.reserveDerived(1)
    machine?.run(0..<plan.instructions.count, &batch)
    machine?.store(plan.outputs[0], &batch)
    return batch.columnCount
  }

  /// Why the value of a record could not be made; nil when it could, or is nothing.
  package func failure(_ record: Int, of batch: RecordBatch) -> (code: RejectCode, message: String)? {
    guard let machine, machine.registers[register].tags[record] == Register.failed else { return nil }
    let refusal = machine.refusal(machine.registers[register].payloads[record], record, field: nil, step: nil, batch)
    return (refusal.code, RejectMessage.text(refusal.code, detail: refusal.detail))
  }
}
