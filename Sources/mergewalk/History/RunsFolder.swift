import MergewalkSystem
import MergewalkImporting

/// The tables of runs of a folder of stores.
struct RunsFolder {
  /// The runs of one pipeline into one store, the latest first.
  struct PipelineRuns {
    var store: String
    var name: String
    var runs: [RunRecord]
  }

  /// The paths of the stores that have a table of runs.
  let stores: [String]
  /// Whether the path is that of a folder.
  let isFolder: Bool

  private static let ending = "-mergewalk"
  /// Folders are searched so deep, and no further than so many tables.
  private static let (deepest, most) = (4, 10_000)

  /// Looks for tables of runs: of one store, or of all stores in a folder and in its subfolders.
  init(_ path: String) {
    isFolder = stat(path: path)?.isFolder ?? false
    stores = isFolder ? Self.find(path.hasSuffix("/") ? String(path.dropLast()) : path, 0) : [path]
  }

  private static func find(_ folder: String, _ depth: Int) -> [String] {
    guard depth < deepest, let stream = opendir(folder.isEmpty ? "/" : folder) else { return [] }
    defer { closedir(stream) }
    var names: [(name: String, kind: UInt8)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append((name, entry.pointee.d_type)) }
    }
    var found: [String] = []
    for (name, kind) in names.sorted(by: { $0.name < $1.name }) where found.count < most {
      let path = folder + "/" + name
      // Links are not followed, so that a folder is looked into once.
      if kind == DT_DIR {
        found += find(path, depth + 1)
      } else if name.hasSuffix(ending), name.count > ending.count {
        found.append(String(path.dropLast(ending.count)))
      }
    }
    return found
  }

  /// The last runs of each pipeline, by store and name, and what could not be read.
  func pipelines(named wanted: String?, limit: Int) -> (pipelines: [PipelineRuns], problems: [String]) {
    var pipelines: [PipelineRuns] = []
    var problems: [String] = []
    for store in stores {
      let history = RunHistory(storePath: store)
      do throws(RunHistoryError) {
        for name in try history.pipelines() where wanted == nil || name == wanted {
          pipelines.append(
            PipelineRuns(store: store, name: name, runs: try history.recent(pipeline: name, limit: limit)))
        }
      } catch {
        problems.append("\(store): error: \(error.description) [\(error.code.rawValue)]")
      }
    }
    return (pipelines, problems)
  }
}
