package import MergewalkDiagnostics
package import MergewalkObjectModel
import MergewalkRecordFormats

/// A part of a definition, checked against the model: what ``ImportSession`` runs, and what `mergewalk lint` reports.
package struct ResolvedPart: Sendable {
  /// Everything that is wrong or dubious, errors and warnings, at its place in the definition's file.
  package let findings: [Diagnostic]
  /// The columns that the source must have, and what asks for them; their order is that of the definition.
  package let columns: [ColumnUse]
  /// The columns that are made and that no field, condition or other column takes.
  package let unusedColumns: [ColumnUse]
  /// The plan; `nil` when something is wrong.
  let plan: ImportPlan?
}

extension ImportPart {
  /// Resolves the part.
  ///
  /// - Parameters:
  ///   - model: the model; `nil` when there is none, and then only what needs none is checked.
  ///   - path: the path that findings carry.
  ///   - hasRejectsFile: whether the run keeps what it rejects.
  ///   - isModelLinted: whether what is wrong with the model's own rules has findings already.
  ///   - storePath: the store of the run; `nil` when it is not known.
  package func resolved(
    model: ManagedObjectModel?, path: String, hasRejectsFile: Bool, isModelLinted: Bool = false,
    storePath: String? = nil
  ) -> ResolvedPart {
    var shape = DefinitionShape(path: path, hasRejectsFile: hasRejectsFile)
    shape.check(self)
    guard let model else {
      return ResolvedPart(
        findings: shape.findings.list, columns: requiredColumns(reads: nil), unusedColumns: [], plan: nil)
    }
    var builder = ImportPlanBuilder(model: model, path: path, isModelLinted: isModelLinted)
    builder.derivedNames = derivedColumnNames
    builder.hasElements = format.hasElements
    builder.storePath = storePath
    builder.postponesOwn = passes != .one && root.mode != .update
    let root = builder.add(plannedRoot(model))
    let sinceField = since.flatMap { builder.addSince($0, self.root) }
    let (transforms, reads, unused) = builder.compileTransforms(of: self)
    builder.findings.add(shape.findings.list)
    var plan: ImportPlan?
    if let root, !builder.findings.hasErrors {
      plan = ImportPlan(
        nodes: builder.nodes, fields: builder.fields, fieldColumns: builder.fieldColumns,
        columnNames: builder.columnNames, columnPlaces: builder.columnPlaces, fieldNames: builder.fieldNames,
        root: root,
        lists: builder.lists)
      plan?.transforms = transforms
      plan?.sinceField = sinceField
    }
    return ResolvedPart(
      findings: builder.findings.list, columns: requiredColumns(reads: reads), unusedColumns: unused, plan: plan)
  }
}
