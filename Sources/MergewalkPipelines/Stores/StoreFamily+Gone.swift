import MergewalkDiagnostics
import MergewalkImporting

extension StoreFamily {
  /// Refuses to let more of the published family go than the pipeline allows.
  ///
  /// - Parameter good: How many records the new stores hold; nil while that is not known.
  /// - Throws: `limitBreached`.
  func checkGone(_ plan: FamilyPlan, good: Int?) throws(FamilyError) {
    let published = try manifest()?.stores ?? []
    let isEmpty = plan.parts.isEmpty || good == 0
    if isEmpty, !plan.gone.allowsEmpty,
      published.contains(where: { $0.counts.read > $0.counts.skipped + $0.counts.rejected })
    {
      throw FamilyError(
        .limitBreached,
        "the input has no good record, and the published family has "
          + PrintableText.count(published.count, "store")
          + "; nothing of it has changed; if it is to be emptied, allow it in the pipeline: stores: { gone: { allow_empty: true } }"
      )
    }
    // A store with another path is not gone.
    let names = Set(plan.parts.map { StorePathTemplate.encoded($0.value) })
    let gone = published.filter { !names.contains(StorePathTemplate.encoded($0.value)) }
    guard let limit = plan.gone.breach(of: gone.count, of: published.count) else { return }
    let shown = gone.prefix(3).map { "“\($0.value.prefix(40))”" }.joined(separator: ", ")
    throw FamilyError(
      .limitBreached,
      "\(gone.count) of \(published.count) published stores would go (\(shown)\(gone.count > 3 ? ", …" : "")); the limit is"
        + " \(limit); nothing of the family has changed")
  }
}

extension StoresPolicy.Gone {
  /// The limit that so many stores breach, in words; nil when they may go.
  fileprivate func breach(of gone: Int, of all: Int) -> String? {
    if let limit, gone > limit { return "\(limit)" }
    if let ratio, Double(gone) > ratio * Double(all) { return "\(Double(Int(ratio * 100_000)) / 1000) %" }
    return nil
  }
}
