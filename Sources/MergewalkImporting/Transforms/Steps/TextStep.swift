import MergewalkRecordFormats

/// A step that makes each value of one other: does its work itself, or is its work.
protocol ColumnStep: Sendable {
  typealias Registers = RegisterMachine

  /// Fills the register of instruction `index` from the one of the value.
  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch)
}

/// The work of a ``ColumnStep`` on a register; it is looked up once for each batch.
struct AppliedStep: ColumnOperation {
  var step: any ColumnStep
  var from: Int
  var inputs: [Int] { [from] }
  var carried: Int? { from }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    step.run(from, machine, index, &output, &records)
  }
}

extension TransformCompiler {
  /// Emits a step that makes values of one other.
  mutating func emit(_ step: any ColumnStep, on value: Value, _ kind: ValueKind) -> Value {
    emit(AppliedStep(step: step, from: value.register), kind, of: value)
  }

  /// Emits a step that makes texts of texts, which are read as they were.
  mutating func emit(_ step: any ColumnStep, onText value: Value) -> Value {
    emit(AppliedStep(step: step, from: value.register), .text, of: value, reading: value.reading)
  }
}

/// A step that makes texts of texts.
protocol TextStep: ColumnStep {}

/// A step that takes a part of each text, which stays where it is.
protocol TextPartStep: TextStep {
  func part(of text: FieldBytes) -> TextPart
}

/// The part of a text that a step takes.
enum TextPart {
  /// So many of its bytes.
  case range(Range<Int>)
  /// Nothing: null.
  case nothing
  /// Looking took too many steps.
  case tooSlow
}

/// A step that writes a new text for each one.
protocol NewTextStep: TextStep {
  /// Writes the new text; false when there is no room.
  func write(_ text: FieldBytes, to buffer: inout TextBuffer) -> Bool
}

extension StepAction where Self: TextStep {
  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.text(input).map { compiler.emit(self, onText: $0) }
  }
}

extension TextPartStep {
  @inline(__always)
  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachText(from, &output, &records) { text, offset, _ in
      switch part(of: text) {
      case .range(let range): .range(offset + range.lowerBound, range.count)
      case .nothing: .null
      case .tooSlow: .failed(.pattern, index)
      }
    }
  }
}

extension NewTextStep {
  @inline(__always)
  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachText(from, &output, &records) { text, _, buffer in
      let start = buffer.position
      if write(text, to: &buffer), buffer.position - start <= TextBuffer.greatestValue {
        return .range(start, buffer.position - start)
      }
      buffer.cut(to: start)
      return .failed(.tooLong, index)
    }
  }
}
