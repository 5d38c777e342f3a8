import MergewalkDiagnostics
package import MergewalkRecordFormats

/// The columns that a part maps and no record has had so far, for the warning `neverMatched`.
///
/// A column is looked for until one record has it, so the search costs nothing once all were found; records that
/// `where`, `since` or a refusal leaves out count, too. Sources whose header names all columns are checked before; this
/// is for paths of JSON, XML, YAML and property lists, and for members of the elements of lists of any format. Inputs
/// without records prove nothing, and neither do the few records of a replay.
package struct UnmatchedColumns: Sendable {
  /// Something that is looked for.
  private struct Item: Sendable {
    /// As the pipeline has it, behind the columns of the lists that it is in.
    var path: String
    /// The attribute that it fills.
    var target: String?
    var position: SourcePosition
    /// The lists that lead to it, each by its number in the plan of the one before, and the first one's column.
    var lists: [Int]
    var listColumn: String
    var column: Int
  }

  /// The results so far; a process that resumes the run takes them over.
  struct State: Sendable, Equatable {
    /// The items that were not found, by number.
    var open: [Int]
    /// Those of them whose lists had elements.
    var inFilledLists: [Int] = []
    /// Whether there was a record, and one without elements of `each`.
    var hasRecords = false
    var hasChildless = false
  }

  private let items: [Item]
  private let part: ImportPart
  private let file: String?
  /// The results so far.
  private(set) var state: State
  private var names = OccurringPaths()
  private var sampled = 0
  /// A record without elements of `each`.
  private var withoutElements: [UInt8] = []

  /// So many records are looked at for their names.
  private static let mostSampled = 64

  /// - Parameter state: what an earlier process has found out; `nil` at the beginning of a part.
  init(_ definition: ImportDefinition, _ part: ImportPart, _ plan: ImportPlan, state: State?) {
    self.part = part
    file = definition.path
    var items: [Item] = []
    func add(_ plan: ImportPlan, _ lists: [Int], _ listColumn: String, _ path: String) {
      for (column, name) in plan.columnNames.enumerated() where name != "." {
        let target = plan.fieldNames.first { $0.column == name }
        let shown = plan.lists.first { $0.request == name }?.columnName ?? name
        items.append(
          Item(
            path: path + shown, target: target.map { "\($0.entity).\($0.attribute)" },
            position: plan.columnPlaces[column], lists: lists, listColumn: listColumn, column: column))
      }
      for (index, list) in plan.lists.enumerated() {
        add(
          list.plan, lists + [index], lists.isEmpty ? list.columnName : listColumn, path + list.columnName + ".")
      }
    }
    add(plan, [], "", "")
    // A header tells, or a contract says what is missing.
    let knowsColumns = part.format.hasFixedColumns || part.contract?.missingColumns != nil
    self.items = items
    let all = items.indices.filter { !knowsColumns || !items[$0].lists.isEmpty }
    self.state = state ?? State(open: definition.reporting.kind == .replay ? [] : all)
  }

  /// Looks for elements of `each` only, for a split: its records are imported elsewhere.
  package init(elementsOf part: ImportPart, file: String?) {
    self.part = part
    self.file = file
    items = []
    state = State(open: [])
  }

  // MARK: Looking

  /// Looks at the records of a batch that was prepared.
  mutating func note(_ batch: ImportBatch) {
    note(batch.records)
    if state.open.isEmpty || batch.records.recordCount == 0 { return }
    let filled = Set(state.inFilledLists)
    var left = (open: [Int](), inFilledLists: [Int]())
    for number in state.open {
      let item = items[number]
      let records = Self.records(of: batch, item.lists)
      if records?.hasColumn(item.column) == true { continue }
      left.open.append(number)
      let hasElements = !item.lists.isEmpty && records?.recordCount ?? 0 > 0
      if hasElements || filled.contains(number) { left.inFilledLists.append(number) }
    }
    (state.open, state.inFilledLists) = left
    if !state.open.isEmpty { sample(batch) }
  }

  /// Looks whether there are records, and records without elements of `each`.
  package mutating func note(_ records: RecordBatch) {
    if withoutElements.isEmpty, !records.account.withoutElements.isEmpty {
      withoutElements = records.account.withoutElements
      state.hasChildless = true
    }
    if records.recordCount > 0 { state.hasRecords = true }
  }

  /// The records of a batch, or the elements of one of its lists.
  private static func records(of batch: ImportBatch, _ lists: [Int]) -> RecordBatch? {
    guard let first = lists.first else { return batch.records }
    guard first < batch.lists.count else { return nil }
    return records(of: batch.lists[first].batch, Array(lists.dropFirst()))
  }

  /// Notes the names that some records have.
  private mutating func sample(_ batch: ImportBatch) {
    let records = batch.records
    for record in 0..<min(records.recordCount, 16) where sampled < Self.mostSampled {
      sampled += 1
      if !part.format.hasFixedColumns {
        names.add(records.raw(record), of: part.format, indent: records.records[record].column - 1)
      }
    }
    // What is in a column, or was put there by a process.
    for number in state.open {
      guard let list = items[number].lists.first, list < batch.lists.count else { continue }
      let elements = batch.lists[list].batch.records
      for element in 0..<min(elements.recordCount, 4) {
        names.add(json: elements.raw(element), below: items[number].listColumn)
      }
    }
  }

  // MARK: Telling

  /// The warnings, once all was read.
  package var warnings: [RunWarning] {
    if !state.hasRecords { return neverExpanded.map { [$0] } ?? [] }
    return found(among: "record")
  }

  /// The same for a run that a limit has ended, about the records that it has come to: one of these is often the reason.
  var warningsSoFar: [RunWarning] { found(among: "record that was read") }

  private func found(among records: String) -> [RunWarning] {
    state.open.filter(isDecided).map { number in
      let item = items[number]
      return warning(finding(item, among: records), hint: hint(item.path), at: item.position)
    }
  }

  /// The findings of the warnings that there would be if something had come that could have had what is looked for.
  var undecided: [String] {
    let open = state.open.filter { !isDecided($0) }.map { finding(items[$0]) }
    guard let each = part.format.eachPath, !state.hasRecords, !state.hasChildless else { return open }
    return open + [noElements(each)]
  }

  /// Whether there was a record that could have had an item; of a list that was always empty nothing is known.
  private func isDecided(_ number: Int) -> Bool {
    state.hasRecords && (items[number].lists.isEmpty || state.inFilledLists.contains(number))
  }

  private func finding(_ item: Item, among records: String = "record") -> String {
    let target = item.target.map { " (\($0))" } ?? ""
    return named("no \(records) has “\(item.path)”\(target)")
  }

  private func noElements(_ each: String) -> String {
    named("no record has elements at “\(each)”, where “each” looks for them")
  }

  private func named(_ message: String) -> String {
    (part.name.isEmpty ? "" : "import “\(part.name)”: ") + message
  }

  /// The warning that no record had an element of `each`.
  private var neverExpanded: RunWarning? {
    guard let each = part.format.eachPath, state.hasChildless else { return nil }
    var found = OccurringPaths()
    found.add(withoutElements, of: part.format)
    // A list that is there and empty is not misspelt.
    let near = found.paths.contains(each) ? nil : NearestName.find(each, in: found.paths)
    return warning(noElements(each), hint: near.map { "; did you mean “\($0)”?" } ?? "", at: part.position)
  }

  private func warning(_ finding: String, hint: String, at position: SourcePosition) -> RunWarning {
    var warning = RunWarning(.neverMatched, finding + hint, file: file, position: position)
    warning.finding = finding
    return warning
  }

  private func hint(_ path: String) -> String {
    if names.paths.contains(path) {
      return " as one value, because it is in a list: use “each”, or name an element by its number"
    }
    if let meant = OccurringPaths.dotted(path), names.has(meant) { return "; \(OccurringPaths.advice(meant))" }
    let near = NearestName.find(path, in: names.paths) ?? names.paths.first { $0.hasSuffix("." + path) }
    return near.map { "; did you mean “\($0)”?" } ?? ""
  }
}
