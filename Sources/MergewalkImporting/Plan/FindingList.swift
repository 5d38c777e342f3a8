import MergewalkDiagnostics
import MergewalkObjectModel

/// Collects what is wrong with a definition.
struct FindingList {
  /// The path that findings carry: the pipeline file, or the name of a definition that Swift code makes.
  let path: String
  private(set) var list: [Diagnostic] = []

  var hasErrors: Bool { list.contains { $0.severity == .error } }

  /// Adds a finding, of its kind's own weight unless another one is given.
  mutating func report(
    _ code: FindingCode, as severity: Diagnostic.Severity? = nil, at position: SourcePosition, _ message: String,
    hint: String? = nil
  ) {
    var finding = Diagnostic(code, path: path, position: position, message: message, hint: hint)
    if let severity { finding.severity = severity }
    list.append(finding)
  }

  /// Adds a finding about a name that does not exist, with the nearest one that does.
  mutating func reportUnknown(
    _ code: FindingCode, _ name: String, among candidates: [String], at position: SourcePosition, _ message: String
  ) {
    report(code, at: position, message, hint: NearestName.hint(for: name, among: candidates))
  }

  /// Adds what was found elsewhere.
  mutating func add(_ findings: [Diagnostic]) { list += findings }

  /// The entity of a name, which must be there and have objects of its own.
  ///
  /// - Returns: the entity, an abstract one too; `nil` when there is none.
  mutating func entity(
    _ name: String, in model: ManagedObjectModel, at position: SourcePosition
  ) -> EntityDescription? {
    guard let entity = model.entity(named: name) else {
      reportUnknown(
        .unknownEntity, name, among: model.entities.map(\.name), at: position, "the model has no entity “\(name)”")
      return nil
    }
    if entity.isAbstract {
      let below = model.family(of: entity.index).filter { !$0.isAbstract }.map(\.name)
      report(
        .unsuitableEntity, at: position, "“\(entity.name)” is abstract: it has no objects of its own",
        hint: below.isEmpty
          ? "import another one, or take “abstract” out of it in the model"
          : "name one of \(below.joined(separator: ", ")) as “entity”")
    }
    return entity
  }
}
