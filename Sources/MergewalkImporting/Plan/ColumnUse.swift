package import MergewalkDiagnostics
import MergewalkObjectModel

/// A column that a definition names, and where.
package struct ColumnUse: Sendable, Hashable {
  package var name: String
  package var position: SourcePosition

  package init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}

extension FieldImport {
  /// The column that the field is filled from, and where the file names it.
  var columnUse: ColumnUse { ColumnUse(name: column, position: places["from"]?.value ?? position) }
  /// Whether it is filled from a column; what is written badly may say so or not.
  var takesColumn: Bool { value == nil && places.broken.isDisjoint(with: ["from", "value"]) }
  /// Whether the column goes into conversion as it is.
  var takesColumnAsItIs: Bool { steps.isEmpty && value == nil }
}

extension EntityImport {
  /// Goes through the columns of the source that the entity and its targets name: those of fields with the field, and
  /// those that hold lists, whose elements' columns are none of the source's, without one.
  func eachColumn(_ body: (ColumnUse, FieldImport?) -> Void) {
    for field in findBy + attributes where field.takesColumn { body(field.columnUse, field) }
    for relationship in relationships {
      guard let list = relationship.list else {
        relationship.target.eachColumn(body)
        continue
      }
      let place = relationship.target.places["each"]?.value ?? relationship.target.findBy.first?.columnUse.position
      body(ColumnUse(name: list.column, position: place ?? relationship.position), nil)
    }
  }

  /// The columns that fields and lists name, in order of first mention.
  var columnUses: [ColumnUse] {
    var uses: [ColumnUse] = []
    eachColumn { use, _ in uses.append(use) }
    return uses
  }
}

extension ImportPart {
  /// The names of columns that are not, or not only, the source's own.
  var derivedColumnNames: Set<String> {
    var names = Set(columns.map(\.name) + hooks.columns)
    if let process { names.formUnion(process.columns + process.gives.map(\.name)) }
    if let process, process.columns.isEmpty { names.formUnion(namedColumns) }
    return names
  }

  /// The columns that fields and derived columns name, in order of first mention.
  var namedColumns: [String] {
    var names: [String] = []
    func add(_ name: String) { if !names.contains(name) { names.append(name) } }
    for use in root.columnUses { add(use.name) }
    for column in columns { if case .column(let name) = column.source { add(name) } }
    return names
  }

  /// The columns that the source must have: those that are taken as they are, and those that transforms read.
  ///
  /// - Parameter reads: what transforms read; `nil` when it is not known, and then every column that nothing makes is
  ///   meant.
  func requiredColumns(reads: [ColumnUse]?) -> [ColumnUse] {
    let made = reads == nil ? Set(columns.map(\.name) + (process?.gives.map(\.name) ?? [])) : derivedColumnNames
    var all: [ColumnUse] = []
    var uses: [ColumnUse] = []
    func add(_ use: ColumnUse) { if !uses.contains(where: { $0.name == use.name }) { uses.append(use) } }
    root.eachColumn { use, field in
      all.append(use)
      if !made.contains(use.name), reads == nil || field?.takesColumnAsItIs ?? true { add(use) }
    }
    for read in reads ?? [] { add(all.first { $0.name == read.name } ?? read) }
    if let since, !makes(since.column) { add(ColumnUse(name: since.column, position: since.position)) }
    return uses
  }

  /// Whether a column comes from others or from the process, so that the source need not have one of its name.
  func makes(_ name: String) -> Bool {
    if let process, process.gives.contains(where: { $0.name == name }) { return true }
    return columns.contains { column in
      guard column.name == name else { return false }
      switch column.source {
      case .column(let origin): return origin != name
      case .expression(let text):
        // One that cannot be read is a finding of its own.
        guard let expression = try? ObjectExpression(exactFormat: text.text) else { return false }
        var finder = ColumnFinder()
        finder.visit(.expression(expression))
        return !finder.names.contains(name)
      }
    }
  }
}
