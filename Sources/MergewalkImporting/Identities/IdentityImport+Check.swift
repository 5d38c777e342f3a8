public import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

extension IdentityImport {
  /// Finds all mistakes and doubtful points.
  ///
  /// - Parameters:
  ///   - model: the model; `nil` if there is none, which limits the checks.
  ///   - path: the path for findings.
  ///   - readsFiles: whether to compare the fields of files with those of the entity, unless there are other errors.
  public func check(model: ManagedObjectModel?, path: String, readsFiles: Bool) -> [Diagnostic] {
    var findings = FindingList(path: path)
    let entity = resolve(model, &findings)
    if readsFiles, let entity, let model, !findings.hasErrors {
      checkFields(of: entity, StoreSchema(model: model).objectFields(of: entity), &findings)
    }
    return findings.list
  }

  /// The entity, when it has objects of its own; reports what is wrong.
  func resolve(_ model: ManagedObjectModel?, _ findings: inout FindingList) -> EntityDescription? {
    if let source = sources.first(where: \.isReadOnce) {
      findings.report(
        .invalidOption, at: places["files", source.path]?.value ?? position,
        "objects are read from files, which “\(source.path)” is not",
        hint: "write it to a file first: it is read again when references have to be explained")
    }
    if missing == .create {
      findings.report(
        .invalidOption, at: places["missing"]?.value ?? position, "“missing” cannot be “create”",
        hint: "objects are never made for references: use “reject” or “null”")
    }
    guard let model, let entity = findings.entity(entityName, in: model, at: position), !entity.isAbstract else {
      return nil
    }
    return entity
  }

  /// Compares the columns or the first records' members with the fields of the entity.
  private func checkFields(
    of entity: EntityDescription, _ fields: [IdentityField], _ findings: inout FindingList
  ) {
    let names = fields.map { IdentityColumn.name(ofField: $0.name, in: format) }
    let known = Set(names)
    for source in sources {
      let place = places["files", source.path]?.value ?? position
      let present: [String]
      do throws(ReadError) {
        present = try format.reader(source: source, columns: .all, index: 0).columns
      } catch {
        findings.add([error.diagnostic])
        continue
      }
      if present.isEmpty { continue }
      if !present.contains(IdentityField.identityName) {
        findings.report(
          .unknownColumn, at: place, "“\(source.path)” has no field “\(IdentityField.identityName)”",
          hint: "objects have their identity there, a number from 1")
      }
      checkNeeded(fields, Set(present), source, &findings)
      // How exports say in XML that a text is base64.
      let marks = present.filter { name in
        [".@encoding", ".@of"].contains { name.hasSuffix($0) && present.contains(String(name.dropLast($0.count))) }
      }
      for name in present where !known.contains(name) && !marks.contains(name) {
        findings.reportUnknown(
          .unusedColumn, name, among: names, at: place,
          "“\(source.path)” has a field “\(name)”, which “\(entity.name)” does not have")
      }
    }
  }

  /// Finds fields that a CSV file must have and has not; the records of other formats name their fields one by one.
  func checkNeeded(
    _ fields: [IdentityField], _ present: Set<String>, _ source: ByteSource, _ findings: inout FindingList
  ) {
    guard case .csv = format else { return }
    for field in fields where field.isNeeded && !present.contains(field.name) {
      findings.report(
        .unknownColumn, at: places["files", source.path]?.value ?? position,
        "\(source.path) has no column \(field.name), which is mandatory or has a default")
    }
  }
}

extension IdentityField {
  /// Whether a file without the column would say nothing where something must be said; the identity aside.
  fileprivate var isNeeded: Bool {
    switch kind {
    case .attribute(let attribute): !attribute.isDerived && (!attribute.isOptional || attribute.defaultValue != nil)
    case .toOne(let relationship): !relationship.isOptional
    default: false
    }
  }
}
