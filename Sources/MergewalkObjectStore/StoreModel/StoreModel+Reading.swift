public import MergewalkDiagnostics
public import MergewalkObjectModel

extension StoreModel {
  /// Reads the model at a path: a file for ``ModelReader``, or a store's copy.
  ///
  /// - Parameters:
  ///   - path: A model, or a store.
  ///   - version: The version of an `.xcdatamodeld` or `.momd`; `nil` for the current one.
  /// - Throws: As ``ModelReader/read(_:version:)``, `notAModel` also for a database without such a copy, and as
  ///   ``find(path:modelAt:version:)``.
  public static func draft(at path: String, version: String? = nil) throws(DiagnosticList) -> ModelDraft {
    guard version == nil, FileKind(path) == .file, (try? DatabaseHeader(path)) != nil else {
      return try ModelReader.read(path, version: version)
    }
    do throws(DiagnosticList) { return try find(path: path, modelAt: nil).model.draft.placed(in: path) } catch {
      let withoutModel = [StoreError.Code.noModel, .notACoreDataStore].map(\.rawValue)
      guard error.diagnostics.contains(where: { withoutModel.contains($0.code) }) else { throw error }
      // The reader says that it is a database, and what to give instead.
      return try ModelReader.read(path)
    }
  }
}
