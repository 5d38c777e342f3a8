import MergewalkDiagnostics
import MergewalkObjectModel

extension RunWarning {
  /// The warnings about look-ups that may have found what the run has deleted: the next run does not find it, and may
  /// end differently.
  ///
  /// - Parameter counts: what became of the objects of each entity, whether an import or one of its lists let them go.
  static func lookUps(
    of plans: [ImportPlan], _ model: ManagedObjectModel, _ counts: [String: ImportSummary.EntityCounts]
  ) -> [RunWarning] {
    Set(plans.flatMap(\.transforms.lookups).map(\.entity)).sorted().compactMap { name in
      guard let entity = model.entity(named: name) else { return nil }
      let deleted = counts.reduce(0) { sum, entry in
        model.entity(named: entry.key)?.isKind(of: entity) ?? false ? sum + entry.value.deleted : sum
      }
      guard deleted > 0 else { return nil }
      return RunWarning(
        .lookupDeleted,
        "\(name): the run has deleted \(PrintableText.count(deleted, "object")) that no record names or no list has any"
          + " more; “lookup” may have found \(deleted == 1 ? "it" : "them") before, and will not in the next run")
    }
  }
}
