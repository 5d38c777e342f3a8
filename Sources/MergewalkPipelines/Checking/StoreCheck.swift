import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore

/// Finds paths of stores at which no store can be.
struct StoreCheck {
  let findings: Findings
  /// Whether a file that is not a database is reported, too.
  let looksInside: Bool

  /// Reports a folder, and perhaps a file that is not a database or a store of another model, where a pipeline has its
  /// store; whatever else a database holds is found when it is opened.
  func run(_ path: String, model: ManagedObjectModel, modelFile: String?, at position: SourcePosition) {
    guard let status = stat(path: path) else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      findings.add(
        .unsuitableStore, at: position, "the store “\(path)” is a folder",
        hint: "a store is a file: for example “\(Paths.join(path, "shop.sqlite"))”")
    // One that cannot be read is left to what opens it.
    case S_IFREG where looksInside:
      if let foreign = ForeignStoreFile(at: path) {
        findings.add(
          .unsuitableStore, at: position, "the store “\(path)” \(foreign.words)", hint: foreign.error(path).advice)
        return
      }
      do throws(StoreError) {
        try StoreMetadata.read(path: path).requireHashes(of: StoreSchema(model: model), path: path)
      } catch {
        switch error.code {
        case .incompatibleModel, .damagedMetadata, .notACoreDataStore, .notADatabase: break
        // What is busy or cannot be read may be ready for a run.
        default: return
        }
        var error = error
        error.model = modelFile
        findings.add(.unsuitableStore, at: position, "“\(path)”: \(error.message)", hint: error.advice)
      }
    default: break
    }
  }
}
