import MergewalkDiagnostics
import MergewalkObjectStore

extension ImportSummary {
  /// Warns of files beside the store that the run could not remove, or must not.
  mutating func noteFilesThatStay(_ file: StoreFile) {
    if file.leavesPlan {
      warn(
        RunWarning(
          .filesNotRemoved,
          "the store has the whole run, and files of its plan beside the store could not be removed; the next run of this"
            + " pipeline tries again, and so does mergewalk store clean"))
    }
    if let (names, reason) = file.externalFiles.unknown, let name = names.min() {
      warn(
        RunWarning(
          .filesNotRemoved,
          "\(PrintableText.count(names.count, "file")) that this run made beside the store stayed, such as \(name),"
            + " because which of them are in use cannot be read (\(reason.message)); mergewalk store clean removes those that are not"
        ))
    }
    let shared = file.externalFiles.sharedFiles
    if let name = shared.min() {
      warn(
        RunWarning(
          .filesNotRemoved,
          "\(PrintableText.count(shared.count, "file")) beside the store that no row names any more stayed, such as"
            + " \(name): another store has the same name but for the extension, and so the same folder for its files"))
    }
    let names = file.externalFiles.staying
    guard let name = names.min() else { return }
    warn(
      RunWarning(
        .filesNotRemoved,
        "\(names.count) of the files beside the store that no row names any more could not be removed, such as \(name);"
          + " the next run of this pipeline tries again, and so does mergewalk store clean"))
  }
}

extension ImportError {
  /// The same error once its run was rolled back: it says which files stay beside the store all the same.
  func after(rollingBack file: StoreFile, _ rollBack: () throws(StoreError) -> Void) -> ImportError {
    var left = ImportSummary()
    do throws(StoreError) { try rollBack() } catch {
      left.warn(
        RunWarning(
          .filesNotRemoved,
          "what the run has left beside the store could not be removed (\(error.message)); the next run of this pipeline"
            + " tries again, and so does mergewalk store clean"))
    }
    left.noteFilesThatStay(file)
    if left.warnings.isEmpty { return self }
    // Findings are shown in place of the message.
    let findings = left.warnings.map {
      Diagnostic(.warning, code: $0.code.rawValue, path: file.path, position: .file, message: $0.message)
    }
    return ImportError(
      code: code, message: ([message] + left.warnings.map(\.message)).joined(separator: "; "),
      diagnostics: diagnostics.isEmpty ? [] : diagnostics + findings)
  }
}
