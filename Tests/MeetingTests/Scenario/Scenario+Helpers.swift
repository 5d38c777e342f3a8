import MergewalkImporting

/// A program that sees every record.
enum ProcessKind: Sendable {
  case none
  /// It gives back what it gets.
  case echo
  /// The same by a script beside the pipeline, or in a folder that is there.
  case script(folder: String?)
  /// It changes, skips and rejects records by their labels.
  case answers
}

/// Programs and hooks of a scenario, and their twins for the reference importer.
extension Scenario {
  /// The program, as YAML.
  var processText: String? {
    switch process {
    case .none: nil
    case .echo: "{ command: [cat] }"
    case .script(let folder): "{ command: [sh, echo.sh]\(folder.map { ", folder: \($0)" } ?? "") }"
    case .answers:
      """
      { columns: [\(YAMLText.quoted(columnName("label")))], command: [sed, -u, -e, 's/^.*: *"z"}$/null/', \
      -e, 's/^.*: *"7"}$/{"$reject":"seven"}/', -e, 's/"a b"}$/"changed"}/'] }
      """
    }
  }

  var hook: @Sendable (inout RecordView) -> Void {
    let name = columnName("label")
    return { record in
      switch record[name] {
      case "%": record.skip()
      case "NULL": record.reject("no")
      case "007": record[name] = "a spy"
      case "$x": record[name] = nil
      default: break
      }
    }
  }

  /// What the program and the hook do, in their order.
  var twins: [ReferenceImporter.Twin] {
    let name = columnName("label")
    var twins: [ReferenceImporter.Twin] = []
    switch process {
    case .none: break
    case .echo, .script: twins.append(ReferenceImporter.Twin(columns: []) { _ in .good })
    case .answers:
      twins.append(
        ReferenceImporter.Twin(columns: [name]) { record in
          switch record.cells[name] {
          case .text("z"): return .skipped
          case .text("7"): return .refused(["process.rejected"])
          case .text("a b"): record.cells[name] = .text("changed")
          default: break
          }
          return .good
        })
    }
    if hasHook {
      twins.append(
        ReferenceImporter.Twin(columns: [name]) { record in
          switch record.cells[name] {
          case .text("%"): return .skipped
          case .text("NULL"): return .refused(["hook.rejected"])
          case .text("007"): record.cells[name] = .text("a spy")
          case .text("$x"): record.cells[name] = .null
          default: break
          }
          return .good
        })
    }
    return twins
  }
}
