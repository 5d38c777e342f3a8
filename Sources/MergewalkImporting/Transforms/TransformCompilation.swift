import MergewalkDiagnostics
import MergewalkObjectModel

/// A field of an import with its attribute.
struct TransformedField {
  /// The field's number in the plan; -1 for one that cannot be converted.
  var index: Int
  var field: FieldImport
  var attribute: AttributeDescription
  /// Whether the field's column is the source's own and goes into conversion as it is.
  var isDirect: Bool

  init(index: Int, field: FieldImport, attribute: AttributeDescription, derivedNames: Set<String>) {
    self.index = index
    self.field = field
    self.attribute = attribute
    isDirect = field.takesColumnAsItIs && !derivedNames.contains(field.column)
  }
}

extension FieldImport {
  /// The field as it converts values that a transform has made: in the one spelling that transforms write.
  func canonical(_ type: AttributeType) -> FieldImport {
    var field = self
    field.conversion = ConversionOptions()
    // Dates beyond the years 0000...9999 are numbers. What is made for a Float is not one yet: it may be too great.
    field.conversion.isStored = type != .float
    return field
  }
}

/// Compiles the transforms of one part of a definition.
enum TransformCompilation {
  /// The source of a field's values.
  struct Outcome {
    /// The derived column, from 0.
    var derived: Int
    /// Whether it is text that is converted in the field's own way.
    var isText: Bool
  }

  /// Where lists are: in a column that is read, or in a derived one.
  enum ListPlace {
    case read(Int)
    case derived(Int)
  }

  struct Result {
    var plan: TransformPlan
    var findings: [Diagnostic]
    /// The columns that are read.
    var columnNames: [String]
    /// For each field its derived column; nil for fields that take a column of the source as it is.
    var fields: [Outcome?]
    var lists: [ListPlace]
    /// The columns that transforms read, and what asks for them.
    var reads: [(name: String, position: SourcePosition)]
    /// The definitions that nothing takes.
    var unused: [ColumnUse]
  }

  /// - Parameter lists: the columns of lists, and what the reader is asked for in their place.
  static func run(
    _ part: ImportPart, model: ManagedObjectModel, path: String, fields: [TransformedField], columnNames: [String],
    lists: [(name: String, request: String)] = []
  ) -> Result {
    var compiler = TransformCompiler(
      path: path, model: model, columnNames: columnNames, definitions: part.columns,
      now: ExpressionFunction.currentTime())
    checkNames(part, &compiler)
    for field in fields where field.field.takesColumnAsItIs {
      let name = field.field.column
      if compiler.fieldKinds[name] == nil {
        compiler.fieldKinds[name] = (ValueKind(field.attribute.type), field.field.conversion)
      }
    }
    // Every definition is checked, used or not.
    compiler.check(part.columns)
    for column in part.columns where part.columnsTakenElsewhere.contains(column.name) {
      _ = compiler.column(column.name, at: column.position)
    }
    if let filter = part.filter { compiler.plan.filter = compiler.predicate(filter) }
    share(part, Dictionary(lists.map { ($0.name, $0.request) }) { first, _ in first }, &compiler)
    var outcomes: [Outcome?] = []
    var derived: [Int: Int] = [:]
    for field in fields {
      guard !field.isDirect else {
        outcomes.append(nil)
        continue
      }
      guard let made = compiler.field(field.field, type: field.attribute.type) else {
        outcomes.append(nil)
        continue
      }
      // One column serves all fields that are made alike.
      if derived[made.register] == nil {
        derived[made.register] = compiler.plan.derivedCount
        compiler.plan.outputs.append(
          TransformPlan.Output(register: made.register, derived: compiler.plan.derivedCount))
      }
      outcomes.append(Outcome(derived: derived[made.register] ?? 0, isText: made.isText))
    }
    let places = lists.map { list -> ListPlace in
      if let shared = compiler.plan.shared.first(where: { $0.name == list.name }) { return .derived(shared.derived) }
      let definition = part.columns.first { $0.name == list.name }
      guard let definition, let value = compiler.column(list.name, at: definition.position),
        let text = compiler.convert(value, to: .text, step: list.name, at: definition.position)
      else {
        let known = compiler.columnNames.firstIndex(of: list.request)
        return .read(known ?? compiler.readColumn(list.request, at: part.position))
      }
      if let known = derived[text.register] { return .derived(known) }
      derived[text.register] = compiler.plan.derivedCount
      compiler.plan.outputs.append(
        TransformPlan.Output(register: text.register, derived: compiler.plan.derivedCount))
      return .derived(compiler.plan.derivedCount - 1)
    }
    compiler.plan.process = part.process
    compiler.plan.path = path
    compiler.plan.hooks = part.hooks
    compiler.plan.contract = part.contract
    for (index, name) in compiler.columnNames.enumerated()
    where lists.contains(where: { $0.name == name || $0.request == name }) {
      compiler.plan.listColumns.append(index)
    }
    for (index, outcome) in outcomes.enumerated() {
      guard let outcome else { continue }
      for output in compiler.plan.outputs.indices where compiler.plan.outputs[output].derived == outcome.derived {
        compiler.plan.outputs[output].fields.append(fields[index].index)
      }
    }
    return Result(
      plan: compiler.finished(), findings: compiler.findings, columnNames: compiler.columnNames, fields: outcomes,
      lists: places, reads: compiler.reads,
      unused: part.columns.filter { !compiler.isTaken($0.name) }.map { ColumnUse(name: $0.name, position: $0.position) }
    )
  }

  private static func checkNames(_ part: ImportPart, _ compiler: inout TransformCompiler) {
    var names: Set<String> = []
    for column in part.columns where !names.insert(column.name).inserted {
      compiler.report("cyclicColumn", column.position, "the column “\(column.name)” is defined twice")
    }
    guard let process = part.process else { return }
    if process.command.first?.isEmpty ?? true {
      compiler.report("transformOption", process.position, "the process has no command")
    }
    var given: Set<String> = []
    for column in process.gives where !given.insert(column.name).inserted {
      compiler.report("transformOption", process.position, "the process gives the column “\(column.name)” twice")
    }
  }

  /// Gives the columns that a process or a hook may change derived columns of their own.
  ///
  /// - Parameter requests: what the reader is asked for in the place of some columns.
  private static func share(_ part: ImportPart, _ requests: [String: String], _ compiler: inout TransformCompiler) {
    guard part.process != nil || part.hooks.record != nil else { return }
    var names: [String] = []
    var kinds: [String: ValueKind?] = [:]
    if let process = part.process {
      names = process.columns.isEmpty ? part.namedColumns : process.columns
      for column in process.gives { kinds[column.name] = column.kind }
      // What it gives and nothing reads is new.
      let new = Set(process.gives.map(\.name))
      names = names.filter { !new.contains($0) }
      compiler.plan.processColumns = names.count
      names += process.gives.map(\.name)
    }
    for name in part.hooks.columns where !names.contains(name) { names.append(name) }
    let given = Set(kinds.keys)
    let definitions = Set(part.columns.map(\.name))
    for (index, name) in names.enumerated() {
      var shared = TransformPlan.SharedColumn(name: name, column: -1, register: -1, derived: index)
      let position = part.columns.first { $0.name == name }?.position ?? part.process?.position ?? .file
      if definitions.contains(name) {
        shared.register = compiler.column(name, at: position)?.register ?? -1
      } else if !given.contains(name), !part.hooks.newColumns.contains(name) {
        shared.column = compiler.readColumn(requests[name] ?? name, at: position)
      }
      compiler.plan.shared.append(shared)
    }
    compiler.share(
      names.enumerated().map { index, name in
        let declared = part.columns.first { $0.name == name }?.kind
        return (name, index, kinds[name].flatMap { $0 } ?? declared)
      })
  }
}
