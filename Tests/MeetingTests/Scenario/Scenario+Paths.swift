extension Scenario {
  /// The member that holds the elements, when there are any.
  var elementPath: [String] { format == .xml ? ["entries", "entry"] : ["entries"] }

  /// The names on the way to a column's value inside of its record, or of its element.
  func path(_ column: String) -> [String] {
    switch paths {
    case .flat: return [column]
    case .nested:
      switch column {
      case "email", "age": return ["owner", column]
      case "team", "motto": return ["owner", "team", column]
      case "amount", "price": return ["detail", column]
      default: return [column]
      }
    case .awkward: return ["the \(column).é"]
    case .attributes: return Scenario.attributeColumns.contains(column) ? ["@" + column] : [column]
    }
  }

  /// The columns that are XML attributes in ``PathStyle/attributes``.
  private static let attributeColumns: Set = ["code", "amount", "day", "email"]

  /// Whether a column's value stands in the element and not around it.
  func isInElement(_ column: String) -> Bool { hasElements && !wholeColumns.contains(column) }

  /// What the pipeline calls a column.
  func columnName(_ column: String) -> String {
    let path = isInElement(column) ? elementPath + path(column) : path(column)
    let name = Scenario.columnName(path, format)
    if case .twoRows = delimited.header, format == .csv || format == .tsv { return "the " + name }
    return name
  }

  /// What the pipeline calls the value at a path.
  static func columnName(_ path: [String], _ format: DataFormat) -> String {
    guard format.isTree else { return path.joined(separator: ".") }
    return path.map { $0.replacing("\\", with: "\\\\").replacing(".", with: "\\.") }.joined(separator: ".")
  }

  /// The names of all columns.
  var columnNames: [String] { columns.map { columnName($0.name) } }
}
